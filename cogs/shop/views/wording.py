"""How items, prices and orders are put into words."""

from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.orders.rules import Reason
from bot.features.shop.item_filter import ItemFilter, ItemSort, Show
from bot.game.models import Item
from bot.i18n import N_, number, t
from bot.ui.text import cut

_ROOM_FOR_NAME = 120
_ROOM_FOR_WORD = 60
_ROOM_FOR_QUOTE = 300

_SHOW_WORDS = {
    Show.NOT_OWNED: N_("Not owned yet"),
    Show.CLEARANCE: N_("Clearance"),
    Show.MEMBERS: N_("Members only"),
}
_SORT_WORDS = {
    ItemSort.COST: N_("sorted by cost"),
    ItemSort.NAME: N_("sorted by name"),
}

_REASONS = {
    (OrderKind.PURCHASE, Reason.CONFLICT): N_(
        "You may not have enough for it, or own it already. Look at your balance in the game."
    ),
    (OrderKind.PURCHASE, Reason.FORBIDDEN): N_(
        "Your game account may not buy it. Items for members need a subscription."
    ),
    (OrderKind.PURCHASE, Reason.GONE): N_("The game no longer sells it."),
    (OrderKind.REDEEM, Reason.CONFLICT): N_(
        "Only items at your current park can be redeemed, each once. Go to the item's park in the "
        "game, then try again."
    ),
    (OrderKind.REDEEM, Reason.FORBIDDEN): N_(
        "Your game account may not redeem it. Items for members need a subscription, and only "
        "items at your current park can be redeemed."
    ),
    (OrderKind.REDEEM, Reason.GONE): N_(
        "The game doesn't have it at your current park. Go to the item's park in the game, then "
        "try again."
    ),
    (OrderKind.REDEEM, Reason.REJECTED): N_(
        "Only items at your current park can be redeemed, each once."
    ),
}
_REASONS_OF_BOTH = {
    Reason.REJECTED: N_("The game found a fault in what was asked."),
    Reason.BUSY: N_("The game asks for patience. Wait a minute, then try again."),
    Reason.UNREACHABLE: N_("The game could not be reached, so it was never asked."),
    Reason.LINK: N_(
        "The game no longer accepts your access token. Use `/account link` with a new one."
    ),
    Reason.NO_ANSWER: N_(
        "The game's answer never came, and the catalog shows that you don't own it."
    ),
    Reason.NOT_SENT: N_("Kiosk was interrupted before it had asked the game."),
    Reason.ACCOUNT_CHANGED: N_(
        "Another game account is linked now, so Kiosk can't look it up. Sign in to the account "
        "you ordered with and see whether it is there."
    ),
}


def name_of(text: str) -> str:
    """Give an item's name as one line of harmless markdown."""
    return cut(text, _ROOM_FOR_NAME) or t("(no name)")


def word(text: str) -> str:
    """Give a type's or a currency's name as a few harmless words."""
    return cut(text, _ROOM_FOR_WORD)


def price(cost: int, singular: str, plural: str) -> str:
    """Write a cost in its currency, in the right grammatical number."""
    return f"{number(cost)} {word(singular if cost == 1 else plural)}"


def price_of(item: Item) -> str:
    """Write what an item costs."""
    return price(item.cost, item.currency.singular_name, item.currency.name)


def marks(item: Item, *, personal: bool = True) -> str:
    """Write what sets an item apart; what is one member's own only where it is `personal`."""
    found = [
        (item.has_purchased and personal, t("✅ Yours")),
        (item.is_clearance, t("🏷️ Clearance")),
        (item.is_member_item, t("⭐ Members only")),
        (item.is_coin_code_item, t("🎟️ Coin code")),
    ]
    return " · ".join(text for is_so, text in found if is_so)


def selection_words(selection: ItemFilter, type_name: str | None) -> str:
    """Write what was picked, and in which order."""
    parts: list[str] = []
    if selection.show in _SHOW_WORDS:
        parts.append(t(_SHOW_WORDS[selection.show]))
    if type_name is not None:
        parts.append(word(type_name))
    if selection.max_cost is not None:
        parts.append(t("up to %(cost)s", cost=number(selection.max_cost)))
    if selection.sort in _SORT_WORDS:
        parts.append(t(_SORT_WORDS[selection.sort]))
    return " · ".join(parts)


def order_price(order: Order) -> str:
    """Write what an order costs or has cost."""
    return price(order.cost, order.currency_singular, order.currency_name)


def outcome(order: Order) -> tuple[str, str]:
    """Tell what an order has come to: a title and a body, the game's words among it."""
    title, body = (_of_purchase if order.kind is OrderKind.PURCHASE else _of_redemption)(order)
    return title, "\n".join(filter(None, [body, _reason(order), _quote(order)]))


def _of_purchase(order: Order) -> tuple[str, str]:
    name = name_of(order.item_name)
    match order.state:
        case OrderState.DONE:
            return t("%(name)s is yours", name=name), t(
                "Bought for %(price)s. It is on your account in the game.", price=order_price(order)
            )
        case OrderState.REFUSED:
            return t("%(name)s was not bought", name=name), t("You were not charged.")
        case OrderState.UNKNOWN if order.is_open:
            return t("%(name)s: still finding out", name=name), t(
                "The game was asked to sell it, but its answer never came, and it can't yet be "
                "told whether it did. Kiosk keeps looking and tells you; it will not buy it twice."
            )
        case OrderState.UNKNOWN:
            return t("%(name)s: nobody can say", name=name), t(
                "The game was asked to sell it, but its answer never came. Look in the game "
                "whether you own it before you buy it again."
            )
        case OrderState.STARTED:
            return t("%(name)s is being bought", name=name), t(
                "This purchase is already under way. Kiosk will not buy it twice."
            )


def _of_redemption(order: Order) -> tuple[str, str]:
    name = name_of(order.item_name)
    match order.state:
        case OrderState.DONE:
            return t("%(name)s is redeemed", name=name), t("It is on your account in the game.")
        case OrderState.REFUSED:
            return t("%(name)s was not redeemed", name=name), ""
        case OrderState.UNKNOWN:
            return t("%(name)s: nobody can say", name=name), t(
                "The game was asked to redeem it, but its answer never came, and the game has no "
                "list in which Kiosk could look it up. Open the game and see whether the item is "
                "among your things before you redeem it again."
            )
        case OrderState.STARTED:
            return t("%(name)s is being redeemed", name=name), t(
                "This is already under way. Kiosk will not redeem it twice."
            )


def _reason(order: Order) -> str:
    if order.reason is None or order.state in (OrderState.DONE, OrderState.STARTED):
        return ""
    reason = Reason(order.reason)
    return t(_REASONS.get((order.kind, reason)) or _REASONS_OF_BOTH[reason])


def _quote(order: Order) -> str:
    if order.game_words is None or order.state is OrderState.DONE:
        return ""
    quote = cut(order.game_words, _ROOM_FOR_QUOTE)
    return t("The game says: “%(quote)s”", quote=quote)
