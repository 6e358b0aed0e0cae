"""Checkouts without Discord: several of them on one database are several processes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from pydantic import SecretStr

from bot.features.accounts import Accounts
from bot.features.reading.shop import Shop
from bot.features.writing.ledger import Ledger
from bot.features.writing.orders import OrderDoing, Ordered, OrderService, Wish
from bot.game.transport import Limits
from storage.database.interface import PATIENCE
from storage.messages import Messages
from storage.names import ItemRef
from storage.writes import ORDERS, Write, WriteKind, Writes
from tests.support.clock import ManualClock
from tests.support.database_reads import DatabaseRead, watch_reads
from tests.support.gates import Happenings
from tests.support.wiring import open_wiring

MEMBER = 4242
_presses = count(1000)


@dataclass
class Till:
    """One process: its orders and what that stands on."""

    service: OrderService
    ledger: Ledger
    shop: Shop
    writes: Writes
    accounts: Accounts
    clock: ManualClock
    reads: Happenings[DatabaseRead]
    # Whether Discord takes the first answer of this process.
    is_first: bool = True
    # What members were told while nobody waited.
    told: list[Write] = field(default_factory=list[Write])

    async def say_asking(self) -> bool:
        return self.is_first

    async def order(
        self,
        item_id: int,
        kind: WriteKind = WriteKind.PURCHASE,
        *,
        card: int = 1,
        press: int | None = None,
        member: int = MEMBER,
    ) -> Write:
        """Confirm an order of the rogue shop's item on a card."""
        ref, cost = ItemRef(1, 1, item_id), 10 * item_id
        press = next(_presses) if press is None else press
        wish = Wish(member, kind, ref, cost, card, "en-US", press_id=press)
        outcome = await self.service.confirm(wish, self.say_asking)
        assert isinstance(outcome, Ordered)
        self.ledger.in_hand.discard(outcome.order.id)
        return outcome.order

    async def order_and_tell(self, item_id: int, *, card: int = 1) -> Write:
        """Confirm a purchase, and let the member know what became of it."""
        order = await self.order(item_id, card=card)
        await self.ledger.save_told(order)
        return order

    async def settle(self) -> list[Write]:
        """Look after what is due; gives the orders of which somebody was told."""
        self.told.clear()
        await self.ledger.work_off_due()
        return [order for order in self.told if not order.is_told]


@asynccontextmanager
async def open_till(
    folder: Path,
    base_url: str,
    *,
    name: str = "one",
    clock: ManualClock | None = None,
    reads: Happenings[DatabaseRead] | None = None,
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
        writes = Writes(wired.database, wired.vault, Messages(wired.database, clock))
        shop = Shop(wired.client, wired.accounts, writes, wired.tasks, clock)
        doing = OrderDoing(wired.client, wired.accounts, shop.catalogs, clock)
        ledger = Ledger(writes, dict.fromkeys(ORDERS, doing), wired.tasks, clock, pause=pause)
        service = OrderService(ledger, shop.catalogs, wired.accounts)
        till = Till(service, ledger, shop, writes, wired.accounts, clock, reads)

        async def note(order: Write) -> bool:
            till.told.append(order)
            return False

        ledger.observers.append(note)
        yield till
