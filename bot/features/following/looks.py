"""One look at a catalog or a thread: what is read, and what of it is written down as new."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

from msgspec import Struct, field
from pydantic import SecretStr

from bot.errors import AccountError, NotLinked
from bot.features.accounts import Accounts
from bot.features.following.owing import Owing
from bot.features.following.reading import Sleep, read_catalog, read_thread
from bot.features.following.rules import DAY, Reading, baseline, changes, compare, newest, seen_as
from bot.game.client import THE_BOT, Caller, GameClient
from bot.game.errors import Forbidden, Unauthorized
from bot.game.models import Comment, Item, Page
from storage.following import Followed, FollowedPlaces, NewEvent, SeenComment, Subscriptions
from storage.names import PlaceKind

log = logging.getLogger(__name__)

T = TypeVar("T")
# So that the game is not asked in the name of thousands.
_MOST_READERS = 10
# What is dated later than this from now says nothing of when it was written.
_CLOCKS_DIFFER = timedelta(days=1)
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class Callers(Struct, frozen=True):
    """The operator's token; else those of members who subscribed, and are still linked."""

    accounts: Accounts
    subscriptions: Subscriptions
    game_token: SecretStr | None

    async def ask(
        self, catalog_id: int, read: Callable[[Caller], Awaitable[T]], first: int | None
    ) -> tuple[T, int | None]:
        """Return what a read comes to with the first good token, and whose that is.

        A member may come `first`. Raises AccountError where nobody has one, and what the read
        raises; Forbidden where the game lets none of several see it.
        """
        if self.game_token is not None:
            try:
                return await read(Caller(THE_BOT, self.game_token)), None
            except Unauthorized:
                log.warning("the game refuses GAME_TOKEN: get a new one; members' are tried")
        members = [] if first is None else [first]
        members += await self.subscriptions.readers(PlaceKind.CATALOG, catalog_id, _MOST_READERS)
        failure: AccountError | Forbidden | None = None
        for member_id in dict.fromkeys(members):
            try:
                async with self.accounts.acting_as(member_id) as caller:
                    return await read(caller), member_id
            except (AccountError, Forbidden) as error:
                log.info("catalog %s can't be read as one member: %s", catalog_id, error.key)
                failure = failure or error
        raise failure or NotLinked(source=self.accounts.source)


class CatalogLook(Struct, frozen=True):
    """Reads a whole catalog."""

    client: GameClient
    callers: Callers
    places: FollowedPlaces
    owing: Owing
    clock: Callable[[], datetime]
    on_items: Callable[[Sequence[Item]], None] = lambda _: None
    sleep: Sleep = asyncio.sleep

    async def __call__(self, followed: Followed) -> str | None:
        """Write down what is new; return the name of the error that cut the look short."""

        async def read(caller: Caller) -> Reading:
            page = partial(self.client.look_at_items, caller, followed.game_id)
            return await read_catalog(page, is_first=not followed.version, sleep=self.sleep)

        reading, reader_id = await self.callers.ask(followed.game_id, read, followed.reader_id)
        if reader_id != followed.reader_id:
            await self.places.note_reader(followed, reader_id)
        now = self.clock()
        self.on_items(reading.items)
        if followed.version:
            changed, events = changes(await self.places.items(followed.game_id), reading, now)
        elif reading.failure is None:
            changed, events = baseline(reading, now), list[NewEvent]()
        else:
            # What half a catalog lacks would be new later.
            return reading.failure
        if changed or not followed.version:
            # Before anybody waits for this to be written.
            owe = await self.owing.news(followed.game_id, events) if events else None
            is_late = followed.read_at is not None and now - followed.read_at > DAY
            await self.places.record(followed, changed, events, now=now, is_late=is_late, owe=owe)
        return reading.failure


class ThreadLook(Struct, frozen=True):
    """Reads the first pages of a thread, and some of the further ones in turn."""

    client: GameClient
    places: FollowedPlaces
    owing: Owing
    clock: Callable[[], datetime]
    # Of each thread, where the last look ended, and what it missed.
    looked_up_to: dict[int, int] = field(default_factory=dict[int, int])
    missing: dict[int, Set[int]] = field(default_factory=dict[int, Set[int]])

    async def __call__(self, followed: Followed) -> None:
        """Write down what is new."""
        thread_id = followed.game_id
        since = followed.since if followed.version else None
        known = await self.places.comments(thread_id)

        async def fetch(number: int) -> Page[Comment]:
            return await self.client.list_comments(thread_id, page=number, max_age=0)

        pages, last = await read_thread(fetch, known, since, self.looked_up_to.get(thread_id, 0))
        now = self.clock()
        if since is None:
            since = newest(pages, before=now + _CLOCKS_DIFFER) or _BEGINNING
            # What is dated ahead is there already.
            ahead = compare({}, pages, since).new
            await self.places.record(followed, ahead, now=now, since=since)
            return
        found = compare(known, pages, since, self.missing.get(thread_id, frozenset()))
        changed = [*found.new, *found.changed, *found.moved, *_answered(found.new, known, pages)]
        if changed:
            known = {**known, **{each.id: each for each in changed}}
            owe = await self.owing.comments(thread_id, found, known)
            await self.places.record(followed, changed, now=now, owe=owe)
        # Not before, or a look that could not be written would have been in vain.
        self.missing[thread_id] = found.missing
        self.looked_up_to[thread_id] = last


def _answered(
    new: Sequence[SeenComment],
    known: Mapping[int, SeenComment],
    pages: Sequence[Page[Comment]],
) -> Iterator[SeenComment]:
    """Yield the older comments at the top of those that new replies answer."""
    wanted = {each.root_id for each in new} - known.keys() - {each.id for each in new}
    for page in pages:
        for root in page.entries:
            if root.id in wanted:
                wanted.discard(root.id)
                yield seen_as(root, root, page.number)
