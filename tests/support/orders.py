"""An order to start from, where any will do."""

from datetime import UTC, datetime

from bot.domain.orders import NewOrder, OrderKind

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
    locale="en-US",
    linked_at=datetime(2026, 5, 1, tzinfo=UTC),
)
