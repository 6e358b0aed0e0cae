"""Find comments that are new since a member's last visit, without asking the game."""

from collections import abc
from contextlib import suppress
from datetime import datetime

from msgspec import Struct

from bot.features.accounts import Accounts
from bot.features.moderation.policy import Viewer
from bot.features.reading import trees
from bot.features.reading.threads import Found, NumberedPage, ThreadService, found_on
from bot.game import models
from storage import names, threads_read
from storage.following import Following
from storage.moderation import Subject
from storage.storage_errors import DatabaseError

# If the database takes longer, the thread is shown without its dots.
_PATIENCE_SECONDS = 1.0
# How many of a member's last comments to check, in case the game doesn't say whose they are.
_OWN_LOOKED_THROUGH = 25
# As many as a list shows.
_MAX_THREADS = 25


class Unread(Struct, frozen=True):
    """The comments of a thread that are new since a member's last visit.

    With `is_least`, more may be new on pages that no one has read recently. `first` is the oldest
    new comment that is loaded in the order in which the member reads the thread.
    """

    since: datetime
    ids: abc.Set[int]
    is_least: bool = False
    first: Found | None = None


class UnreadService(Struct, frozen=True):
    """Finds new comments among loaded pages and in the records of followed threads."""

    read: threads_read.ThreadsRead
    threads: ThreadService
    following: Following
    accounts: Accounts

    async def visit(
        self, viewer: Viewer, key: models.PageKey, *, begins: bool = False
    ) -> Unread | None:
        """Save a member's visit to a thread, and return what is new to them, None for nothing.

        If the visit can't be saved, the thread is still shown.
        """
        tasks = self.threads.tasks
        looking = tasks.start(self._visit(viewer, key, begins=begins), finish=True)
        return looking.result() if await tasks.wait_up_to(_PATIENCE_SECONDS, looking) else None

    async def _visit(self, viewer: Viewer, key: models.PageKey, *, begins: bool) -> Unread | None:
        with suppress(DatabaseError):
            newest_id = trees.newest_at_hand(self.threads.client, key.thread_id) or 0
            before = await self.read.visit(
                viewer.member_id, key.thread_id, newest_id, begins=begins
            )
            return before and await self._unread(viewer, before, key.sort)
        return None

    async def of_threads(
        self, viewer: Viewer, read: abc.Iterable[threads_read.Visit]
    ) -> abc.Mapping[int, Unread]:
        """Return what is new in threads that a member has read."""
        unread: dict[int, Unread] = {}
        with suppress(DatabaseError):
            for before in read:
                new = await self._unread(viewer, before, models.Sort.LATEST)
                if new is not None and len(unread) < _MAX_THREADS:
                    unread[before.thread_id] = new
        return unread

    async def _unread(
        self, viewer: Viewer, before: threads_read.Visit, sort: models.Sort
    ) -> Unread | None:
        thread_id = before.thread_id
        # Including comments that the server hides.
        pages = list(self.threads.client.comments.items_of(thread_id))
        newer = [
            (key, await self.threads.filtered(viewer, thread_id, page))
            for key, page in pages
            if any(number > before.comment_id for number in _comments_of([(key, page)]))
        ]
        comments = _comments_of(newer)
        writers = {key: comment.player.id for key, comment in comments.items()}
        view = await self.threads.policy.prepare(viewer)
        for seen in await self.following.comments_after(thread_id, before.comment_id):
            subject = Subject(seen.id, thread_id, seen.player_id)
            if not seen.is_gone and not view.see(subject).is_hidden:
                writers.setdefault(seen.id, seen.player_id)
        ids = {number for number in writers if number > before.comment_id}
        if ids:
            writes = self.threads.writes
            own = await writes.comments_of(viewer.member_id, _OWN_LOOKED_THROUGH)
            ids -= {text.result_id for text in own}
            player_id = await self.accounts.player_of(viewer.member_id)
            if player_id is not None:
                ids -= {number for number in ids if writers[number] == player_id}
        if not ids:
            return None
        # The oldest new comment on a page of this order.
        in_order = [(key, page) for key, page in newer if key.sort is sort]
        oldest = min(ids & _comments_of(in_order).keys(), default=0)
        places = (found_on(key, page, oldest) for key, page in in_order)
        first = next((found for found in places if found is not None), None)
        is_least = _goes_on(pages, before.comment_id)
        if is_least and (followed := await self.following.place(names.PlaceKind.THREAD, thread_id)):
            is_least = not followed.version or followed.followed_at > before.at
        return Unread(before.at, ids, is_least, first)


def _comments_of(pages: abc.Iterable[NumberedPage]) -> abc.Mapping[int, models.Comment]:
    return {
        comment.id: comment for _, page in pages for comment in trees.all_comments(page.entries)
    }


def _goes_on(pages: abc.Sequence[NumberedPage], before_id: int) -> bool:
    """Return whether comments newer than this one may be on pages that aren't loaded."""
    latest = {key.page: page for key, page in pages if key.sort is models.Sort.LATEST}
    number = 1
    while page := latest.get(number):
        if not page.has_next or any(entry.id <= before_id for entry in page.entries):
            return False
        number += 1
    return True
