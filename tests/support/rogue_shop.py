"""A game whose shop loses answers, changes its mind and counts every order it was asked for."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

ACORNS = {
    "id": 1,
    "name": "Acorns",
    "singular_name": "Acorn",
    "icon_url": "https://assets.example/acorn.png",
}
HAT = {"id": 1, "name": "Hat", "image_url": "https://assets.example/hat.png"}

Answer = Callable[["RogueShop", web.Request, Callable[[], None]], Awaitable[web.StreamResponse]]


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
class RogueShop:
    """One catalog, number 1, and one player.

    `orders` counts what was asked for; `charged` what was taken. Each order takes the next of
    `answers`, and the honest one when there is none left.
    """

    base_url: str = ""
    items: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    spelling: str = "has_purchased"
    owned: set[int] = field(default_factory=set[int])
    orders: Counter[int] = field(default_factory=Counter[int])
    charged: Counter[int] = field(default_factory=Counter[int])
    answers: deque[Answer] = field(default_factory=deque["Answer"])
    pages_asked: list[int] = field(default_factory=list[int])
    failing_pages: set[int] = field(default_factory=set[int])
    busy_pages: set[int] = field(default_factory=set[int])
    # In seconds: longer than a single read waits, so that nothing waits in vain but for patience.
    busy_for: str = "12"
    # Those for which the token is no longer good.
    closed_pages: set[int] = field(default_factory=set[int])
    # Those who may not look, by their tokens.
    forbidden: set[str] = field(default_factory=set[str])
    # Those that the game knows no longer.
    expired: set[str] = field(default_factory=set[str])
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
    tokens_seen: set[str] = field(default_factory=set[str])

    def stock(self, count: int) -> None:
        """Put items 1 to `count` on the shelves."""
        self.items = [item(number) for number in range(1, count + 1)]

    async def list_items(self, request: web.Request) -> web.StreamResponse:
        number = int(request.query.get("page", "1"))
        self._note(request, number)
        if self.gate is not None and number >= self.held_from:
            await self.gate.wait()
        if request.match_info["catalog"] != "1":
            return web.json_response({"message": "No such catalog."}, status=404)
        if self._fails(number):
            return web.json_response({}, status=500)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token in self.forbidden:
            return web.json_response({}, status=403)
        if token in self.expired or number in self.closed_pages:
            return web.json_response({}, status=401)
        if number in self.busy_pages:
            return web.json_response({}, status=429, headers={"Retry-After": self.busy_for})
        if self.is_blind_after_end and (number - 1) * self.per_page >= len(self.items):
            return web.json_response({"message": "No such page."}, status=404)
        return web.json_response(self._page(number))

    def _note(self, request: web.Request, number: int) -> None:
        self.pages_asked.append(number)
        self.tokens_seen.add(request.headers.get("Authorization", ""))
        self.arrived.set()
        if self.before_page is not None:
            self.before_page(len(self.pages_asked))

    def _fails(self, number: int) -> bool:
        is_their_turn = self.fails_every and len(self.pages_asked) % self.fails_every == 0
        return self.is_down or number in self.failing_pages or bool(is_their_turn)

    def _page(self, number: int) -> dict[str, Any]:
        start = 0 if self.repeats_itself else (number - 1) * self.per_page
        found = self.items[start : start + self.per_page]
        if self.never_ends:
            found = [item(start + offset) for offset in range(1, self.per_page + 1)]
        entries = [each | {self.spelling: each["id"] in self.owned} for each in found]
        more = self.never_ends or self.repeats_itself or start + self.per_page < len(self.items)
        following = f"{self.base_url}/catalogs/1/items?page={number + 1}" if more else None
        return {
            "data": entries,
            "links": {"first": f"{self.base_url}/catalogs/1/items?page=1", "next": following},
            "meta": {"current_page": number, "per_page": self.per_page},
        }

    async def order(self, request: web.Request) -> web.StreamResponse:
        item_id = int(request.match_info["item"])
        self.orders[item_id] += 1
        if self.before_order is not None and (waiting := self.before_order()) is not None:
            await waiting
        is_purchase = request.path.endswith("/purchase")

        def carry_out() -> None:
            self.charged[item_id] += 1
            self.carried_out.set()
            if is_purchase:
                self.owned.add(item_id)

        answer = self.answers.popleft() if self.answers else honest
        return await answer(self, request, carry_out)


async def honest(
    shop: RogueShop, request: web.Request, carry_out: Callable[[], None]
) -> web.StreamResponse:
    """Do it and say so."""
    item_id = int(request.match_info["item"])
    if item_id in shop.owned:
        return web.json_response({"message": "You already own this."}, status=409)
    carry_out()
    entry = next(each for each in shop.items if each["id"] == item_id)
    return web.json_response({"data": {**entry, "currency": {**ACORNS, "icon_url": None}}})


async def confirm_another(
    shop: RogueShop, request: web.Request, carry_out: Callable[[], None]
) -> web.StreamResponse:
    """Do it, and say so with an id of the game's own."""
    carry_out()
    entry = next(each for each in shop.items if each["id"] == int(request.match_info["item"]))
    return web.json_response({"data": {**entry, "id": 987_654}})


