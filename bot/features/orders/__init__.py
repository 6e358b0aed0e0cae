"""Carry out what members have confirmed, once, and find out what became of it."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from datetime import datetime

from msgspec.structs import asdict, replace

from bot.background import BackgroundTasks, surely
from bot.domain.orders import Order, OrderKind, OrderState, Settlement
from bot.errors import KioskError, LinkUnreadable, OldButton
from bot.features.accounts import Accounts
from bot.features.errors import AnswerNotTaken
from bot.features.orders import rules
from bot.features.orders.rules import Sight, Wish
from bot.features.orders.timings import STANDARD, Timings
from bot.features.shop import Shop
from bot.features.shop.item_filter import CatalogItem
from bot.game.client import GameClient
from bot.game.errors import GameError, UnknownOutcome
from storage.errors import DatabaseError
from storage.links import Link
from storage.orders import Orders

log = logging.getLogger(__name__)

# Looked at together.
_MOST_DUE = 20
# A card is confirmed once, and another order may have come to its end between two looks.
_MOST_LOOKS = 2
# Tries to write down what an order has come to, each as long as a statement may take, and the
# seconds between them.
_TRIES, _PAUSE = 10, 0.5


class OrderService:
    """The orders of members, from the confirmation to the moment they know what came of it.

    What stands on each is in the `ledger`; `clock` is the time by which they are judged. What
    can't be written is tried again after `pause` seconds.
    """

    def __init__(
        self,
        orders: Orders,
        shop: Shop,
        accounts: Accounts,
        client: GameClient,
        tasks: BackgroundTasks,
        *,
        timings: Timings = STANDARD,
        clock: Callable[[], datetime],
        pause: float = _PAUSE,
    ) -> None:
        self.ledger = orders
        self.clock = clock
        self._catalogs = shop.catalogs
        self._accounts = accounts
        self._client = client
        self._tasks = tasks
        self._timings = timings
        self._pause = pause
        self._in_hand: dict[int, asyncio.Task[Order | CatalogItem]] = {}

    async def confirm(
        self, wish: Wish, say_asking: Callable[[], Awaitable[bool]]
    ) -> Order | CatalogItem | None:
        """Return the order that this card, or another for the same item, leads or has led to.

        `say_asking` tells Discord once an order is kept, before the game is asked for it, and
        returns whether Discord took it; where it didn't, nothing is ordered, and AnswerNotTaken is
        raised. Where another process has heard the same press before, None is returned: it is the
        one that answers.
        Where the item is owned by now or its price has changed, nothing is ordered, and the item as
        it is now is returned. Raises NotLinked, LinkExpired, ItemGone, OldButton, or the GameError
        that kept it from being read again; then nothing was ordered either.
        """
        for _ in range(_MOST_LOOKS):
            link = await self._accounts.find(wish.member_id)
            if link is not None and not link.is_refused:
                now = self.clock()
                order = await self.ledger.start(
                    rules.new_order(wish, link, self._catalogs.last_seen(wish.member_id, wish.ref)),
                    now=now,
                    due_at=now + self._timings.lease,
                    since=now - self._timings.doubt,
                )
                if order is not None:
                    break
            standing = await self.standing(
                wish.member_id, wish.ref.item_id, wish.kind, card=wish.confirmation
            )
            if standing:
                return await self._result(standing, wish, say_asking)
            await self._accounts.require(wish.member_id)
            # What stood in the way has come to its end since.
        else:
            raise OldButton
        # With the press's own language, and not given up with whoever waits for it.
        saying = asyncio.ensure_future(say_asking())
        task = self._tasks.start(self._carry_out(order, wish, link, saying), finish=True)
        self._in_hand[order.id] = task
        task.add_done_callback(lambda _: self._in_hand.pop(order.id, None))
        return await asyncio.shield(task)

    async def _result(
        self, order: Order, wish: Wish, say_asking: Callable[[], Awaitable[bool]]
    ) -> Order | CatalogItem | None:
        """Wait for an order in hand here; look at one that was left behind."""
        task = self._in_hand.get(order.id)
        if order.is_open:
            if task is None and wish.press_id and order.press_id == wish.press_id:
                return None
            await say_asking()
        if task:
            return await asyncio.shield(task)
        if order.is_open and order.due_at is not None and order.due_at <= self.clock():
            return await self._take_over(order) or order
        return order

    async def _carry_out(
        self, order: Order, wish: Wish, link: Link, saying: asyncio.Future[bool]
    ) -> Order | CatalogItem:
        """Return what a new order came to, or the item where it is not to be had as confirmed."""
        keeping = self._tasks.start(self._keep_lease(order))
        try:
            if not await saying:
                raise AnswerNotTaken
            async with self._accounts.using(link) as caller:
                entry = await self._catalogs.find_again(caller, wish.ref, fresh=True)
            confirmed = rules.as_confirmed(order, wish, entry)
            if confirmed is not None:
                return await self._ask(confirmed, link)
            await self._withdraw(order)
            return entry
        except (GameError, KioskError):
            await self._withdraw(order)
            raise
        finally:
            keeping.cancel()

    async def _keep_lease(self, order: Order) -> None:
        is_held = True
        while is_held:
            await asyncio.sleep(self._timings.renewal.total_seconds())
            try:
                is_held = await self.ledger.renew(order, self.clock() + self._timings.lease)
            except DatabaseError as error:
                log.warning("order %s can't be held for longer: %s", order.id, error)

    async def _withdraw(self, order: Order) -> None:
        """Forget an order that the game is not asked for; one that can't be is refused later."""
        try:
            await self.ledger.withdraw(order)
        except DatabaseError as error:
            log.warning("order %s can't be withdrawn: %s", order.id, error)

    async def _ask(self, order: Order, link: Link) -> Order:
        """Ask the game for an order, unless its lease is over before the request leaves."""
        send_before = time.monotonic() + self._timings.lease.total_seconds()
        now = self.clock()
        sent = await self.ledger.mark_sent(order, now=now, due_at=now + self._timings.lease)
        if sent is None:
            # This process stood still: whoever took the order over settles it.
            return await self.ledger.find(order.id) or order
        found = rules.DONE
        try:
            async with self._accounts.using(link) as caller:
                if order.kind is OrderKind.REDEEM:
                    await self._client.redeem(caller, order.item_id, send_before=send_before)
                else:
                    bought = await self._client.purchase(
                        caller, order.item_id, send_before=send_before
                    )
                    found = replace(found, cost=bought.cost)
        except UnknownOutcome as error:
            is_open = order.kind is OrderKind.PURCHASE
            if is_open:
                with suppress(DatabaseError):
                    return await self._settle_as_seen(sent)
            found = Settlement(OrderState.UNKNOWN, is_open, game_words=error.message)
        except (GameError, KioskError) as error:
            found = rules.refusal(error)
        return await self._settle(sent, found)

    async def settle_due(self) -> AsyncGenerator[Order]:
        """Look at every order that is due, and yield those whose members don't know it yet.

        Whoever takes one notes that it was told, or hands it over; untold, it is due again soon.
        """
        due = await self.ledger.due(self.clock(), _MOST_DUE)
        left = [order for order in due if order.id not in self._in_hand]
        looks = [asyncio.ensure_future(self._take_over(order)) for order in left]
        try:
            # As they end: where the game is slow, one look must not hold up the news of the others.
            for look in asyncio.as_completed(looks):
                settled = await look
                if settled is None:
                    continue
                if settled.state is settled.told_state:
                    await self.note_told(settled)
                else:
                    yield settled
        finally:
            for look in looks:
                look.cancel()
            await asyncio.gather(*looks, return_exceptions=True)

    async def standing(
        self, member_id: int, item_id: int, kind: OrderKind, *, card: int = 0
    ) -> Order | None:
        """Return what stands in the way of a member's order; see `Orders.find_standing`.

        Without a card, the last redemption does. Raises LinkUnreadable.
        """
        link = await self._accounts.find(member_id)
        if link is None:
            return None
        now = self.clock()
        order = await self.ledger.find_standing(
            member_id,
            link.token_key,
            item_id,
            kind,
            confirmation=card,
            since=now - self._timings.doubt,
        )
        if order is None or not order.is_open or order.state is not OrderState.UNKNOWN:
            return order
        if rules.may_arrive_until(order, now):
            return order
        # By now, what the catalog shows is what counts.
        order = await self._settle_as_seen(order)
        return None if order.state is OrderState.REFUSED else order

    async def _take_over(self, order: Order) -> Order | None:
        """Settle an order that its process left behind; None when another process does."""
        now = self.clock()
        # A look-up takes longer than a lease when the game is slow.
        until = now + self._timings.arrival
        taking = asyncio.ensure_future(self.ledger.take(order, now=now, until=until))
        try:
            taken = await asyncio.shield(taking)
            if taken is None:
                return None
            if rules.needs_look(taken):
                return await self._settle_as_seen(taken)
            if taken.state is OrderState.STARTED:
                return await self._settle(taken, rules.verdict_unseen(taken))
            # Settled already; all that is left is to tell the member.
            return taken
        except (asyncio.CancelledError, DatabaseError):
            # Whoever goes on need not wait for the lease's end.
            with suppress(DatabaseError):
                taken = await surely(taking)
                if taken is not None:
                    await surely(self.ledger.renew(taken, now))
            raise

    async def _settle_as_seen(self, order: Order) -> Order:
        """Return a purchase as what the catalog shows it has come to."""
        now = self.clock()
        sight = await self._look(order)
        return await self._settle(order, rules.verdict(order, sight, now, self._timings))

    async def _look(self, order: Order) -> Sight:
        """Return what the catalog shows of the item."""
        try:
            link = await self._accounts.find(order.member_id)
        except LinkUnreadable:
            link = None
        if link is None:
            # Whoever links the account again soon is told what came of it.
            age = self.clock() - (order.sent_at or order.created_at)
            return Sight.UNSEEN if age < self._timings.doubt else Sight.NOT_THEIRS
        if order.token_key != link.token_key:
            return Sight.NOT_THEIRS
        if link.is_refused:
            return Sight.UNSEEN
        try:
            # For as long as the order is held, however long the catalog is.
            async with (
                asyncio.timeout(self._timings.arrival.total_seconds()),
                self._accounts.using(link) as caller,
            ):
                entry = await self._catalogs.find_again(caller, order.ref, fresh=True)
        except (GameError, KioskError, TimeoutError):
            return Sight.UNSEEN
        return Sight.OWNED if entry.item.has_purchased else Sight.NOT_OWNED

    async def _settle(self, order: Order, found: Settlement) -> Order:
        """Return an order as what it came to; it stays due until the member is told.

        Where that can't be written, the order is looked at again once its lease is over.
        """
        now = self.clock()
        settled_at = order.settled_at if found.state is order.state else now
        due_at = now + self._timings.lease
        for _ in range(_TRIES):
            try:
                settled = await self.ledger.settle(
                    order, found, settled_at=settled_at, due_at=due_at
                )
            except DatabaseError as error:
                log.warning("order %s is %s, not written yet: %s", order.id, found.state, error)
                await asyncio.sleep(self._pause)
            else:
                log.info("order %s of item %s: %s", settled.id, settled.item_id, settled.state)
                return settled
        known = asdict(found)
        if found.cost is None:
            del known["cost"]
        return replace(order, **known, settled_at=settled_at, due_at=due_at)

    async def note_told(self, order: Order, *, by_message: bool = False) -> None:
        """Note that the member knows the order's state, or owe them a message that tells it.

        The next look is planned, if there is one. What can't be written stays due.
        """
        due_at = rules.next_look(order, self.clock(), self._timings)
        try:
            await self.ledger.mark_told(order, due_at=due_at, by_message=by_message)
        except DatabaseError as error:
            log.warning("that order %s is told can't be written: %s", order.id, error)
