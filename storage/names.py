"""Names that servers give to threads and catalogs, and where each member was last."""

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

# Who comes back to a thread later than this begins to look at it anew.
_A_LOOK = dt.timedelta(hours=1)
# A look is noted so much later again, if nothing newer comes.
_NOTED_FOR = dt.timedelta(minutes=5)


class PlaceKind(StrEnum):
    THREAD = "thread"
    CATALOG = "catalog"


class Named(NamedTuple):
    """A thread or catalog of the game (interface 2.7) under the name a server gave it."""

    game_id: int
    name: str


class ItemRef(NamedTuple):
    """The address of an item: the interface lists items by catalog and page only (4.5)."""

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
        """Keep a name instead of the one before. Raises NotUnique where another id has its key."""
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


class Looked(Struct, frozen=True):
    """Up to which comment a member has seen a thread when they looked at it."""

    thread_id: int
    comment_id: int
    at: dt.datetime


class ThreadsRead(Struct, frozen=True):
    """The threads that each member has read, and the newest comment that they saw there."""

    database: Database
    now: abc.Callable[[], dt.datetime]

    async def look(
        self, member_id: int, thread_id: int, newest_id: int, *, begins: bool
    ) -> Looked | None:
        """Note that a member looks at a thread up to this comment; return their last look before.

        That is the same for as long as they go on looking: until one `begins` that finds something
        newer, or comes an hour later. None says that they never looked before.
        """
        now = self.now()
        seen = {"member_id": member_id, "thread_id": thread_id, "newest_id": newest_id}
        row = None
        if not begins:
            row = await self.database.fetch_one(
                QUERIES["still_looking"], noted_since=now - _NOTED_FOR, **seen
            )
        if row is None:
            row = await self.database.change_one(
                QUERIES["look"], begins=int(begins), gone_since=now - _A_LOOK, now=now, **seen
            )
        if row is None or row["comment_id"] is None:
            return None
        return storage_rows.read(Looked, row)

    async def of_member(self, member_id: int) -> abc.Sequence[Looked]:
        """Return the threads that a member has read, the last one first."""
        return await self.database.read(Looked, QUERIES["read_by"], member_id=member_id)


async def first_named(database: Database, kind: PlaceKind) -> int | None:
    row = await database.fetch_one(QUERIES["first_named"], kind=kind)
    return None if row is None else row["game_id"]
