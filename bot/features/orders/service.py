"""Carry out what members have confirmed, once, and find out what became of it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from datetime import UTC, datetime

from bot.background import BackgroundTasks
from bot.domain.links import Link
from bot.domain.orders import Order, OrderKind, OrderState, Settlement
from bot.errors import KioskError, LinkUnreadable, NotLinked
from bot.features.accounts import Accounts
from bot.features.orders import rules
from bot.features.orders.rules import Sight, Timings, Wish
from bot.features.shop import Shop
from bot.features.shop.item_filter import CatalogItem, ItemRef
from bot.game.client import GameClient
from bot.game.errors import GameError, MalformedResponse, NoBody, Timeout, UnknownOutcome
from storage.orders import Orders

log = logging.getLogger(__name__)

# Looked at together.
_MOST_DUE = 20


class OrderService:
    """The orders of members, from the confirmation to the moment they know what came of it.

    What stands on each is in the `ledger`.
    """

    def __init__(
        self,
        orders: Orders,
        shop: Shop,
        accounts: Accounts,
        client: GameClient,
        tasks: BackgroundTasks,
        *,
        timings: Timings | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._timings = timings or Timings()
        self.ledger = orders
        self._shop = shop
        self._accounts = accounts
        self._client = client
        self._clock = clock
        self._tasks = tasks
        self._in_hand: dict[int, asyncio.Task[Order]] = {}

    async def confirm(self, wish: Wish) -> Order | CatalogItem:
        """Return the order that this card, or another for the same item, leads or has led to.

        Where it is owned by now or its price has changed, nothing is ordered, and the item as it
        is now is returned. Raises NotLinked, LinkExpired, ItemGone, or the GameError that kept it
        from being read again; then nothing was ordered either.
        """
        done_since = None
        while True:
            standing = await self.ledger.find_standing(
                wish.member_id,
                wish.ref.item_id,
                wish.kind,
                wish.confirmation,
                done_since=done_since,
            )
            if standing:
                return await self._result(standing)
            link = await self._accounts.require(wish.member_id)
            # What is bought from here on doesn't show in what is about to be read.
            done_since = self._clock() - self._timings.just_bought
            async with self._accounts.using(link) as caller:
                entry = await self._shop.catalogs.find_again(caller, wish.ref, fresh=True)
            is_stale = entry.item.has_purchased or entry.item.cost != wish.cost
            if wish.kind is OrderKind.PURCHASE and is_stale:
                return entry
            now = self._clock()
            order = await self.ledger.start(
                rules.new_order(wish, entry, link.linked_at),
                now=now,
                due_at=now + self._timings.lease,
                done_since=done_since,
            )
            if order is not None:
                break
            # Somebody else was quicker: another press, another device, another process.
        task = self._tasks.start(self._carry_out(order, link), finish=True)
        self._in_hand[order.id] = task
        task.add_done_callback(lambda _: self._in_hand.pop(order.id, None))
        return await asyncio.shield(task)

    async def note_told(self, order: Order) -> None:
        """Note that the member knows the order's state, and plan the next look if there is one."""
        due_at = rules.next_look(order, self._clock(), self._timings)
        if due_at is not None and await self._is_superseded(order):
            due_at = None
        await self.ledger.mark_told(order, due_at=due_at)

    async def settle_due(self) -> AsyncGenerator[Order]:
        """Look at every order that is due, and yield those whose members don't know it yet.

        Whoever takes one tells the member and calls `note_told`; untold, it is due again soon.
        """
        due = await self.ledger.due(self._clock(), _MOST_DUE)
        left = [order for order in due if order.id not in self._in_hand]
        # Together: where the game is slow, one look-up must not hold up the news of the others.
        for settled in await asyncio.gather(*map(self._take_over, left)):
            if settled is None:
                continue
            if settled.state is settled.told_state:
                await self.note_told(settled)
            else:
                yield settled

    async def _result(self, order: Order) -> Order:
        """Wait for an order in hand here; look at one that was left behind."""
        task = self._in_hand.get(order.id)
        if task:
            return await asyncio.shield(task)
        if order.is_open and order.due_at is not None and order.due_at <= self._clock():
            return await self._take_over(order) or order
        return order

    async def _carry_out(self, order: Order, link: Link) -> Order:
        keeping = self._tasks.start(self._keep_lease(order))
        try:
            now = self._clock()
            until = now + self._timings.lease
            sent = await self.ledger.mark_sent(order, now=now, due_at=until)
            if sent is None or self._clock() >= until:
                # This process stood still: whoever takes the order over settles it.
                return await self.ledger.find(order.id) or order
            found = rules.DONE
            try:
                async with self._accounts.using(link) as caller:
                    if order.kind is OrderKind.REDEEM:
                        await self._client.redeem(caller, order.item_id)
                    else:
                        bought = await self._client.purchase(caller, order.item_id)
                        found = replace(found, cost=bought.cost)
            except UnknownOutcome as error:
                # A success without a body is one; what it cost stands on the order.
                if not isinstance(error.cause, NoBody):
                    return await self._find_out(sent, error)
            except (GameError, KioskError) as error:
                found = rules.refusal(error)
                if rules.may_own_all_the_same(sent, error):
                    sight, _ = await self._look(sent)
                    found = rules.DONE if sight is Sight.OWNED else found
            return await self._settle(sent, found)
        finally:
            keeping.cancel()

    async def _keep_lease(self, order: Order) -> None:
        is_held = True
        while is_held:
            await asyncio.sleep(self._timings.renewal.total_seconds())
            is_held = await self.ledger.renew(order, self._clock() + self._timings.lease)

    async def _find_out(self, order: Order, error: UnknownOutcome) -> Order:
        if order.kind is OrderKind.REDEEM:
            unknown = Settlement(OrderState.UNKNOWN, is_open=False, game_words=error.message)
            return await self._settle(order, unknown)
        found = await self._look_up(order)
        may_arrive = isinstance(error.cause, Timeout | MalformedResponse)
        if found.state is OrderState.DONE or may_arrive:
            return found
        await asyncio.sleep(self._timings.second_look.total_seconds())
        return await self._look_up(found, believable=self._clock())

    async def _take_over(self, order: Order) -> Order | None:
        """Settle an order that its process left behind; None when another process does."""
        now = self._clock()
        # A look-up takes longer than a lease when the game is slow.
        taken = await self.ledger.take(order, now=now, until=now + self._timings.arrival)
        if taken is None:
            return None
        if rules.needs_look(taken):
            return taken if await self._is_superseded(taken) else await self._look_up(taken)
        if taken.state is OrderState.STARTED:
            return await self._settle(taken, rules.verdict_unseen(taken))
        # Settled already; all that is left is to tell the member.
        return taken

    async def _look_up(self, order: Order, *, believable: datetime | None = None) -> Order:
        """Settle a purchase by what the catalog shows.

        "Not owned" counts from `believable` on: once the request can't arrive any more.
        """
        now = self._clock()
        believable = believable or (order.sent_at or now) + self._timings.arrival
        sight, same_account = await self._look(order)
        found = rules.verdict(
            order, sight, same_account=same_account, now=now, believable=believable
        )
        return await self._settle(order, found)

    async def _look(self, order: Order) -> tuple[Sight, bool]:
        """Return what the catalog shows of the item, and whether the account is the same."""
        ref = ItemRef(order.catalog_id, order.page, order.item_id)
        is_same = True
        try:
            link = await self._accounts.require(order.member_id)
            is_same = link.linked_at == order.linked_at
            async with self._accounts.using(link) as caller:
                entry = await self._shop.catalogs.find_again(caller, ref, fresh=True)
        except (NotLinked, LinkUnreadable):
            return Sight.UNSEEN, False
        except (GameError, KioskError):
            return Sight.UNSEEN, is_same
        return Sight.OWNED if entry.item.has_purchased else Sight.NOT_OWNED, is_same

    async def _settle(self, order: Order, found: Settlement) -> Order:
        """Write what an order came to; it stays due until the member is told."""
        now = self._clock()
        settled = await self.ledger.settle(
            order,
            found,
            settled_at=order.settled_at if found.state is order.told_state else now,
            due_at=now + self._timings.lease,
        )
        log.info("order %s of item %s: %s", settled.id, settled.item_id, settled.state)
        if settled.state is OrderState.DONE and settled.kind is OrderKind.PURCHASE:
            self._shop.catalogs.mark_owned(settled.member_id, settled.item_id)
        return settled

    async def _is_superseded(self, order: Order) -> bool:
        """Return whether what is owned by now may be owed to a later order."""
        if order.state is not OrderState.REFUSED:
            return False
        latest = await self.ledger.find_latest(order.member_id, order.item_id, order.kind)
        return latest is not None and latest.id != order.id
