"""Tell members what moderators decide about their comments, where both sides want that."""

from msgspec import Struct

from storage.database import Transaction
from storage.decisions import Decisions
from storage.moderation import ModerationSettings
from storage.removals import Removal


class DecisionService(Struct, frozen=True):
    decisions: Decisions
    settings: ModerationSettings

    async def hear(self, member_id: int, *, is_on: bool) -> None:
        """Tell a member of decisions about their comments from now on, or no more."""
        await self.decisions.hear(member_id, is_on=is_on)

    async def on_decided(self, transaction: Transaction, removal: Removal) -> None:
        """Owe the reason to the comment's writers, or let them know that it is undone."""
        if removal.subject.comment_id is None:
            return
        if removal.ended_at is not None:
            await self.decisions.redraw(transaction, removal)
            return
        settings = await self.settings.find(removal.guild_id, transaction)
        if settings.tells_writers:
            await self.decisions.tell(transaction, removal)
