"""Writing in threads: every text is kept before it is sent, and sent once."""

from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from bot.features.accounts import Accounts
from bot.features.forum.comment_cache import CommentCache
from bot.features.forum.delivery import LONGEST_COMMENT, Delivery, Unsent, Written
from bot.features.forum.errors import CommentNotInGame, DraftBusy, DraftGone, TextMissing
from bot.game.background import BackgroundTasks
from bot.game.client import GameClient
from bot.game.errors import NotFound, UnknownOutcome
from storage.authored import Authored, AuthoredComments
from storage.drafts import Draft, DraftKind, Drafts, DraftState, NewDraft

# Cogs know these from here: storage is not theirs to import.
__all__ = [
    "KEPT",
    "LONGEST_COMMENT",
    "Authored",
    "Draft",
    "DraftKind",
    "DraftState",
    "Unsent",
    "Writing",
    "Written",
]

T = TypeVar("T")

# How long an unsent text is kept.
KEPT = timedelta(hours=24)


class Writing:
    """What members write. `now` tells the time, aware."""

    def __init__(
        self,
        client: GameClient,
        accounts: Accounts,
        pages: CommentCache,
        drafts: Drafts,
        authored: AuthoredComments,
        tasks: BackgroundTasks,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._client = client
        self._accounts = accounts
        self._pages = pages
        self._drafts = drafts
        self._authored = authored
        self._now = now
        self._delivery = Delivery(client, accounts, pages, drafts, authored, now)
        self._tasks = tasks

    async def post(
        self, member_id: int, thread_id: int, text: str, *, parent_id: int | None = None
    ) -> Written:
        """Write a comment, or a reply to `parent_id`. Raises TextMissing, Unsent."""
        kind = DraftKind.POST if parent_id is None else DraftKind.REPLY
        return await self._begin(member_id, kind, thread_id, parent_id, text)

    async def edit(
        self, member_id: int, thread_id: int | None, comment_id: int, text: str
    ) -> Written:
        """Change the text of the member's own comment. Raises TextMissing, Unsent."""
        return await self._begin(member_id, DraftKind.EDIT, thread_id, comment_id, text)

    async def retry(
        self, member_id: int, draft_id: int, *, text: str | None = None, is_sure: bool = False
    ) -> Written:
        """Send a kept text, or another in its place, unless the first has arrived meanwhile.

        `is_sure` sends it without looking. Raises DraftGone, DraftBusy, TextMissing, Unsent.
        """
        draft = await self.draft(member_id, draft_id)
        text = _checked(draft.text if text is None else text)
        held = await self._delivery.hold(draft, text)
        if held is None:
            # Whoever held it may have sent it meanwhile: then it is gone.
            await self.draft(member_id, draft_id)
            raise DraftBusy
        return await self._detached(self._delivery.send_again(held, is_sure=is_sure))

    async def delete(self, member_id: int, thread_id: int | None, comment_id: int) -> None:
        """Delete the member's own comment. Raises CommentNotInGame, AccountError, GameError."""
        await self._detached(self._delete(member_id, thread_id, comment_id))

    async def draft(self, member_id: int, draft_id: int) -> Draft:
        """Give a member's kept text. Raises DraftGone."""
        draft = await self._drafts.find(draft_id, member_id, oldest=self._now() - KEPT)
        if draft is None:
            raise DraftGone
        return draft

    async def waiting(self, member_id: int) -> Sequence[Draft]:
        """Give the texts of a member that wait to be sent, the newest first."""
        now = self._now()
        return await self._drafts.waiting(member_id, now=now, oldest=now - KEPT)

    async def was_interrupted(self, member_id: int) -> bool:
        """Tell, once, whether a text was being sent when Kiosk itself was cut off."""
        now = self._now()
        return await self._drafts.give_up(member_id, now=now, oldest=now - KEPT)

    async def discard(self, member_id: int, draft_id: int) -> None:
        """Forget a kept text. Raises DraftGone, DraftBusy."""
        if not await self._drafts.discard(draft_id, member_id, now=self._now()):
            await self.draft(member_id, draft_id)
            raise DraftBusy

    async def purge(self) -> int:
        """Forget what is older than a day; gives how many texts went."""
        return await self._drafts.purge(oldest=self._now() - KEPT)

    async def authored(self, member_id: int, limit: int) -> Sequence[Authored]:
        """Give what a member wrote last through Kiosk."""
        return await self._authored.latest(member_id, limit)

    async def find_authored(self, comment_id: int) -> Authored | None:
        """Give what Kiosk knows of a comment it wrote for anybody."""
        return await self._authored.find(comment_id)

    async def _begin(
        self,
        member_id: int,
        kind: DraftKind,
        thread_id: int | None,
        comment_id: int | None,
        text: str,
    ) -> Written:
        new = NewDraft(member_id, kind, thread_id, comment_id, _checked(text))
        return await self._detached(self._delivery.send(new))

    async def _detached(self, work: Coroutine[Any, Any, T]) -> T:
        # A member who gives up waiting, or a bot that stops, must not leave a text half sent.
        return await self._tasks.run(work, finish=True)

    async def _delete(self, member_id: int, thread_id: int | None, comment_id: int) -> None:
        try:
            async with self._accounts.acting_as(member_id) as caller:
                await self._client.delete_comment(caller, comment_id)
        except NotFound as error:
            await self._forget(thread_id, comment_id)
            raise CommentNotInGame(name=str(comment_id)) from error
        except UnknownOutcome as error:
            if error.status is None or error.status >= 300:
                raise
        await self._forget(thread_id, comment_id)

    async def _forget(self, thread_id: int | None, comment_id: int) -> None:
        self._pages.remove(thread_id, comment_id)
        await self._authored.remove(comment_id)


def _checked(text: str) -> str:
    """Give a text as it is sent. Raises TextMissing."""
    text = text.strip()
    if not text:
        raise TextMissing
    return text
