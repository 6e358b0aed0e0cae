"""The gallery, five of a catalog's items to a screen, its filter, and an item's card."""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

import discord
from msgspec import Struct
from msgspec.structs import replace

from bot.errors import OldButton
from bot.features.items import named
from bot.features.names import Place
from bot.features.reading.catalogs import CatalogItem, Ending, ItemSort
from bot.features.reading.paging import Screen
from bot.features.reading.shop import Address, Gallery, ReadMode
from bot.features.writing.rules import is_open
from bot.game.models import Item
from bot.i18n import N_, number, pt, t
from bot.ui import items, shared_actions, theme
from bot.ui.actions import ListEntry, action_button, action_list, step_buttons
from bot.ui.cards import BLUE, GREY, Button, Card, notice
from bot.ui.forms import LONGEST_TITLE, ActionForm, FormOption
from bot.ui.here import Here
from bot.ui.pictures import thumbnail
from bot.ui.sent_cards import finish_shared
from bot.ui.text import one_line
from cogs.shop import actions
from cogs.shop.actions import Show, show_of
from cogs.shop.order_cards import outcome, redeemed
from storage.names import Named
from storage.subscriptions import Event
from storage.writes import ORDERS, Order, WriteKind, WriteState

_SHOW = "show"
_SORT = "sort"
_NAME = "name"
_LONGEST_NAME = 40
_ENDINGS = {
    Ending.UNREADABLE: N_("Kiosk can't read some of the items that the game sent."),
    Ending.STOPPED: N_("You stopped the reading, so later items are missing."),
    Ending.FAILED: N_("The game stopped answering, so later items are missing."),
    Ending.TOO_LONG: N_("The catalog goes on and on; what comes later is left out."),
}

SHOW_WORDS = {
    Show.ALL: N_("All items"),
    Show.NOT_OWNED: N_("Not owned yet"),
    Show.CLEARANCE: N_("On clearance"),
    Show.SUBSCRIBERS: N_("Subscribers only"),
}
SORT_WORDS = {
    ItemSort.CATALOG: N_("As in the catalog"),
    ItemSort.COST: N_("Cheapest first"),
    ItemSort.NAME: N_("From A to Z"),
}


def gallery_card(
    catalog: Place, gallery: Gallery, watched: Set[int | None], others: Sequence[Named]
) -> Card:
    card = Card(theme.SHOP)
    screen = gallery.screen
    address = gallery.address
    title = f"## {items.catalog_title(catalog.game_id, catalog.name)}"
    where = [_position(screen)] if screen.entries else []
    sort = "" if address.sort is ItemSort.CATALOG else t(SORT_WORDS[address.sort])
    facts = filter(None, [items.query_words(address.query, gallery.items), sort])
    if words := " · ".join(facts):
        where.append(f"**{words}**")
    nothing = "" if screen.entries else _nothing(address)
    card.say("\n".join(filter(None, [title, " · ".join(where), nothing])))
    for entry in screen.entries:
        item = entry.item
        found = [items.marks(item), t("🔔 You watch it") if item.id in watched else ""]
        marked = " · ".join(filter(None, found))
        facts = " · ".join(filter(None, [items.price_of(item), items.type_of(item)]))
        lines = [f"**{items.name_of(item.name)}**", facts]
        card.say("\n".join([*lines, f"-# {marked}"] if marked else lines), thumbnail(item.icon_url))
    if screen.entries:
        listed = action_list(
            _deeds(screen.entries, watched), placeholder=t("Open, buy, redeem or watch…")
        )
        card.choose(listed)
    if gallery.ending in _ENDINGS:
        card.say(f"-# ⚠️ {t(_ENDINGS[gallery.ending])}")
    ways = [ListEntry(name.name, shared_actions.OpenCatalog(name.game_id)) for name in others]
    if ways:
        card.choose(action_list(ways, placeholder=t("Another catalog…"), name="catalogs"))
    card.buttons(*_buttons(gallery))
    return card


