"""The lists by which a gallery is steered: what it shows, of which type, and in which order."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from bot.features.shop import Address, Mode, Screen
from bot.features.shop.item_filter import ItemFilter, ItemSort, Show
from bot.i18n import N_, t
from bot.ui.actions import MOST_CHOICES, ListEntry, action_list
from bot.ui.cards import Card
from cogs.shop.actions import ShowScreen

_SHOW_WORDS = {
    Show.ALL: N_("All items"),
    Show.NOT_OWNED: N_("Not owned yet"),
    Show.CLEARANCE: N_("Clearance"),
    Show.MEMBERS: N_("Members only"),
}
_SORT_WORDS = {
    ItemSort.CATALOG: N_("In the catalog's order"),
    ItemSort.COST: N_("Cheapest first"),
    ItemSort.NAME: N_("From A to Z"),
}
# Beside all of them, the chosen one, and the way to those that are not known yet.
_MOST_TYPES = MOST_CHOICES - 3


def add_steering(card: Card, screen: Screen) -> None:
    """Add the lists for a screen's filter; what is chosen starts at the first item."""
    here, picked = screen.address, screen.address.item_filter

    def entries(wanted: Iterable[tuple[str, ItemFilter]]) -> Iterator[ListEntry]:
        for label, each in wanted:
            first = ShowScreen.at(Address(here.catalog_id, item_filter=each))
            yield ListEntry(label, first, is_chosen=each == picked)

    shows = [(t(words), replace(picked, show=show)) for show, words in _SHOW_WORDS.items()]
    sorts = [(t(words), replace(picked, sort=sort)) for sort, words in _SORT_WORDS.items()]
    types = list(entries(_types(screen)))
    if not screen.has_all_types:
        types.append(ListEntry(t("Find all types…"), replace(ShowScreen.at(here), mode=Mode.TYPES)))
    for name, listed in (("show", entries(shows)), ("type", types), ("sort", entries(sorts))):
        # Of each list one entry is chosen, so that what stands for none is never seen.
        card.choose(action_list(listed, placeholder="…", name=name))


def _types(screen: Screen) -> Iterator[tuple[str, ItemFilter]]:
    picked = screen.address.item_filter
    yield t("All types"), replace(picked, type_id=None)
    known = {each.id: each.name for each in screen.types}
    if picked.type_id is not None:
        name = known.pop(picked.type_id, f"#{picked.type_id}")
        yield name, picked
    for type_id, name in list(known.items())[:_MOST_TYPES]:
        yield name, replace(picked, type_id=type_id)
