"""Orders to start from, where any will do."""

from datetime import UTC, datetime

from msgspec.structs import replace

from storage.writes import Order, OrderedItem, WriteKind, WriteState

ORDERED_AT = datetime(2026, 5, 1, tzinfo=UTC)
STRAW_HAT = Order(
    200,
    member_id=1,
    kind=WriteKind.PURCHASE,
    place_id=1,
    item_id=3,
    locale="en-US",
    token_key="key",
    card_id=100,
    item=OrderedItem(1, "Straw hat", 30, "Acorns", "Acorn", "https://assets.example/3.png"),
    created_at=ORDERED_AT,
)
SENT = replace(STRAW_HAT, state=WriteState.SENT, asked_at=ORDERED_AT)
REFUSED = replace(SENT, state=WriteState.REFUSED)
