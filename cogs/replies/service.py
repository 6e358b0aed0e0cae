"""Wait for replies to members' comments, and for comments that hold their words."""

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

# Comments of a member to which they wait for replies.
_MOST_REPLIED_TO = 25
# Characters of a comment by which its writer knows it again.
_SUBJECT_ROOM = 100
# Wishes for comments that hold words.
_MOST_WORDS = 10


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
        """Tell a member of comments with one of these words; return the watch, and if it is new.

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
        return await self.watching.keep(*parts, most=_MOST_WORDS)

    async def watch_replies(
        self,
        member_id: int,
        near: models.PageKey,
        branch: abc.Sequence[models.Comment],
        asked_in: int | None,
        locale: str,
    ) -> None:
        """Tell a member of replies to the last comment of a branch of a page from now on.

        Replies that are there are no news to them. Of those that wait at too many comments, the
        oldest goes.
        """
        comment = branch[-1]
        # Where it stands among the latest is found out by and by.
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
        await self.watching.keep(wish, most=_MOST_REPLIED_TO, displaces=True, branch=places)

    async def watch_written(self, text: Text, comment: models.Comment, link: Link) -> None:
        """Tell the writer of replies to a new comment, if they want to hear of all."""
        if not link.hears_replies:
            return
        near = models.PageKey(text.place_id)
        branch: abc.Sequence[models.Comment] = [comment]
        for key, page in self.client.comments.items_of(text.place_id):
            if found := trees.find_branch(page.entries, comment.id):
                near = key
                branch = found
        # Where that can't be written down, the card of the comment offers it.
        with contextlib.suppress(DatabaseError):
            await self.watch_replies(
                text.member_id, near, branch, link.replies_asked_in, text.locale
            )

    async def tell_all(self, member_id: int, asked_in: int | None, *, is_on: bool) -> None:
        """Tell a member about replies to the comments that they write from now on, or don't."""
        await self.accounts.links.tell_replies(member_id, asked_in, is_on=is_on)
