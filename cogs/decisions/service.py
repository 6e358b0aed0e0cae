"""Queue notices to members about moderators' decisions, if both sides want them."""

from msgspec import Struct

from storage.database import Transaction
from storage.decisions import Decisions
from storage.moderation import ModerationSettings
from storage.removals import Removal


class DecisionService(Struct, frozen=True):
    decisions: Decisions
    settings: ModerationSettings

    async def hear(self, member_id: int, *, is_on: bool) -> None:
        """Turn a member's notices about decisions on or off."""
        await self.decisions.hear(member_id, is_on=is_on)

    async def on_decided(self, transaction: Transaction, removal: Removal) -> None:
        """Queue a notice with the reason to the comment's writers, or that it is undone."""
        if removal.subject.comment_id is None:
            return
        if removal.ended_at is not None:
            await self.decisions.redraw(transaction, removal)
            return
        settings = await self.settings.find(removal.guild_id, transaction)
        if settings.tells_writers:
            await self.decisions.tell(transaction, removal)
