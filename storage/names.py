"""What each server calls its threads and catalogs, since the game lists neither."""

from collections.abc import Sequence

from bot.domain.names import Named, PlaceKind, name_key
from storage.changes import note_change
from storage.database import Database, queries_beside
from storage.errors import NotUnique
from storage.panels import Panels

QUERIES = queries_beside(__file__)

TOPIC = "names"


class NameTaken(Exception):
    """Another thread or catalog of the server already has this name."""


class Names:
    """The names of all servers."""

    def __init__(self, database: Database, panels: Panels) -> None:
        self._database = database
        self._panels = panels

    async def save(self, guild_id: int, kind: PlaceKind, named: Named) -> None:
        """Return a name, in place of the one before. Raises NameTaken."""
        try:
            async with self._database.transaction() as transaction:
                await transaction.execute(
                    QUERIES["save"],
                    guild_id=guild_id,
                    kind=kind,
                    game_id=named.game_id,
                    name=named.name,
                    name_key=name_key(named.name),
                )
                await self._panels.owe(transaction, guild_id)
                await note_change(transaction, TOPIC)
        except NotUnique as error:
            raise NameTaken(named.name) from error

    async def remove(self, guild_id: int, kind: PlaceKind, game_id: int) -> bool:
        """Take a name away; return whether there was one."""
        async with self._database.transaction() as transaction:
            removed = await transaction.execute(
                QUERIES["remove"], guild_id=guild_id, kind=kind, game_id=game_id
            )
            if removed:
                await self._panels.owe(transaction, guild_id)
                await note_change(transaction, TOPIC)
        return removed > 0

    async def all_of_kind(self, guild_id: int, kind: PlaceKind) -> Sequence[Named]:
        """Return the server's names of a kind, in order of name."""
        query = QUERIES["all_of_kind"]
        return await self._database.read(Named, query, guild_id=guild_id, kind=kind)

    async def find_by_name(self, guild_id: int, kind: PlaceKind, name: str) -> Named | None:
        """Return what the server calls by this name, whatever its case."""
        return await self._database.read_one(
            Named, QUERIES["find_by_key"], guild_id=guild_id, kind=kind, name_key=name_key(name)
        )


async def some_named(database: Database, kind: PlaceKind, most: int) -> Sequence[int]:
    """Return the numbers of some threads or catalogs that servers have named."""
    rows = await database.fetch(QUERIES["some_named"], kind=kind, most=most)
    return [row["game_id"] for row in rows]
