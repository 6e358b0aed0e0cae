"""Looks through what a server's public messages show, for what it watches for by now."""

from collections.abc import Callable
from datetime import datetime

from bot.domain.outbox import Owed, Priority
from bot.domain.shown import PublicMessage, ShownComment
from storage.database import Database, queries_beside
from storage.outbox import Outbox
from storage.rows import read

QUERIES = queries_beside(__file__)

KIND = "look"


class Looks:
    """The looks that are owed; `now` tells the time, aware."""

    def __init__(self, database: Database, outbox: Outbox, now: Callable[[], datetime]) -> None:
        self._database = database
        self._outbox = outbox
        self._now = now

    async def owe(self, guild_id: int, locale: str) -> int:
        """Owe a look at every public message of a server, the newest first; return at how many.

        `locale` is the server's language. What is asked for twice in a minute is owed once.
        """
        rows = await self._database.fetch(QUERIES["of_server"], guild_id=guild_id)
        minute = f"{self._now():%Y-%m-%dT%H:%M}"
        owed = [
            Owed(
                KIND,
                f"{KIND} {row['id']} {minute}",
                # Reads that nobody waits for.
                Priority.DIRECT_MESSAGE,
                channel_id=row["channel_id"],
                payload={"shown": row["id"], "locale": locale},
            )
            for row in rows
        ]
        async with self._database.transaction() as transaction:
            await self._outbox.owe(transaction, *owed)
        return len(owed)

    async def find(self, shown_id: int) -> PublicMessage | None:
        """Return a message that is looked at, None where it is gone."""
        rows = await self._database.fetch(QUERIES["find"], shown_id=shown_id)
        if not rows:
            return None
        comments = [read(ShownComment, row) for row in rows]
        return read(PublicMessage, rows[0], comments=comments)
