"""What orders have come to: seen in the catalog, written down, and told."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from msgspec.structs import replace

from bot.background import BackgroundTasks, keep_trying, surely
from bot.domain.links import Link
from bot.domain.names import ItemRef
from bot.domain.orders import Order, OrderKind, OrderState, Settlement
from bot.errors import KioskError, LinkUnreadable
from bot.features.accounts import Accounts
from bot.features.orders import rules
from bot.features.orders.rules import Reason, Sight
from bot.features.orders.timings import Timings
from bot.features.shop.catalogs import Catalogs
from bot.game.errors import GameError
from storage.errors import DatabaseError
from storage.orders import Orders

log = logging.getLogger(__name__)


class Settling:
    """The outcomes of orders, in memory for as long as they can't be written down.

    What can't be written is tried again every `pause` seconds.
    """

    def __init__(
        self,
        orders: Orders,
        accounts: Accounts,
        catalogs: Catalogs,
        tasks: BackgroundTasks,
        timings: Timings,
        clock: Callable[[], datetime],
        pause: float,
    ) -> None:
        self._orders = orders
        self._accounts = accounts
        self._catalogs = catalogs
        self._timings = timings
        self._clock = clock
        self._tasks = tasks
        self._pause = pause
        # What is known here and could not be written yet, by the order's id.
        self._unwritten: dict[int, tuple[Order, Settlement]] = {}
        self._told: dict[int, tuple[OrderState, bool]] = {}

    async def take_over(self, order: Order) -> Order | None:
        """Settle an order that its process left behind; None when another process does."""
        now = self._clock()
        # A look-up takes longer than a lease when the game is slow.
        until = now + self._timings.arrival
        taking = asyncio.ensure_future(self._orders.take(order, now=now, until=until))
        try:
            taken = await asyncio.shield(taking)
            return taken and await self._found_out(taken)
        except (asyncio.CancelledError, DatabaseError):
            # This process stops, or stood still, or its database was too slow to say what is
            # linked: whoever goes on need not wait for the lease's end.
            with suppress(DatabaseError):
                taken = await surely(taking)
                if taken is not None:
                    await surely(self._orders.renew(taken, now))
            raise

    async def _found_out(self, taken: Order) -> Order:
        """Return an order that was taken over as what it has come to."""
        if kept := self._unwritten.get(taken.id):
            # Whatever the catalog shows of it.
            return await self.settle(*kept)
        if rules.needs_look(taken):
            return taken if await self._is_explained(taken) else await self.settle_as_seen(taken)
        if taken.state is OrderState.STARTED:
            return await self.settle(taken, rules.verdict_unseen(taken))
        # Settled already; all that is left is to tell the member.
        return taken

    async def settle_as_seen(self, order: Order) -> Order:
        """Return a purchase as what the catalog shows it has come to."""
        now = self._clock()
        sight, same_account = await self.look(order)
        if sight is Sight.NOT_OWNED and order.reason == Reason.NO_ANSWER:
            order = replace(order, settled_at=now)
        found = rules.verdict(
            order, sight, same_account=same_account, now=now, timings=self._timings
        )
        return await self.settle(order, found, was_seen=True)

    async def look(self, order: Order) -> tuple[Sight, bool]:
        """Return what the catalog shows of the item, and whether the account is the same."""
        ref = ItemRef(order.catalog_id, order.page, order.item_id)
        try:
            link = await self._accounts.find(order.member_id)
        except LinkUnreadable:
            link = None
        if link is None:
            # Whoever links the account again soon is told what came of it.
            age = self._clock() - (order.sent_at or order.created_at)
            return Sight.UNSEEN, age < self._timings.doubt
        if not rules.is_same_account(order, link):
            return Sight.UNSEEN, False
        if link.is_refused:
            return Sight.UNSEEN, True
        try:
            # For as long as the order is held, however long the catalog is.
            async with (
                asyncio.timeout(self._timings.arrival.total_seconds()),
                self._accounts.using(link) as caller,
            ):
                entry = await self._catalogs.find_again(caller, ref, fresh=True)
        except (GameError, KioskError, TimeoutError):
            return Sight.UNSEEN, True
        return Sight.OWNED if entry.item.has_purchased else Sight.NOT_OWNED, True

    async def settle(self, order: Order, found: Settlement, *, was_seen: bool = False) -> Order:
        """Return an order as what it came to, or only `was_seen` to have come to.

        It stays due until the member is told.
        """
        now = self._clock()
        settled_at = order.settled_at if found.state is order.state else now
        due_at = now + self._timings.lease
        try:
            settled = await self._orders.settle(
                order, found, settled_at=settled_at, due_at=due_at, was_seen=was_seen
            )
        except DatabaseError as error:
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
            # Of what nobody can say, whoever looks next can say as much.
            if found.state is not OrderState.UNKNOWN:
                self._write_later(settled, found, error)
            return settled
        self._unwritten.pop(order.id, None)
        log.info("order %s of item %s: %s", settled.id, settled.item_id, settled.state)
        return settled

    def _write_later(self, settled: Order, found: Settlement, error: DatabaseError) -> None:
        is_first = not self._unwritten
        if settled.id not in self._unwritten:
            log.warning("order %s is %s, to be written later: %s", settled.id, found.state, error)
        self._unwritten[settled.id] = settled, found
        if is_first:
            self._tasks.start(keep_trying(self.write_kept, self._pause))

    async def write_kept(self) -> bool:
        """Write what could not be written before, and whether it was told; return whether it is."""
        for order, found in tuple(self._unwritten.values()):
            written = await self.settle(order, found)
            if order.id not in self._unwritten and self.is_told(written):
                await self.note_told(written)
        return not self._unwritten

    async def standing(
        self, link: Link | None, item_id: int, kind: OrderKind, *, card: int, despite: int
    ) -> Order | None:
        """Return what stands in the way of an order; see `Orders.find_standing`."""
        if link is None:
            return None
        now = self._clock()
        found = await self._orders.find_standing(
            link,
            item_id,
            kind,
            confirmation=card,
            despite=despite,
            doubted_since=now - self._timings.doubt,
            disputed_since=now - self._timings.dispute,
        )
        return found and self.known(found)

    def known(self, order: Order) -> Order:
        """Return an order that was read as it is known to be here."""
        settled, _ = self._unwritten.get(order.id, (order, None))
        return settled

    def is_told(self, order: Order) -> bool:
        """Return whether the member knows the order's state."""
        told_here = self._told.get(order.id) == (order.state, order.is_open)
        return told_here or order.state is order.told_state

    async def note_told(self, order: Order, *, by_message: bool = False) -> None:
        """Note that the member knows the order's state, or owe them a message that tells it.

        The next look is planned, if there is one. What can't be written stays due.
        """
        if not by_message:
            self._told[order.id] = order.state, order.is_open
        due_at = rules.next_look(order, self._clock(), self._timings)
        # Where that can't be read, it is looked at once more in vain.
        with suppress(DatabaseError):
            if due_at is not None and await self._is_explained(order):
                due_at = None
        try:
            await self._orders.mark_told(order, due_at=due_at, by_message=by_message)
        except DatabaseError as error:
            log.warning("that order %s is told can't be written yet: %s", order.id, error)
            return
        if not by_message and order.id not in self._unwritten:
            self._told.pop(order.id, None)

    async def _is_explained(self, order: Order) -> bool:
        """Return whether what is owned by now is owed to another order."""
        return order.state is OrderState.REFUSED and await self._orders.is_bought_otherwise(order)
