"""Where an item of the game is found."""

from typing import NamedTuple


class ItemRef(NamedTuple):
    """Where an item is found: the interface lists items by catalog and page only (4.5)."""

    catalog_id: int
    page: int
    item_id: int
