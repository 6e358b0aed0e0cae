"""Watch replies to members' comments, and comments that contain their words."""

import contextlib
from collections import abc

import msgspec

from bot.features.accounts import Accounts
from bot.features.following import comparing
from bot.features.following.watching import Watching
from bot.features.reading import trees
from bot.game import models
from bot.game.game_client import GameClient
from storage import subscriptions
from storage.links import Link
from storage.member_watches import Watch
from storage.names import PlaceKind
from storage.storage_errors import DatabaseError
from storage.writes import Text

# How many of their comments a member can watch for replies.
_MAX_REPLIED_TO = 25
# How much of a comment its writer needs to recognize it.
_SUBJECT_ROOM = 100
# How many watches for words a member can have.
_MAX_WORDS = 10


class ReplyService(msgspec.Struct, frozen=True):
    client: GameClient
    accounts: Accounts
    watching: Watching

    async def watch_words(
        self,
        member_id: int,
        words: str,
        thread_ids: abc.Iterable[int],
        asked_in: int | None,
        locale: str,
    ) -> tuple[Watch, bool]:
        """Watch comments with one of these words. Return the watch, and whether it is new.

        Raises UnfitToWatch, TooLongToWatch, TooManyWatches.
        """
        parts = [
            subscriptions.NewSubscription(
                kind=PlaceKind.THREAD,
                place_id=thread_id,
                subject_name=" ".join(words.split()),
                news=frozenset(),
                member_id=member_id,
                asked_in=asked_in,
                locale=locale,
                created_by=member_id,
            )
            for thread_id in thread_ids
        ]
        return await self.watching.keep(*parts, most=_MAX_WORDS)

    async def watch_replies(
        self,
        member_id: int,
        near: models.PageKey,
        branch: abc.Sequence[models.Comment],
        asked_in: int | None,
        locale: str,
    ) -> None:
        """Watch replies to the last comment of a `branch` on a page from now on.

        Existing replies aren't news. If a member has too many of these watches, the oldest ends.
        """
        comment = branch[-1]
        # Its page among the latest comments is found out over time.
        page = near.page if near.sort is models.Sort.LATEST else 1
        wish = subscriptions.NewSubscription(
            kind=PlaceKind.THREAD,
            place_id=near.thread_id,
            subject_id=comment.id,
            subject_name=comment.content[:_SUBJECT_ROOM],
            news=frozenset(),
            member_id=member_id,
            asked_in=asked_in,
            replies_after=max(reply.id for reply in comparing.seen_below(comment, page)),
            locale=locale,
            created_by=member_id,
        )
        places = list(comparing.placed(branch, page))
        await self.watching.keep(wish, most=_MAX_REPLIED_TO, displaces=True, branch=places)

    async def watch_written(self, text: Text, comment: models.Comment, link: Link) -> None:
        """Watch replies to a new comment, if its writer wants replies to all their comments."""
        if not link.hears_replies:
            return
        near = models.PageKey(text.place_id)
        branch: abc.Sequence[models.Comment] = [comment]
        for key, page in self.client.comments.items_of(text.place_id):
            if found := trees.find_branch(page.entries, comment.id):
                near = key
                branch = found
        # If that can't be saved, the comment's card offers it.
        with contextlib.suppress(DatabaseError):
            await self.watch_replies(
                text.member_id, near, branch, link.replies_asked_in, text.locale
            )

    async def tell_all(self, member_id: int, asked_in: int | None, *, is_on: bool) -> None:
        """Tell a member about replies to the comments that they write from now on, or don't."""
        await self.accounts.links.tell_replies(member_id, asked_in, is_on=is_on)
