"""The panel of each server: the public card that lists its threads and catalogs."""

from dataclasses import dataclass

from bot.domain.outbox import Owed, Priority
from storage.database import Database, Transaction, queries_beside
from storage.outbox import Outbox

QUERIES = queries_beside(__file__)

KIND, GONE_KIND = "panel", "panel_gone"


@dataclass(frozen=True)
class Panel:
    """Where a panel is; its message is None until it is posted.

    `version` is how often it was to be drawn.
    """

    channel_id: int
    message_id: int | None
    locale: str
    version: int


class Panels:
    """The panels of all servers: one each."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._outbox = outbox

    async def find(self, guild_id: int) -> Panel | None:
        """Return a server's panel, if it has one."""
        return await self._database.read_one(Panel, QUERIES["find"], guild_id=guild_id)

    async def place(self, guild_id: int, channel_id: int, locale: str) -> None:
        """Owe a server's panel to a channel, and take away the one before."""
        async with self._database.transaction() as transaction:
            await self._owe_removal(transaction, guild_id)
            await transaction.execute(
                QUERIES["place"], guild_id=guild_id, channel_id=channel_id, locale=locale
            )
            await self.owe(transaction, guild_id)

    async def remove(self, guild_id: int) -> None:
        """Take a server's panel away."""
        async with self._database.transaction() as transaction:
            await self._owe_removal(transaction, guild_id)
            await transaction.execute(QUERIES["remove"], guild_id=guild_id)

    async def owe(self, transaction: Transaction, guild_id: int) -> None:
        """Owe a server's panel anew, where it has one, since what it lists has changed."""
        row = await transaction.fetch_one(QUERIES["want"], guild_id=guild_id)
        if row is None:
            return
        owed = Owed(
            KIND,
            f"{KIND} {guild_id} {row['version']}",
            Priority.LIVE_POST,
            channel_id=row["channel_id"],
            payload={"guild": guild_id, "version": row["version"]},
        )
        await self._outbox.owe(transaction, owed)

    async def keep_message(
        self, transaction: Transaction, guild_id: int, channel_id: int, message_id: int
    ) -> None:
        """Remember which message a panel is; it is taken away where the panel moved meanwhile."""
        kept = await transaction.execute(
            QUERIES["keep_message"],
            guild_id=guild_id,
            channel_id=channel_id,
            message_id=message_id,
        )
        if not kept:
            await self._owe_deletion(transaction, channel_id, message_id)

    async def forget(self, transaction: Transaction, guild_id: int, version: int) -> None:
        """Forget a panel that is no more, or can't be, unless it was to be drawn since."""
        await transaction.execute(QUERIES["forget"], guild_id=guild_id, version=version)

    async def _owe_removal(self, transaction: Transaction, guild_id: int) -> None:
        panel = await transaction.read_one(Panel, QUERIES["find"], guild_id=guild_id)
        if panel is not None and panel.message_id is not None:
            await self._owe_deletion(transaction, panel.channel_id, panel.message_id)

    async def _owe_deletion(
        self, transaction: Transaction, channel_id: int, message_id: int
    ) -> None:
        owed = Owed(
            GONE_KIND,
            f"{GONE_KIND} {message_id}",
            Priority.LIVE_POST,
            channel_id=channel_id,
            payload={"message": message_id},
        )
        await self._outbox.owe(transaction, owed)
