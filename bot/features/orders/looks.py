"""See in the catalog what a purchase has come to."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from bot.domain.items import ItemRef
from bot.domain.orders import Order
from bot.errors import KioskError, LinkUnreadable
from bot.features.accounts import Accounts
from bot.features.orders import rules
from bot.features.orders.rules import Sight, Timings
from bot.features.orders.settling import Settling
from bot.features.shop.catalogs import Catalogs
from bot.game.errors import GameError


class Looks:
    """Looks at the catalogs for orders, as the members who own them."""

    def __init__(
        self,
        accounts: Accounts,
        catalogs: Catalogs,
        settling: Settling,
        timings: Timings,
        clock: Callable[[], datetime],
    ) -> None:
        self._accounts = accounts
        self._catalogs = catalogs
        self._settling = settling
        self._timings = timings
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()

    async def settle(self, order: Order) -> Order:
        """Return a purchase as what the catalog shows it has come to."""
        now = self._clock()
        sight, same_account = await self.look(order)
        found = rules.verdict(
            order, sight, same_account=same_account, now=now, timings=self._timings
        )
        # One after the other: of two that see the same, the second is to know of the first.
        async with self._one_at_a_time:
            return await self._settling.settle(order, found, was_seen=True)

    async def look(self, order: Order) -> tuple[Sight, bool]:
        """Return what the catalog shows of the item, and whether the account is the same."""
        ref = ItemRef(order.catalog_id, order.page, order.item_id)
        try:
            link = await self._accounts.find(order.member_id)
        except LinkUnreadable:
            link = None
        if link is None or not rules.is_same_account(order, link):
            return Sight.UNSEEN, False
        if link.is_refused:
            return Sight.UNSEEN, True
        try:
            async with self._accounts.using(link) as caller:
                entry = await self._catalogs.find_again(caller, ref, fresh=True)
        except (GameError, KioskError):
            return Sight.UNSEEN, True
        return Sight.OWNED if entry.item.has_purchased else Sight.NOT_OWNED, True
