"""Finding out what became of orders that no answer settled, such as those of a killed process."""

import asyncio
import logging
from datetime import datetime

from bot.errors import KioskError, LinkExpired, LinkUnreadable, NotLinked
from bot.features.accounts import Accounts
from bot.features.checkout.verdict import (
    Sight,
    Timings,
    needs_look,
    next_look,
    verdict,
    verdict_unseen,
)
from bot.features.shop.catalog_cache import CatalogCache
from bot.features.shop.catalogs import Catalogs
from bot.features.shop.item_filter import ItemRef
from bot.game.errors import GameError
from storage.orders import Order, OrderKind, Orders, OrderState, Settlement

log = logging.getLogger(__name__)


class Settler:
    """Looks orders up in the catalog and writes down what they came to."""

    def __init__(
        self,
        orders: Orders,
        catalogs: Catalogs,
        cache: CatalogCache,
        accounts: Accounts,
        timings: Timings,
    ) -> None:
        self._orders = orders
        self._catalogs = catalogs
        self._cache = cache
        self._accounts = accounts
        self._timings = timings

    async def take_over(self, order: Order, now: datetime) -> Order | None:
        """Settle an order that its process left behind; None when another process does."""
        # A look-up takes longer than a lease when the game is slow.
        if not await self._orders.claim(order, now + self._timings.arrival):
            return None
        if order.state is OrderState.STARTED and not needs_look(order):
            return await self.write(order, verdict_unseen(order), now)
        if not needs_look(order) or await self._is_superseded(order):
            # Settled already; all that is left is to tell the member.
            return order
        believable = (order.sent_at or now) + self._timings.arrival
        return await self.look_up(order, now, believable=believable)

    async def look_up(self, order: Order, now: datetime, *, believable: datetime) -> Order:
        """Settle a purchase by what the catalog shows; "not owned" counts from `believable` on."""
        sight, same_account = await asyncio.gather(self.sight(order), self._is_same_account(order))
        found = verdict(order, sight, same_account=same_account, now=now, believable=believable)
        return await self.write(order, found, now)

    async def sight(self, order: Order) -> Sight:
        """Give what the catalog shows of the item at this moment."""
        place = ItemRef(order.catalog_id, order.page, order.item_id)
        try:
            shelved = await self._catalogs.find_again(order.member_id, place, fresh=True)
        except (GameError, KioskError):
            return Sight.UNSEEN
        return Sight.OWNED if shelved.item.has_purchased else Sight.NOT_OWNED

    async def write(self, order: Order, found: Settlement, now: datetime) -> Order:
        """Write what an order came to; it stays due until the member is told."""
        is_news = found.state is not order.told_state
        settled = await self._orders.settle(
            order,
            found,
            settled_at=now if is_news else order.settled_at,
            due_at=now + self._timings.lease,
        )
        log.info("order %s of item %s: %s", settled.id, settled.item_id, settled.state)
        if settled.state is OrderState.DONE and settled.kind is OrderKind.PURCHASE:
            self._cache.mark_owned(settled.member_id, settled.item_id)
        return settled

    async def note_told(self, order: Order, now: datetime) -> None:
        """Note that the member knows, and plan the next look if there is to be one."""
        await self._orders.mark_told(order, due_at=await self._next_look(order, now))

    async def _next_look(self, order: Order, now: datetime) -> datetime | None:
        if await self._is_superseded(order):
            return None
        return next_look(order, now, self._timings)

    async def _is_superseded(self, order: Order) -> bool:
        """Tell whether what is owned by now may be owed to a later order."""
        if order.state is not OrderState.REFUSED:
            return False
        latest = await self._orders.find_latest(order.member_id, order.item_id, order.kind)
        return latest is not None and latest.id != order.id

    async def _is_same_account(self, order: Order) -> bool:
        try:
            link = await self._accounts.require(order.member_id)
        except LinkExpired:
            return True
        except (NotLinked, LinkUnreadable):
            return False
        return link.linked_at == order.linked_at
