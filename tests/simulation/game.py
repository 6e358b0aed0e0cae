"""The game of the simulated world: the real service, its people, and the truth.

Nothing here is left to chance: the walk chooses each deed. The truth is read by a connection
of its own, which waits for no one.
"""

import json
import re
import sqlite3
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.clock import Clock
from game_service import admin, comments, items
from game_service.app import Service, open_service
from game_service.auth import Player
from game_service.errors import Refusal
from game_service.times import to_microseconds
from game_service.tokens import hash_token
from storage.database.sqlite import database_path
from tests.simulation.door import Door, Write, refusal
from tests.support.databases import copy_of

R = TypeVar("R")

_LIST_OF_ITEMS = re.compile(r"/catalogs/\d+/items$")
_ORDER = re.compile(r"/items/(\d+)/(?:purchase|redeem)$")
_CHANGE = re.compile(r"/comments/(\d+)$")
_PLACE = re.compile(r"/(thread|catalog)s/(\d+)/")


class Naming(StrEnum):
    """How much comments say of their players."""

    ALL = "all"
    NO_ID = "no id"
    NOTHING = "nothing"


class Comment(NamedTuple):
    id: int
    thread_id: int
    parent_id: int | None
    player_id: int
    player_name: str
    text: str
    created_at: int


class Item(NamedTuple):
    id: int
    catalog_id: int
    name: str
    cost: int
    currency: str
    item_type: str
    is_clearance: bool
    is_coin_code_item: bool
    is_member_item: bool


class Person(NamedTuple):
    id: int
    name: str
    is_subscribed: bool
    park: int