async def lose_the_answer(
    _shop: RogueShop, request: web.Request, carry_out: Callable[[], None]
) -> web.StreamResponse:
    """Do it, and cut the connection."""
    carry_out()
    return _cut(request)


async def lose_the_request(
    _shop: RogueShop, request: web.Request, _carry_out: Callable[[], None]
) -> web.StreamResponse:
    """Cut the connection, and do nothing."""
    return _cut(request)


async def mumble(
    _shop: RogueShop, _request: web.Request, carry_out: Callable[[], None]
) -> web.StreamResponse:
    """Do it, and answer with a page that is no JSON."""
    carry_out()
    return web.Response(text="<html>OK</html>", content_type="text/html")


async def mumble_only(
    _shop: RogueShop, _request: web.Request, _carry_out: Callable[[], None]
) -> web.StreamResponse:
    """Do nothing, and answer with a page that is no JSON."""
    return web.Response(text="<html>OK</html>", content_type="text/html")


async def send_half(
    _shop: RogueShop, request: web.Request, _carry_out: Callable[[], None]
) -> web.StreamResponse:
    """Do nothing, and cut the connection in the middle of an answer."""
    response = web.StreamResponse(headers={"Content-Length": "100"})
    await response.prepare(request)
    await response.write(b'{"data": {"id": ')
    return _cut(request)


async def nod(
    _shop: RogueShop, _request: web.Request, _carry_out: Callable[[], None]
) -> web.StreamResponse:
    """Answer with a success that has no body, and show nothing of it in the catalog for now."""
    return web.Response(status=204)


async def break_down_after(
    _shop: RogueShop, _request: web.Request, carry_out: Callable[[], None]
) -> web.StreamResponse:
    """Do it, and answer 500."""
    carry_out()
    return web.Response(status=500)


def refuse(status: int, message: str = "") -> Answer:
    """Say no."""

    async def answer(
        _shop: RogueShop, _request: web.Request, _carry_out: Callable[[], None]
    ) -> web.StreamResponse:
        return web.json_response({"message": message} if message else {}, status=status)

    return answer


def hold(until: asyncio.Event, inner: Answer) -> Answer:
    """Answer once the event is set."""

    async def answer(
        shop: RogueShop, request: web.Request, carry_out: Callable[[], None]
    ) -> web.StreamResponse:
        await until.wait()
        return await inner(shop, request, carry_out)

    return answer


@asynccontextmanager
async def open_rogue_shop() -> AsyncGenerator[RogueShop]:
    """Serve one on loopback."""
    shop = RogueShop()
    app = web.Application()
    app.router.add_get("/api/catalogs/{catalog}/items", shop.list_items)
    app.router.add_post("/api/items/{item}/purchase", shop.order)
    app.router.add_post("/api/items/{item}/redeem", shop.order)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    shop.base_url = f"http://{host}:{port}/api"
    try:
        yield shop
    finally:
        await runner.cleanup()


def _cut(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.close()
    return web.Response()
