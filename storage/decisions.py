"""Tell members why moderators removed their comments, if they want to know."""

import datetime as dt
from collections import abc

from msgspec import Struct

from storage import messages
from storage.database import Database, Transaction, queries_beside
from storage.removals import Removal

QUERIES = queries_beside(__file__)
# The kind of messages that tell a member why a comment of theirs was removed.
DECISION = "decision"
# How many comments of theirs a server tells a member about in a day.
_MAX_TOLD = 5
_DAY = dt.timedelta(days=1)


class Decisions(Struct, frozen=True):
    database: Database
    outbox: messages.Messages
    now: abc.Callable[[], dt.datetime]

    async def hear(self, member_id: int, *, is_on: bool) -> None:
        """Note whether a member wants to know about decisions."""
        await self.database.execute(QUERIES["hear"], member_id=member_id, is_on=is_on)

    async def tell(self, transaction: Transaction, removal: Removal) -> None:
        """Queue a message with the reason for the comment's writers who want to know it."""
        key = f"{DECISION} {removal.guild_id} {removal.subject.comment_id} "
        writers = await transaction.fetch(
            QUERIES["writers_who_asked"],
            guild_id=removal.guild_id,
            comment_id=removal.subject.comment_id,
            case_id=removal.case_id,
            moderator_id=removal.moderator_id,
            told=key,
            since=self.now() - _DAY,
            most=_MAX_TOLD,
        )
        told = [
            messages.NewMessage(
                DECISION,
                f"{key}{writer['member_id']}",
                messages.Priority.DIRECT_MESSAGE,
                member_id=writer["member_id"],
                payload={"removal": removal.id},
                guild_id=removal.guild_id,
                stays=True,
            )
            for writer in writers
        ]
        await self.outbox.want(transaction, *told)

    async def redraw(self, transaction: Transaction, removal: Removal) -> None:
        """Redraw the messages that told writers about a comment."""
        told = await transaction.fetch(
            QUERIES["decisions_told"],
            guild_id=removal.guild_id,
            comment_id=removal.subject.comment_id,
        )
        await self.outbox.redraw(transaction, *(row["key"] for row in told))