def _position(screen: Screen[CatalogItem]) -> str:
    first = number(screen.first)
    last = number(screen.first + len(screen.entries) - 1)
    if screen.total is None:
        return t("%(first)s to %(last)s", first=first, last=last)
    count = number(screen.total)
    return t("%(first)s to %(last)s of %(count)s", first=first, last=last, count=count)


def _nothing(address: Address) -> str:
    if not address.is_whole:
        return t("Nothing here fits.")
    if address.page > 1:
        return t("There is nothing on this page: the catalog ended before it.")
    return t("This catalog is empty just now. Watch it, and a direct message tells you what comes.")


def _deeds(entries: Sequence[CatalogItem], watched: Set[int | None]) -> Iterator[ListEntry]:
    shown = [(entry.ref, entry.item) for entry in entries]
    others = [pair for pair in shown if not pair[1].has_purchased]
    yield from items.deed(shared_actions.OpenItem, shown)
    yield from items.deed(shared_actions.AskPurchase, others)
    yield from items.deed(shared_actions.AskRedemption, shown)
    to_watch = [pair for pair in others if pair[1].id not in watched]
    yield from items.deed(shared_actions.WatchItem, to_watch)
    to_end = [pair for pair in shown if pair[1].id in watched]
    yield from items.deed(shared_actions.StopWatching, to_end)


def _buttons(gallery: Gallery) -> Iterator[Button]:
    here = gallery.address
    screen = gallery.screen
    again = actions.ShowScreen.at(here)
    everything = actions.ShowScreen.at(Address(here.catalog_id))
    is_filtered = not here.is_whole
    if screen.entries or screen.previous:
        ways = (screen.previous, screen.next)
        yield from step_buttons(*(way and actions.ShowScreen.at(here.at(way)) for way in ways))
        yield action_button(actions.OpenFilter.at(here), t("Filter"))
        if is_filtered:
            yield action_button(everything, t("Show all"))
    elif is_filtered:
        # One button of a card is blue: what isn't read yet may hold what fits.
        style = GREY if gallery.ending.is_early else BLUE
        yield action_button(everything, t("Show all"), style=style)
        yield action_button(actions.OpenFilter.at(here), t("Filter"))
    else:
        watch = actions.WatchCatalog(here.catalog_id)
        yield action_button(watch, t("Watch"), style=BLUE, emoji="🔔")
    if gallery.ending.is_early:
        yield action_button(replace(again, mode=ReadMode.READ_ON), t("Read on"), style=BLUE)
    else:
        yield action_button(replace(again, mode=ReadMode.REFRESH), t("Refresh"))


class FilterWish(Struct, frozen=True):
    """What the Filter form asks for; types, the highest cost and a name as chosen or typed."""

    show: Show = Show.ALL
    sort: ItemSort = ItemSort.CATALOG
    types: frozenset[str] = frozenset()
    max_cost: str = ""
    name: str = ""

    @classmethod
    def of(cls, address: Address, known: Sequence[Item]) -> Self:
        query = named(address.query, known)
        return cls(show_of(query), address.sort, query.types, items.cost_typed(query), query.name)

    @classmethod
    def read(cls, here: Here) -> Self:
        """Return what was filled in. Raises OldButton."""
        try:
            show = Show(here.text(_SHOW))
            sort = ItemSort(here.text(_SORT))
        except ValueError as error:
            raise OldButton from error
        types = frozenset(here.filled.get(items.TYPES, ())) - {""}
        cost = here.texts.get(items.COST, "").strip()
        return cls(show, sort, types, cost, here.texts.get(_NAME, "").strip())


def filter_form(catalog: Place, wish: FilterWish, types: Collection[str]) -> ActionForm:
    """Ask what to show of a catalog; without `types` at hand, they are typed."""
    name = catalog.name or f"#{catalog.game_id}"
    title = one_line(t("Filter %(catalog)s", catalog=name), LONGEST_TITLE, plain=True)
    form = ActionForm(actions.SendFilter(catalog.game_id), title=title)
    form.ask_one(pt("items", "Show"), _SHOW, _options(SHOW_WORDS, wish.show))
    form.ask_one(t("Order"), _SORT, _options(SORT_WORDS, wish.sort))
    items.ask_query(form, types, wish.types, wish.max_cost)
    hint = t("A part of the name. Empty: any.")
    form.ask_line(t("Name"), _NAME, hint, longest=_LONGEST_NAME, text=wish.name)
    return form


