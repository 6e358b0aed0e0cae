"""The card of each case in its server's log channel."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from bot.domain.outbox import Owed, Priority
from storage.changes import note_change
from storage.database import Database, Transaction, queries_beside
from storage.outbox import Outbox

QUERIES = queries_beside(__file__)

KIND, MORE_KIND = "case", "case.more"
# Of what is held back, so many have a card of their own within a minute; the others are counted.
_MOST_A_MINUTE, _MINUTE = 5, timedelta(minutes=1)


class LogCards:
    """The cards of all servers; where a server has no log channel, none is owed."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._outbox = outbox

    async def owe(self, transaction: Transaction, case_id: int) -> None:
        """Owe a case's card anew, since something of it has changed."""
        row = await transaction.fetch_one(QUERIES["want"], case_id=case_id)
        if row is None or row["log_channel_id"] is None:
            return
        owed = Owed(
            KIND,
            f"{KIND} {case_id} {row['log_version']}",
            Priority.LIVE_POST,
            channel_id=row["log_channel_id"],
            payload={"case": case_id},
        )
        await self._outbox.owe(transaction, owed)

    async def owe_held_back(
        self, transaction: Transaction, case_id: int, guild_id: int, now: datetime
    ) -> None:
        """Owe the card of what was held back, or one that counts how many have none yet."""
        since = now - _MINUTE
        lately = await transaction.fetch(
            QUERIES["lately"], guild_id=guild_id, since=since, most=_MOST_A_MINUTE
        )
        if len(lately) < _MOST_A_MINUTE or case_id in {row["id"] for row in lately}:
            await self.owe(transaction, case_id)
            return
        row = await transaction.fetch_one(QUERIES["log_channel"], guild_id=guild_id)
        if row is None or row["log_channel_id"] is None:
            return
        owed = Owed(
            MORE_KIND,
            f"{MORE_KIND} {guild_id} {now:%Y-%m-%dT%H:%M}",
            Priority.LIVE_POST,
            channel_id=row["log_channel_id"],
            payload={"case": case_id},
        )
        await self._outbox.owe(transaction, owed)

    async def without_card(self, guild_id: int) -> Sequence[int]:
        """Return the cases that were held back and have no card yet, the oldest first."""
        rows = await self._database.fetch(QUERIES["without_card"], guild_id=guild_id)
        return [row["id"] for row in rows]

    async def owe_for(self, transaction: Transaction, removal_id: int) -> None:
        """Owe the card of the case that a removal belongs to."""
        row = await transaction.fetch_one(QUERIES["case_of"], removal_id=removal_id)
        if row is not None:
            await self.owe(transaction, row["case_id"])

    async def owe_now(self, case_id: int) -> None:
        """Owe a case's card in a transaction of its own."""
        async with self._database.transaction() as transaction:
            await self.owe(transaction, case_id)

    async def change(
        self, query: str, *, case_id: int, topic: str | None = None, **values: Any
    ) -> bool:
        """Change a case, and owe its card and note the change of a topic where that did something.

        Returns whether it did.
        """
        async with self._database.transaction() as transaction:
            changed = await transaction.execute(query, case_id=case_id, **values)
            if changed:
                await self.owe(transaction, case_id)
                if topic is not None:
                    await note_change(transaction, topic)
        return changed > 0

    async def message(self, case_id: int) -> int | None:
        """Return the message that a case's card is, None before it was posted."""
        row = await self._database.fetch_one(QUERIES["message"], case_id=case_id)
        return None if row is None else row["log_message_id"]

    async def keep_message(
        self, transaction: Transaction, case_id: int, message_id: int | None
    ) -> None:
        """Remember which message a case's card is; None where it is no more."""
        await transaction.execute(QUERIES["keep_message"], case_id=case_id, message_id=message_id)
