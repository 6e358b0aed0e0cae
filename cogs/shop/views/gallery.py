"""The gallery: a catalog's items, five to a screen, and how far the reading of one has come."""

from typing import Any

import discord
from discord import ui

from bot.features.names import Place
from bot.features.shop.catalog_cache import Ending
from bot.features.shop.catalogs import Progress
from bot.features.shop.item_filter import CatalogItem
from bot.features.shop.screens import Address, Screen
from bot.game.models import Currency, Item
from bot.i18n import N_, nt, number, t
from bot.ui import theme
from bot.ui.actions import ActionButton, ActionSelect
from bot.ui.cards import Card, notice
from bot.ui.text import escape, one_line
from cogs.shop.actions import (
    Mode,
    OpenItem,
    PickItem,
    ShowScreen,
    StopReading,
    item_value,
)
from cogs.shop.views.wording import marks, name_of, price_of, selection_words, word

# Discord's limit for the label and the description of a list's entry.
_LONGEST_LABEL = 100
# With more, a full screen would have more components than Discord takes.
_MOST_CURRENCIES = 3

_ENDINGS = {
    Ending.STOPPED: N_("You stopped the reading, so later items are missing."),
    Ending.FAILED: N_("The game stopped answering, so later items are missing."),
    Ending.TOO_LONG: N_("The catalog goes on and on; what comes later is left out."),
}


def catalog_title(catalog: Place) -> str:
    """Give a catalog's name here, or its number."""
    if catalog.name is None:
        return t("Catalog %(number)s", number=catalog.game_id)
    return escape(catalog.name)


def gallery_card(catalog: Place, screen: Screen, type_name: str | None) -> Card:
    """Show a screen of items; `type_name` is that of the selection's type."""
    card = Card(theme.SHOP)
    currencies = _pictured_currencies(screen)
    head = _head(catalog, screen, type_name)
    if len(currencies) == 1:
        card.frame.add_item(_price_legend(currencies[0], head))
    else:
        card.say("\n".join(head))
    for shelved in screen.items:
        card.divide()
        card.frame.add_item(_entry(shelved))
    if screen.items:
        card.divide()
        if len(currencies) > 1:
            for currency in currencies:
                card.frame.add_item(_price_legend(currency, []))
        _add_list(card, screen)
    else:
        card.say(_nothing(screen))
    if screen.ending in _ENDINGS:
        card.say(f"-# ⚠️ {t(_ENDINGS[screen.ending])}")
    card.buttons(*_ways_on(screen))
    return card


def _head(catalog: Place, screen: Screen, type_name: str | None) -> list[str]:
    picked = selection_words(screen.address.selection, type_name)
    lines = [f"## {catalog_title(catalog)}", picked, f"-# {_position(screen)}"]
    return [line for line in lines if line]


def _pictured_currencies(screen: Screen) -> list[Currency]:
    by_id = {shelved.item.currency.id: shelved.item.currency for shelved in screen.items}
    return [each for each in by_id.values() if each.icon_url][:_MOST_CURRENCIES]


def _price_legend(currency: Currency, above: list[str]) -> ui.Section[Any]:
    """Show a currency's picture beside its name: a price's own text can't hold one."""
    name = t("-# Prices in **%(currency)s**", currency=word(currency.name))
    return ui.Section("\n".join([*above, name]), accessory=_icon(currency))


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


def _entry(shelved: CatalogItem) -> ui.Item[Any]:
    item = shelved.item
    lines = [f"**{name_of(item.name)}**", f"{word(item.item_type.name)} · {price_of(item)}"]
    found = marks(item)
    if found:
        lines.append(f"-# {found}")
    if item.icon_url:
        return ui.Section("\n".join(lines), accessory=_thumbnail(item))
    place = shelved.place
    button = ActionButton(OpenItem(place.catalog_id, place.page, place.item_id), t("Open"))
    return ui.Section("\n".join(lines), accessory=button)


def _thumbnail(item: Item) -> ui.Thumbnail[Any]:
    return ui.Thumbnail(item.icon_url or "", description=alternative_text(item.name))


def _icon(currency: Currency) -> ui.Thumbnail[Any]:
    return ui.Thumbnail(currency.icon_url or "", description=alternative_text(currency.name))


def alternative_text(text: str) -> str | None:
    """Describe a picture by the name of what it shows."""
    return one_line(text, 256) or None


def _add_list(card: Card, screen: Screen) -> None:
    options = [
        discord.SelectOption(
            label=one_line(shelved.item.name, _LONGEST_LABEL) or str(shelved.item.id),
            value=item_value(shelved.place),
            description=one_line(price_of(shelved.item), _LONGEST_LABEL),
        )
        for shelved in screen.items
    ]
    placeholder = t("Look at an item, buy or redeem it…")
    select = ActionSelect(PickItem.at(screen.address), options, placeholder=placeholder)
    card.frame.add_item(ui.ActionRow(select))


def _ways_on(screen: Screen) -> list[ActionButton]:
    here = screen.address
    ways = [
        _way(screen.previous, here, "◀️", t("Previous")),
        _way(screen.next, here, "▶️", t("Next")),
        ActionButton(ShowScreen.at(here, Mode.REFRESH), t("Refresh"), emoji="🔄"),
    ]
    if screen.ending in (Ending.STOPPED, Ending.FAILED):
        ways.append(
            ActionButton(
                ShowScreen.at(here, Mode.READ_ON),
                t("Read on"),
                style=discord.ButtonStyle.primary,
            )
        )
    return ways


def _way(address: Address | None, here: Address, emoji: str, label: str) -> ActionButton:
    # Where there is no way on, the button needs an address all the same, unlike any other's.
    blind = Address(here.catalog_id, 0, int(label == t("Next")), here.selection)
    return ActionButton(
        ShowScreen.at(address or blind), label, emoji=emoji, disabled=address is None
    )


def progress_card(catalog: Place, progress: Progress, reading: str) -> Card:
    """Say how many pages were read of those known, and offer to stop."""
    share = t(
        "Reading page %(next)s: %(read)s of %(known)s known pages read.",
        next=number(progress.read + 1),
        read=number(progress.read),
        known=number(progress.known),
    )
    return notice(
        catalog_title(catalog),
        t("Looking through the whole catalog for what fits.") + "\n" + share,
        colour=theme.SHOP,
        buttons=(ActionButton(StopReading(reading), t("Stop"), emoji="✋"),),
    )


def not_reading_card() -> Card:
    """Say that there is nothing to stop."""
    return notice(
        t("Nothing is being read any more"), t("Use `/shop browse` again to see the catalog.")
    )
