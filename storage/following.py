"""Followed catalogs and threads, and what was seen there."""

import asyncio
from collections import abc
from datetime import datetime
from types import MappingProxyType
from typing import TypeVar

import msgspec

from storage import subscriptions
from storage.database import Database, Row, Transaction, Value, queries_beside
from storage.database.interface import Source
from storage.names import PlaceKind
from storage.rows import from_micros, read, to_row

QUERIES = queries_beside(__file__)
NO_ITEM = msgspec.Raw(b"null")

# Queues messages about events, in the transaction that writes the events.
Owe = abc.Callable[[Transaction, abc.Sequence[subscriptions.Event]], abc.Awaitable[None]]


class Followed(msgspec.Struct, frozen=True):
    """A catalog or a thread that Kiosk checks again and again.

    `version` counts the writes about it. It is 0 until there is something to compare with. Comments
    written after `since`, by the game's clock, are new. `read_at` is the last success. If the last
    look failed, at `failed_at`, `failure` is its error code, and `failures` counts failures in a
    row.
    """

    kind: PlaceKind
    place_id: int
    followed_at: datetime
    # When it is checked next.
    due_at: datetime
    version: int = 0
    since: datetime | None = None
    read_at: datetime | None = None
    failing_since: datetime | None = None
    failed_at: datetime | None = None
    failures: int = 0
    failure: str | None = None
    # Since when the game no longer has it: two looks in a row said so.
    gone_at: datetime | None = None


class SeenItem(msgspec.Struct, frozen=True):
    """An item of a followed catalog as last seen, and the values by which news is found.

    `item` is all of it as JSON, except its reader's fields. It is null if 1.0.0 saw the item. It is
    also null, like `currency_id`, if the item was there but couldn't be read. A price below
    `base_cost` is lower. `base_cost` follows a price that rose at `risen_at` after one day. An item
    that has been gone for a day is announced as gone.
    """

    id: int
    name: str
    cost: int
    currency_id: int | None
    is_clearance: bool
    is_member_item: bool
    base_cost: int
    first_seen_at: datetime
    risen_at: datetime | None = None
    clearance_ended_at: datetime | None = None
    gone_at: datetime | None = None
    item: msgspec.Raw = NO_ITEM
    is_gone_told: bool = False


class SeenComment(msgspec.Struct, frozen=True):
    """A comment as last seen. `digest` tells texts apart.

    `root_id` is the top comment of those that it answers. If it answers none, that is itself.
    `parent_id` is the comment that it answers. It is None for none, and if only 1.0.0 saw it.
    `player_id` is its writer, if the game shows that. If it `is_only_placed`, no look has seen it
    yet: it says on which page a look finds a comment whose replies a member waits for.
    """

    id: int
    root_id: int
    page: int
    digest: str
    written_at: datetime
    # Whether it has another text than at first, or is gone.
    is_changed: bool = False
    is_gone: bool = False
    parent_id: int | None = None
    player_id: int | None = None
    is_only_placed: bool = False


S = TypeVar("S", SeenItem, SeenComment)


