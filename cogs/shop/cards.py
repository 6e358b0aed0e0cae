"""The gallery, five of a catalog's items to a screen, how far it is read, and an item's card."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import discord
from msgspec.structs import replace

from bot.features.names import Place
from bot.features.reading.catalogs import CatalogItem, Ending, ItemFilter, ItemSort, Show
from bot.features.reading.shop import Address, Refresh, Screen
from bot.features.writing.rules import is_open
from bot.i18n import N_, nt, number, t
from bot.ui import theme
from bot.ui.actions import (
    LONGEST_CHOICE,
    MOST_CHOICES,
    ListEntry,
    action_button,
    action_list,
    action_select,
    step_buttons,
)
from bot.ui.cards import Button, Card, Option, Select, notice, option
from bot.ui.items import (
    catalog_title,
    marks,
    name_of,
    order_buttons,
    plain_price,
    price_of,
    say_facts,
    type_of,
)
from bot.ui.pictures import thumbnail
from bot.ui.sent_cards import finish_shared
from bot.ui.shared_actions import OpenItem
from bot.ui.text import one_line
from cogs.shop.actions import PickItem, ShareItem, ShowItem, ShowScreen, StopReading, Way
from cogs.shop.order_cards import outcome, redeemed
from storage.writes import ORDERS, Write, WriteKind, WriteState

_ENDINGS = {
    Ending.UNREADABLE: N_("Kiosk can't read some of the items that the game sent."),
    Ending.STOPPED: N_("You stopped the reading, so later items are missing."),
    Ending.FAILED: N_("The game stopped answering, so later items are missing."),
    Ending.TOO_LONG: N_("The catalog goes on and on; what comes later is left out."),
}

_SHOW_WORDS = {
    Show.ALL: N_("All items"),
    Show.NOT_OWNED: N_("Not owned yet"),
    Show.CLEARANCE: N_("Clearance"),
    Show.MEMBERS: N_("Subscribers only"),
}
_SORT_WORDS = {
    ItemSort.CATALOG: N_("In the catalog's order"),
    ItemSort.COST: N_("Cheapest first"),
    ItemSort.NAME: N_("From A to Z"),
}
# Beside all of them, the chosen one, and the way to those that are not known yet.
_MOST_TYPES = MOST_CHOICES - 3


def gallery_card(catalog: Place, screen: Screen) -> Card:
    card = Card(theme.SHOP)
    title = f"## {catalog_title(catalog.game_id, catalog.name)}"
    card.say(f"{title}\n-# {' · '.join(_position(screen))}")
    for entry in screen.items:
        item = entry.item
        card.divide()
        lines = [f"**{name_of(item.name)}**", f"{type_of(item)} · {price_of(item)}"]
        if found := marks(item):
            lines.append(f"-# {found}")
        beside = thumbnail(item.icon_url, item.name)
        if not item.icon_url:
            opening = ShowItem.of(entry.ref, ShowScreen.at(screen.address))
            beside = action_button(opening, t("Open"), emoji="🔍")
        card.say("\n".join(lines), beside)
    if screen.items:
        card.divide()
        card.choose(_list(screen))
    else:
        card.say(_nothing(screen))
    if screen.ending in _ENDINGS:
        card.say(f"-# ⚠️ {t(_ENDINGS[screen.ending])}")
    add_steering(card, screen)
    card.buttons(*_ways_on(screen))
    return card


def _position(screen: Screen) -> Iterator[str]:
    first, last = number(screen.first), number(screen.first + len(screen.items) - 1)
    if not screen.items and screen.total is None:
        yield t("Page %(page)s", page=number(screen.address.page))
    elif not screen.items:
        yield nt("%(count)s item", "%(count)s items", screen.total or 0)
    elif screen.total is None:
        yield t("%(first)s to %(last)s", first=first, last=last)
    else:
        count = number(screen.total)
        yield t("%(first)s to %(last)s of %(count)s", first=first, last=last, count=count)
    most = screen.address.item_filter.max_cost
    if most is not None:
        yield t("up to %(cost)s", cost=number(most))


def _nothing(screen: Screen) -> str:
    if not screen.address.item_filter.is_everything:
        return t("Nothing here fits what you asked for.")
    if screen.address.page > 1:
        return t("There is nothing on this page: the catalog ended before it.")
    return t("This catalog is empty just now.")


def _list(screen: Screen) -> Select:
    opening: list[Option] = []
    buying: list[Option] = []
    for entry in screen.items:
        item, cost = entry.item, plain_price(entry.item)
        label = one_line(item.name, LONGEST_CHOICE, plain=True) or str(item.id)
        opening.append(option(label, PickItem.value_of(entry.ref), description=cost, emoji="🔍"))
        if not item.has_purchased:
            label = one_line(t("Buy %(name)s", name=item.name), LONGEST_CHOICE, plain=True)
            value = PickItem.value_of(entry.ref, buys=True)
            buying.append(option(label, value, description=cost, emoji="🛒"))
    options = [*opening, *buying]
    return action_select(PickItem.at(screen.address), options, placeholder=t("Open or buy…"))


def _ways_on(screen: Screen) -> Iterator[Button]:
    here = screen.address
    again = ShowScreen.at(here)
    if screen.items or screen.previous:
        ways = (screen.previous, screen.next)
        yield from step_buttons(*(each and ShowScreen.at(each) for each in ways))
    elif not here.item_filter.is_everything:
        everything = ShowScreen.at(Address(here.catalog_id))
        yield action_button(everything, t("Show everything"), style=discord.ButtonStyle.primary)
    yield action_button(replace(again, mode=Refresh.REFRESH), t("Refresh"), emoji="🔄")
    if screen.ending.is_early:
        action, style = replace(again, mode=Refresh.READ_ON), discord.ButtonStyle.primary
        yield action_button(action, t("Read on"), style=style)


def progress_card(
    catalog: Place,
    pages: int,
    reading: str,
    length: int | None = None,
    done_at: datetime | None = None,
) -> Card:
    """Say how many pages were read, and offer to stop.

    The next page is known to exist; of how many there are, and when that will be done, only where
    somebody has read the catalog before.
    """
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
    return notice(
        catalog_title(catalog.game_id, catalog.name),
        t("Looking through the whole catalog for what fits.") + "\n" + share,
        colour=theme.SHOP,
        buttons=(action_button(StopReading(reading), t("Stop"), emoji="✋"),),
    )


def not_reading_card() -> Card:
    return notice(
        t("Nothing is being read any more"), t("Use `/shop browse` again to see the catalog.")
    )


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
        types.append(
            ListEntry(t("Find all types…"), replace(ShowScreen.at(here), mode=Refresh.READ_ON))
        )
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


def item_card(
    entry: CatalogItem,
    catalog: Place,
    way: Way,
    orders: Mapping[WriteKind, Write | None],
) -> Card:
    """Show an item to one member, who came this way.

    `orders` are those that stand in the way of a purchase, and the last redemption.
    """
    card = Card(theme.SHOP)
    title = catalog_title(catalog.game_id, catalog.name)
    say_facts(card, entry.item, title, personal=True)
    reasons = {kind: _reason(entry, kind, orders.get(kind)) for kind in ORDERS}
    redemption = orders.get(WriteKind.REDEEM)
    disabled = {WriteKind.PURCHASE} if reasons[WriteKind.PURCHASE] else set[WriteKind]()
    if redemption and is_open(redemption):
        disabled.add(WriteKind.REDEEM)
    card.buttons(
        *order_buttons(entry.item, entry.ref, disabled),
        action_button(ShareItem(*entry.ref), t("Share"), emoji="📣"),
        action_button(way, t("Back")),
    )
    lines = [f"-# {reason}" for reason in reasons.values() if reason]
    if not reasons[WriteKind.REDEEM]:
        lines.append("-# " + t("Redeeming works for items at your current park in the game."))
    card.say("\n".join(lines))
    return card


def shared_card(entry: CatalogItem, catalog: Place, sharer: discord.abc.User) -> Card:
    """Show an item to a whole channel; whoever presses a button acts as themselves."""
    card = Card(theme.SHOP)
    say_facts(card, entry.item, catalog_title(catalog.game_id, catalog.name), personal=False)
    opening = action_button(OpenItem(*entry.ref), t("Open"), emoji="🔍")
    return finish_shared(card, sharer, *order_buttons(entry.item, entry.ref), opening)


def _reason(entry: CatalogItem, kind: WriteKind, order: Write | None) -> str:
    """Return what stands against buying, or is to be known before redeeming; or nothing."""
    is_purchase = kind is WriteKind.PURCHASE
    if is_purchase and entry.item.has_purchased:
        return t("You own it, so there is nothing left to buy.")
    is_done = order is not None and order.state is WriteState.DONE
    if order is None or (is_purchase and is_done):
        # What was bought with another account says nothing of this one's.
        return ""
    if order.state not in (WriteState.KEPT, WriteState.SENT):
        return outcome(order).state if is_purchase else redeemed(order)
    if is_purchase:
        return t("You are buying it already: see `/shop orders`.")
    return t("You are redeeming it already: see `/shop orders`.")
