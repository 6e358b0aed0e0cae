"""What each server calls its threads and catalogs, and the panel that lists them."""

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct

from bot.domain.names import Named, PlaceKind, name_key
from bot.domain.outbox import Owed, Priority
from storage.database import Database, Transaction, queries_beside
from storage.outbox import Outbox

QUERIES = queries_beside(__file__)

_PANELS = queries_beside(__file__, "panels")

_PANEL, _PANEL_GONE = "panel", "panel_gone"


class Names(Struct, frozen=True):
    """The names of all servers."""

    database: Database
    panels: "Panels"

    async def save(self, guild_id: int, kind: PlaceKind, named: Named) -> None:
        """Keep a name, in place of the one before. Raises NotUnique where another id has it."""
        async with self.database.transaction() as transaction:
            await transaction.execute(
                QUERIES["save"],
                guild_id=guild_id,
                kind=kind,
                game_id=named.game_id,
                name=named.name,
                name_key=name_key(named.name),
            )
            await self.panels.owe(transaction, guild_id)

    async def remove(self, guild_id: int, kind: PlaceKind, game_id: int) -> bool:
        """Take a name away; return whether there was one."""
        async with self.database.transaction() as transaction:
            removed = await transaction.execute(
                QUERIES["remove"], guild_id=guild_id, kind=kind, game_id=game_id
            )
            if removed:
                await self.panels.owe(transaction, guild_id)
        return removed > 0

    async def all_of_kind(self, guild_id: int, kind: PlaceKind) -> Sequence[Named]:
        """Return the server's names of a kind, in order of name."""
        query = QUERIES["all_of_kind"]
        return await self.database.read(Named, query, guild_id=guild_id, kind=kind)


class MemberServers(Struct, frozen=True):
    """Where each member uses Kiosk, so that the names there hold in direct messages too."""

    database: Database
    clock: Callable[[], datetime]

    async def note(self, guild_id: int, member_id: int) -> bool:
        """Note that a member uses Kiosk in a server now."""
        values = {"guild_id": guild_id, "member_id": member_id}
        used_at = self.clock()
        return await self.database.execute(QUERIES["note_used"], **values, used_at=used_at) > 0

    async def of_member(self, member_id: int, most: int) -> Sequence[int]:
        """Return the servers in which a member has used Kiosk, the last used first."""
        rows = await self.database.fetch(QUERIES["used_by"], member_id=member_id, most=most)
        return [row["guild_id"] for row in rows]


async def some_named(database: Database, kind: PlaceKind, most: int) -> Sequence[int]:
    """Return the numbers of some threads or catalogs that servers have named."""
    rows = await database.fetch(QUERIES["some_named"], kind=kind, most=most)
    return [row["game_id"] for row in rows]


class Panel(Struct, frozen=True):
    """Where a panel is; its message is None until it is posted.

    `version` is how often it was to be drawn.
    """

    channel_id: int
    message_id: int | None
    locale: str
    version: int


class Panels(Struct, frozen=True):
    """The panels of all servers: one each."""

    database: Database
    outbox: Outbox

    async def find(self, guild_id: int) -> Panel | None:
        """Return a server's panel, if it has one."""
        return await self.database.read_one(Panel, _PANELS["find"], guild_id=guild_id)

    async def place(self, guild_id: int, channel_id: int, locale: str) -> None:
        """Owe a server's panel to a channel, and take away the one before."""
        async with self.database.transaction() as transaction:
            await self._owe_removal(transaction, guild_id)
            await transaction.execute(
                _PANELS["place"], guild_id=guild_id, channel_id=channel_id, locale=locale
            )
            await self.owe(transaction, guild_id)

    async def remove(self, guild_id: int) -> None:
        """Take a server's panel away."""
        async with self.database.transaction() as transaction:
            await self._owe_removal(transaction, guild_id)
            await transaction.execute(_PANELS["remove"], guild_id=guild_id)

    async def owe(self, transaction: Transaction, guild_id: int) -> None:
        """Owe a server's panel anew, where it has one, since what it lists has changed."""
        row = await transaction.fetch_one(_PANELS["want"], guild_id=guild_id)
        if row is None:
            return
        owed = Owed(
            _PANEL,
            f"{_PANEL} {guild_id} {row['version']}",
            Priority.LIVE_POST,
            channel_id=row["channel_id"],
            payload={"guild": guild_id, "version": row["version"]},
        )
        await self.outbox.owe(transaction, owed)

    async def keep_message(
        self, transaction: Transaction, guild_id: int, channel_id: int, message_id: int
    ) -> None:
        """Remember which message a panel is; it is taken away where the panel moved meanwhile."""
        kept = await transaction.execute(
            _PANELS["keep_message"],
            guild_id=guild_id,
            channel_id=channel_id,
            message_id=message_id,
        )
        if not kept:
            await self._owe_deletion(transaction, channel_id, message_id)

    async def forget(
        self, transaction: Transaction, guild_id: int, version: int, *, is_gone: bool
    ) -> None:
        """Forget a panel that is gone, or was never posted, unless it was to be drawn since."""
        await transaction.execute(
            _PANELS["forget"], guild_id=guild_id, version=version, is_gone=is_gone
        )

    async def _owe_removal(self, transaction: Transaction, guild_id: int) -> None:
        panel = await transaction.read_one(Panel, _PANELS["find"], guild_id=guild_id)
        if panel is not None and panel.message_id is not None:
            await self._owe_deletion(transaction, panel.channel_id, panel.message_id)

    async def _owe_deletion(
        self, transaction: Transaction, channel_id: int, message_id: int
    ) -> None:
        owed = Owed(
            _PANEL_GONE,
            f"{_PANEL_GONE} {message_id}",
            Priority.LIVE_POST,
            channel_id=channel_id,
            payload={"message": message_id},
        )
        await self.outbox.owe(transaction, owed)