class Following(msgspec.Struct, frozen=True):
    """Stores the followed places, and what was seen there."""

    database: Database

    async def due(self, kind: PlaceKind, most: int) -> abc.Mapping[int, datetime]:
        """Return the places to check next, in that order, each with its time."""
        rows = await self.database.fetch(QUERIES["due"], kind=kind, most=most)
        return {row["place_id"]: from_micros(row["due_at"]) for row in rows}

    async def bring_forward(self, latest: datetime) -> None:
        """Make each place that can be read due by `latest`."""
        await self.database.execute(QUERIES["bring_forward"], latest=latest)

    async def last_reads(self, kind: PlaceKind, most: int) -> abc.Sequence[datetime]:
        """Return when places were last read, or followed if never read, oldest first."""
        rows = await self.database.fetch(QUERIES["last_reads"], kind=kind, most=most)
        return [from_micros(row["read_at"]) for row in rows]

    async def place(
        self, kind: PlaceKind, place_id: int, source: Source | None = None
    ) -> Followed | None:
        sql = QUERIES["place"]
        return await (source or self.database).read_one(Followed, sql, kind=kind, place_id=place_id)

    async def unread(self, guild_id: int) -> abc.Mapping[int, str]:
        """Return the announced catalogs that couldn't be read, with their error codes."""
        rows = await self.database.fetch(QUERIES["unread"], guild_id=guild_id)
        return {row["place_id"]: row["failure"] for row in rows}

    async def items(self, catalog_id: int) -> abc.Mapping[int, SeenItem]:
        """Return the items of a catalog that were ever seen, by their ids."""
        place = {"kind": PlaceKind.CATALOG, "place_id": catalog_id}
        return _by_id(SeenItem, await self.database.fetch(QUERIES["seen"], **place))

    async def comments(self, thread_id: int) -> abc.Mapping[int, SeenComment]:
        """Return the comments of a thread that were seen since it is followed, by their ids."""
        place = {"kind": PlaceKind.THREAD, "place_id": thread_id}
        return _by_id(SeenComment, await self.database.fetch(QUERIES["seen"], **place))

    async def comments_below(
        self, thread_id: int, first_root: int, last_root: int
    ) -> abc.Mapping[int, SeenComment]:
        """Return the seen comments whose roots are from `first_root` to `last_root`."""
        place = {"kind": PlaceKind.THREAD, "place_id": thread_id}
        roots = {"first_root": first_root, "last_root": last_root}
        rows = await self.database.fetch(QUERIES["seen_below"], **place, **roots)
        return _by_id(SeenComment, rows)

    async def awaited_comments(self, thread_id: int) -> abc.Mapping[int, SeenComment]:
        """Return the seen comments whose replies members wait for, and their roots."""
        place = {"kind": PlaceKind.THREAD, "place_id": thread_id}
        return _by_id(SeenComment, await self.database.fetch(QUERIES["seen_awaited"], **place))

    async def comment(self, thread_id: int, comment_id: int) -> SeenComment | None:
        of = {"kind": PlaceKind.THREAD, "place_id": thread_id, "subject_id": comment_id}
        row = await self.database.fetch_one(QUERIES["seen_subject"], **of)
        return None if row is None else msgspec.json.decode(row["state"], type=SeenComment)

    async def comments_after(self, thread_id: int, comment_id: int) -> abc.Sequence[SeenComment]:
        of = {"kind": PlaceKind.THREAD, "place_id": thread_id, "subject_id": comment_id}
        rows = await self.database.fetch(QUERIES["seen_after"], **of)
        return [msgspec.json.decode(row["state"], type=SeenComment) for row in rows]

    async def items_where(
        self, guild_id: int, is_meant: abc.Callable[[int, str], bool], most: int
    ) -> abc.Sequence[tuple[int, SeenItem]]:
        """Return a server's items that `is_meant` picks by number and key, with their catalogs."""
        kind = PlaceKind.CATALOG
        rows = await self.database.fetch(QUERIES["named"], guild_id=guild_id, kind=kind)

        def meant() -> list[Row]:
            return [row for row in rows if is_meant(row["subject_id"], row["name_key"])][:most]

        found: list[tuple[int, SeenItem]] = []
        for row in await asyncio.to_thread(meant):
            of = {"kind": kind, "place_id": row["place_id"], "subject_id": row["subject_id"]}
            seen = await self.database.fetch_one(QUERIES["seen_subject"], **of)
            if seen is not None:
                item = msgspec.json.decode(seen["state"], type=SeenItem)
                found.append((row["place_id"], item))
        return found

    async def record(
        self,
        followed: Followed,
        changed: abc.Sequence[SeenItem | SeenComment],
        events: abc.Sequence[subscriptions.NewEvent] = (),
        *,
        now: datetime,
        name_keys: abc.Mapping[int, str] = MappingProxyType({}),
        owe: Owe | None = None,
        is_late: bool = False,
        since: datetime | None = None,
    ) -> bool:
        """Write what a look found and queue messages about it, all or nothing.

        `name_keys` are the keys of items' names, by the items' ids. Returns False, and writes
        nothing, if another process has written since `followed` was read.
        """
        place: dict[str, Value] = {"kind": followed.kind, "place_id": followed.place_id}
        rows = _seen_rows(place, changed, name_keys)
        async with self.database.transaction() as transaction:
            begun = await transaction.execute(
                QUERIES["begin"],
                **place,
                followed_at=followed.followed_at,
                version=followed.version,
                since=since,
                now=now,
            )
            if not begun:
                return False
            await transaction.execute_many(QUERIES["save_seen"], rows)
            written: list[subscriptions.Event] = []
            for event in events:
                (row,) = await transaction.fetch(
                    QUERIES["add_event"],
                    **to_row(event),
                    **place,
                    happened_at=now,
                    is_late=int(is_late),
                )
                written.append(read(subscriptions.Event, row))
            if owe is not None:
                await owe(transaction, written)
        return True

    async def save_look(
        self,
        followed: Followed,
        failure: str | None,
        now: datetime,
        due_at: datetime,
        owe_gone: abc.Callable[[Transaction], abc.Awaitable[None]] | None = None,
    ) -> None:
        """Note whether a place could be read, or the error's code, and when the next look is.

        If the game has lost the place, `owe_gone` tells servers.
        """
        place = {"kind": followed.kind, "place_id": followed.place_id}
        async with self.database.transaction() as transaction:
            await transaction.execute(
                QUERIES["save_look"],
                **place,
                failure=failure,
                is_gone=int(owe_gone is not None),
                now=now,
                due_at=due_at,
            )
            if owe_gone is not None:
                await owe_gone(transaction)

    async def logs_of(self, transaction: Transaction, followed: Followed) -> abc.Mapping[int, int]:
        """Return the log channels of the servers that follow a place in a channel."""
        place = {"kind": followed.kind, "place_id": followed.place_id}
        rows = await transaction.fetch(QUERIES["logs_of_place"], **place)
        return {row["guild_id"]: row["log_channel_id"] for row in rows}


async def place_comments(
    transaction: Transaction, thread_id: int, branch: abc.Iterable[SeenComment]
) -> None:
    """Note on which page a look finds comments, unless they were seen already."""
    place: dict[str, Value] = {"kind": PlaceKind.THREAD, "place_id": thread_id}
    await transaction.execute_many(QUERIES["save_place"], _seen_rows(place, branch))


def _by_id(seen: type[S], rows: abc.Iterable[Row]) -> abc.Mapping[int, S]:
    decoder = msgspec.json.Decoder(seen)
    return {row["subject_id"]: decoder.decode(row["state"]) for row in rows}


def _seen_rows(
    place: abc.Mapping[str, Value],
    seen: abc.Iterable[SeenItem | SeenComment],
    name_keys: abc.Mapping[int, str] = MappingProxyType({}),
) -> list[dict[str, Value]]:
    return [
        {
            **place,
            "subject_id": subject.id,
            "root_id": subject.root_id if isinstance(subject, SeenComment) else None,
            "name_key": name_keys.get(subject.id, ""),
            "state": msgspec.json.encode(subject).decode(),
        }
        for subject in seen
    ]
