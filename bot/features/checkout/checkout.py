"""Carrying out what a member has confirmed, once."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import UTC, datetime

from bot.errors import AccountError, KioskError
from bot.features.accounts import Accounts
from bot.features.checkout.outcomes import AlreadyOwned, Ordered, Outcome, PriceChanged, Wish
from bot.features.checkout.settling import Settler
from bot.features.checkout.verdict import Reason, Sight, Timings
from bot.features.names import LARGEST_ID
from bot.features.shop import Shop
from bot.features.shop.errors import ItemOutOfReach
from bot.features.shop.item_filter import CatalogItem
from bot.game import errors as game
from bot.game.background import BackgroundTasks
from bot.game.client import GameClient
from storage.orders import NewOrder, Order, OrderKind, Orders, OrderState, Settlement

# After these, no look at the catalog can say more: the game was not reached, or won't be read.
_CERTAIN = (game.Unreachable, game.RateLimited, AccountError)
_REASONS: tuple[tuple[type[Exception], Reason], ...] = (
    (AccountError, Reason.LINK),
    (game.Conflict, Reason.CONFLICT),
    (game.Forbidden, Reason.FORBIDDEN),
    (game.NotFound, Reason.GONE),
    (game.RateLimited, Reason.BUSY),
    (game.Unavailable, Reason.UNREACHABLE),
)
# Looked at together.
_MOST_DUE = 20


def utc_now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


class Checkout:
    """The orders of members, from the confirmation to the moment they know what came of it."""

    def __init__(
        self,
        orders: Orders,
        shop: Shop,
        accounts: Accounts,
        client: GameClient,
        tasks: BackgroundTasks,
        *,
        timings: Timings | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._timings = timings or Timings()
        self._orders = orders
        self._catalogs = shop.catalogs
        self._accounts = accounts
        self._client = client
        self._clock = clock
        self._settler = Settler(orders, shop.catalogs, shop.cache, accounts, self._timings)
        self._tasks = tasks
        self._in_hand: dict[int, asyncio.Task[Order]] = {}

    async def confirm(self, wish: Wish) -> Outcome:
        """Order what was confirmed, unless that card or another device did so before.

        Raises NotLinked, LinkExpired, ItemGone, ItemOutOfReach, or the GameError that kept the
        item from being read again; then nothing was ordered.
        """
        before = await self._order_before(wish)
        if before:
            return Ordered(await self._result(before))
        link = await self._accounts.require(wish.member_id)
        # What is bought from here on doesn't show in what is about to be read.
        done_since = self._clock() - self._timings.just_bought
        shelved = await self._catalogs.find_again(wish.member_id, wish.place, fresh=True)
        if wish.kind is OrderKind.PURCHASE:
            if shelved.item.has_purchased:
                return AlreadyOwned(shelved)
            if shelved.item.cost != wish.cost:
                return PriceChanged(shelved)
        now = self._clock()
        order = await self._orders.start(
            _new_order(wish, shelved, link.linked_at),
            now=now,
            due_at=now + self._timings.lease,
            done_since=done_since,
        )
        if order is None:
            # Somebody else was quicker: another press, another device, another process.
            other = await self._order_before(wish) or await self._orders.find_done_since(
                wish.member_id, wish.place.item_id, wish.kind, done_since
            )
            return Ordered(await self._result(other)) if other else await self.confirm(wish)
        self._in_hand[order.id] = task = self._tasks.start(self._carry_out(order), finish=True)
        task.add_done_callback(lambda _: self._in_hand.pop(order.id, None))
        return Ordered(await asyncio.shield(task))

    async def find(self, order_id: int) -> Order | None:
        """Give an order."""
        return await self._orders.find(order_id)

    async def find_latest(self, member_id: int, item_id: int, kind: OrderKind) -> Order | None:
        """Give the member's last order for an item."""
        return await self._orders.find_latest(member_id, item_id, kind)

    async def history(self, member_id: int, *, most: int, offset: int) -> Sequence[Order]:
        """Give a member's orders, newest first."""
        return await self._orders.history(member_id, most=most, offset=offset)

    async def note_told(self, order: Order) -> None:
        """Note that the member was told the order's state."""
        await self._settler.note_told(order, self._clock())

    async def settle_due(self) -> AsyncGenerator[Order]:
        """Look at every order that is due; gives those whose members don't know it yet.

        Whoever takes one tells the member and calls `note_told`; untold, it is due again soon.
        """
        due = await self._orders.due(self._clock(), _MOST_DUE)
        left = [order for order in due if order.id not in self._in_hand]
        # Together: where the game is slow, one look-up must not hold up the news of the others.
        looks = [self._settler.take_over(order, self._clock()) for order in left]
        for settled in await asyncio.gather(*looks):
            if settled is None:
                continue
            if settled.state is settled.told_state:
                await self.note_told(settled)
            else:
                yield settled

    async def _order_before(self, wish: Wish) -> Order | None:
        return await self._orders.find_by_confirmation(
            wish.member_id, wish.confirmation
        ) or await self._orders.find_open(wish.member_id, wish.place.item_id, wish.kind)

    async def _result(self, order: Order) -> Order:
        """Wait for an order in hand here; look at one that was left behind."""
        task = self._in_hand.get(order.id)
        if task:
            return await asyncio.shield(task)
        now = self._clock()
        if order.is_open and order.due_at is not None and order.due_at <= now:
            return await self._settler.take_over(order, now) or order
        return order

    async def _carry_out(self, order: Order) -> Order:
        keeping = self._tasks.start(self._keep_lease(order))
        try:
            return await self._ask_game(order)
        finally:
            keeping.cancel()

    async def _ask_game(self, order: Order) -> Order:
        now = self._clock()
        if not await self._orders.mark_sent(order, now=now, due_at=now + self._timings.lease):
            # Taken over while this process stood still: whoever has it now settles it.
            return await self._orders.find(order.id) or order
        order = await self._orders.find(order.id) or order
        try:
            found = await self._send(order)
        except game.UnknownOutcome as error:
            if not isinstance(error.cause, game.NoBody):
                return await self._find_out(order, error)
            # A success without a body is one all the same, and what it cost stands on the order.
            found = Settlement(OrderState.DONE, is_open=False)
        except (game.GameError, KioskError) as error:
            found = await self._refusal(order, error)
        return await self._settler.write(order, found, self._clock())

    async def _send(self, order: Order) -> Settlement:
        async with self._accounts.acting_as(order.member_id) as caller:
            if order.kind is OrderKind.REDEEM:
                await self._client.redeem(caller, order.item_id)
                return Settlement(OrderState.DONE, is_open=False)
            purchase = await self._client.purchase(caller, order.item_id)
        paid = purchase.cost if abs(purchase.cost) <= LARGEST_ID else None
        return Settlement(OrderState.DONE, is_open=False, cost=paid)

    async def _refusal(self, order: Order, error: Exception) -> Settlement:
        """Take the game's no, unless the item is owned all the same.

        A request that was repeated on its way is refused the second time, and only that answer
        may come back.
        """
        is_certain = order.kind is OrderKind.REDEEM or isinstance(error, _CERTAIN)
        if not is_certain and await self._settler.sight(order) is Sight.OWNED:
            return Settlement(OrderState.DONE, is_open=False)
        words = error.message if isinstance(error, game.GameError) else None
        return Settlement(
            OrderState.REFUSED, is_open=False, reason=_reason(error), game_words=words
        )

    async def _find_out(self, order: Order, error: game.UnknownOutcome) -> Order:
        if order.kind is OrderKind.REDEEM:
            found = Settlement(OrderState.UNKNOWN, is_open=False, game_words=error.message)
            return await self._settler.write(order, found, self._clock())
        may_arrive = isinstance(error.cause, game.Timeout | game.MalformedResponse)
        certain = (order.sent_at or self._clock()) + self._timings.arrival
        first = await self._settler.look_up(order, self._clock(), believable=certain)
        if first.state is OrderState.DONE or may_arrive:
            return first
        await asyncio.sleep(self._timings.second_look.total_seconds())
        now = self._clock()
        return await self._settler.look_up(first, now, believable=now)

    async def _keep_lease(self, order: Order) -> None:
        while True:
            await asyncio.sleep(self._timings.renewal.total_seconds())
            await self._orders.renew(order, self._clock() + self._timings.lease)


def _reason(error: Exception) -> Reason:
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    return Reason.REJECTED


def _new_order(wish: Wish, shelved: CatalogItem, linked_at: datetime) -> NewOrder:
    item = shelved.item
    if max(item.id, abs(item.cost), shelved.catalog_id) > LARGEST_ID:
        raise ItemOutOfReach
    return NewOrder(
        member_id=wish.member_id,
        kind=wish.kind,
        item_id=item.id,
        catalog_id=shelved.catalog_id,
        page=shelved.page,
        item_name=item.name,
        cost=item.cost,
        currency_name=item.currency.name,
        currency_singular=item.currency.singular_name,
        confirmation=wish.confirmation,
        locale=wish.locale,
        linked_at=linked_at,
    )
