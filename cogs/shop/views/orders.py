"""What is confirmed before an order, what came of it, and the list of all."""

from collections.abc import Sequence

import discord

from bot.features.shop.item_filter import CatalogItem
from bot.features.writing.orders import currency_digits
from bot.features.writing.rules import COUNTS_FOR, is_open
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import Action, action_button
from bot.ui.cards import Button, Card, notice
from bot.ui.items import marks, name_of, price, price_of, type_of
from bot.ui.pictures import thumbnail
from bot.ui.shared_actions import ASK, places_button
from cogs.shop.actions import (
    AskAgain,
    AskNow,
    ConfirmPurchase,
    ConfirmRedemption,
    ShowItem,
    ShowOrdered,
    ShowOrders,
    ShowScreen,
    Way,
)
from cogs.shop.views.wording import outcome, redeemed
from storage.names import ItemRef
from storage.writes import Write, WriteKind, WriteState

PER_LIST = 5

_LOOKS = {
    WriteState.KEPT: ("⏳", theme.CALM),
    WriteState.SENT: ("⏳", theme.CALM),
    WriteState.DONE: ("✅", theme.GOOD),
    WriteState.REFUSED: ("❌", theme.PROBLEM),
    WriteState.UNKNOWN: ("❔", theme.SHOP),
}
# Of one that is looked for still.
_LOOKING = "🔎"


def confirmation_card(
    entry: CatalogItem,
    kind: WriteKind,
    confirmation: int,
    way_back: Action,
    *,
    has_new_price: bool = False,
    earlier: Write | None = None,
) -> Card:
    """Ask whether to order; `way_back` is where one came from.

    `earlier` is a redemption of the same that is done or unknown.
    """
    item, name = entry.item, name_of(entry.item.name)
    facts = "-# " + " · ".join(filter(None, [type_of(item), marks(item)]))
    if kind is WriteKind.PURCHASE:
        lines = [f"### {t('Buy %(name)s?', name=name)}"]
        if has_new_price:
            lines.append(
                t("⚠️ **The price has changed.** Nothing was bought; this is the new price.")
            )
        lines += [t("It costs **%(price)s**.", price=price_of(item)), facts]
        confirm = action_button(
            ConfirmPurchase(*entry.ref, item.cost, confirmation, currency_digits(item)),
            t("Buy it"),
            style=discord.ButtonStyle.success,
            emoji="🛒",
        )
    else:
        lines = [f"### {t('Redeem %(name)s?', name=name)}"]
        if earlier is not None:
            lines.append(f"⚠️ {redeemed(earlier)}")
        lines += [facts, "-# " + t("It has to be at your current park in the game.")]
        confirm = action_button(
            ConfirmRedemption(*entry.ref, confirmation),
            t("Redeem it"),
            style=discord.ButtonStyle.primary,
            emoji="🎁",
        )
    card = Card(theme.SHOP)
    card.say("\n".join(lines), thumbnail(item.icon_url, item.name))
    card.buttons(confirm, action_button(way_back, t("Cancel")))
    return card


def owned_card(entry: CatalogItem, way: Way, order: Write | None = None) -> Card:
    """Say that there is nothing to buy, where it counts as bought by an `order` of minutes ago."""
    body = t("You have bought it before. Nothing was bought now.")
    if order is not None and order.asked_at is not None:
        body = t(
            "You bought it %(when)s, and nothing was bought now. Kiosk won't buy it again before "
            "%(until)s, whatever account is linked.",
            when=discord.utils.format_dt(order.asked_at, "R"),
            until=discord.utils.format_dt(order.asked_at + COUNTS_FOR, "t"),
        )
    return _about_item(
        theme.GOOD,
        f"### {t('%(name)s is yours already', name=name_of(entry.item.name))}\n{body}",
        (entry.item.icon_url, entry.item.name),
        entry.ref,
        way,
    )


