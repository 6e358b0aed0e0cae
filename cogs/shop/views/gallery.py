"""The gallery: a catalog's items, five to a screen, and how far the reading of one has come."""

from dataclasses import replace
from typing import Any

import discord
from discord import ui

from bot.features.names import Place
from bot.features.shop import Mode
from bot.features.shop.catalogs import Ending
from bot.features.shop.item_filter import CatalogItem
from bot.features.shop.screens import Screen
from bot.game.models import Currency
from bot.i18n import N_, nt, number, t
from bot.ui import theme
from bot.ui.actions import ActionButton, ActionSelect
from bot.ui.cards import Card, notice
from bot.ui.items import beside, catalog_title, marks, name_of, plain_price, price_of, word
from bot.ui.shared_actions import OpenItem, item_value
from bot.ui.text import one_line
from cogs.shop.actions import (
    PickItem,
    ShowScreen,
    StopReading,
)
from cogs.shop.views.wording import filter_words

# Discord's limit for the label and the description of a list's entry.
_LONGEST_LABEL = 100
# With more, a full screen would have more components than Discord takes.
_MOST_CURRENCIES = 3

_ENDINGS = {
    Ending.UNREADABLE: N_("The game tells of some items in a way that Kiosk can't read."),
    Ending.STOPPED: N_("You stopped the reading, so later items are missing."),
    Ending.FAILED: N_("The game stopped answering, so later items are missing."),
    Ending.TOO_LONG: N_("The catalog goes on and on; what comes later is left out."),
}


def gallery_card(catalog: Place, screen: Screen) -> Card:
    """Show a screen of items."""
    card = Card(theme.SHOP)
    by_id = {entry.item.currency.id: entry.item.currency for entry in screen.items}
    currencies = [each for each in by_id.values() if each.icon_url][:_MOST_CURRENCIES]
    picked = filter_words(screen.address.item_filter, screen.type_name)
    head = list(
        filter(
            None,
            [
                f"## {catalog_title(catalog.game_id, catalog.name)}",
                picked,
                f"-# {_position(screen)}",
            ],
        )
    )
    if len(currencies) == 1:
        card.frame.add_item(_price_legend(currencies.pop(), head))
    else:
        card.say("\n".join(head))
    for entry in screen.items:
        card.divide()
        card.frame.add_item(_entry(entry))
    if screen.items:
        card.divide()
        for currency in currencies:
            card.frame.add_item(_price_legend(currency, []))
        card.frame.add_item(ui.ActionRow(_list(screen)))
    else:
        card.say(_nothing(screen))
    if screen.ending in _ENDINGS:
        card.say(f"-# ⚠️ {t(_ENDINGS[screen.ending])}")
    card.buttons(*_ways_on(screen))
    return card


def _price_legend(currency: Currency, above: list[str]) -> ui.Item[Any]:
    """Show a currency's picture beside its name: a price's own text can't hold one."""
    name = t("-# Prices in **%(currency)s**", currency=word(currency.name))
    return beside("\n".join([*above, name]), currency.icon_url, currency.name)


def _position(screen: Screen) -> str:
    first = number(screen.address.offset + 1)
    last = number(screen.address.offset + len(screen.items))
    if screen.fitting is not None:
        total = nt("%(count)s item", "%(count)s items", screen.fitting)
        if not screen.items:
            return total
        return t("%(first)s to %(last)s of %(total)s", first=first, last=last, total=total)
    page = t("Page %(page)s", page=number(screen.address.page))
    if not screen.items:
        return page
    return t("%(page)s · items %(first)s to %(last)s", page=page, first=first, last=last)


def _nothing(screen: Screen) -> str:
    if screen.fitting is not None:
        return t("Nothing here fits what you asked for.")
    if screen.address.page > 1:
        return t("There is nothing on this page: the catalog ended before it.")
    return t("This catalog is empty just now.")


def _entry(entry: CatalogItem) -> ui.Item[Any]:
    item = entry.item
    lines = [f"**{name_of(item.name)}**", f"{word(item.item_type.name)} · {price_of(item)}"]
    found = marks(item)
    if found:
        lines.append(f"-# {found}")
    if item.icon_url:
        return beside("\n".join(lines), item.icon_url, item.name)
    return ui.Section("\n".join(lines), accessory=ActionButton(OpenItem(*entry.ref), t("Open")))


def _list(screen: Screen) -> ActionSelect:
    options = [
        discord.SelectOption(
            label=one_line(entry.item.name, _LONGEST_LABEL) or str(entry.item.id),
            value=item_value(entry.ref),
            description=plain_price(entry.item),
        )
        for entry in screen.items
    ]
    placeholder = t("Look at an item, buy or redeem it…")
    return ActionSelect(PickItem.at(screen.address), options, placeholder=placeholder)


def _ways_on(screen: Screen) -> list[ActionButton]:
    here = screen.address
    # Where there is no way on, a button needs an address all the same, unlike any other's.
    previous = ShowScreen.at(screen.previous or replace(here, page=0, offset=0))
    following = ShowScreen.at(screen.next or replace(here, page=0, offset=1))
    again = ShowScreen.at(here)
    ways = [
        ActionButton(previous, t("Previous"), emoji="◀️", disabled=screen.previous is None),
        ActionButton(following, t("Next"), emoji="▶️", disabled=screen.next is None),
        ActionButton(replace(again, mode=Mode.REFRESH), t("Refresh"), emoji="🔄"),
    ]
    if screen.ending in (Ending.STOPPED, Ending.FAILED):
        action, style = replace(again, mode=Mode.READ_ON), discord.ButtonStyle.primary
        ways.append(ActionButton(action, t("Read on"), style=style))
    return ways


def progress_card(catalog: Place, pages: int, reading: str) -> Card:
    """Say how many pages were read, the next one known to exist, and offer to stop."""
    share = t(
        "Reading page %(next)s: %(read)s of %(known)s known pages read.",
        next=number(pages + 1),
        read=number(pages),
        known=number(pages + 1),
    )
    return notice(
        catalog_title(catalog.game_id, catalog.name),
        t("Looking through the whole catalog for what fits.") + "\n" + share,
        colour=theme.SHOP,
        buttons=(ActionButton(StopReading(reading), t("Stop"), emoji="✋"),),
    )


def not_reading_card() -> Card:
    """Say that there is nothing to stop."""
    return notice(
        t("Nothing is being read any more"), t("Use `/shop browse` again to see the catalog.")
    )
