"""Looking at every followed catalog again and again, once for all who follow it."""

import asyncio
import logging
import random
from collections.abc import Callable, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from bot.domain.announcing import Changes, FollowedCatalog
from bot.errors import KioskError
from bot.features.announcing.callers import Callers
from bot.features.announcing.deliveries import Deliveries
from bot.features.announcing.reading import Sleep, read_catalog
from bot.features.announcing.rules import DAY, Reading, baseline, changes
from bot.game.client import Caller, GameClient
from bot.game.errors import GameError
from storage.catalog_snapshots import CatalogSnapshots

log = logging.getLogger(__name__)

_random = random.SystemRandom()
# As a share of the interval, so that catalogs are not all asked for at once.
_JITTER = 0.1
# In seconds: how long a catalog that fails waits at most, unless the interval is longer; and how
# soon it is noticed that another process has come to follow one.
_LONGEST_BACKOFF = 900.0
_SECONDS_BETWEEN_LOOKS = 5.0
_MOST_AT_ONCE = 4
# A success that changed nothing is written this seldom.
_WRITTEN_FOR = timedelta(hours=1)


@dataclass(frozen=True)
class _Known:
    """What the last reading of a catalog came to, as of a version that is written."""

    followed_at: datetime
    version: int
    present: Set[int]
    fingerprint: int | None = None

    def is_of(self, catalog: FollowedCatalog) -> bool:
        return (self.followed_at, self.version) == (catalog.followed_at, catalog.version)


class Poller:
    """Polls the catalogs that are followed; one process at a time does.

    `due` tells when each is polled next, `read_at` when each was read last, as far as this process
    has done it.
    """

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
    ) -> None:
        self._client = client
        self._callers = callers
        self._snapshots = snapshots
        self._deliveries = deliveries
        self._clock = clock
        self._interval = interval
        self._sleep = sleep
        self._known: dict[int, _Known] = {}
        self._changed = asyncio.Event()
        self.due: dict[int, datetime] = {}
        self.read_at: dict[int, datetime] = {}

    def hurry(self) -> None:
        """Look at once whether a catalog is followed that was not before."""
        self._changed.set()

    async def run(self) -> None:
        """Poll until cancelled."""
        at_once = asyncio.Semaphore(_MOST_AT_ONCE)
        running: dict[int, asyncio.Task[None]] = {}
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._changed.clear()
                await self._plan()
                now = self._clock()
                for catalog_id, due in self.due.items():
                    if due <= now and catalog_id not in running:
                        task = tasks.create_task(self._take_turn(catalog_id, at_once))
                        running[catalog_id] = task
                        task.add_done_callback(lambda _, done=catalog_id: running.pop(done))
                        task.add_done_callback(lambda _: self._changed.set())
                waits = [
                    (due - now).total_seconds()
                    for catalog_id, due in self.due.items()
                    if catalog_id not in running
                ]
                with suppress(TimeoutError):
                    async with asyncio.timeout(min([_SECONDS_BETWEEN_LOOKS, *waits])):
                        await self._changed.wait()

    async def poll(self, catalog_id: int) -> bool:
        """Look at a catalog, and write down what is new; return whether it could be read."""
        catalog = await self._snapshots.find(catalog_id)
        if catalog is None:
            self._known.pop(catalog_id, None)
            return True
        known = self._known.get(catalog_id)
        if known is None or not known.is_of(catalog):
            known = await self._recall(catalog)
        try:
            expected = known.present if catalog.version else None
            reading = await self._read(catalog_id, expected)
        except (GameError, KioskError) as error:
            log.warning("catalog %s can't be read: %s", catalog_id, error.key)
            await self._snapshots.note_failure(catalog_id, error.key, self._clock())
            return False
        now = self._clock()
        if _fingerprint(reading) != known.fingerprint:
            await self._compare(catalog, reading, now)
        if reading.failure is not None:
            await self._snapshots.note_failure(catalog_id, reading.failure, now)
            return False
        self.read_at[catalog_id] = now
        if catalog.failure or not catalog.read_at or now - catalog.read_at >= _WRITTEN_FOR:
            await self._snapshots.note_read(catalog_id, now)
        return True

    async def _plan(self) -> None:
        """Give every followed catalog a moment, and forget the others."""
        now = self._clock()
        followed = {each.catalog_id: each for each in await self._snapshots.followed()}
        self.due = {known: due for known, due in self.due.items() if known in followed}
        for catalog_id, catalog in followed.items():
            # After a start they are not all asked for at once, but such as nobody has looked at.
            spread = min(self._interval, _SECONDS_BETWEEN_LOOKS) if catalog.version else 0.0
            later = timedelta(seconds=_random.uniform(0, spread))
            self.due.setdefault(catalog_id, now + later)

    async def _take_turn(self, catalog_id: int, at_once: asyncio.Semaphore) -> None:
        async with at_once:
            try:
                is_read = await self.poll(catalog_id)
            except Exception:
                # Whatever is wrong with one catalog, the others go on.
                log.exception("catalog %s can't be polled", catalog_id)
                is_read = False
        catalog = await self._snapshots.find(catalog_id)
        wait = self._interval
        if not is_read and catalog is not None:
            longest = max(self._interval, _LONGEST_BACKOFF)
            wait = min(self._interval * 2 ** min(catalog.failures, 10), longest)
        wait *= _random.uniform(1 - _JITTER, 1 + _JITTER)
        self.due[catalog_id] = self._clock() + timedelta(seconds=wait)

    async def _read(self, catalog_id: int, expected: Set[int] | None) -> Reading:
        async def read(caller: Caller) -> Reading:
            page = partial(self._client.look_at_items, caller, catalog_id)
            return await read_catalog(page, expected, sleep=self._sleep)

        return await self._callers.ask(catalog_id, read)

    async def _recall(self, catalog: FollowedCatalog) -> _Known:
        seen = await self._snapshots.seen(catalog.catalog_id)
        present = {each.item_id for each in seen.values() if each.gone_at is None}
        return _Known(catalog.followed_at, catalog.version, present)

    async def _compare(self, catalog: FollowedCatalog, reading: Reading, now: datetime) -> None:
        """Write down how a reading differs from what was seen before."""
        if catalog.version == 0 and reading.failure is not None:
            # What half a catalog lacks would be new later.
            return
        read_at = self.read_at.get(catalog.catalog_id) or catalog.read_at
        known = await self._snapshots.seen(catalog.catalog_id)
        found: Changes = (baseline(reading, now), [])
        if catalog.version:
            found = changes(known, reading, now)
        changed, events = found
        if changed or not catalog.version:
            is_written = await self._snapshots.record(
                catalog,
                changed,
                events,
                now=now,
                is_late=read_at is not None and now - read_at > DAY,
                owe=self._deliveries.owe,
            )
            if not is_written:
                return
            catalog = replace(catalog, version=catalog.version + 1)
        after = {**known, **{each.item_id: each for each in changed}}
        self._known[catalog.catalog_id] = _Known(
            catalog.followed_at,
            catalog.version,
            {each.item_id for each in after.values() if each.gone_at is None},
            _fingerprint(reading),
        )


def _fingerprint(reading: Reading) -> int:
    """Return what differs, all but surely, where a comparison could find something."""
    facts = frozenset(
        (item.id, item.name, item.cost, item.currency.id, item.is_clearance, item.is_member_item)
        for item in reading.items
    )
    return hash((facts, reading.unreadable_ids, reading.is_certain))
