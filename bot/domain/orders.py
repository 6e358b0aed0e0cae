"""An order: what a member asked to buy or redeem, and what became of it."""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from storage.names import ItemRef

# For so long after the game was asked, what was bought here, or may have been, counts as bought:
# some games show it late. Then the game's word counts.
COUNTS_FOR = timedelta(minutes=15)


class OrderKind(StrEnum):
    """What the game is asked for (Interface 4.6 and 4.7)."""

    PURCHASE = "purchase"
    REDEEM = "redeem"


class OrderState(StrEnum):
    """How far an order has come."""

    STARTED = "started"
    DONE = "done"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class NewOrder(Struct, frozen=True):
    """What an order is for, as it was confirmed.

    `confirmation` names the card it was confirmed on, and `press_id` the interaction that did;
    `page` is the catalog's page that had the item. The account is named by a keyed hash of its
    token.
    """

    member_id: int
    kind: OrderKind
    item_id: int
    catalog_id: int
    page: int
    item_name: str
    cost: int
    currency_name: str
    currency_singular: str
    confirmation: int
    press_id: int
    locale: str
    token_key: str
    icon_url: str | None = None

    @property
    def ref(self) -> ItemRef:
        """Where the item was."""
        return ItemRef(self.catalog_id, self.page, self.item_id)


class Order(NewOrder, frozen=True, kw_only=True):
    """An order and what became of it.

    `sent_at` is when the game was asked. `is_open` keeps the account from another order for the
    same. `told_state` is the state the member was last told. `due_at` is when anybody may take the
    order over from who has `claimed_by`; None when nothing is left to do.
    """

    id: int
    state: OrderState
    reason: str | None
    game_words: str | None
    is_open: bool
    told_state: OrderState | None
    created_at: datetime
    sent_at: datetime | None
    settled_at: datetime | None
    claimed_by: str
    due_at: datetime | None


class Settlement(Struct, frozen=True):
    """What an order is found to have come to; `cost` is what was paid, where that is known."""

    state: OrderState
    is_open: bool
    reason: str | None = None
    game_words: str | None = None
    cost: int | None = None
