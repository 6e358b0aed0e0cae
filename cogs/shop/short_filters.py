"""Filters in a few characters, as a button has room for."""

from bot.errors import OldButton
from bot.features.shop.item_filter import ItemFilter, ItemSort, Show
from bot.ui.actions import read_number

_SEPARATOR = "."


def shorten(item_filter: ItemFilter) -> str:
    """Return a filter in a few characters, none of them for the whole catalog."""
    if item_filter.is_everything:
        return ""
    show, sort = list(Show).index(item_filter.show), list(ItemSort).index(item_filter.sort)
    parts = (show, item_filter.type_id, item_filter.max_cost, sort)
    return _SEPARATOR.join("" if part is None else str(part) for part in parts)


def lengthen(text: str) -> ItemFilter:
    """Return a filter that was shortened. Raises OldButton."""
    if not text:
        return ItemFilter()
    try:
        show, type_id, max_cost, sort = text.split(_SEPARATOR)
        return ItemFilter(
            list(Show)[int(show)],
            read_number(type_id) if type_id else None,
            read_number(max_cost) if max_cost else None,
            list(ItemSort)[int(sort)],
        )
    except (ValueError, IndexError) as error:
        raise OldButton from error
