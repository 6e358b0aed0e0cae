"""Names that servers give to threads and catalogs, and the servers where each member is."""

import datetime as dt
from collections import abc
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from storage import moderation
from storage import rows as storage_rows
from storage.database import Database, queries_beside
from storage.messages import Messages
from storage.panels import panel_key

QUERIES = queries_beside(__file__)


class PlaceKind(StrEnum):
    THREAD = "thread"
    CATALOG = "catalog"


class Named(NamedTuple):
    """A thread or catalog (docs/connect-your-game.md#endpoints) under the name a server gave it."""

    game_id: int
    name: str


class ItemRef(NamedTuple):
    """The address of an item on a catalog's page (docs/connect-your-game.md#list-items)."""

    catalog_id: int
    page: int
    item_id: int


class Names(Struct, frozen=True):
    database: Database
    messages: Messages

    async def save(
        self,
        guild_id: int,
        kind: PlaceKind,
        named: Named,
        name_key: str,
        line_of: moderation.LineOf[Named] | None = None,
    ) -> None:
        """Save a name in place of the one before. Raises NotUnique if another id has its key."""
        async with self.database.transaction() as transaction:
            of = {"guild_id": guild_id, "kind": kind, "game_id": named.game_id}
            before = await transaction.fetch_one(QUERIES["find"], **of)
            await transaction.execute(QUERIES["save"], **of, name=named.name, name_key=name_key)
            await self.messages.redraw(transaction, panel_key(guild_id))
            await moderation.note(transaction, line_of, storage_rows.read(Named, before), named)

    async def remove(
        self,
        guild_id: int,
        kind: PlaceKind,
        game_id: int,
        line_of: moderation.LineOf[Named] | None = None,
    ) -> bool:
        async with self.database.transaction() as transaction:
            of = {"guild_id": guild_id, "kind": kind, "game_id": game_id}
            before = await transaction.fetch_one(QUERIES["find"], **of)
            removed = await transaction.execute(QUERIES["remove"], **of)
            if removed:
                await self.messages.redraw(transaction, panel_key(guild_id))
                await moderation.note(transaction, line_of, storage_rows.read(Named, before), None)
        return removed > 0

    async def all_of_kind(self, guild_id: int, kind: PlaceKind) -> abc.Sequence[Named]:
        query = QUERIES["all_of_kind"]
        return await self.database.read(Named, query, guild_id=guild_id, kind=kind)


class MemberServers(Struct, frozen=True):
    """The servers where each member uses Kiosk, so that their names hold in direct messages too."""

    database: Database
    clock: abc.Callable[[], dt.datetime]

    async def note(self, guild_id: int, member_id: int) -> None:
        where = {"guild_id": guild_id, "member_id": member_id}
        await self.database.execute(QUERIES["save_used"], **where, used_at=self.clock())

    async def of_member(self, member_id: int, most: int) -> abc.Sequence[int]:
        """Return the servers in which a member has used Kiosk, the last used first."""
        rows = await self.database.fetch(QUERIES["used_by"], member_id=member_id, most=most)
        return [row["guild_id"] for row in rows]


async def first_named(database: Database, kind: PlaceKind) -> int | None:
    row = await database.fetch_one(QUERIES["first_named"], kind=kind)
    return None if row is None else row["game_id"]