def _options(words: Mapping[Any, str], chosen: StrEnum) -> Iterator[FormOption]:
    for value, text in words.items():
        yield FormOption(value.value, t(text), value is chosen)


def progress_card(
    catalog: Place, pages: int, reading: str, length: int | None, done_at: datetime | None
) -> Card:
    """Say how far a catalog was read; its length is known where somebody has read it before."""
    if length is None or done_at is None:
        share = t(
            "Reading page %(next)s: %(read)s of %(known)s known pages read.",
            next=number(pages + 1),
            read=number(pages),
            known=number(pages + 1),
        )
    else:
        share = t(
            "Reading page %(next)s of about %(length)s. Done %(when)s.",
            next=number(pages + 1),
            length=number(length),
            when=discord.utils.format_dt(done_at, "R"),
        )
    title = items.catalog_title(catalog.game_id, catalog.name)
    body = t("Looking through the whole catalog for what fits.") + "\n" + share
    stop = action_button(actions.StopReading(reading), t("Stop"))
    return notice(title, body, colour=theme.SHOP, buttons=(stop,))


def item_card(
    entry: CatalogItem,
    catalog: Place,
    way: actions.Way,
    orders: Mapping[WriteKind, Order | None],
    *,
    is_watched: bool,
) -> Card:
    """Show an item; `orders` are what stands in the way of a purchase, and the last redemption."""
    card = Card(theme.SHOP)
    item = entry.item
    reasons = {kind: _reason(kind, orders.get(kind)) for kind in ORDERS}
    watching = t("🔔 You watch it: a direct message tells you what changes.") if is_watched else ""
    place = items.place_line(item, items.catalog_title(catalog.game_id, catalog.name))
    items.say_facts(card, item, items.marks(item), *reasons.values(), watching, place)
    buy, redeem, watch = items.order_buttons(entry.ref)
    if is_watched:
        stop = shared_actions.StopWatching(*entry.ref)
        watch = action_button(stop, t("Stop watching"), emoji="🔕")
    redemption = orders.get(WriteKind.REDEEM)
    offered = [
        (buy, not (item.has_purchased or reasons[WriteKind.PURCHASE])),
        (redeem, redemption is None or not is_open(redemption)),
        (watch, is_watched or not item.has_purchased),
    ]
    card.buttons(
        *(button for button, is_offered in offered if is_offered),
        action_button(actions.ShareItem(*entry.ref), t("Share")),
        action_button(way, t("Back")),
    )
    return card


def announced_card(event: Event, catalog: Place, invitation: Card) -> Card:
    """Show what an announcement says of an item, and below it what leads to more."""
    card = Card(theme.SHOP)
    items.say_event(card, event, items.catalog_title(catalog.game_id, catalog.name))
    card.divide()
    for part in invitation.components[-1]["components"]:
        card.add(part)
    return card


def shared_card(entry: CatalogItem, catalog: Place, sharer: discord.abc.User) -> Card:
    card = Card(theme.SHOP)
    item = entry.item
    place = items.place_line(item, items.catalog_title(catalog.game_id, catalog.name))
    items.say_facts(card, item, items.marks(item, personal=False), place)
    opening = action_button(shared_actions.OpenItem(*entry.ref), t("Open"))
    return finish_shared(card, sharer, *items.order_buttons(entry.ref), opening)


def _reason(kind: WriteKind, order: Order | None) -> str:
    """Return what stands against buying, or is to be known before redeeming; or nothing."""
    is_purchase = kind is WriteKind.PURCHASE
    if order is None or (is_purchase and order.state is WriteState.DONE):
        # What was bought with another account says nothing of this one's.
        return ""
    if order.state not in (WriteState.KEPT, WriteState.SENT):
        return outcome(order).state if is_purchase else redeemed(order)
    if is_purchase:
        return t("You are buying it already: see `/shop orders`.")
    return t("You are redeeming it already: see `/shop orders`.")
