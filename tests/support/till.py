"""Checkouts without Discord: several of them on one database are several processes."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
from pydantic import SecretStr

from bot.features.accounts import Accounts
from bot.features.checkout import Checkout, Order, Ordered, OrderKind, Timings, Wish
from bot.features.shop import Shop
from bot.features.shop.item_filter import ItemRef
from bot.game.background import BackgroundTasks
from bot.game.client import GameClient
from bot.game.limits import Limits
from storage import MIGRATIONS
from storage.database import open_database
from storage.links import Links
from storage.orders import Orders
from storage.vault import Vault
from tests.support.world import KEY

MEMBER = 4242


@dataclass
class Clock:
    """A clock that a test sets."""

    time: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __call__(self) -> datetime:
        return self.time

    def pass_by(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


@dataclass
class Till:
    """One process: its checkout and what that stands on."""

    checkout: Checkout
    shop: Shop
    orders: Orders
    accounts: Accounts
    clock: Clock

    async def order(
        self, item_id: int, kind: OrderKind = OrderKind.PURCHASE, *, card: int = 1
    ) -> Order:
        """Confirm an order of the rogue shop's item on a card."""
        wish = Wish(MEMBER, kind, ItemRef(1, 1, item_id), 10 * item_id, card, "en-US")
        outcome = await self.checkout.confirm(wish)
        assert isinstance(outcome, Ordered)
        return outcome.order

    async def settle(self) -> list[Order]:
        """Look after what is due; gives the orders of which somebody was told."""
        told: list[Order] = []
        async for order in self.checkout.settle_due():
            await self.checkout.note_told(order)
            told.append(order)
        return told

    async def state_of(self, item_id: int) -> Order:
        order = await self.checkout.find_latest(MEMBER, item_id, OrderKind.PURCHASE)
        assert order is not None
        return order


@asynccontextmanager
async def open_till(
    folder: Path,
    base_url: str,
    *,
    name: str = "one",
    clock: Clock | None = None,
    timings: Timings | None = None,
    limits: Limits | None = None,
) -> AsyncGenerator[Till]:
    """Open a process whose member is linked."""
    clock = clock or Clock()
    async with AsyncExitStack() as stack:
        url = f"sqlite:///{folder / 'kiosk.db'}"
        database = await stack.enter_async_context(open_database(url, MIGRATIONS))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        tasks = await stack.enter_async_context(BackgroundTasks())
        client = GameClient(session, base_url, tasks, limits=limits)
        links = Links(database, Vault([SecretStr(KEY)]))
        if await links.find(MEMBER) is None:
            await links.save(MEMBER, SecretStr("a-token"))
        accounts = Accounts(links, client, tasks)
        shop = Shop(client, accounts, tasks)
        orders = Orders(database, claimed_by=name)
        checkout = Checkout(orders, shop, accounts, client, tasks, timings=timings, clock=clock)
        yield Till(checkout, shop, orders, accounts, clock)