@dataclass(eq=False)
class SimulatedGame:
    """A game that is served: people's deeds, and the truth; its door has what goes wrong."""

    clock: Clock
    service: Service
    _truth: sqlite3.Connection
    # Which tokens are shown an item; all are shown one that isn't here.
    shown_to: dict[int, frozenset[str]] = field(default_factory=dict[int, frozenset[str]])
    naming: Naming = Naming.ALL
    # How many seconds pass before a purchase shows.
    lateness: float = 0.0
    deleted: dict[int, Comment] = field(default_factory=dict[int, Comment])
    # Threads and catalogs that the game has no more, by kind and number, and since when.
    gone: dict[tuple[str, int], datetime] = field(default_factory=dict[tuple[str, int], datetime])
    _version: object = None
    _known: dict[tuple[object, ...], Sequence[Any]] = field(
        default_factory=dict[tuple[object, ...], Sequence[Any]]
    )

    def __post_init__(self) -> None:
        self.door = Door(self.clock, self._carry_out)

    @property
    def base_url(self) -> str:
        return self.service.base_url

    # What players do in the game.

    async def write(
        self, player_id: int, thread_id: int, text: str, parent_id: int | None = None
    ) -> int:
        async with self.service.database.transaction() as transaction:
            row = await comments.add_comment(
                transaction,
                thread_id,
                player_id,
                text,
                created_at=self._present(),
                parent_id=parent_id,
            )
        return int(row["id"])

    async def edit(self, comment_id: int, text: str) -> None:
        """Let the writer of a comment change it."""
        writer = self._person(self.comment(comment_id).player_id)
        async with self.service.database.transaction() as transaction:
            await comments.edit_comment(transaction, comment_id, writer, text)

    async def delete(self, comment_id: int) -> None:
        """Let the writer of a comment delete it, with all replies below."""
        writer = self._person(self.comment(comment_id).player_id)
        doomed = self.below(comment_id)
        async with self.service.database.transaction() as transaction:
            await comments.delete_comment(transaction, comment_id, writer)
        self._bury(doomed)

    async def buy(self, player_id: int, item_id: int) -> bool:
        """Buy an item; return whether the game sold it."""
        return await self._order(items.purchase, player_id, item_id)

    async def redeem(self, player_id: int, item_id: int) -> bool:
        return await self._order(items.redeem, player_id, item_id)

    async def move(self, player_id: int, park: int) -> None:
        await self._change("UPDATE players SET park = :park WHERE id = :id", player_id, park=park)

    async def rename(self, player_id: int, name: str) -> None:
        await self._change(
            "UPDATE players SET screen_name = :name WHERE id = :id", player_id, name=name
        )

    async def subscribe(self, player_id: int, *, is_subscribed: bool) -> None:
        await self._change(
            "UPDATE players SET is_subscribed = :is_subscribed WHERE id = :id",
            player_id,
            is_subscribed=is_subscribed,
        )

    # What the game's makers do.

    async def add_thread(self, name: str) -> int:
        return await admin.add_thread(self.service.database, name)

    def lose(self, kind: str, number: int) -> None:
        """Have a thread, with its comments, or a catalog no more."""
        self.gone[kind, number] = self.clock.now()
        if kind == "thread":
            self._bury(self.comments(number))

    async def add_catalog(self, name: str) -> int:
        return await admin.add_catalog(self.service.database, name)

    async def add_item(self, catalog_id: int, *, name: str, cost: int, **others: Any) -> int:
        """Add an item; `others` are those of `admin.add_item`."""
        database = self.service.database
        return await admin.add_item(database, catalog_id, name=name, cost=cost, **others)

    async def set_item(self, item_id: int, **changes: Any) -> None:
        """Change an item's cost, mark or parks, or take it away and bring it back (`is_gone`)."""
        await admin.set_item(self.service.database, item_id, **changes)

    async def name_item(self, item_id: int, name: str) -> None:
        await self._change("UPDATE items SET name = :name WHERE id = :id", item_id, name=name)

    async def add_player(self, name: str, **others: Any) -> int:
        return await admin.add_player(self.service.database, screen_name=name, **others)

    async def give_token(self, player_id: int, token: str) -> None:
        await admin.create_token(self.service.database, player_id, token, now=self.clock.now)

    async def end_token(self, token: str) -> None:
        async with self.service.database.transaction() as transaction:
            await transaction.execute(
                "DELETE FROM tokens WHERE hash = :hash", hash=hash_token(token)
            )

    async def give_coins(self, player_id: int, amount: int, currency: str = "Acorns") -> None:
        async with self.service.database.transaction() as transaction:
            await transaction.execute(
                "INSERT INTO balances (player_id, currency_id, amount)"
                " SELECT :player_id, id, :amount FROM currencies WHERE name = :currency"
                " ON CONFLICT (player_id, currency_id) DO UPDATE SET amount = amount + :amount",
                player_id=player_id,
                amount=amount,
                currency=currency,
            )

    # The truth; each is read in microseconds while nothing has changed.

    def threads(self) -> Sequence[int]:
        return self._there("thread", "SELECT id FROM threads ORDER BY id")

    def catalogs(self) -> Sequence[int]:
        return self._there("catalog", "SELECT id FROM catalogs ORDER BY id")

    def _there(self, kind: str, sql: str) -> Sequence[int]:
        return [row[0] for row in self._read(tuple, sql) if (kind, row[0]) not in self.gone]

    def players(self) -> Sequence[Person]:
        return self._read(Person._make, f"{_PEOPLE} ORDER BY id")

    def player_of(self, token: str) -> Person | None:
        found = self._read(
            Person._make,
            f"{_PEOPLE} WHERE id = (SELECT player_id FROM tokens WHERE hash = ?)",
            hash_token(token),
        )
        return found[0] if found else None

    def comments(self, thread_id: int) -> Sequence[Comment]:
        """Return a thread's comments, the oldest first."""
        return self._read(
            Comment._make, f"{_COMMENTS} WHERE thread_id = ? ORDER BY c.id", thread_id
        )

    def comment(self, comment_id: int) -> Comment:
        """Return a comment that is there, or was deleted while this game was open."""
        found = self._read(Comment._make, f"{_COMMENTS} WHERE c.id = ?", comment_id)
        return found[0] if found else self.deleted[comment_id]

    def below(self, comment_id: int) -> Sequence[Comment]:
        """Return a comment and all that answer it, at any depth."""
        return self._read(
            Comment._make,
            "WITH RECURSIVE tree AS (SELECT ? AS id UNION ALL"
            " SELECT c.id FROM tree JOIN comments AS c ON c.parent_id = tree.id)"
            f" {_COMMENTS} WHERE c.id IN (SELECT id FROM tree) ORDER BY c.id",
            comment_id,
        )

    def items(self, catalog_id: int, token: str | None = None) -> Sequence[Item]:
        """Return a catalog's items, of those hidden only what a token is shown."""
        found = self._read(
            _item, f"{_ITEMS} WHERE i.catalog_id = ? AND NOT i.is_gone ORDER BY i.id", catalog_id
        )
        return [item for item in found if self._shows(item.id, token)]

    def owned(self, player_id: int) -> Mapping[int, int]:
        """Return when a player bought each item that they own."""
        sql = "SELECT item_id, created_at FROM purchases WHERE player_id = ? ORDER BY item_id"
        return dict(self._read(tuple, sql, player_id))

    def redeemed(self, player_id: int) -> Mapping[int, int]:
        sql = "SELECT item_id, created_at FROM redemptions WHERE player_id = ? ORDER BY item_id"
        return dict(self._read(tuple, sql, player_id))

    def parks(self, item_id: int) -> Sequence[int]:
        sql = "SELECT park FROM item_parks WHERE item_id = ? ORDER BY park"
        return [row[0] for row in self._read(tuple, sql, item_id)]

    def balances(self, player_id: int) -> Mapping[str, int]:
        sql = (
            "SELECT c.name, b.amount FROM balances AS b"
            " JOIN currencies AS c ON c.id = b.currency_id WHERE b.player_id = ? ORDER BY c.name"
        )
        return dict(self._read(tuple, sql, player_id))

    async def _carry_out(
        self, request: web.Request, token: str | None, handler: Handler, write: Write | None
    ) -> web.StreamResponse:
        ordered = _ORDER.search(request.path)
        changed = _CHANGE.search(request.path)
        place = _PLACE.search(request.path)
        if place and self._lacks(request.method, place[1], int(place[2]), token):
            answer = refusal(404, f"{place[1]}_not_found", f"There is no such {place[1]}.")
        elif (
            changed
            and (lost := self.deleted.get(int(changed[1])))
            and self._lacks(request.method, "thread", lost.thread_id, token)
        ):
            answer = refusal(404, "comment_not_found", "There is no such comment.")
        elif ordered and not self._shows(int(ordered[1]), token):
            answer = refusal(404, "item_not_found", "There is no such item.")
        else:
            doomed = self.below(int(changed[1])) if changed and request.method == "DELETE" else ()
            answer = await handler(request)
            if answer.status == 204:
                self._bury(doomed)
        if write is not None:
            write.done = answer.status
            write.names_player = self.naming is Naming.ALL
        return self._shaped(request, token, answer)

    def _lacks(self, method: str, kind: str, number: int, token: str | None) -> bool:
        """Tell whether a place is gone. The game refuses a missing token first."""
        is_open = (method, kind) == ("GET", "thread") or self.player_of(token or "") is not None
        return (kind, number) in self.gone and is_open

    def _shaped(
        self, request: web.Request, token: str | None, answer: web.StreamResponse
    ) -> web.StreamResponse:
        """Return an answer as this game gives it: without what it hides, names or shows late."""
        if not isinstance(answer, web.Response) or answer.status not in (200, 201):
            return answer
        body = answer.body
        assert isinstance(body, bytes)
        if self.naming is not Naming.ALL and "comments" in request.path:
            body = _without_names(body, self.naming is Naming.NO_ID)
        elif (self.shown_to or self.lateness) and _LIST_OF_ITEMS.search(request.path):
            page = json.loads(body)
            page["data"] = [each for each in page["data"] if self._shows(each["id"], token)]
            player = self.player_of(token or "")
            bought = self.owned(player.id if player else 0)
            shows_before = self._present() - self.lateness * 1_000_000
            for item in page["data"]:
                if bought.get(item["id"], 0) > shows_before:
                    item["has_purchased"] = item["has_purchasd"] = False
            body = json.dumps(page).encode()
        if body is answer.body:
            return answer
        return web.Response(body=body, content_type="application/json", status=answer.status)

    def _shows(self, item_id: int, token: str | None) -> bool:
        return token is None or token in self.shown_to.get(item_id, (token,))

    async def _order(self, order: Callable[..., Any], player_id: int, item_id: int) -> bool:
        try:
            async with self.service.database.transaction() as transaction:
                buyer = self._person(player_id)
                await order(transaction, item_id, buyer, created_at=self._present())
        except Refusal:
            return False
        return True

    async def _change(self, sql: str, changed_id: int, **values: Any) -> None:
        async with self.service.database.transaction() as transaction:
            await transaction.execute(sql, id=changed_id, **values)

    def _bury(self, doomed: Sequence[Comment]) -> None:
        self.deleted |= {comment.id: comment for comment in doomed}

    def _person(self, player_id: int) -> Player:
        (person,) = self._read(Person._make, f"{_PEOPLE} WHERE id = ?", player_id)
        return Player(id=person.id, is_subscribed=bool(person.is_subscribed), park=person.park)

    def _present(self) -> int:
        return to_microseconds(self.clock.now())

    def _read(self, kind: Callable[[Any], R], sql: str, *values: object) -> Sequence[R]:
        version = self._truth.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            self._version = version
            self._known.clear()
        key = (kind, sql, *values)
        if key not in self._known:
            self._known[key] = [kind(row) for row in self._truth.execute(sql, values)]
        return self._known[key]


