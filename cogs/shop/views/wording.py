"""How orders are put into words."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

import discord

from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.orders.rules import Reason, may_arrive_until
from bot.i18n import N_, t
from bot.ui.items import name_of, price
from bot.ui.text import one_line

_ROOM_FOR_QUOTE = 300


class OutcomeWords(NamedTuple):
    """What an order has come to: a title and a body, or a few words with details below."""

    title: str
    body: str
    state: str
    details: str


# What an order has come to: a title, a body, and the state on its receipt.
_OUTCOMES = {
    (OrderKind.PURCHASE, OrderState.STARTED): (
        N_("%(name)s is being bought"),
        N_("This purchase is already under way. Kiosk will not buy it twice."),
        N_("Under way: the game is being asked"),
    ),
    (OrderKind.PURCHASE, OrderState.DONE): (
        N_("%(name)s is yours"),
        N_("Bought for %(price)s. It is on your account in the game."),
        N_("Bought"),
    ),
    (OrderKind.PURCHASE, OrderState.REFUSED): (
        N_("%(name)s was not bought"),
        N_("You were not charged."),
        N_("Not bought: you were not charged"),
    ),
    (OrderKind.PURCHASE, OrderState.UNKNOWN): (
        N_("%(name)s: outcome unknown"),
        N_(
            "The game was asked to sell it, but its answer never came. Look in the game whether "
            "you own it before you buy it again."
        ),
        N_("Can't be known: look in the game whether you own it"),
    ),
    (OrderKind.REDEEM, OrderState.STARTED): (
        N_("%(name)s is being redeemed"),
        N_("This is already under way. Kiosk will not redeem it twice."),
        N_("Under way: the game is being asked"),
    ),
    (OrderKind.REDEEM, OrderState.DONE): (
        N_("%(name)s is redeemed"),
        N_("It is on your account in the game."),
        N_("Redeemed"),
    ),
    (OrderKind.REDEEM, OrderState.REFUSED): (
        N_("%(name)s was not redeemed"),
        "",
        N_("Not redeemed"),
    ),
    (OrderKind.REDEEM, OrderState.UNKNOWN): (
        N_("%(name)s: outcome unknown"),
        N_(
            "The game was asked to redeem it, but its answer never came, and the game has no list "
            "in which Kiosk could look it up. Open the game and see whether the item is among "
            "your things before you redeem it again."
        ),
        N_("Can't be known: look in the game whether you have it"),
    ),
}
# For a purchase that is REFUSED because it is not seen, while it may yet be.
_NOT_SO_FAR = (
    N_("%(name)s was not bought so far"),
    N_("The game's answer never came, and the catalog does not show it as yours."),
    N_("Not bought so far"),
)
# For a purchase that is UNKNOWN, but not for good.
_STILL_LOOKING = (
    N_("%(name)s: still finding out"),
    N_(
        "The game was asked to sell it, but its answer never came. Kiosk keeps looking whether you "
        "own it, and tells you."
    ),
    N_("Still finding out: Kiosk keeps looking and tells you"),
)

# By the order's reason, and by its kind where that makes a difference.
_REASONS: dict[tuple[OrderKind | None, str], str] = {
    (OrderKind.PURCHASE, "Conflict"): N_(
        "You may not have enough for it, or own it already. Look at your balance in the game."
    ),
    (OrderKind.PURCHASE, "Forbidden"): N_(
        "Your game account may not buy it. Items for members need a subscription."
    ),
    (OrderKind.PURCHASE, "NotFound"): N_("The game no longer sells it."),
    (OrderKind.REDEEM, "Conflict"): N_(
        "Only items at your current park can be redeemed, each once. Go to the item's park in the "
        "game, then try again."
    ),
    (OrderKind.REDEEM, "Forbidden"): N_(
        "Your game account may not redeem it. Items for members need a subscription, and only "
        "items at your current park can be redeemed."
    ),
    (OrderKind.REDEEM, "NotFound"): N_(
        "The game doesn't have it at your current park. Go to the item's park in the game, then "
        "try again."
    ),
    (OrderKind.REDEEM, "Refused"): N_(
        "Only items at your current park can be redeemed, each once."
    ),
    (None, "Refused"): N_("The game found a fault in what was asked."),
    (None, "RateLimited"): N_("The game asks for patience. Wait a minute, then try again."),
    (None, "Unavailable"): N_("The game could not be reached, so it was never asked."),
    (None, "AccountError"): N_(
        "The game no longer accepts your access token. Use `/account link` with a new one."
    ),
    (None, Reason.NO_ANSWER): N_(
        "The game's answer never came, and the catalog shows that you don't own it."
    ),
    (None, Reason.NOT_SENT): N_("Kiosk was interrupted before it had asked the game."),
    (None, Reason.NO_TURN): N_(
        "Too much is being asked of the game at once, so it was not asked for this. Wait a "
        "minute, then try again."
    ),
    (None, Reason.NEVER_SEEN): N_(
        "For a day, the catalog could not be read or no longer had the item, so Kiosk has stopped "
        "looking."
    ),
    (None, Reason.ACCOUNT_CHANGED): N_(
        "The game account you ordered with is no longer linked, so Kiosk can't look it up. Sign in "
        "to it in the game and see whether it is there."
    ),
}


def doubt(order: Order, now: datetime) -> str:
    """Return that an order may have happened, or may yet."""
    tried = t(
        "⚠️ You tried this %(when)s and the game's answer never came. Look in the game first: it "
        "may have happened.",
        when=discord.utils.format_dt(order.created_at, "R"),
    )
    until = may_arrive_until(order, now)
    return " ".join(filter(None, [tried, until and _may_arrive(order, until)]))


def redeemed(order: Order) -> str:
    """Return what is known of an earlier redemption."""
    if order.state is OrderState.UNKNOWN:
        return t("Whether an earlier redemption arrived isn't known.")
    when = discord.utils.format_dt(order.settled_at or order.created_at, "R")
    return t("You redeemed it %(when)s.", when=when)


def outcome(order: Order, now: datetime) -> OutcomeWords:
    """Return what an order has come to, with the reason and the game's words."""
    words = _OUTCOMES[order.kind, order.state]
    until = may_arrive_until(order, now)
    if order.state is OrderState.UNKNOWN and order.is_open:
        words = _STILL_LOOKING
    elif order.state is OrderState.REFUSED and until:
        words = _NOT_SO_FAR
    title, body, state = words
    cost = price(order.cost, order.currency_singular, order.currency_name)
    details = [] if order.state is OrderState.DONE else list(_details(order, until))
    lines = [body and t(body, price=cost), *details]
    return OutcomeWords(
        t(title, name=name_of(order.item_name)),
        "\n".join(filter(None, lines)),
        t(state),
        "\n".join(details),
    )


def _details(order: Order, until: datetime | None) -> Iterator[str]:
    if until:
        yield _may_arrive(order, until)
    # What the game says is exact, and what Kiosk makes of it may be a guess.
    if order.game_words is not None:
        yield t("The game says: “%(quote)s”", quote=one_line(order.game_words, _ROOM_FOR_QUOTE))
    # While it may arrive, that the catalog does not show it says nothing.
    is_told = order.state is OrderState.REFUSED and until
    if order.reason is not None and not is_told:
        keys = ((order.kind, order.reason), (None, order.reason), (None, "Refused"))
        yield t(next(_REASONS[key] for key in keys if key in _REASONS))


def _may_arrive(order: Order, until: datetime) -> str:
    when = discord.utils.format_dt(until, "t")
    if order.kind is OrderKind.REDEEM:
        return t("It may still arrive until %(until)s.", until=when)
    return t(
        "It may still arrive until %(until)s; before that, Kiosk won't buy it again.", until=when
    )
