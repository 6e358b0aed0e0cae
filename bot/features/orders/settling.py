"""What orders have come to: seen in the catalog, written down, and told."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from msgspec.structs import replace

from bot.background import surely
from bot.domain.names import ItemRef
from bot.domain.orders import Order, OrderState, Settlement
from bot.errors import KioskError, LinkUnreadable
from bot.features.accounts import Accounts
from bot.features.orders import rules
from bot.features.orders.rules import Sight
from bot.features.orders.timings import Timings
from bot.features.shop.catalogs import Catalogs
from bot.game.errors import GameError
from storage.errors import DatabaseError
from storage.orders import Orders

log = logging.getLogger(__name__)

# Tries to write down what an order has come to; each may take as long as a statement may.
_TRIES = 10


class Settling:
    """The outcomes of orders; what can't be written is tried again after `pause` seconds."""

    def __init__(
        self,
        orders: Orders,
        accounts: Accounts,
        catalogs: Catalogs,
        timings: Timings,
        clock: Callable[[], datetime],
        pause: float,
    ) -> None:
        self._orders = orders
        self._accounts = accounts
        self._catalogs = catalogs
        self._timings = timings
        self._clock = clock
        self._pause = pause

    async def take_over(self, order: Order) -> Order | None:
        """Settle an order that its process left behind; None when another process does."""
        now = self._clock()
        # A look-up takes longer than a lease when the game is slow.
        until = now + self._timings.arrival
        taking = asyncio.ensure_future(self._orders.take(order, now=now, until=until))
        try:
            taken = await asyncio.shield(taking)
            if taken is None:
                return None
            if rules.needs_look(taken):
                return await self.settle_as_seen(taken)
            if taken.state is OrderState.STARTED:
                return await self.settle(taken, rules.verdict_unseen(taken))
            # Settled already; all that is left is to tell the member.
            return taken
        except (asyncio.CancelledError, DatabaseError):
            # This process stops, or stood still, or its database was too slow to say what is
            # linked: whoever goes on need not wait for the lease's end.
            with suppress(DatabaseError):
                taken = await surely(taking)
                if taken is not None:
                    await surely(self._orders.renew(taken, now))
            raise

    async def settle_as_seen(self, order: Order) -> Order:
        """Return a purchase as what the catalog shows it has come to."""
        now = self._clock()
        sight = await self._look(order)
        return await self.settle(order, rules.verdict(order, sight, now, self._timings))

    async def _look(self, order: Order) -> Sight:
        """Return what the catalog shows of the item."""
        try:
            link = await self._accounts.find(order.member_id)
        except LinkUnreadable:
            link = None
        if link is None:
            # Whoever links the account again soon is told what came of it.
            age = self._clock() - (order.sent_at or order.created_at)
            return Sight.UNSEEN if age < self._timings.doubt else Sight.NOT_THEIRS
        if order.token_key != link.token_key:
            return Sight.NOT_THEIRS
        if link.is_refused:
            return Sight.UNSEEN
        ref = ItemRef(order.catalog_id, order.page, order.item_id)
        try:
            # For as long as the order is held, however long the catalog is.
            async with (
                asyncio.timeout(self._timings.arrival.total_seconds()),
                self._accounts.using(link) as caller,
            ):
                entry = await self._catalogs.find_again(caller, ref, fresh=True)
        except (GameError, KioskError, TimeoutError):
            return Sight.UNSEEN
        return Sight.OWNED if entry.item.has_purchased else Sight.NOT_OWNED

    async def settle(self, order: Order, found: Settlement) -> Order:
        """Return an order as what it came to; it stays due until the member is told.

        Where that can't be written, the order is looked at again once its lease is over.
        """
        now = self._clock()
        settled_at = order.settled_at if found.state is order.state else now
        due_at = now + self._timings.lease
        for _ in range(_TRIES):
            try:
                settled = await self._orders.settle(
                    order, found, settled_at=settled_at, due_at=due_at
                )
            except DatabaseError as error:
                log.warning("order %s is %s, not written yet: %s", order.id, found.state, error)
                await asyncio.sleep(self._pause)
            else:
                log.info("order %s of item %s: %s", settled.id, settled.item_id, settled.state)
                return settled
        return replace(
            order,
            state=found.state,
            reason=found.reason,
            game_words=found.game_words,
            cost=order.cost if found.cost is None else found.cost,
            is_open=found.is_open,
            settled_at=settled_at,
            due_at=due_at,
        )

    async def note_told(self, order: Order, *, by_message: bool = False) -> None:
        """Note that the member knows the order's state, or owe them a message that tells it.

        The next look is planned, if there is one. What can't be written stays due.
        """
        due_at = rules.next_look(order, self._clock(), self._timings)
        try:
            await self._orders.mark_told(order, due_at=due_at, by_message=by_message)
        except DatabaseError as error:
            log.warning("that order %s is told can't be written: %s", order.id, error)
