"""Games that keep what they were asked and answer as a test tells them, down to the bytes.

One answers by script; the other has a shop that loses answers, changes its mind and counts orders.
"""

import asyncio
import json
import time
import zlib
from collections import Counter, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import repeat
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

Reply = Callable[[asyncio.StreamWriter], Awaitable[None]]
# To an order, which it may carry out.
Answer = Callable[["Order"], Reply]
G = TypeVar("G", bound="RogueGame")

ACORNS = {
    "id": 1,
    "name": "Acorns",
    "singular_name": "Acorn",
    "icon_url": "https://assets.example/acorn.png",
}
_PER_PAGE = 15
HAT = {"id": 1, "name": "Hat", "image_url": "https://assets.example/hat.png"}


@dataclass(frozen=True)
class Asked:
    """A request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class RogueGame:
    """Answers with the scripted replies in turn, the last one for ever.

    `asked` holds every request so far; `arrivals` is for waiting for the next one.
    """

    base_url: str = ""
    replies: list[Reply] = field(default_factory=list["Reply"])
    asked: list[Asked] = field(default_factory=list["Asked"])
    arrivals: asyncio.Queue[Asked] = field(default_factory=asyncio.Queue[Asked])
    connections: int = 0

    def answers(self, *replies: Reply) -> None:
        self.replies = list(replies)

    def reply_to(self, asked: Asked) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def reply(body: object = b"", status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Answer with a body: bytes as they are, anything else as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(_head(status, {"Content-Length": str(len(content)), **(headers or {})}))
        writer.write(content)

    return send


def raw(content: bytes) -> Reply:
    """Answer with exactly these bytes, then cut the connection."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(content)
        await writer.drain()
        writer.close()

    return send


def cut_short(status: int = 200) -> Reply:
    """Promise more than comes before the connection is cut."""
    return raw(_head(status, {"Content-Length": "1000"}) + b'{"data": [')


def redirect(location: str, status: int = 302) -> Reply:
    return reply(status=status, headers={"Location": location})


def held(reply: Reply, gate: asyncio.Event) -> Reply:
    """Answer once the gate opens."""

    async def send(writer: asyncio.StreamWriter) -> None:
        await gate.wait()
        await reply(writer)

    return send


def zip_bomb(megabytes: int) -> Reply:
    """Answer with a small body that swells when it is unpacked."""

    async def send(writer: asyncio.StreamWriter) -> None:
        packer = zlib.compressobj(1, wbits=31)
        packed = b"".join(packer.compress(part) for part in repeat(b" " * 2**20, megabytes))
        await reply(packed + packer.flush(), headers={"Content-Encoding": "gzip"})(writer)

    return send


async def endless(writer: asyncio.StreamWriter) -> None:
    """Begin an answer and never end it."""
    writer.write(_head(200, {"Connection": "close"}))
    while True:
        writer.write(b" " * 2**16)
        await writer.drain()


