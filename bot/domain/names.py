"""Where things of the game are: threads and catalogs, what a server calls them, and items."""

from enum import StrEnum
from typing import NamedTuple

from bot.domain.texts import normalized


class PlaceKind(StrEnum):
    """What a name is given to."""

    THREAD = "thread"
    CATALOG = "catalog"


class Named(NamedTuple):
    """A thread or catalog of the game (interface 2.7) under the name a server gave it."""

    game_id: int
    name: str


def name_key(name: str) -> str:
    """Fold a name so that names that look alike are the same."""
    return " ".join(normalized("NFKC", name).casefold().split())


class ItemRef(NamedTuple):
    """Where an item is found: the interface lists items by catalog and page only (4.5)."""

    catalog_id: int
    page: int
    item_id: int
