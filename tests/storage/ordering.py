"""What tests do with orders in a database."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from bot.domain.orders import NewOrder, Order, OrderKind, OrderState, Settlement
from storage.orders import Orders
from tests.support.orders import STRAW_HAT

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=1)
LATER = NOW + timedelta(seconds=8)
NEW = replace(STRAW_HAT, confirmation=100, press_id=200)
DONE = Settlement(OrderState.DONE, is_open=False)
REFUSED = Settlement(OrderState.REFUSED, is_open=False, reason="conflict")
UNKNOWN = Settlement(OrderState.UNKNOWN, is_open=False)
NOT_SEEN = Settlement(OrderState.REFUSED, is_open=False, reason="no answer")
# What is another order: another account's, another item's, of another kind.
OTHERS = [
    replace(NEW, confirmation=101, member_id=2, token_key="another"),
    replace(NEW, confirmation=101, item_id=4),
    replace(NEW, confirmation=101, kind=OrderKind.REDEEM),
]


async def start(orders: Orders, new: NewOrder = NEW, *, since: datetime = LONG_AGO) -> Order | None:
    return await orders.start(new, now=NOW, due_at=LATER, since=since)


async def started(orders: Orders, new: NewOrder = NEW) -> Order:
    order = await start(orders, new)
    assert order is not None
    return order


async def settle(
    orders: Orders, order: Order, found: Settlement, settled_at: datetime = NOW
) -> Order:
    """Write what an order came to that was sent, if it was not."""
    order = await orders.mark_sent(order, now=NOW, due_at=LATER) or order
    return await orders.settle(order, found, settled_at=settled_at, due_at=LATER)


async def standing(orders: Orders, new: NewOrder, *, since: datetime = LONG_AGO) -> Order | None:
    return await orders.find_standing(
        new.member_id,
        new.token_key,
        new.item_id,
        new.kind,
        confirmation=new.confirmation,
        since=since,
    )