def outcome_card(order: Write, way: Way | None = None) -> Card:
    """Say what an order has come to, and lead back where one came from, or to the catalog."""
    item, told = order.ordered, outcome(order)
    _, colour = _LOOKS[order.state]
    text = "\n".join(filter(None, [f"### {told.title}", told.body]))
    picture = thumbnail(item.icon_url, item.name)
    if order.state is WriteState.UNKNOWN and is_open(order):
        card = Card(colour)
        cost = price(item.cost, item.currency_singular, item.currency_name)
        when = discord.utils.format_dt(order.created_at, "R")
        ordered = t("%(price)s · ordered %(when)s", price=cost, when=when)
        card.say(f"{text}\n-# {ordered}", picture)
        blue = discord.ButtonStyle.primary
        card.buttons(
            action_button(AskNow(order.id), t("Ask now"), style=blue, emoji="🔄"),
            action_button(ShowOrders(0), t("Your orders"), emoji="🧾"),
        )
        return card
    way = way or ShowScreen(order.place_id, item.page)
    buttons: list[Button] = []
    if _may_be_repeated(order):
        buttons.append(try_again_button(order.kind, order.ref))
    if isinstance(way, ShowScreen):
        buttons.append(action_button(ShowOrders(0), t("Your orders"), emoji="🧾"))
    return _about_item(colour, text, (item.icon_url, item.name), order.ref, way, *buttons)


def _may_be_repeated(order: Write) -> bool:
    """Return whether an order came to nothing, or may have, and the same may be ordered again."""
    return order.state is not WriteState.DONE and not is_open(order)


def _about_item(
    colour: discord.Colour,
    text: str,
    picture: tuple[str | None, str],
    ref: ItemRef,
    way: Way,
    *buttons: Button,
) -> Card:
    """Make a card beside an item's picture, of its address and name, that leads there or back."""
    card = Card(colour)
    card.say(text, thumbnail(*picture))
    opening = action_button(ShowItem.of(ref, way), t("Open"), emoji="🔍")
    card.buttons(opening, *buttons, action_button(way, t("Back")))
    return card


def try_again_button(kind: WriteKind, ref: ItemRef) -> Button:
    """Lead back to the confirmation."""
    return action_button(ASK[kind](*ref), t("Try again"), emoji="🔁")


def orders_card(orders: Sequence[Write], offset: int, *, has_more: bool) -> Card:
    """List receipts, those of open orders first."""
    if not orders:
        return notice(
            t("Your orders"),
            t("You have not ordered anything yet. Start with `/shop browse`."),
            buttons=(places_button(t("Choose a catalog")),),
        )
    card = Card(theme.SHOP)
    card.say("## " + t("Your orders"))
    for order in orders:
        card.divide()
        _add_receipt(card, order, offset)
    if not offset and not has_more:
        return card
    newer, older = ShowOrders(max(0, offset - PER_LIST)), ShowOrders(offset + PER_LIST)
    card.divide(wide=True)
    card.buttons(
        action_button(newer, t("Previous"), emoji="◀️", disabled=not offset),
        action_button(older, t("Next"), emoji="▶️", disabled=not has_more),
    )
    return card


def _add_receipt(card: Card, order: Write, offset: int) -> None:
    item, told = order.ordered, outcome(order)
    sign, _ = _LOOKS[order.state]
    if order.state is WriteState.UNKNOWN and is_open(order):
        sign = _LOOKING
    name = f"**{name_of(item.name)}**"
    if order.kind is WriteKind.PURCHASE:
        cost = price(item.cost, item.currency_singular, item.currency_name)
        name += f" · {cost}"
    asked = "-# " + discord.utils.format_dt(order.created_at, "f")
    text = "\n".join(filter(None, [name, f"{sign} {told.state}", told.details, asked]))
    if _may_be_repeated(order):
        button = action_button(AskAgain(order.id, offset), t("Try again"), emoji="🔁")
    else:
        button = action_button(ShowOrdered(order.id, offset), t("Open"), emoji="🔍")
    if item.icon_url is None:
        card.say(text, button)
    else:
        card.say(text, thumbnail(item.icon_url, item.name))
        card.buttons(button)
