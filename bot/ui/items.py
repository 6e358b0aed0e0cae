"""Items on cards: their words, their pictures, and the buttons that order them."""

from collections.abc import Set

from discord import ButtonStyle

from bot.game.models import Item
from bot.i18n import number, t
from bot.ui.actions import action_button
from bot.ui.cards import GALLERY, Button, Card
from bot.ui.pictures import pictured, thumbnail
from bot.ui.shared_actions import AskPurchase, AskRedemption, WatchItem
from bot.ui.text import escape, one_line
from storage.names import ItemRef
from storage.subscriptions import Event, News
from storage.writes import WriteKind

_ROOM_FOR_NAME = 120
_ROOM_FOR_WORD = 60


def catalog_title(catalog_id: int, name: str | None) -> str:
    return t("Catalog %(number)s", number=catalog_id) if name is None else escape(name)


def name_of(text: str) -> str:
    return one_line(text, _ROOM_FOR_NAME, is_name=True) or t("(no name)")


def word(text: str) -> str:
    return one_line(text, _ROOM_FOR_WORD)


def price(cost: int, singular: str, plural: str) -> str:
    """Return a cost in its currency, in the right grammatical number."""
    if not cost:
        return t("Free")
    return f"{number(cost)} {one_line(singular if cost == 1 else plural, _ROOM_FOR_WORD)}"


def price_of(item: Item) -> str:
    """Return what an item costs, with the picture of its currency."""
    words = price(item.cost, item.currency.singular_name, item.currency.name)
    return pictured("currency", item.currency.id, words)


def type_of(item: Item, room: int = _ROOM_FOR_WORD) -> str:
    return pictured("type", item.item_type.id, one_line(item.item_type.name, room))


def plain_price(item: Item) -> str:
    """Return what an item costs, for lists, where Discord formats nothing."""
    if not item.cost:
        return t("Free")
    currency = item.currency
    name = currency.singular_name if item.cost == 1 else currency.name
    return f"{number(item.cost)} {one_line(name, _ROOM_FOR_WORD, plain=True)}"


def marks(item: Item, *, personal: bool = True) -> str:
    """Return what sets an item apart; what is one member's own only where it is `personal`."""
    found = [
        (item.has_purchased and personal, t("✅ Yours")),
        (item.is_clearance, t("🏷️ Clearance")),
        (item.is_member_item, t("⭐ Subscribers only")),
        (item.is_coin_code_item, t("🎟️ Coin code")),
    ]
    return " · ".join(text for is_so, text in found if is_so)


def say_facts(card: Card, item: Item, catalog: str, *, personal: bool) -> None:
    """Put an item's pictures and every fact on a card; a member's own only where `personal`."""
    head = [f"## {name_of(item.name)}", f"### {price_of(item)}", marks(item, personal=personal)]
    icon = thumbnail(item.currency.icon_url, item.currency.name)
    card.say("\n".join(filter(None, head)), icon)
    pictures = (
        thumbnail(item.icon_url, t("%(name)s: how it looks", name=item.name)),
        thumbnail(item.paper_url, t("%(name)s on paper", name=item.name)),
        thumbnail(item.no_eye_url, t("%(name)s without eyes", name=item.name)),
    )
    if shown := list(filter(None, pictures)):
        items = [{"media": each["media"], "description": each["description"]} for each in shown]
        card.add({"type": GALLERY, "items": items})
    kind = t("Type: %(type)s", type=type_of(item))
    place = t("Number %(number)s in %(catalog)s", number=item.id, catalog=catalog)
    card.say(f"{kind}\n-# {place}", thumbnail(item.item_type.image_url, item.item_type.name))


def order_buttons(item: Item, ref: ItemRef, disabled: Set[WriteKind] = frozenset()) -> list[Button]:
    green, blue, grey = ButtonStyle.success, ButtonStyle.primary, ButtonStyle.secondary
    # Most items are bought; of one with a coin code, redeeming is as likely.
    redeems = blue if item.is_coin_code_item else grey
    is_bought, is_redeemed = WriteKind.PURCHASE in disabled, WriteKind.REDEEM in disabled
    ask, redeem = AskPurchase(*ref), AskRedemption(*ref)
    return [
        action_button(ask, t("Buy"), style=green, emoji="🛒", disabled=is_bought),
        action_button(redeem, t("Redeem"), style=redeems, emoji="🎁", disabled=is_redeemed),
        action_button(WatchItem(*ref), t("Watch"), emoji="🔔"),
    ]


def what_is_new(event: Event) -> str:
    """Return what is new about an item, in the order in which it is told."""
    item = Item.from_json(event.item)
    currency, old = item.currency, event.old_cost
    cost = "" if old is None else price(old, currency.singular_name, currency.name)
    members = t("⭐ Now for subscribers only") if item.is_member_item else t("Now for everyone")
    words = {
        News.NEW: t("🆕 New"),
        News.BACK: t("↩️ Back again"),
        News.CLEARANCE: t("🏷️ On clearance"),
        News.CHEAPER: t("⬇️ Cheaper: was %(price)s", price=cost),
        News.MEMBERS: members,
    }
    return " · ".join(words[each] for each in News if each in event.news)
