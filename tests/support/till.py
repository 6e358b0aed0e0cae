"""Checkouts without Discord: several of them on one database are several processes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from bot.clock import utc_now
from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.accounts import Accounts
from bot.features.orders import OrderService
from bot.features.orders.rules import Wish
from bot.features.orders.timings import STANDARD, Timings
from bot.features.shop import Shop
from bot.game.transport import Limits
from storage.database.interface import PATIENCE
from storage.messages import Messages
from storage.names import ItemRef
from storage.orders import Orders
from tests.support.clock import ManualClock
from tests.support.database_reads import DatabaseRead, watch_reads
from tests.support.gates import Happenings
from tests.support.wiring import open_wiring

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
    # Whether Discord takes the first answer of this process.
    is_first: bool = True

    async def say_asking(self) -> bool:
        return self.is_first

    async def order(
        self,
        item_id: int,
        kind: OrderKind = OrderKind.PURCHASE,
        *,
        card: int = 1,
        press: int = 0,
        member: int = MEMBER,
    ) -> Order:
        """Confirm an order of the rogue shop's item on a card."""
        ref, cost = ItemRef(1, 1, item_id), 10 * item_id
        wish = Wish(member, kind, ref, cost, card, "en-US", press_id=press)
        outcome = await self.service.confirm(wish, self.say_asking)
        assert isinstance(outcome, Order)
        return outcome

    async def order_and_tell(self, item_id: int, *, card: int = 1) -> Order:
        """Confirm a purchase, and let the member know what became of it."""
        order = await self.order(item_id, card=card)
        await self.service.note_told(order)
        return order

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
        history = await self.orders.history(MEMBER, most=100, offset=0)
        return next(order for order in history if order.item_id == item_id)


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
    address: str | None = None,
    patience: float = PATIENCE,
    pause: float = 0.0,
) -> AsyncGenerator[Till]:
    """Open a process whose member is linked.

    What it can't write down it tries again after a `pause` in seconds.
    """
    clock, reads = clock or ManualClock(), reads or Happenings()
    async with open_wiring(
        folder, base_url, limits=limits, address=address, patience=patience
    ) as wired:
        watch_reads(wired.database, reads)
        if await wired.links.find(MEMBER) is None:
            await wired.links.save(MEMBER, SecretStr("a-token"))
        orders = Orders(wired.database, Messages(wired.database, utc_now))
        shop = Shop(wired.client, wired.accounts, orders, wired.tasks, clock)
        service = OrderService(
            orders,
            shop,
            wired.accounts,
            wired.client,
            wired.tasks,
            timings=timings or STANDARD,
            clock=clock,
            pause=pause,
        )
        till = Till(service, shop, orders, wired.accounts, clock, reads)
        yield till
