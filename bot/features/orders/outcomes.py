"""What a member confirms, and what they may come to hear of it."""

from dataclasses import dataclass

from bot.domain.orders import Order, OrderKind
from bot.features.shop.item_filter import CatalogItem, ItemRef


@dataclass(frozen=True)
class Wish:
    """What a member confirmed: `cost` as the card showed it, `confirmation` to name the card.

    `cost` is None where nothing is paid; `locale` is the language to tell the outcome in.
    """

    member_id: int
    kind: OrderKind
    ref: ItemRef
    cost: int | None
    confirmation: int
    locale: str


@dataclass(frozen=True)
class Ordered:
    """The order that this card, or another for the same item, has led to."""

    order: Order


@dataclass(frozen=True)
class PriceChanged:
    """Nothing was ordered: the card's price is stale."""

    entry: CatalogItem


@dataclass(frozen=True)
class AlreadyOwned:
    """Nothing was ordered: the member has bought the item before."""

    entry: CatalogItem


Outcome = Ordered | PriceChanged | AlreadyOwned
