"""Look at catalogs and threads again and again, once for everyone who follows them."""

import asyncio
import dataclasses
import datetime as dt
import logging
import typing
from collections import abc
from functools import partial
from hashlib import blake2b

from bot import errors
from bot.clock import Clock
from bot.features import feature_errors
from bot.features.following import comparing
from bot.features.following.owing import NewsQueue
from bot.features.following.own_account import OwnAccount
from bot.features.reading import trees
from bot.features.reading.catalogs import Reading, read_catalog
from bot.game import game_client, game_errors, models
from bot.log import Hourly, place_of
from bot.rest import Rest
from bot.visible import name_key
from storage import subscriptions
from storage.following import Followed, Following, SeenComment, SeenItem
from storage.names import PlaceKind
from storage.subscriptions import Subscriptions

log = logging.getLogger(__name__)

# Pages per look at a thread: the first ones while they have new comments, then some of the further
# ones in turn, for replies and changes among older comments.
_MAX_FIRST_PAGES = 20
_FURTHER_PAGES = 4
# How many wishes' words are searched for on the event loop, which takes 4 ms.
_MAX_ON_LOOP = 100
# In seconds: the longest wait after failures, unless the interval is longer, and how soon Kiosk
# notices that another process has started to follow something.
_MAX_BACKOFF_SECONDS = 900.0
_SECONDS_BETWEEN_LOOKS = 5.0
# Looks at once, for catalogs and threads each: a look at a catalog may wait for the game's limit.
_MAX_AT_ONCE = 8
_MOMENT = dt.timedelta(microseconds=1)
# A comment dated later than this from now doesn't say when it was written.
_CLOCKS_DIFFER = dt.timedelta(days=1)
_BEGINNING = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_Place = tuple[PlaceKind, int]


class _Unchanged(typing.NamedTuple):
    """The pages of a catalog that have nothing new since a version of what was seen.

    If `until` is set, that only holds up to then.
    """

    version: tuple[dt.datetime, int]
    digests: abc.Mapping[int, bytes]
    until: dt.datetime | None

    def holds(self, version: tuple[dt.datetime, int], now: dt.datetime) -> bool:
        return self.version == version and (self.until is None or now <= self.until)


async def read_thread(
    fetch: abc.Callable[[int], abc.Awaitable[models.Page[models.Comment]]],
    known: abc.Mapping[int, SeenComment],
    since: dt.datetime | None,
    looked_up_to: int,
    further: int = _FURTHER_PAGES,
) -> tuple[list[models.Page[models.Comment]], int]:
    """Return a look's pages, and the last one's number, or 0 to start over.

    If nothing is known, only the first page is read. Otherwise, the first ones are read while they
    have new comments, then up to `further` other ones. `fetch` adds to `known` what was seen of its
    page.
    """
    pages = [await fetch(1)]
    if since is None:
        return pages, 0

    def is_new(entry: models.Comment) -> bool:
        before = known.get(entry.id)
        return entry.created_at > since and (before is None or before.is_only_placed)

    while (
        pages[-1].has_next and len(pages) < _MAX_FIRST_PAGES and any(map(is_new, pages[-1].entries))
    ):
        pages.append(await fetch(len(pages) + 1))
    last = max(looked_up_to, len(pages))
    for _ in range(further):
        if not pages[-1].has_next:
            return pages, 0
        last += 1
        pages.append(await fetch(last))
    return pages, last


