"""Looking at every followed catalog again and again, once for all who follow it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace
from pydantic import SecretStr

from bot.domain.announcing import Changes, FollowedCatalog
from bot.errors import AccountError, KioskError, NotLinked
from bot.features.accounts import Accounts
from bot.features.announcing.deliveries import Deliveries
from bot.features.announcing.reading import Sleep, read_catalog
from bot.features.announcing.rules import DAY, Reading, baseline, changes
from bot.features.polls import Polled, Polls
from bot.game.client import THE_BOT, Caller, GameClient
from bot.game.errors import Forbidden, GameError, Unauthorized
from bot.game.models import Item
from storage.announcements import CatalogSnapshots
from storage.subscriptions import Subscriptions, Watches

log = logging.getLogger(__name__)

# A success that changed nothing is written this seldom.
_WRITTEN_FOR = timedelta(hours=1)
T = TypeVar("T")
# Of those who watch, and of those whom the game forbids to look, so that it is not asked in the
# name of thousands.
_MOST_WATCHERS = 10


def _fingerprint(catalog: FollowedCatalog, reading: Reading) -> int:
    """Return what differs, all but surely, where a comparison could find something."""
    facts = frozenset(
        (each.id, each.name, each.cost, each.currency.id, each.is_clearance, each.is_member_item)
        for each in reading.items
    )
    version = catalog.followed_at, catalog.version
    return hash((version, facts, reading.unreadable_ids, reading.is_certain))


class Callers(Struct, frozen=True):
    """The operator's token; else those of members who subscribed or watch, and are still linked."""

    accounts: Accounts
    subscriptions: Subscriptions
    watches: Watches
    game_token: SecretStr | None

    async def ask(
        self, catalog_id: int, read: Callable[[Caller], Awaitable[T]], first: int | None = None
    ) -> T:
        """Return what a read comes to with the first good token, that of `first` before others'.

        Raises AccountError where nobody has one, and what the read raises; Forbidden where the game
        lets none of several see it.
        """
        if self.game_token is not None:
            try:
                return await read(Caller(THE_BOT, self.game_token))
            except Unauthorized:
                log.warning("the game refuses GAME_TOKEN: get a new one; members' are tried")
        members = [each.created_by for each in await self.subscriptions.of_catalog(catalog_id)]
        members += await self.watches.watchers(catalog_id, _MOST_WATCHERS)
        if first is not None:
            members.insert(0, first)
        failure: AccountError | Forbidden | None = None
        forbidden = 0
        for member_id in dict.fromkeys(members):
            try:
                async with self.accounts.acting_as(member_id) as caller:
                    return await read(caller)
            except (AccountError, Forbidden) as error:
                log.info("catalog %s can't be read as one member: %s", catalog_id, error.key)
                failure = failure or error
                forbidden += isinstance(error, Forbidden)
                if forbidden == _MOST_WATCHERS:
                    break
        raise failure or NotLinked(source=self.accounts.source)


class Poller(Polls):
    """Polls the catalogs that are followed; `read_at` tells when this process read each last."""

    def __init__(
        self,
        client: GameClient,
        callers: Callers,
        snapshots: CatalogSnapshots,
        deliveries: Deliveries,
        *,
        clock: Callable[[], datetime],
        interval: float,
        sleep: Sleep = asyncio.sleep,
        on_items: Callable[[Sequence[Item]], None] = lambda _: None,
    ) -> None:
        super().__init__("catalog", clock, interval)
        self._client = client
        self._callers = callers
        self._snapshots = snapshots
        self._deliveries = deliveries
        self._sleep = sleep
        self._on_items = on_items
        # Of what each catalog's last reading came to.
        self._fingerprints: dict[int, int] = {}
        self.read_at: dict[int, datetime] = {}

    async def poll(self, catalog_id: int) -> bool:
        """Look at a catalog, and write down what is new; return whether it could be read."""
        catalog = await self._snapshots.find(catalog_id)
        if catalog is None:
            self._fingerprints.pop(catalog_id, None)
            return True
        try:
            reading = await self._read(catalog)
        except (GameError, KioskError) as error:
            log.warning("catalog %s can't be read: %s", catalog_id, error.key)
            await self._snapshots.note_failure(catalog_id, error.key, self._clock())
            return False
        now = self._clock()
        self._on_items(reading.items)
        if self._fingerprints.get(catalog_id) != _fingerprint(catalog, reading):
            await self._compare(catalog, reading, now)
        if reading.failure is not None:
            await self._snapshots.note_failure(catalog_id, reading.failure, now)
            return False
        self.read_at[catalog_id] = now
        if catalog.failure or not catalog.read_at or now - catalog.read_at >= _WRITTEN_FOR:
            await self._snapshots.note_read(catalog_id, now)
        return True

    def last_read(self, catalog: FollowedCatalog) -> datetime | None:
        """Return when a catalog was read last since it is followed: here, or by another process."""
        moments = (self.read_at.get(catalog.catalog_id), catalog.read_at)
        return max((each for each in moments if each and each >= catalog.followed_at), default=None)

    async def followed(self) -> Mapping[int, Polled]:
        """Return the catalogs that are followed."""
        return {each.catalog_id: each for each in await self._snapshots.followed()}

    async def find(self, number: int, /) -> Polled | None:
        """Return a catalog that is followed."""
        return await self._snapshots.find(number)

    async def _read(self, catalog: FollowedCatalog) -> Reading:
        async def read(caller: Caller) -> Reading:
            page = partial(self._client.look_at_items, caller, catalog.catalog_id)
            return await read_catalog(page, is_first=not catalog.version, sleep=self._sleep)

        return await self._callers.ask(catalog.catalog_id, read)

    async def _compare(self, catalog: FollowedCatalog, reading: Reading, now: datetime) -> None:
        """Write down how a reading differs from what was seen before."""
        if catalog.version == 0 and reading.failure is not None:
            # What half a catalog lacks would be new later.
            return
        read_at = self.last_read(catalog)
        known = await self._snapshots.seen(catalog.catalog_id)
        found: Changes = (baseline(reading, now), [])
        if catalog.version:
            found = changes(known, reading, now)
        changed, events = found
        if changed or not catalog.version:
            # Before anybody waits for this to be written.
            watched = await self._deliveries.who_watches(catalog.catalog_id, events)
            is_written = await self._snapshots.record(
                catalog,
                changed,
                events,
                now=now,
                is_late=read_at is not None and now - read_at > DAY,
                owe=partial(self._deliveries.owe, watched=watched),
            )
            if not is_written:
                return
            catalog = replace(catalog, version=catalog.version + 1)
        self._fingerprints[catalog.catalog_id] = _fingerprint(catalog, reading)
