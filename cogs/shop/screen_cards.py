"""The cards of catalogs: a screen of eight items, and the progress of reading."""

from collections import abc
from datetime import datetime

import discord
from msgspec.structs import replace

from bot.features import item_queries
from bot.features.directory import Place
from bot.features.reading import paging, shop
from bot.features.reading.catalogs import CatalogEnding, CatalogItem, ItemSort
from bot.game.models import ItemPageKey
from bot.i18n import N_, number, t
from bot.ui import custom_ids, drawing, items, shared_actions, theme
from cogs.shop import actions
from storage.names import Named

# So that eight items fit, with any names and costs.
_ROOM_FOR_NAME = 60
_ROOM_FOR_TYPE = 30
_ROOM_FOR_TYPES = 300
_ENDINGS = {
    CatalogEnding.UNREADABLE: N_("Kiosk can't read some items that the game sent."),
    CatalogEnding.STOPPED: N_("You stopped before the end, so later items are missing."),
    CatalogEnding.FAILED: N_("The game stopped answering, so later items are missing."),
    CatalogEnding.TOO_LONG: N_("The catalog is too long for Kiosk, so later items are missing."),
}

SHOW_WORDS = {
    actions.ItemFilter.ALL: N_("All items"),
    actions.ItemFilter.NOT_OWNED: N_("Not owned yet"),
    actions.ItemFilter.CLEARANCE: N_("On clearance"),
    actions.ItemFilter.SUBSCRIBERS: N_("Subscribers only"),
}
SORT_WORDS = {
    ItemSort.CATALOG: N_("Catalog order"),
    ItemSort.COST: N_("Cheapest first"),
    ItemSort.NAME: N_("From A to Z"),
}


def gallery_card(
    catalog: Place,
    gallery: shop.CatalogScreen,
    watched: abc.Set[int | None],
    others: abc.Sequence[Named],
    *,
    can_watch: bool = True,
    note: str = "",
) -> drawing.Card:
    card = drawing.Card(theme.SHOP)
    address = gallery.address
    screen = gallery.screen
    title = f"## {items.catalog_title(catalog.game_id, catalog.name)}"
    where = [_position(screen)] if screen.entries else []
    if gallery.owned is not None and screen.entries:
        owned = number(gallery.owned.count)
        where.append(
            t("You own %(owned)s of %(count)s", owned=owned, count=number(gallery.owned.total))
        )
    sort = "" if address.sort is ItemSort.CATALOG else t(SORT_WORDS[address.sort])
    query = items.query_words(address.query, gallery.items, room=_ROOM_FOR_TYPES)
    if words := " · ".join(filter(None, [query, sort])):
        where.append(f"**{words}**")
    nothing = "" if screen.entries else _nothing(address, can_watch=can_watch)
    warning = f"-# ⚠️ {t(_ENDINGS[gallery.ending])}" if gallery.ending in _ENDINGS else ""
    head = [title, f"**{note}**" if note else "", " · ".join(where), nothing, warning]
    card.say("\n".join(filter(None, head)))
    for entry in screen.entries:
        item = entry.item
        marks = [items.marks(item), t("🔔 Watching") if item.id in watched else ""]
        marked = " · ".join(filter(None, marks))
        item_type = items.type_of(item, _ROOM_FOR_TYPE)
        facts = " · ".join(filter(None, [items.price_of(item), item_type]))
        lines = [f"**{items.name_of(item.name, _ROOM_FOR_NAME)}**", facts]
        card.say("\n".join([*lines, f"-# {marked}"] if marked else lines), items.picture(item))
    _offer_deeds(card, screen.entries, watched, can_watch=can_watch)
    catalogs = [
        drawing.Entry(named.name, shared_actions.OpenCatalog(named.game_id)) for named in others
    ]
    card.choose(catalogs, t("Open another catalog…"), name="catalogs")
    steps = tuple(_steps(gallery))
    buttons = tuple(_buttons(gallery, can_watch=can_watch))
    is_one_row = len(steps) + len(buttons) <= drawing.MAX_IN_ROW
    for row in [(*steps, *buttons)] if is_one_row else [steps, buttons]:
        card.buttons(*row)
    card.leave_out_pictures()
    return card


def _position(screen: paging.Screen[ItemPageKey, CatalogItem]) -> str:
    first = number(screen.first)
    last = number(screen.first + len(screen.entries) - 1)
    if screen.total is None:
        return t("%(first)s to %(last)s", first=first, last=last)
    count = number(screen.total)
    return t("%(first)s to %(last)s of %(count)s", first=first, last=last, count=count)


def _nothing(address: shop.Address, *, can_watch: bool) -> str:
    if not address.is_whole:
        return t("Nothing matches.")
    if not can_watch:
        return t("This catalog is empty right now.")
    return t("This catalog is empty right now. Watch it to get a direct message about new items.")


