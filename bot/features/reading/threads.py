"""Read threads: screens of five, and single comments with their replies."""

import asyncio
import dataclasses
import math
from collections import abc
from contextlib import suppress
from datetime import timedelta
from functools import partial

import msgspec
from msgspec import Struct

from bot import cache
from bot.background import BackgroundTasks
from bot.errors import KioskError
from bot.features import feature_errors
from bot.features.moderation.policy import Policy, Viewer
from bot.features.reading import paging, trees
from bot.game import game_client, game_errors, models
from bot.i18n import t
from bot.visible import text_key
from storage.following import SeenComment
from storage.moderation import Subject
from storage.storage_errors import DatabaseError
from storage.writes import Writes

# How many further pages are searched: new comments push a comment to later pages.
_PAGES_LOOKED_ON = 2
# Longer than a page stays loaded, and than it takes to write something.
_LATELY = timedelta(seconds=game_client.COMMENTS_LIFETIME_SECONDS) * 2
# In seconds: less than members take who search for one thing after another.
_A_MINUTE = 60.0
# How many pages without anything that the reader may see are passed over with one press.
_MAX_PASSED_OVER = 4
# How many pages of one thread are requested at the same time.
_MAX_AT_ONCE = 4

NumberedPage = tuple[models.PageKey, models.Page[models.Comment]]
ThreadScreen = paging.Screen[models.PageKey, trees.Tree]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HeldBackComment(models.Comment):
    """A comment without its text, or its author's name, because of a watched word."""


class Found(Struct, frozen=True):
    """A comment with those above it, its page, and the start of the screen with its root."""

    key: models.PageKey
    ancestors: tuple[models.Comment, ...]
    comment: models.Comment
    offset: int = 0