_PEOPLE = "SELECT id, screen_name, is_subscribed, park FROM players"
_COMMENTS = (
    "SELECT c.id, c.thread_id, c.parent_id, c.player_id, p.screen_name, c.content, c.created_at"
    " FROM comments AS c JOIN players AS p ON p.id = c.player_id"
)
_ITEMS = (
    "SELECT i.id, i.catalog_id, i.name, i.cost, c.name, t.name, i.is_clearance,"
    " i.is_coin_code_item, i.is_member_item FROM items AS i"
    " JOIN currencies AS c ON c.id = i.currency_id JOIN item_types AS t ON t.id = i.item_type_id"
)


def _item(row: Sequence[Any]) -> Item:
    return Item(*row[:6], *map(bool, row[6:]))


@lru_cache(512)
def _without_names(body: bytes, keeps_names: bool) -> bytes:
    def strip(comment: Any) -> None:
        if keeps_names:
            del comment["player"]["id"]
        else:
            del comment["player"]
        children: list[Any] = comment.get("children", [])
        for child in children:
            strip(child)

    answer = json.loads(body)
    entries: Any = answer["data"]
    if isinstance(entries, dict):
        entries = [entries]
    for comment in entries:
        strip(comment)
    return json.dumps(answer).encode()


@asynccontextmanager
async def open_game(folder: Path, clock: Clock, filled: str) -> AsyncGenerator[SimulatedGame]:
    """Serve a copy of a game that `fill_game` has filled; it goes by the clock."""
    doors = list[Door]()

    @web.middleware
    async def through(request: web.Request, handler: Handler) -> web.StreamResponse:
        return await doors[0].handle(request, handler)

    with copy_of(filled, folder / "game.db") as address:
        async with open_service(
            address,
            pictures_url="https://pictures.example/assets",
            middlewares=[through],
            now=clock.now,
            monotonic=clock.monotonic,
        ) as service:
            path = database_path(address)
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as truth:
                game = SimulatedGame(clock, service, truth)
                doors.append(game.door)
                try:
                    yield game
                finally:
                    game.door.recover(cuts=True)
