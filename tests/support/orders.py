"""Orders to start from, where any will do."""

from datetime import UTC, datetime

from msgspec.structs import asdict, replace

from bot.domain.orders import NewOrder, Order, OrderKind, OrderState

STRAW_HAT = NewOrder(
    member_id=1,
    kind=OrderKind.PURCHASE,
    item_id=3,
    catalog_id=1,
    page=1,
    item_name="Straw hat",
    cost=30,
    currency_name="Acorns",
    currency_singular="Acorn",
    confirmation=1,
    press_id=2,
    locale="en-US",
    token_key="key",
)
ORDERED_AT = datetime(2026, 5, 1, tzinfo=UTC)
STARTED = Order(
    **asdict(STRAW_HAT),
    id=1,
    state=OrderState.STARTED,
    reason=None,
    game_words=None,
    is_open=True,
    told_state=None,
    created_at=ORDERED_AT,
    sent_at=ORDERED_AT,
    settled_at=None,
    claimed_by="",
    due_at=ORDERED_AT,
)
REFUSED = replace(STARTED, state=OrderState.REFUSED, is_open=False)
