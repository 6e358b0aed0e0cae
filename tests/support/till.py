"""Checkouts without Discord: several of them on one database are several processes."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace
from pydantic import SecretStr

from bot.features.accounts import Accounts
from bot.features.reading.shop import Shop
from bot.features.writing.ledger import Ledger
from bot.features.writing.orders import Orders
from bot.game.transport import Limits
from storage.database import Database
from storage.messages import Messages
from storage.writes import ORDERS, Order, OrderedItem, Write, WriteKind, Writes
from tests.support.clock import ManualClock
from tests.support.wiring import open_wiring

MEMBER = 4242
# For item 3 of the rogue shop, at its price.
HAT = Order(
    7,
    MEMBER,
    WriteKind.PURCHASE,
    1,
    "en-US",
    item_id=3,
    card_id=1,
    item=OrderedItem(1, "#3", 30, "", ""),
)


async def taken() -> bool:
    """Discord takes the first answer."""
    return True


@dataclass
class Till:
    """One process: its ledger and what that stands on."""

    ledger: Ledger
    shop: Shop
    writes: Writes
    accounts: Accounts
    clock: ManualClock
    database: Database

    async def let_pass(self, seconds: float) -> None:
        """Let time pass for this process, and for the leases of all."""
        self.clock.advance(seconds)
        await self.database.execute(
            "UPDATE writes SET due_at = due_at - :by", by=round(seconds * 1_000_000)
        )

    async def order(self, new: Order = HAT, tell: Callable[[], Awaitable[bool]] = taken) -> Order:
        """Confirm an order, and let the member know what happened to it."""
        async with self.ledger.perform(new, tell) as settled:
            assert settled is not None
            return settled.write

    async def order_item(self, item_id: int) -> Order:
        """Confirm a purchase of the rogue shop's item on a card of its own."""
        item = replace(HAT.item, cost=10 * item_id)
        new = replace(HAT, id=item_id, card_id=item_id, item_id=item_id, item=item)
        return await self.order(new)

    async def settle_due(self) -> None:
        async def show(_: Write) -> bool:
            return False

        await self.ledger.settle_due(show)

    async def found(self, order: Order) -> Order:
        """Return an order as it is kept by now."""
        kept = await self.writes.find_order(order.id)
        assert kept is not None
        return kept


@asynccontextmanager
async def open_till(
    folder: Path,
    base_url: str,
    *,
    clock: ManualClock | None = None,
    limits: Limits | None = None,
    address: str | None = None,
) -> AsyncGenerator[Till]:
    """Open a process whose member is linked."""
    clock = clock or ManualClock()
    async with open_wiring(folder, base_url, limits=limits, address=address) as wired:
        if await wired.links.find(MEMBER) is None:
            await wired.links.save(MEMBER, SecretStr("a-token"))
        writes = Writes(wired.database, wired.vault, Messages(wired.database, clock))
        shop = Shop(wired.client, wired.accounts, writes, wired.tasks, clock)
        orders = Orders(wired.client, wired.accounts, shop.catalogs, writes, clock)
        ledger = Ledger(writes, dict.fromkeys(ORDERS, orders), wired.tasks, clock, pause=0.0)
        yield Till(ledger, shop, writes, wired.accounts, clock, wired.database)
