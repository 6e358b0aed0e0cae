"""Carry out what members have confirmed, once, and find out what became of it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from datetime import datetime

from bot.background import BackgroundTasks
from bot.clock import SteadyClock
from bot.domain.links import Link
from bot.domain.orders import Order, OrderKind, OrderState
from bot.errors import OldButton
from bot.features.accounts import Accounts
from bot.features.orders import rules
from bot.features.orders.asking import Asking
from bot.features.orders.looks import Looks
from bot.features.orders.rules import Timings, Wish
from bot.features.orders.settling import Settling
from bot.features.shop import Shop
from bot.features.shop.item_filter import CatalogItem
from bot.game.client import GameClient
from storage.errors import DatabaseError
from storage.orders import Orders

log = logging.getLogger(__name__)

# Looked at together.
_MOST_DUE = 20
# A card is confirmed once, and another order may have come to its end between two looks.
_MOST_LOOKS = 2


class OrderService:
    """The orders of members, from the confirmation to the moment they know what came of it.

    What stands on each is in the `ledger`; `clock` is the time by which they are judged.
    """

    def __init__(
        self,
        orders: Orders,
        shop: Shop,
        accounts: Accounts,
        client: GameClient,
        tasks: BackgroundTasks,
        count_processes: Callable[[], Awaitable[int]],
        *,
        timings: Timings | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self.timings = timings or rules.STANDARD
        self.ledger = orders
        self.clock = clock or SteadyClock()
        self._settling = Settling(orders, self.timings, self.clock)
        self._looks = Looks(accounts, shop.catalogs, self._settling, self.timings, self.clock)
        self._shop = shop
        self._accounts = accounts
        self._asking = Asking(
            orders,
            shop.catalogs,
            accounts,
            client,
            tasks,
            count_processes,
            self._settling,
            self._looks,
            self.timings,
            self.clock,
        )
        self._tasks = tasks
        self._in_hand: dict[int, asyncio.Task[Order | CatalogItem | None]] = {}

    async def confirm(
        self, wish: Wish, say_written: Callable[[], Awaitable[bool]]
    ) -> Order | CatalogItem | None:
        """Return the order that this card, or another for the same item, leads or has led to.

        `say_written` is called once an order is kept, before the game is asked for it; it returns
        False where somebody else has answered the press. That is another process of this database,
        which knows the order, or a bot on a database of its own: then it is for that one to ask the
        game, since two would be charged for, and None is returned.
        Where the item is owned by now or its price has changed, nothing is ordered, and the item as
        it is now is returned. Raises NotLinked, LinkExpired, ItemGone, OldButton, or the GameError
        that kept it from being read again; then nothing was ordered either.
        """
        for _ in range(_MOST_LOOKS):
            found = await self._accounts.find(wish.member_id)
            standing = await self._standing(
                found, wish.ref.item_id, wish.kind, wish.confirmation, wish.despite
            )
            if standing:
                if standing.is_open:
                    await say_written()
                return await self._result(standing)
            link = self._accounts.require_good(found)
            now = self.clock()
            order = await self.ledger.start(
                rules.new_order(
                    wish, link, self._shop.catalogs.last_seen(wish.member_id, wish.ref)
                ),
                now=now,
                due_at=now + self.timings.lease,
                despite=wish.despite,
                doubted_since=now - self.timings.doubt,
            )
            if order is not None:
                break
            # Somebody else was quicker: another press, another device, another process.
        else:
            raise OldButton
        # With the press's own language, and not given up with whoever waits for it.
        saying = asyncio.ensure_future(say_written())
        task = self._tasks.start(self._asking.carry_out(order, wish, link, saying), finish=True)
        self._in_hand[order.id] = task
        task.add_done_callback(lambda _: self._in_hand.pop(order.id, None))
        return await asyncio.shield(task)

    async def standing(
        self,
        member_id: int,
        item_id: int,
        kind: OrderKind,
        *,
        confirmation: int = 0,
        despite: int = 0,
    ) -> Order | None:
        """Return what stands in the way of a member's order; see `Orders.find_standing`.

        Raises LinkUnreadable.
        """
        link = await self._accounts.find(member_id)
        return await self._standing(link, item_id, kind, confirmation, despite)

    async def _standing(
        self, link: Link | None, item_id: int, kind: OrderKind, confirmation: int, despite: int
    ) -> Order | None:
        if link is None:
            return None
        found = await self.ledger.find_standing(
            link,
            item_id,
            kind,
            confirmation=confirmation,
            despite=despite,
            doubted_since=self.clock() - self.timings.doubt,
        )
        return found and self._settling.known(found)

    async def of_member(self, member_id: int, order_id: int) -> Order:
        """Return an order of the account that a member has linked.

        Raises AccountError, and OldButton for another's.
        """
        link = await self._accounts.require(member_id)
        order = await self.ledger.find(order_id)
        if order is None or not rules.is_same_account(order, link):
            raise OldButton
        return order

    async def note_told(self, order: Order) -> None:
        """Note that the member knows the order's state, and plan the next look if there is one."""
        await self._settling.note_told(order, await self._next_look(order))

    async def hand_over(self, order: Order) -> None:
        """Have the member told by direct message, and plan the next look if there is one."""
        await self._settling.hand_over(order, await self._next_look(order))

    async def settle_due(self) -> AsyncGenerator[Order]:
        """Look at every order that is due, and yield those whose members don't know it yet.

        Whoever takes one calls `note_told` or `hand_over`; untold, it is due again soon.
        """
        await self._settling.write_kept()
        due = await self.ledger.due(self.clock(), _MOST_DUE)
        left = [order for order in due if order.id not in self._in_hand]
        # Together: where the game is slow, one look-up must not hold up the news of the others.
        for settled in await asyncio.gather(*map(self._take_over, left)):
            if settled is None:
                continue
            if self._settling.is_told(settled):
                await self.note_told(settled)
            else:
                yield settled

    async def _result(self, order: Order) -> Order | CatalogItem:
        """Wait for an order in hand here; look at one that was left behind."""
        task = self._in_hand.get(order.id)
        if task:
            outcome = await asyncio.shield(task)
            if outcome is None:
                raise OldButton
            return outcome
        if order.is_open and order.due_at is not None and order.due_at <= self.clock():
            return await self._take_over(order) or order
        return order

    async def _take_over(self, order: Order) -> Order | None:
        """Settle an order that its process left behind; None when another process does."""
        now = self.clock()
        # A look-up takes longer than a lease when the game is slow.
        taken = await self.ledger.take(order, now=now, until=now + self.timings.arrival)
        if taken is None:
            return None
        if rules.needs_look(taken):
            return taken if await self._is_explained(taken) else await self._looks.settle(taken)
        if taken.state is OrderState.STARTED:
            return await self._settling.settle(taken, rules.verdict_unseen(taken))
        # Settled already; all that is left is to tell the member.
        return taken

    async def _next_look(self, order: Order) -> datetime | None:
        due_at = rules.next_look(order, self.clock(), self.timings)
        # Where that can't be read, it is looked at once more in vain.
        with suppress(DatabaseError):
            if due_at is not None and await self._is_explained(order):
                return None
        return due_at

    async def _is_explained(self, order: Order) -> bool:
        """Return whether what is owned by now is owed to another order."""
        return order.state is OrderState.REFUSED and await self.ledger.is_bought_otherwise(order)
