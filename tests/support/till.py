"""Checkouts without Discord: several of them on one database are several processes."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.accounts import Accounts
from bot.features.orders.rules import Timings, Wish
from bot.features.orders.service import OrderService
from bot.features.shop import Shop
from bot.features.shop.item_filter import ItemRef
from bot.game.client import GameClient
from bot.game.limits import Limits
from storage import MIGRATIONS
from storage.database import open_database
from storage.links import Links
from storage.orders import Orders
from storage.vault import Vault
from tests.support.clock import ManualClock
from tests.support.database_reads import DatabaseRead, watch_reads
from tests.support.databases import address_at
from tests.support.gates import Happenings
from tests.support.world import KEY

MEMBER = 4242


@dataclass
class Till:
    """One process: its orders and what that stands on."""

    service: OrderService
    shop: Shop
    orders: Orders
    accounts: Accounts
    clock: ManualClock
    reads: Happenings[DatabaseRead]

    async def order(
        self, item_id: int, kind: OrderKind = OrderKind.PURCHASE, *, card: int = 1
    ) -> Order:
        """Confirm an order of the rogue shop's item on a card."""
        wish = Wish(MEMBER, kind, ItemRef(1, 1, item_id), 10 * item_id, card, "en-US")
        outcome = await self.service.confirm(wish)
        assert isinstance(outcome, Order)
        return outcome

    async def settle(self) -> list[Order]:
        """Look after what is due; gives the orders of which somebody was told."""
        told: list[Order] = []
        async for order in self.service.settle_due():
            await self.service.note_told(order)
            told.append(order)
        return told

    async def found_started(self, presses: int) -> None:
        """Wait until so many presses have found, or started, an order that is under way."""

        def has_started(read: DatabaseRead) -> bool:
            states = [dict(row).get("state") for row in read.rows]
            return "member_id" in read.parameters and OrderState.STARTED in states

        await self.reads.until(lambda: sum(map(has_started, self.reads.past)) >= presses)

    async def state_of(self, item_id: int) -> Order:
        order = await self.orders.find_latest(MEMBER, item_id, OrderKind.PURCHASE)
        assert order is not None
        return order


@asynccontextmanager
async def open_till(
    folder: Path,
    base_url: str,
    *,
    name: str = "one",
    clock: ManualClock | None = None,
    reads: Happenings[DatabaseRead] | None = None,
    timings: Timings | None = None,
    limits: Limits | None = None,
) -> AsyncGenerator[Till]:
    """Open a process whose member is linked."""
    clock, reads = clock or ManualClock(), reads or Happenings()
    async with AsyncExitStack() as stack:
        url = address_at(folder / "kiosk.db")
        database = await stack.enter_async_context(open_database(url, MIGRATIONS))
        watch_reads(database, reads)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        tasks = await stack.enter_async_context(BackgroundTasks())
        client = GameClient(session, base_url, tasks, limits=limits)
        links = Links(database, Vault([SecretStr(KEY)]))
        if await links.find(MEMBER) is None:
            await links.save(MEMBER, SecretStr("a-token"))
        accounts = Accounts(links, client, tasks)
        shop = Shop(client, accounts, tasks)
        orders = Orders(database)
        service = OrderService(orders, shop, accounts, client, tasks, timings=timings, clock=clock)
        yield Till(service, shop, orders, accounts, clock, reads)
