"""Where the comments of threads are posted, and how the threads are polled."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime, timedelta
from functools import partial

from bot.domain.announcing import Follow, FollowedThread, NewFollow, SeenComment
from bot.features.errors import NotFollowed, ThreadNotInGame, TooManyFollows
from bot.features.following.changes import EDIT_KIND, compare, newest, owe_changes, seen_as
from bot.features.polls import Polled, Polls, code_of, pause_notice
from bot.game.client import GameClient
from bot.game.errors import GameError, NotFound
from bot.game.models import Comment, Page
from storage.database.interface import Transaction
from storage.follows import Follows
from storage.messages import Messages, NewMessage, Priority

log = logging.getLogger(__name__)
# Each thread is read again and again, so that no server may slow down what others follow.
_MOST_OF_A_SERVER = 100

# Of one look: the first pages for as long as they hold what is new, then some of the further ones
# in turn, for replies and changes among older comments.
_MOST_FIRST_PAGES, _FURTHER_PAGES = 20, 4
# Later than this after it was written, a comment is neither changed nor taken for a new one.
_KEPT = timedelta(days=30)
# What is dated later than this from now says nothing of when it was written.
_CLOCKS_DIFFER = timedelta(days=1)
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class Following:
    """What servers follow, kept in `follows`; `poller` looks at it in the background."""

    def __init__(
        self,
        client: GameClient,
        follows: Follows,
        outbox: Messages,
        *,
        clock: Callable[[], datetime],
        interval: float,
    ) -> None:
        self._client = client
        self.follows = follows
        self._outbox = outbox
        self.clock = clock
        self.poller = ThreadPoller(client, follows, outbox, clock=clock, interval=interval)

    async def add(self, new: NewFollow) -> Follow:
        """Follow a thread, or go on. Raises ThreadNotInGame, TooManyFollows, GameError."""
        place = new.channel_id, new.thread_id
        known = await self.follows.of_guild(new.guild_id)
        before = [one for one in known if (one.channel_id, one.thread_id) == place]
        if len(known) - len(before) >= _MOST_OF_A_SERVER:
            raise TooManyFollows(number=str(_MOST_OF_A_SERVER))
        try:
            await self._client.list_comments(new.thread_id)
        except NotFound as error:
            raise ThreadNotInGame(name=str(new.thread_id)) from error
        added = await self.follows.add(new, now=self.clock())
        if any(one.paused_at is not None for one in before):
            # What was changed or deleted meanwhile still stands there as it was.
            changed = await self.follows.changed_posts(added.id)
            await self._owe_edits((added.id, *each) for each in changed)
        self.poller.hurry()
        return added

    async def remove(self, guild_id: int, thread_id: int, channel_id: int) -> Follow:
        """Follow a thread in a channel no more. Raises NotFollowed."""
        for follow in await self.follows.of_guild(guild_id):
            if (follow.thread_id, follow.channel_id) == (thread_id, channel_id):
                await self.follows.remove(follow)
                return follow
        raise NotFollowed

    async def find(self, follow_id: int) -> Follow | None:
        """Return a follow that is at work."""
        follow = await self.follows.find(follow_id)
        return None if follow is None or follow.paused_at is not None else follow

    async def draw_anew(self, guild_id: int, comment_id: int) -> None:
        """Owe the messages of a comment anew that a server lets be seen after all."""
        shown = await self.follows.shown_of(guild_id, comment_id)
        await self._owe_edits(
            (follow_id, comment_id, channel_id) for follow_id, channel_id in shown
        )

    async def _owe_edits(self, posts: Iterable[tuple[int, int, int]]) -> None:
        """Owe messages anew, each by its follow, its comment and its channel."""
        moment = self.clock()
        edits = [
            NewMessage(
                EDIT_KIND,
                f"{EDIT_KIND}:{follow_id}:{comment_id}:{moment.isoformat()}",
                Priority.LIVE_POST,
                channel_id=channel_id,
                payload={"follow": follow_id, "comment": comment_id},
            )
            for follow_id, comment_id, channel_id in posts
        ]
        if edits:
            async with self._outbox.transaction() as transaction:
                await self._outbox.want(transaction, *edits)

    async def pause(self, transaction: Transaction, follow_id: int, reason: str) -> None:
        """Post nothing more where Discord refuses it, and tell the server, once."""
        code, now = code_of(reason), self.clock()
        paused = await self.follows.pause(transaction, follow_id, now=now, reason=code)
        if paused is not None:
            await self._outbox.want(transaction, pause_notice(paused, paused.id, code, now))


class ThreadPoller(Polls):
    """Polls the threads that are followed."""

    def __init__(
        self,
        client: GameClient,
        follows: Follows,
        outbox: Messages,
        *,
        clock: Callable[[], datetime],
        interval: float,
    ) -> None:
        super().__init__("thread", clock, interval)
        self._client = client
        self._follows = follows
        self._outbox = outbox
        # Of each thread, where the last look ended, and what it missed.
        self._looked_up_to: dict[int, int] = {}
        self._missing: dict[int, Set[int]] = {}

    async def followed(self) -> Mapping[int, Polled]:
        """Return the threads that are followed."""
        return {each.thread_id: each for each in await self._follows.followed()}

    async def find(self, number: int, /) -> Polled | None:
        """Return a thread that is followed."""
        return await self._follows.thread(number)

    async def poll(self, number: int, /) -> bool:
        """Look at a thread, and write down what is new; return whether it could be read."""
        thread = await self._follows.thread(number)
        if thread is None:
            return True
        try:
            known = await self._follows.seen(number)
            pages, last = await self._read(thread, known)
        except GameError as error:
            log.warning("thread %s can't be read: %s", number, error.key)
            await self._follows.note_failure(number)
            return False
        await self._compare(thread, known, pages)
        # Not before, or a look that could not be written would have been in vain.
        self._looked_up_to[number] = last
        if thread.failures:
            await self._follows.note_read(number)
        return True

    async def _read(
        self, thread: FollowedThread, known: Mapping[int, SeenComment]
    ) -> tuple[list[Page[Comment]], int]:
        """Return the pages of one look, and the number of the last one, 0 at the thread's end."""
        pages = [await self._page(thread, 1)]
        if not thread.version:
            return pages, 0

        def is_new(entry: Comment) -> bool:
            return entry.created_at > thread.since and entry.id not in known

        while pages[-1].has_next and len(pages) < _MOST_FIRST_PAGES:
            if not any(map(is_new, pages[-1].entries)):
                break
            pages.append(await self._page(thread, len(pages) + 1))
        last = max(self._looked_up_to.get(thread.thread_id, 0), len(pages))
        for _ in range(_FURTHER_PAGES):
            if not pages[-1].has_next:
                last = 0
                break
            last += 1
            pages.append(await self._page(thread, last))
        return pages, last

    async def _page(self, thread: FollowedThread, number: int) -> Page[Comment]:
        return await self._client.list_comments(thread.thread_id, page=number, max_age=0)

    async def _compare(
        self,
        thread: FollowedThread,
        known: Mapping[int, SeenComment],
        pages: list[Page[Comment]],
    ) -> None:
        """Write down how a thread differs from what was seen."""
        now = self._clock()
        last = newest(pages, before=now + _CLOCKS_DIFFER)
        if not thread.version:
            since = last or _BEGINNING
            ahead = compare({}, pages, since).new
            await self._follows.record(thread, since, ahead, now=now)
            return
        missing = self._missing.get(thread.thread_id, frozenset())
        found = compare(known, pages, thread.since, missing)
        changed = [*found.new, *found.changed, *found.moved, *_answered(found.new, known, pages)]
        if changed:
            since = max(thread.since, (last or thread.since) - _KEPT)
            known = {**known, **{each.comment_id: each for each in changed}}
            # Before anybody waits for this to be written.
            concerned = [*found.new, *found.changed]
            posts = await self._follows.posts(
                thread.thread_id,
                {number for each in concerned for number in (each.comment_id, each.root_id)},
            )
            owe = partial(
                owe_changes,
                follows=self._follows,
                outbox=self._outbox,
                thread=thread,
                found=found,
                known=known,
                all_posts=posts,
                now=now,
            )
            await self._follows.record(thread, since, changed, now=now, owe=owe)
        self._missing[thread.thread_id] = found.missing


def _answered(
    new: Sequence[SeenComment],
    known: Mapping[int, SeenComment],
    pages: Sequence[Page[Comment]],
) -> Iterator[SeenComment]:
    """Yield the older comments at the top of those that new replies answer."""
    wanted = {each.root_id for each in new} - known.keys() - {each.comment_id for each in new}
    for page in pages:
        for root in page.entries:
            if root.id in wanted:
                wanted.discard(root.id)
                yield seen_as(root, root, page.number)
