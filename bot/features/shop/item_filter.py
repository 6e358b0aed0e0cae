"""Which items of a catalog a member wants to see, and in which order."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from bot.game.models import Item, ItemType


class Show(StrEnum):
    """Which items are shown."""

    ALL = "all"
    NOT_OWNED = "not owned"
    CLEARANCE = "clearance"
    MEMBERS = "members"


class ItemSort(StrEnum):
    """In which order."""

    CATALOG = "catalog"
    COST = "cost"
    NAME = "name"


class ItemRef(NamedTuple):
    """Where an item is found: the interface lists items by catalog and page only (4.5)."""

    catalog_id: int
    page: int
    item_id: int


@dataclass(frozen=True)
class CatalogItem:
    """An item, and the catalog's page it was seen on."""

    catalog_id: int
    page: int
    item: Item

    @property
    def ref(self) -> ItemRef:
        """Where to find it again."""
        return ItemRef(self.catalog_id, self.page, self.item.id)


@dataclass(frozen=True)
class ItemFilter:
    """What to pick from a catalog; costs are compared as numbers, whatever the currency."""

    show: Show = Show.ALL
    type_id: int | None = None
    max_cost: int | None = None
    sort: ItemSort = ItemSort.CATALOG

    @property
    def is_everything(self) -> bool:
        """Whether the catalog is wanted as it is, so that a page shows what is on it."""
        return self == EVERYTHING

    def apply(self, items: Sequence[CatalogItem]) -> list[CatalogItem]:
        """Pick and sort."""
        picked = [entry for entry in items if self._wants(entry.item)]
        match self.sort:
            case ItemSort.CATALOG:
                return picked
            case ItemSort.COST:
                # Costs in different currencies say nothing about each other.
                return sorted(picked, key=lambda each: (each.item.currency.id, each.item.cost))
            case ItemSort.NAME:
                return sorted(picked, key=lambda each: each.item.name.casefold())

    def _wants(self, item: Item) -> bool:
        if self.type_id is not None and item.item_type.id != self.type_id:
            return False
        if self.max_cost is not None and item.cost > self.max_cost:
            return False
        match self.show:
            case Show.ALL:
                return True
            case Show.NOT_OWNED:
                return not item.has_purchased
            case Show.CLEARANCE:
                return item.is_clearance
            case Show.MEMBERS:
                return item.is_member_item


EVERYTHING = ItemFilter()


def types_of(items: Sequence[CatalogItem]) -> list[ItemType]:
    """Return the types that occur, in order of name."""
    by_id = {entry.item.item_type.id: entry.item.item_type for entry in items}
    return sorted(by_id.values(), key=lambda each: each.name.casefold())
