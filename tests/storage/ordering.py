"""What tests do with orders in a database."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace
from pydantic import SecretStr

from bot.domain.links import Link
from bot.domain.orders import NewOrder, Order, OrderKind, OrderState, Settlement
from storage.orders import Orders
from tests.support.orders import STRAW_HAT

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(seconds=8)
NEW = replace(STRAW_HAT, confirmation=100, linked_at=NOW, player_id=7, token_key="key")
DONE = Settlement(OrderState.DONE, is_open=False)
REFUSED = Settlement(OrderState.REFUSED, is_open=False, reason="conflict")
UNKNOWN = Settlement(OrderState.UNKNOWN, is_open=False)
NOT_SEEN = Settlement(OrderState.REFUSED, is_open=False, reason="no answer")
# What is another order: another account's, another item's, of another kind.
OTHERS = [
    replace(NEW, confirmation=101, member_id=2, player_id=8, token_key="another"),
    replace(NEW, confirmation=101, item_id=4),
    replace(NEW, confirmation=101, kind=OrderKind.REDEEM),
]


async def start(
    orders: Orders,
    new: NewOrder = NEW,
    *,
    doubted_since: datetime = NOW,
    disputed_since: datetime = NOW,
    despite: int = 0,
) -> Order | None:
    return await orders.start(
        new,
        now=NOW,
        due_at=LATER,
        doubted_since=doubted_since,
        disputed_since=disputed_since,
        despite=despite,
    )


async def started(orders: Orders, new: NewOrder = NEW) -> Order:
    order = await start(orders, new)
    assert order is not None
    return order


async def settle(
    orders: Orders, order: Order, found: Settlement, settled_at: datetime = NOW
) -> Order:
    return await orders.settle(order, found, settled_at=settled_at, due_at=LATER)


async def standing(
    orders: Orders,
    new: NewOrder,
    *,
    doubted_since: datetime = NOW,
    disputed_since: datetime = NOW,
    despite: int = 0,
) -> Order | None:
    return await orders.find_standing(
        link_of(new),
        new.item_id,
        new.kind,
        confirmation=new.confirmation,
        doubted_since=doubted_since,
        disputed_since=disputed_since,
        despite=despite,
    )


def link_of(new: NewOrder) -> Link:
    return Link(
        member_id=new.member_id,
        token=SecretStr("a-token"),
        is_refused=False,
        linked_at=new.linked_at,
        player_id=new.player_id,
        player_name=None,
        token_key=new.token_key or "",
        sealed=b"",
    )