async def silence(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def cut(writer: asyncio.StreamWriter) -> None:
    writer.close()


def item(item_id: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": item_id,
        "currency": ACORNS,
        "item_type": HAT,
        "name": f"Hat number {item_id}",
        "cost": 10 * item_id,
        "icon_url": f"https://assets.example/{item_id}.png",
        "paper_url": None,
        "no_eye_url": None,
        "is_clearance": False,
        "is_coin_code_item": False,
        "is_member_item": False,
    } | changes


@dataclass
class RogueShop(RogueGame):
    """One catalog, number 1, one player, and thread 1.

    `orders` counts what was asked for; `charged` what was taken. Each order takes the next of
    `outcomes`, and the honest one when there is none left.
    """

    items: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    # If there are several, they hold the same.
    catalogs: set[int] = field(default_factory=lambda: {1})
    # Of the thread, the newest first.
    comments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    spelling: str = "has_purchased"
    owned: set[int] = field(default_factory=set[int])
    # By token: which items are owned besides, and which items and catalogs the game hides from it.
    owned_by: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    hidden: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    hidden_catalogs: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    orders: Counter[int] = field(default_factory=Counter[int])
    charged: Counter[int] = field(default_factory=Counter[int])
    outcomes: deque[Answer] = field(default_factory=deque["Answer"])
    pages_asked: list[int] = field(default_factory=list[int])
    failing_pages: set[int] = field(default_factory=set[int])
    busy_pages: set[int] = field(default_factory=set[int])
    # In seconds, more than a single read waits: nothing waits in vain except for patience.
    busy_for: str = "12"
    # After how many looks it takes none for how many seconds.
    rate: tuple[int, float] | None = None
    # Those for which the token is no longer good.
    closed_pages: set[int] = field(default_factory=set[int])
    # Those who may not look, by their tokens.
    forbidden: set[str] = field(default_factory=set[str])
    # Those that the game knows no longer, and those for which it fails.
    expired: set[str] = field(default_factory=set[str])
    failing: set[str] = field(default_factory=set[str])
    per_page: int = 15
    is_down: bool = False
    repeats_itself: bool = False
    never_ends: bool = False
    # Whether a page after the last one is answered with 404.
    is_blind_after_end: bool = False
    # What pages from this number on wait for before they are answered.
    gate: asyncio.Event | None = None
    held_from: int = 1
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    carried_out: asyncio.Event = field(default_factory=asyncio.Event)
    before_order: Callable[[], Awaitable[None] | None] | None = None
    # What happens before each look at a page, by how many looks there were.
    before_page: Callable[[int], None] | None = None
    # Of so many looks at a page, the last one fails.
    fails_every: int = 0
    # How often each page of each catalog was shown.
    shown: Counter[tuple[int, int]] = field(default_factory=Counter[tuple[int, int]])
    _taken: int = 0
    _paused_until: float = 0.0

    def stock(self, count: int) -> None:
        self.items = [item(number) for number in range(1, count + 1)]

    def reply_to(self, asked: Asked) -> Reply:
        async def send(writer: asyncio.StreamWriter) -> None:
            look_or_order = self._look if asked.method == "GET" else self._order
            await (await look_or_order(asked))(writer)

        return send

    async def _look(self, asked: Asked) -> Reply:
        place = urlsplit(asked.path)
        number = int(parse_qs(place.query).get("page", ["1"])[0])
        if place.path == "/api/threads/1/comments":
            shown = self.comments if number == 1 else []
            answer = {"data": shown, "links": {}, "meta": {"current_page": number}}
            return reply({}, 500) if self.is_down else reply(answer)
        self.pages_asked.append(number)
        self.arrived.set()
        if self.before_page is not None:
            self.before_page(len(self.pages_asked))
        if self.gate is not None and number >= self.held_from:
            await self.gate.wait()
        paths = {f"/api/catalogs/{catalog_id}/items": catalog_id for catalog_id in self.catalogs}
        if place.path not in paths:
            return reply({"message": "No such catalog."}, 404)
        token = asked.headers.get("authorization", "").removeprefix("Bearer ")
        catalog_id = paths[place.path]
        if refusal := self._refusal(catalog_id, number, token):
            return reply({}, *refusal)
        self.shown[catalog_id, number] += 1
        return reply(self._page(catalog_id, number, token))

    def _refusal(
        self, catalog_id: int, number: int, token: str
    ) -> tuple[int, dict[str, str]] | None:
        """Give the status and headers of an answer that shows no page, if there is a reason."""
        is_their_turn = self.fails_every and len(self.pages_asked) % self.fails_every == 0
        is_after_end = (number - 1) * self.per_page >= len(self.items)
        reasons: list[tuple[object, int]] = [
            (self.is_down or number in self.failing_pages or is_their_turn, 500),
            (token in self.failing, 500),
            (token in self.forbidden, 403),
            (catalog_id in self.hidden_catalogs.get(token, ()), 403),
            (token in self.expired or number in self.closed_pages, 401),
            (number in self.busy_pages, 429),
            (self.is_blind_after_end and is_after_end, 404),
        ]
        for holds, status in reasons:
            if holds:
                return status, {"Retry-After": self.busy_for} if status == 429 else {}
        pause = self._pause()
        return (429, {"Retry-After": f"{pause:.6f}"}) if pause > 0 else None

    def _pause(self) -> float:
        """Count a look, unless it comes too early; give how many seconds too early."""
        if self.rate is None:
            return 0
        most, seconds = self.rate
        now = time.monotonic()
        if self._taken == most and not self._paused_until:
            self._paused_until = now + seconds
        if now < self._paused_until:
            return self._paused_until - now
        if self._paused_until:
            self._taken, self._paused_until = 0, 0.0
        self._taken += 1
        return 0

    def _page(self, catalog_id: int, number: int, token: str) -> dict[str, Any]:
        start = 0 if self.repeats_itself else (number - 1) * self.per_page
        hidden = self.hidden.get(token, ())
        items = [each for each in self.items if each["id"] not in hidden]
        found = items[start : start + self.per_page]
        if self.never_ends:
            found = [item(start + offset) for offset in range(1, self.per_page + 1)]
        owned = self.owned | self.owned_by.get(token, set())
        entries = [each | {self.spelling: each["id"] in owned} for each in found]
        more = self.never_ends or self.repeats_itself or start + self.per_page < len(items)
        address = f"{self.base_url}/catalogs/{catalog_id}/items"
        following = f"{address}?page={number + 1}" if more else None
        return {
            "data": entries,
            "links": {"first": f"{address}?page=1", "next": following},
            "meta": {"current_page": number, "per_page": self.per_page},
        }

    async def _order(self, asked: Asked) -> Reply:
        *_, item_id, deed = asked.path.split("/")
        order = Order(self, int(item_id), deed == "purchase")
        self.orders[order.item_id] += 1
        if self.before_order is not None and (waiting := self.before_order()) is not None:
            await waiting
        return (self.outcomes.popleft() if self.outcomes else honest)(order)


@dataclass(frozen=True)
class Order:
    """What a member asked the shop for; nothing has happened yet."""

    shop: RogueShop
    item_id: int
    is_purchase: bool

    def carry_out(self) -> dict[str, Any]:
        """Do it; gives the item."""
        self.shop.charged[self.item_id] += 1
        self.shop.carried_out.set()
        if self.is_purchase:
            self.shop.owned.add(self.item_id)
        return next(
            (each for each in self.shop.items if each["id"] == self.item_id), item(self.item_id)
        )


def honest(order: Order) -> Reply:
    """Do it and say so."""
    if order.item_id in order.shop.owned:
        return reply({"message": "You already own this."}, 409)
    return reply({"data": {**order.carry_out(), "currency": {**ACORNS, "icon_url": None}}})


def confirm_another(order: Order) -> Reply:
    """Do it, and say so with an id of the game's own."""
    return reply({"data": {**order.carry_out(), "id": 987_654}})


def lose_the_answer(order: Order) -> Reply:
    order.carry_out()
    return cut


def lose_the_request(_: Order) -> Reply:
    return cut


def mumble(order: Order) -> Reply:
    """Do it, and answer with a page that is no JSON."""
    order.carry_out()
    return mumble_only(order)


def mumble_only(_: Order) -> Reply:
    return reply(b"<html>OK</html>", headers={"Content-Type": "text/html"})


def send_half(_: Order) -> Reply:
    """Do nothing, and cut the connection in the middle of an answer."""
    return cut_short()


def break_down_after(order: Order) -> Reply:
    order.carry_out()
    return reply(status=500)


def refuse(status: int, message: str = "") -> Answer:
    return lambda _: reply({"message": message} if message else {}, status)


def hold(until: asyncio.Event, inner: Answer) -> Answer:
    """Do and answer it once the event is set."""

    def answer(order: Order) -> Reply:
        async def send(writer: asyncio.StreamWriter) -> None:
            await until.wait()
            await inner(order)(writer)

        return send

    return answer


@dataclass
class RogueThread(RogueGame):
    """One thread, number 1, whose newest comment comes first, and which takes others like it."""

    comments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    pages_asked: list[int] = field(default_factory=list[int])
    failing_pages: set[int] = field(default_factory=set[int])
    silent_pages: set[int] = field(default_factory=set[int])
    # Whether a page after the last one is answered with 404.
    is_blind_after_end: bool = False
    never_ends: bool = False

    def reply_to(self, asked: Asked) -> Reply:
        if asked.method == "POST":
            now = datetime.now(UTC).isoformat()
            new = {"id": len(self.comments) + 1, "created_at": now, **json.loads(asked.body)}
            said = {**self.comments[0], **new}
            self.comments.insert(0, said)
            return reply({"data": said}, 201)
        place = urlsplit(asked.path)
        if not place.path.endswith("/comments"):
            return reply({"data": []})
        number = int(parse_qs(place.query)["page"][0])
        self.pages_asked.append(number)
        start = 0 if self.never_ends else (number - 1) * _PER_PAGE
        shown = self.comments[start : start + _PER_PAGE]
        if number in self.silent_pages:
            return silence
        if number in self.failing_pages:
            return reply({}, 500)
        if self.is_blind_after_end and not shown:
            return reply({}, 404)
        return reply({"data": shown, "links": {}, "meta": {"current_page": number}})


def open_rogue_thread() -> AbstractAsyncContextManager[RogueThread]:
    return _serve(RogueThread())


def open_rogue_game() -> AbstractAsyncContextManager[RogueGame]:
    return _serve(RogueGame())


def open_rogue_shop() -> AbstractAsyncContextManager[RogueShop]:
    return _serve(RogueShop())


@asynccontextmanager
async def _serve(game: G) -> AsyncGenerator[G]:
    """Serve it on loopback."""
    talks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        game.connections += 1
        talks.add(asyncio.create_task(_talk(game, reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    game.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/api"
    try:
        yield game
    finally:
        server.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
        await server.wait_closed()


async def _talk(
    game: RogueGame, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        while not writer.is_closing():
            asked = await _request(reader)
            game.asked.append(asked)
            game.arrivals.put_nowait(asked)
            await game.reply_to(asked)(writer)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def _request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, body)


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
