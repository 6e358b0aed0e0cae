"""Which items of a catalog a member wants to see, and in which order."""

import dataclasses
from collections.abc import Iterable, Set
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from bot.features.errors import SeveralTypes, UnknownType
from bot.features.matching import meant
from bot.features.names import read_id
from bot.game.models import Item, ItemType
from storage.names import ItemRef


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


class CatalogItem(Struct, frozen=True):
    """An item, and the catalog's page it was seen on."""

    catalog_id: int
    page: int
    item: Item

    @property
    def ref(self) -> ItemRef:
        """Where to find it again."""
        return ItemRef(self.catalog_id, self.page, self.item.id)


class ItemFilter(Struct, frozen=True):
    """What to pick from a catalog; costs are compared as numbers, whatever the currency."""

    show: Show = Show.ALL
    type_id: int | None = None
    max_cost: int | None = None
    sort: ItemSort = ItemSort.CATALOG

    @property
    def is_everything(self) -> bool:
        """Whether the catalog is wanted as it is, so that a page shows what is on it."""
        return self == EVERYTHING

    def apply(self, items: Iterable[CatalogItem]) -> tuple[CatalogItem, ...]:
        """Return the items that are wanted, in the order that is wanted."""
        wanted = [entry for entry in items if self._wants(entry.item)]
        if self.sort is ItemSort.COST:
            # Costs in different currencies say nothing about each other.
            wanted.sort(key=lambda entry: (entry.item.currency.id, entry.item.cost))
        elif self.sort is ItemSort.NAME:
            wanted.sort(key=lambda entry: entry.item.name.casefold())
        return tuple(wanted)

    def _wants(self, item: Item) -> bool:
        is_shown = {
            Show.ALL: True,
            Show.NOT_OWNED: not item.has_purchased,
            Show.CLEARANCE: item.is_clearance,
            Show.MEMBERS: item.is_member_item,
        }
        return (
            is_shown[self.show]
            and self.type_id in (None, item.item_type.id)
            and (self.max_cost is None or item.cost <= self.max_cost)
        )


EVERYTHING = ItemFilter()


def with_bought(items: Iterable[CatalogItem], bought: Set[int]) -> tuple[CatalogItem, ...]:
    """Return the items with those as owned that were bought here, by their ids."""
    return tuple(
        replace(entry, item=dataclasses.replace(entry.item, has_purchased=True))
        if entry.item.id in bought
        else entry
        for entry in items
    )


def types_of(items: Iterable[CatalogItem]) -> list[ItemType]:
    """Return the types that occur, in order of name."""
    by_id = {entry.item.item_type.id: entry.item.item_type for entry in items}
    return sorted(by_id.values(), key=lambda each: each.name.casefold())


def find_type(items: Iterable[CatalogItem], text: str) -> ItemType:
    """Return the type that is typed, by number or name. Raises UnknownType, SeveralTypes."""
    types, number = types_of(items), read_id(text)
    fitting = [each for each in types if each.id == number] or meant(
        text, types, lambda each: each.name
    )
    if len(fitting) == 1:
        return fitting[0]
    error = SeveralTypes if fitting else UnknownType
    known = ", ".join(each.name for each in fitting or types) or "-"
    raise error(name=text, known=known, candidates=fitting or types)
