"""Write down what orders have come to, and keep it in memory for as long as that can't be done."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from bot.domain.orders import Order, OrderState, Settlement
from bot.features.orders.rules import Timings
from storage.errors import DatabaseError
from storage.orders import Orders

log = logging.getLogger(__name__)


class Settling:
    """The outcomes of orders, in the database or on their way there."""

    def __init__(self, orders: Orders, timings: Timings, clock: Callable[[], datetime]) -> None:
        self._orders = orders
        self._timings = timings
        self._clock = clock
        # What is known here and could not be written yet, by the order's id.
        self._unwritten: dict[int, tuple[Order, Settlement]] = {}
        self._told: dict[int, tuple[OrderState, bool]] = {}

    async def settle(self, order: Order, found: Settlement, *, was_seen: bool = False) -> Order:
        """Return an order as what it came to, or only `was_seen` to have come to.

        It stays due until the member is told.
        """
        now = self._clock()
        settled_at = order.settled_at if found.state is order.told_state else now
        due_at = now + self._timings.lease
        try:
            settled = await self._orders.settle(
                order, found, settled_at=settled_at, due_at=due_at, was_seen=was_seen
            )
        except DatabaseError as error:
            log.warning("order %s is %s, to be written later: %s", order.id, found.state, error)
            settled = replace(
                order,
                state=found.state,
                reason=found.reason,
                game_words=found.game_words,
                cost=order.cost if found.cost is None else found.cost,
                is_open=found.is_open,
                settled_at=settled_at,
                due_at=due_at,
            )
            self._unwritten[order.id] = settled, found
            return settled
        self._unwritten.pop(order.id, None)
        log.info("order %s of item %s: %s", settled.id, settled.item_id, settled.state)
        return settled

    async def write_kept(self) -> None:
        """Write what could not be written before, if it can be now."""
        for order, found in tuple(self._unwritten.values()):
            await self.settle(order, found)

    def known(self, order: Order) -> Order:
        """Return an order that was read as it is known to be here."""
        settled, _ = self._unwritten.get(order.id, (order, None))
        return settled

    async def note_told(self, order: Order, due_at: datetime | None) -> None:
        """Note that the member knows the order's state, and when it is to be looked at again."""
        self._told[order.id] = order.state, order.is_open
        try:
            await self._orders.mark_told(order, due_at=due_at)
        except DatabaseError as error:
            log.warning("order %s was told, to be written later: %s", order.id, error)
            return
        if order.id not in self._unwritten:
            del self._told[order.id]

    async def hand_over(self, order: Order, due_at: datetime | None) -> None:
        """Owe the member the news of an order; where that can't be done now, it stays due."""
        try:
            await self._orders.hand_over(order, due_at=due_at)
        except DatabaseError as error:
            log.warning("order %s can't be told yet: %s", order.id, error)

    def is_told(self, order: Order) -> bool:
        """Return whether the member knows the order's state."""
        told_here = self._told.get(order.id) == (order.state, order.is_open)
        return told_here or order.state is order.told_state