@dataclasses.dataclass(eq=False)
class Poller:
    client: game_client.GameClient
    own_account: OwnAccount
    following: Following
    subscribed: Subscriptions
    owing: NewsQueue
    clock: Clock
    interval: float
    _hourly: Hourly = dataclasses.field(init=False)
    # By thread, the page that ended the last look, and what the look missed.
    _looked_up_to: dict[int, int] = dataclasses.field(default_factory=dict[int, int], init=False)
    _replies_up_to: dict[int, int] = dataclasses.field(default_factory=dict[int, int], init=False)
    _missing: dict[int, abc.Set[int]] = dataclasses.field(
        default_factory=dict[int, abc.Set[int]], init=False
    )
    _unchanged: dict[int, _Unchanged] = dataclasses.field(
        default_factory=dict[int, _Unchanged], init=False
    )
    _changed: asyncio.Event = dataclasses.field(default_factory=asyncio.Event, init=False)
    _rest: Rest = dataclasses.field(init=False)
    # The rest of each look that is under way, by its place.
    _looks: dict[_Place, Rest] = dataclasses.field(default_factory=dict[_Place, Rest], init=False)

    def __post_init__(self) -> None:
        self._hourly = Hourly(self.clock.monotonic)
        self._rest = Rest(self.clock)

    async def poll(self, kind: PlaceKind, place_id: int) -> bool:
        """Look at a place and save what is new. Return whether it could be read."""
        followed = await self.following.place(kind, place_id)
        if followed is None:
            return True
        try:
            failure = await self.look(followed)
        except (game_errors.GameError, errors.KioskError) as error:
            failure = error.code
        if failure is not None:
            self._log_failure(followed, failure)
        owe_gone = None
        is_gone = failure == followed.failure == game_errors.NotFound.code
        if is_gone and followed.gone_at is None:
            owe_gone = partial(self.owing.tell_gone, followed=followed)
        now = self.clock.now()
        due_at = self.next_look(place_id, now, 0 if failure is None else followed.failures + 1)
        await self.following.save_look(followed, failure, now, due_at, owe_gone)
        return failure is None

    def _log_failure(self, followed: Followed, failure: str) -> None:
        place = f"{followed.kind} {followed.place_id}"
        more = self._hourly.note(f"{followed.kind}: {failure}", place)
        if more is None:
            return
        if failure != feature_errors.OwnAccountRefused.code:
            log.warning("Can't read %s: %s%s", place, failure, more)
            return
        # Each catalog fails in the same way.
        log.warning(
            "The game refuses GAME_TOKEN, so Kiosk can't read any catalog. Set a new token"
            " and restart%s",
            more,
        )

    async def look(self, followed: Followed) -> str | None:
        """Save what is new. Return the code of the error that cut the look short."""
        if followed.kind is PlaceKind.THREAD:
            await self._look_at_thread(followed)
            return None
        version = (followed.followed_at, followed.version)
        before = self._unchanged.get(followed.place_id)
        rest = self._looks.get((followed.kind, followed.place_id)) or Rest(self.clock)
        pages = self.own_account.pages(followed.place_id, rest)

        async def read() -> Reading | None:
            if (
                before is not None
                and before.holds(version, self.clock.now())
                and await pages.are_as_before(before.digests)
            ):
                return None
            return await read_catalog(
                followed.place_id, pages.page, reads_twice=not followed.version
            )

        reading = await self.client.tasks.start(read())
        if reading is None:
            return None
        known = await self._record_news(followed, reading)
        if known is not None:
            until = comparing.next_due(known)
            self._unchanged[followed.place_id] = _Unchanged(version, pages.digests, until)
        return reading.failure

    async def _record_news(
        self, followed: Followed, reading: Reading
    ) -> abc.Mapping[int, SeenItem] | None:
        """Save a catalog's news. If it has none and was read whole, return what is known."""
        now = self.clock.now()
        if followed.version:
            seen = await self.following.items(followed.place_id)
            changed, events = comparing.changes(seen, reading, now)
            if not changed:
                return seen if reading.failure is None else None
        elif reading.failure is None:
            changed = comparing.baseline(reading, now)
            events = list[subscriptions.NewEvent]()
        else:
            # An item that half a catalog lacks would count as new later.
            return None
        # Now, before anyone waits for the write.
        owe = await self.owing.news(followed.place_id, events) if events else None
        late = followed.read_at is not None and now - followed.read_at > comparing.DAY
        keys = {item.id: name_key(item.name) for item in changed}
        await self.following.record(
            followed, changed, events, now=now, name_keys=keys, is_late=late, owe=owe
        )
        return None

    async def _look_at_thread(self, followed: Followed) -> None:
        thread_id = followed.place_id
        since = followed.since if followed.version else None
        # What was seen of the comments that members wait for. `fetch` adds that of its page.
        known = dict(await self.following.awaited_comments(thread_id))

        async def fetch(number: int) -> models.Page[models.Comment]:
            page = await self.client.list_comments(thread_id, page=number, max_age=0)
            if since is not None:
                known.update(await self._seen_on(thread_id, page, since))
            return page

        wishes = await self.subscribed.of_place(PlaceKind.THREAD, thread_id)
        watched = [wish.subject_id for wish in wishes if wish.subject_id is not None]
        pages, last = await read_thread(
            fetch,
            known,
            since,
            self._looked_up_to.get(thread_id, 0),
            # If members only wait for replies in a thread, no other pages are read than theirs.
            _FURTHER_PAGES if len(watched) < len(wishes) else 0,
        )
        now = self.clock.now()
        if since is None:
            since = comparing.newest(pages, before=now + _CLOCKS_DIFFER) or _BEGINNING
            # Members wait for these, so the next look reports them.
            find = partial(comparing.awaited, pages, wishes)
            awaited = await asyncio.to_thread(find) if len(wishes) > _MAX_ON_LOOP else find()
            since = min([since, *(moment - _MOMENT for moment in awaited.values())])
            # A comment that is dated ahead is there already.
            later = comparing.compare({}, pages, since).new
            ahead = [comment for comment in later if comment.id not in awaited]
            await self.following.record(followed, ahead, now=now, since=since)
            return
        turn = self._turn(thread_id, known, watched, {page.number for page in pages})
        pages += [await fetch(number) for number in turn]
        differences = comparing.compare(
            known, pages, since, self._missing.get(thread_id, frozenset())
        )
        comments_off_their_page = comparing.comments_off_their_page(known, watched, pages)
        changed = [
            *comments_off_their_page,
            *differences.new,
            *differences.changed,
            *differences.moved,
        ]
        if changed:
            known |= {comment.id: comment for comment in changed}
            contents = {
                comment.id: comment.content
                for page in pages
                for comment in trees.all_comments(page.entries)
            }
            events, owe = await self.owing.comments(thread_id, differences, known, wishes, contents)
            await self.following.record(followed, changed, events, now=now, owe=owe)
        # Not before: a look that couldn't be saved would have been in vain.
        self._missing[thread_id] = differences.missing
        self._looked_up_to[thread_id] = last
        if turn:
            self._replies_up_to[thread_id] = turn[-1]

    async def _seen_on(
        self, thread_id: int, page: models.Page[models.Comment], since: dt.datetime
    ) -> abc.Mapping[int, SeenComment]:
        """Return what was seen of the comments that a page has or should have."""
        roots = comparing.roots_within(page)
        seen = dict(await self.following.comments_below(thread_id, *roots))
        # A comment that was seen below another root isn't below these, but it isn't new either.
        for comment in trees.all_comments(page.entries):
            if comment.created_at > since and comment.id not in seen:
                before = await self.following.comment(thread_id, comment.id)
                if before is not None:
                    seen[comment.id] = before
        return seen

    def _turn(
        self,
        thread_id: int,
        known: abc.Mapping[int, SeenComment],
        watched: abc.Iterable[int],
        read: abc.Set[int],
    ) -> abc.Sequence[int]:
        """Return the next unread pages on which members wait for replies."""
        comments = [known[number] for number in watched if number in known]
        numbers = sorted({comment.page for comment in comments if not comment.is_gone} - read)
        after = self._replies_up_to.get(thread_id, 0)
        left = [number for number in numbers if number > after]
        # A look doesn't start a new round within itself. Nor does one among all pages.
        return (left or numbers)[:_FURTHER_PAGES]

    def next_look(self, place_id: int, now: dt.datetime, failures: int = 0) -> dt.datetime:
        """Return when a place is due after a look now, with its number of `failures` in a row.

        Turns are an interval apart. After failed looks, it takes longer each time.
        """
        if failures:
            longest = max(self.interval, _MAX_BACKOFF_SECONDS)
            wait = min(self.interval * 2 ** min(failures, 10), longest)
            return now + dt.timedelta(seconds=wait)
        # Each has its own moment within the interval, from 0 up to 1, the same in every process.
        digest = blake2b(str(place_id).encode(), digest_size=4).digest()
        share = int.from_bytes(digest) / 2**32
        turn = int(now.timestamp() / self.interval) - 1 + share
        while (due := dt.datetime.fromtimestamp(turn * self.interval, dt.UTC)) <= now:
            turn += 1
        return due

    async def last_catalog_reads(self, most: int) -> abc.Sequence[dt.datetime]:
        """Return when the followed catalogs were last read, the oldest moments first."""
        if not self.own_account.is_there:
            return []
        return await self.following.last_reads(PlaceKind.CATALOG, most)

    def hurry(self) -> None:
        """Check at once if something is followed that wasn't before."""
        self._changed.set()

    def is_idle(self) -> bool:
        """Return whether nothing is due, and every look under way rests."""
        return self._rest.is_idle() and all(rest.is_idle() for rest in self._looks.values())

    async def run(self, rest: Rest) -> None:
        self._rest = rest
        # The interval may have been longer at the last looks.
        await self.following.bring_forward(self.clock.now() + dt.timedelta(seconds=self.interval))
        # Kiosk's own account reads catalogs. Anyone can read threads.
        kinds = PlaceKind if self.own_account.is_there else (PlaceKind.THREAD,)
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._changed.clear()
                waits = [await self._start_looks(kind, tasks) for kind in kinds]
                await rest.sleep(min(waits), self._changed)

    async def _start_looks(self, kind: PlaceKind, tasks: asyncio.TaskGroup) -> float:
        """Start the looks that are due, as far as there is room. Return the seconds to wait."""
        # A look that ends while the database answers is too late for the answer.
        busy = set(self._looks)
        # The answer may contain the places that are being looked at.
        due = await self.following.due(kind, 2 * _MAX_AT_ONCE)
        now = self.clock.now()
        for place_id, due_at in due.items():
            place = kind, place_id
            if place in busy:
                continue
            if due_at > now:
                return min((due_at - now).total_seconds(), _SECONDS_BETWEEN_LOOKS)
            if sum(other is kind for other, _ in self._looks) >= _MAX_AT_ONCE:
                break
            look = self._looks[place] = Rest(self.clock)
            task = tasks.create_task(self._take_turn(place, look))
            task.add_done_callback(lambda _, done=place: self._end_look(done))
        return _SECONDS_BETWEEN_LOOKS

    def _end_look(self, place: _Place) -> None:
        del self._looks[place]
        self._changed.set()

    async def _take_turn(self, place: _Place, rest: Rest) -> None:
        try:
            await self.poll(*place)
        except Exception as error:
            # A fault of one place stops no other. It may not be saved that the look failed.
            named = "{} {}".format(*place)
            if (more := self._hourly.note(place_of(error), named)) is not None:
                log.exception("Can't poll %s%s", named, more)
            await rest.sleep(self.interval)