def _offer_deeds(
    card: drawing.Card,
    entries: abc.Sequence[CatalogItem],
    watched: abc.Set[int | None],
    *,
    can_watch: bool,
) -> None:
    """Add a list of actions on items. If there are many, only owned items can be redeemed here."""
    shown = [(entry.ref, entry.item) for entry in entries]
    owned = [(ref, item) for ref, item in shown if item.has_purchased]
    buyable = [(ref, item) for ref, item in shown if not item.has_purchased]
    to_redeem = owned if len(shown) > drawing.MAX_CHOICES // 4 else shown
    to_watch = [(ref, item) for ref, item in buyable if can_watch and item.id not in watched]
    to_end = [(ref, item) for ref, item in shown if item.id in watched]
    deeds = [
        *items.deed(shared_actions.OpenItem, shown),
        *items.deed(shared_actions.AskPurchase, buyable),
        *items.deed(shared_actions.AskRedemption, to_redeem),
        *items.deed(shared_actions.WatchItem, to_watch),
        *items.deed(shared_actions.StopWatching, to_end),
    ]
    words = t("Open, buy, redeem or watch…") if to_redeem else t("Open, buy or watch…")
    if not can_watch:
        words = t("Open or buy…")
    card.choose(deeds, words)


def _steps(gallery: shop.CatalogScreen) -> abc.Iterator[drawing.Button]:
    screen = gallery.screen
    if not (screen.entries or screen.previous):
        return

    def at(position: paging.Position[ItemPageKey]) -> actions.ShowItems:
        return actions.ShowItems.at(gallery.address.at(position))

    def step(
        target: paging.Position[ItemPageKey] | None, *, goes_back: bool
    ) -> actions.ShowItems | None:
        if target is None:
            return None
        # From the items on this screen: the list may move until the press.
        entries = screen.entries if goes_back else screen.entries[::-1]
        beside = replace(at(screen.at), goes_back=goes_back)
        beside = custom_ids.with_seen(beside, [entry.item.id for entry in entries])
        # A long filter leaves no room for the ids.
        return beside if beside.seen else at(target)

    first = paging.Position(screen.at.key._replace(page=1))
    if screen.previous not in (None, first):
        yield drawing.button(at(first), t("First"))
    back = step(screen.previous, goes_back=True)
    forth = step(screen.next, goes_back=False)
    yield from drawing.step_buttons(back, forth)
    if gallery.last is not None:
        yield drawing.button(at(gallery.last), t("Last"))
    elif screen.next is not None and not gallery.is_end_known:
        yield drawing.button(actions.ShowLastItems.at(gallery.address), t("Last"))


def _buttons(gallery: shop.CatalogScreen, *, can_watch: bool) -> abc.Iterator[drawing.Button]:
    address = gallery.address
    screen = gallery.screen
    again = actions.ShowItems.at(address)
    everything = actions.ShowItems.at(shop.Address(address.catalog_id))
    is_filtered = not address.is_whole
    # One button of a card is blue: Keep reading, if the unread rest may have the item.
    style = drawing.GREY if gallery.ending.is_early else drawing.BLUE
    if screen.entries or screen.previous:
        yield drawing.button(actions.FilterCatalog.at(address), t("Filter"))
        if is_filtered:
            yield drawing.button(everything, t("Show all"))
        if screen.total is None or screen.total > 2 * shop.SCREEN_SIZE:
            yield drawing.button(actions.GoToCatalogPage.at(address), t("Go to page"))
    elif is_filtered:
        yield drawing.button(everything, t("Show all"), style=style)
        yield drawing.button(actions.FilterCatalog.at(address), t("Filter"))
    if can_watch and address.query != item_queries.ANYTHING:
        watch = actions.WatchFilter.at(address)
        yield drawing.button(watch, t("Watch this filter"), emoji="🔔")
    elif can_watch and not (screen.entries or screen.previous or is_filtered):
        watch = actions.WatchCatalog(address.catalog_id)
        yield drawing.button(watch, t("Watch"), style=style, emoji="🔔")
    if gallery.ending.is_early:
        yield drawing.button(
            replace(again, mode=shop.ReadMode.READ_ON), t("Keep reading"), style=drawing.BLUE
        )
    else:
        yield drawing.button(replace(again, mode=shop.ReadMode.REFRESH), t("Refresh"))


def progress_card(
    catalog: Place, pages: int, reading: str, length: int | None, done_at: datetime | None
) -> drawing.Card:
    """Say how far a catalog was read. Its length is known if someone has read it before."""
    if length is None or done_at is None:
        share = t(
            "Page %(next)s: %(read)s of at least %(known)s pages read.",
            next=number(pages + 1),
            read=number(pages),
            known=number(pages + 1),
        )
    else:
        share = t(
            "Page %(next)s of about %(length)s. Done %(when)s.",
            next=number(pages + 1),
            length=number(length),
            when=discord.utils.format_dt(done_at, "R"),
        )
    title = items.catalog_title(catalog.game_id, catalog.name)
    body = t("Kiosk is reading the whole catalog.") + "\n" + share
    stop = drawing.button(actions.StopReading(reading), t("Stop"))
    return drawing.notice(title, body, colour=theme.SHOP, buttons=(stop,))