class ThreadService(Struct, frozen=True):
    """Reads threads as their viewers may see them. Every screen gets its comments from here.

    Methods that ask the game raise ThreadNotInGame, ThreadNeedsAccount, GameError.
    """

    client: game_client.GameClient
    policy: Policy
    tasks: BackgroundTasks
    writes: Writes

    async def screen(
        self,
        viewer: Viewer,
        at: paging.Position[models.PageKey],
        *,
        max_age: float | None = math.inf,
        seen: paging.Seen = paging.NOTHING_SEEN,
    ) -> ThreadScreen:
        """Return the screen that starts at this position.

        `max_age` is in seconds: `math.inf` takes any loaded page, None takes one as old as the
        client allows, 0 asks again. With `seen`, what that screen showed, it is the screen before
        or after it. From an empty page it leads back. If all of a page is hidden, it continues in
        the same direction. The next page is fetched ahead.
        """
        await self._catch_up(viewer, at.key.thread_id)
        goes_back = seen.goes_back or at.offset == paging.LAST
        pages = paging.Pages(partial(self._page, viewer), self.client.comments.read_at)
        page, at, size = await pages.locate(at, seen, paging.SCREEN_SIZE, max_age)
        passed_over = 0
        for _ in range(_MAX_PASSED_OVER):
            is_last = at.key.page == 1 if goes_back else not page.has_next
            if page.entries or page.unreadable or not page.hidden or is_last:
                break
            key = at.key._replace(page=at.key.page - 1 if goes_back else at.key.page + 1)
            next_page = await self._page(viewer, key, max_age)
            if paging.is_past_end(next_page):
                page = dataclasses.replace(page, has_next=False)
                break
            passed_over += page.hidden
            page = next_page
            at = paging.Position(key, paging.LAST if goes_back else 0)
            size = paging.SCREEN_SIZE
        after = self.client.comments.known(at.key._replace(page=at.key.page + 1))
        ends_here = after is not None and not after.entries
        end = after if after is not None and after.entries else page
        total = None
        if ends_here or not end.has_next:
            on_page = len(end.entries) + end.hidden + end.unreadable
            total = (end.number - 1) * end.per_page + on_page
        screen = paging.screen_of(
            page, at, trees.tree_of, ends_here=ends_here, size=size, total=total
        )
        left_out = passed_over if page.entries else passed_over + page.hidden
        screen = msgspec.structs.replace(screen, left_out=left_out)
        is_at_end = screen.at.offset + paging.SCREEN_SIZE >= len(page.entries)
        if is_at_end and page.has_next and after is None:
            self.tasks.start(self._look_ahead(viewer, at.key, page))
        return screen

    async def last_page(self, viewer: Viewer, key: models.PageKey) -> models.PageKey:
        """Return a thread's last page, at this one or after it."""
        pages = paging.Pages(partial(self._page, viewer), self.client.comments.read_at)
        return await pages.last(key)

    async def newest_pages(
        self, viewer: Viewer, thread_id: int, numbers: range, *, begins: bool = True
    ) -> abc.AsyncGenerator[NumberedPage]:
        """Yield pages of a thread by their numbers, the newest comments first, up to its end.

        Pages of the last minute aren't requested again, so that another search costs nothing. A
        search that continues, not `begins`, gets any loaded page. If a thread continues, a few
        pages are requested at the same time.
        """
        await self._catch_up(viewer, thread_id)
        max_age = _A_MINUTE if begins else math.inf
        first = numbers.start
        at_once = 1
        while first < numbers.stop:
            batch = range(first, min(first + at_once, numbers.stop))
            keys = [models.PageKey(thread_id, page=number) for number in batch]
            reading = [asyncio.create_task(self._page(viewer, key, max_age)) for key in keys]
            try:
                for key, task in zip(keys, reading, strict=True):
                    yield key, await task
                    if not task.result().has_next:
                        return
            finally:
                for task in reading:
                    task.cancel()
                await asyncio.gather(*reading, return_exceptions=True)
            first = batch.stop
            at_once = min(at_once * 2, _MAX_AT_ONCE)

    async def _catch_up(self, viewer: Viewer, thread_id: int) -> None:
        """Forget a thread's loaded pages if the viewer has written by another process since."""
        if not self.writes.is_shared:
            return
        if not any(self.client.comments.items_of(thread_id)):
            return
        since = self.tasks.clock.now() - _LATELY
        with suppress(DatabaseError):
            if await self.writes.is_news(viewer.member_id, thread_id, since):
                self.client.comments.forget(lambda key: key.thread_id == thread_id)

    async def _page(
        self, viewer: Viewer, key: models.PageKey, max_age: float | None
    ) -> models.Page[models.Comment]:
        try:
            page = await self.client.list_comments(
                key.thread_id, sort=key.sort, page=key.page, max_age=max_age, asker=viewer.member_id
            )
        except game_errors.NotFound as error:
            raise feature_errors.ThreadNotInGame(name=str(key.thread_id)) from error
        except (game_errors.Unauthorized, game_errors.Forbidden) as error:
            raise feature_errors.ThreadNeedsAccount from error
        return await self.filtered(viewer, key.thread_id, page)

    async def filtered(
        self, viewer: Viewer, thread_id: int, page: models.Page[models.Comment]
    ) -> models.Page[models.Comment]:
        """Return a page as the viewer may see it: the one rule for every screen.

        Moderators are notified, in the background, of what is held back.
        """
        texts = (comment.content for comment in trees.all_comments(page.entries))
        view = await self.policy.prepare(viewer, texts)
        if view.server.is_clear:
            return page

        def held_back_if_watched(comment: models.Comment) -> models.Comment:
            subject = _subject(thread_id, comment)
            sight = view.see(subject)
            if not sight.word:
                self.policy.report_no_longer_held(viewer, view, subject)
                return comment
            self.policy.tell(viewer, sight.named or subject, sight.word, comment.created_at)
            player = comment.player
            return HeldBackComment(
                id=comment.id,
                depth=comment.depth,
                player=dataclasses.replace(player, screen_name="") if sight.named else player,
                content=t("Hidden until a moderator reviews it."),
                created_at=comment.created_at,
                children=comment.children,
                children_count=comment.children_count,
            )

        not_hidden = trees.only(
            page, lambda comment: not view.see(_subject(thread_id, comment)).is_hidden
        )
        hidden = len(page.entries) - len(not_hidden.entries)
        return dataclasses.replace(
            trees.with_all_changed(not_hidden, held_back_if_watched), hidden=hidden
        )

    async def _known(
        self, viewer: Viewer, key: models.PageKey
    ) -> models.Page[models.Comment] | None:
        page = self.client.comments.known(key)
        return page and await self.filtered(viewer, key.thread_id, page)

    async def _look_ahead(
        self, viewer: Viewer, key: models.PageKey, page: models.Page[models.Comment]
    ) -> None:
        """Fetch the page after a loaded one, both as they were at one moment."""
        following = key._replace(page=key.page + 1)
        with suppress(KioskError, game_errors.GameError):
            await self._page(viewer, following, cache.ANEW)
            again = await self._page(viewer, key, cache.ANEW)
            if [comment.id for comment in again.entries] != [
                comment.id for comment in page.entries
            ]:
                await self._page(viewer, following, cache.ANEW)

    async def comment(
        self, viewer: Viewer, near: models.PageKey, comment_id: int, *, fresh: bool = False
    ) -> Found:
        """Find a comment on its page, or on those to which it may have moved.

        A `fresh` one is as the game has it now. Raises CommentNotFound, or CommentGone if it is
        nowhere.
        """
        if not fresh and (found := await self.known_comment(viewer, near, comment_id)):
            return found
        for number in range(near.page, near.page + 1 + _PAGES_LOOKED_ON):
            key = near._replace(page=number)
            page = await self._page(viewer, key, 0 if fresh else math.inf)
            if found := found_on(key, page, comment_id):
                return found
            if not page.has_next:
                raise feature_errors.CommentGone(name=str(comment_id))
        raise feature_errors.CommentNotFound(name=str(comment_id))

    async def is_gone(self, asker: int, thread_id: int, comment_id: int) -> bool:
        """Return whether a comment is surely gone because its whole thread lacks it.

        One page that lacks it is no proof. Nor is a thread that can't be read to its end.
        """
        # A server hides comments that the game still has.
        viewer = Viewer(asker)
        with suppress(KioskError, game_errors.GameError):
            for number in range(1, 2 + _PAGES_LOOKED_ON):
                try:
                    page = await self._page(viewer, models.PageKey(thread_id, page=number), 0)
                except feature_errors.ThreadNotInGame:
                    return True
                comments = list(trees.all_comments(page.entries))
                is_whole = not page.unreadable and all(
                    len(comment.children) >= comment.children_count for comment in comments
                )
                if not is_whole or any(comment.id == comment_id for comment in comments):
                    return False
                if not page.has_next:
                    return True
        return False

    async def seen_comment(
        self, viewer: Viewer, thread_id: int, seen: SeenComment, *, fresh: bool = False
    ) -> Found:
        """Find a comment of a followed thread, a `fresh` one as the game has it now.

        Raises CommentNotFound.
        """
        near = models.PageKey(thread_id, page=seen.page)
        if not fresh:
            with suppress(feature_errors.CommentNotFound):
                found = await self.comment(viewer, near, seen.id)
                if text_key(found.comment.content) == seen.digest:
                    return found
        # The loaded page may be older than the comment, if another process has seen it, and may
        # still have what was deleted.
        return await self.comment(viewer, near, seen.id, fresh=True)

    async def comment_within(
        self, seconds: float, viewer: Viewer, near: models.PageKey, comment_id: int
    ) -> Found | None:
        """Find a comment as `comment` does, or return None if that takes longer."""
        if found := await self.known_comment(viewer, near, comment_id):
            return found
        search = self.tasks.start(self.comment(viewer, near, comment_id))
        if await self.tasks.wait_up_to(seconds, search):
            return search.result()
        # A later failure is reported to the next member who asks.
        search.add_done_callback(lambda late: late.cancelled() or late.exception())
        return None

    async def known_comment(
        self, viewer: Viewer, near: models.PageKey | None, comment_id: int
    ) -> Found | None:
        """Find a comment in loaded pages: `near` first, then its thread. None searches all."""
        if near is not None:
            await self._catch_up(viewer, near.thread_id)
        cached = self.client.comments
        if near is None:
            pages = list(cached.items())
        else:
            pages = sorted(cached.items_of(near.thread_id), key=lambda entry: entry[0] != near)
        for key, page in pages:
            # Search first: few pages have it, and each would have to be gone through.
            if trees.find_branch(page.entries, comment_id):
                filtered = await self.filtered(viewer, key.thread_id, page)
                if found := found_on(key, filtered, comment_id):
                    return found
        return None

    async def known_comments(self, viewer: Viewer, thread_id: int) -> tuple[models.Comment, ...]:
        """Return a thread's newest comments, or none. Then they are fetched for the next time."""
        await self._catch_up(viewer, thread_id)
        page = await self._known(viewer, models.PageKey(thread_id))
        if page is None:
            self.tasks.start(self._fetch(viewer, models.PageKey(thread_id)))
        return page.entries if page else ()

    async def _fetch(self, viewer: Viewer, key: models.PageKey) -> None:
        with suppress(KioskError, game_errors.GameError):
            await self._page(viewer, key, None)

    def known_players(self) -> dict[int, str]:
        return {
            comment.player.id: comment.player.screen_name
            for _, page in self.client.comments.items()
            for comment in trees.all_comments(page.entries)
            if comment.player.id is not None and comment.player.screen_name
        }

    async def as_shown(
        self, viewer: Viewer, near: models.PageKey, comment: models.Comment
    ) -> models.Comment | None:
        """Return a comment as the viewer may see it, or None if it is hidden."""
        alone = models.Page((comment,), number=1, per_page=1, has_next=False)
        page = await self.filtered(viewer, near.thread_id, alone)
        return page.entries[0] if page.entries else None


def _subject(thread_id: int, comment: models.Comment) -> Subject:
    player = comment.player
    return Subject(comment.id, thread_id, player.id, player.screen_name, comment.content)


def found_on(
    key: models.PageKey, page: models.Page[models.Comment], comment_id: int
) -> Found | None:
    branch = trees.find_branch(page.entries, comment_id)
    if not branch:
        return None
    *above, comment = branch
    position = next(index for index, entry in enumerate(page.entries) if entry is branch[0])
    return Found(key, tuple(above), comment, position // paging.SCREEN_SIZE * paging.SCREEN_SIZE)
