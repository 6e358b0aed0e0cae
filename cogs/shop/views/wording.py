"""How orders are put into words."""

from collections.abc import Iterator
from typing import NamedTuple

import discord

from bot.features.writing.orders import Reason
from bot.features.writing.rules import is_open, known_at
from bot.i18n import N_, t
from bot.ui.items import name_of, price
from bot.ui.text import one_line
from storage.writes import Write, WriteKind, WriteState

_ROOM_FOR_QUOTE = 300


class OutcomeWords(NamedTuple):
    """What an order has come to: a title and a body, or a few words with details below."""

    title: str
    body: str
    state: str
    details: str


# What an order has come to: a title, a body, and the state on its receipt.
_OUTCOMES = {
    (WriteKind.PURCHASE, WriteState.SENT): (
        N_("%(name)s is being bought"),
        N_("This purchase is already under way. Kiosk will not buy it twice."),
        N_("Under way: the game is being asked"),
    ),
    (WriteKind.PURCHASE, WriteState.DONE): (
        N_("%(name)s is yours"),
        N_("Bought for %(price)s. It is on your account in the game."),
        N_("Bought"),
    ),
    (WriteKind.PURCHASE, WriteState.REFUSED): (
        N_("Not bought: %(name)s"),
        N_("You were not charged."),
        N_("Not bought: you were not charged"),
    ),
    (WriteKind.PURCHASE, WriteState.UNKNOWN): (
        N_("%(name)s: outcome unknown"),
        N_(
            "The game was asked to sell it, but its answer never came. Look in the game whether "
            "you own it before you buy it again."
        ),
        N_("Can't be known: look in the game whether you own it"),
    ),
    (WriteKind.REDEEM, WriteState.SENT): (
        N_("%(name)s is being redeemed"),
        N_("This is already under way. Kiosk will not redeem it twice."),
        N_("Under way: the game is being asked"),
    ),
    (WriteKind.REDEEM, WriteState.DONE): (
        N_("%(name)s is redeemed"),
        N_("It is on your account in the game."),
        N_("Redeemed"),
    ),
    (WriteKind.REDEEM, WriteState.REFUSED): (
        N_("%(name)s was not redeemed"),
        "",
        N_("Not redeemed"),
    ),
    (WriteKind.REDEEM, WriteState.UNKNOWN): (
        N_("%(name)s: outcome unknown"),
        N_(
            "The game was asked to redeem it, but its answer never came, and the game has no list "
            "in which Kiosk could look it up. Open the game and see whether the item is among "
            "your things before you redeem it again."
        ),
        N_("Can't be known: look in the game whether you have it"),
    ),
}
# For a purchase that is UNKNOWN, but not for good.
_NOT_CONFIRMED = (
    N_("Not confirmed yet: %(name)s"),
    "",
    N_("Not confirmed yet: Kiosk keeps asking and tells you"),
)

# By the order's reason, and by its kind where that makes a difference.
_REASONS: dict[tuple[WriteKind | None, str], str] = {
    (WriteKind.PURCHASE, "Conflict"): N_(
        "You may not have enough for it, or own it already. Look at your balance in the game."
    ),
    (WriteKind.PURCHASE, "Forbidden"): N_(
        "Your game account may not buy it. Items for members need a subscription."
    ),
    (WriteKind.PURCHASE, "NotFound"): N_("The game no longer sells it."),
    (WriteKind.REDEEM, "Conflict"): N_(
        "Only items at your current park can be redeemed, each once. Go to the item's park in the "
        "game, then try again."
    ),
    (WriteKind.REDEEM, "Forbidden"): N_(
        "Your game account may not redeem it. Items for members need a subscription, and only "
        "items at your current park can be redeemed."
    ),
    (WriteKind.REDEEM, "NotFound"): N_(
        "The game doesn't have it at your current park. Go to the item's park in the game, then "
        "try again."
    ),
    (WriteKind.REDEEM, "Refused"): N_(
        "Only items at your current park can be redeemed, each once."
    ),
    (None, "Refused"): N_("The game found a fault in what was asked."),
    (None, "RateLimited"): N_("The game asks for patience. Wait a minute, then try again."),
    (None, "Unavailable"): N_("The game could not be reached, so it was never asked."),
    (None, "AccountError"): N_(
        "The game no longer accepts your access token. Use `/account link` with a new one."
    ),
    (None, Reason.NOT_THERE): N_(
        "The game's answer never came, and the catalog shows that you don't own it."
    ),
    (None, "AccountChanged"): N_("You have linked another game account meanwhile."),
    (None, Reason.NOT_SENT): N_("Kiosk was interrupted before it had asked the game."),
    (None, Reason.NO_TURN): N_(
        "Too much is being asked of the game at once, so it was not asked for this. Wait a "
        "minute, then try again."
    ),
    (None, Reason.NEVER_SEEN): N_(
        "The catalog could not be read or no longer had the item, so Kiosk has stopped looking."
    ),
    (None, Reason.ACCOUNT_CHANGED): N_(
        "The game account you ordered with is no longer linked, so Kiosk can't look it up. Sign in "
        "to it in the game and see whether it is there."
    ),
}


def redeemed(order: Write) -> str:
    """Return what is known of an earlier redemption."""
    if order.state is WriteState.UNKNOWN:
        return t("Whether an earlier redemption arrived isn't known.")
    when = discord.utils.format_dt(order.asked_at or order.created_at, "R")
    return t("You redeemed it %(when)s.", when=when)


def outcome(order: Write) -> OutcomeWords:
    """Return what an order has come to, with the reason and the game's words."""
    state = WriteState.SENT if order.state is WriteState.KEPT else order.state
    title, body, receipt = _OUTCOMES[order.kind, state]
    is_unconfirmed = state is WriteState.UNKNOWN and is_open(order)
    if is_unconfirmed:
        title, body, receipt = _NOT_CONFIRMED
    item = order.ordered
    cost = price(item.cost, item.currency_singular, item.currency_name)
    details = list(_open(order) if is_unconfirmed else _details(order))
    lines = [body and t(body, price=cost), *details]
    return OutcomeWords(
        t(title, name=name_of(item.name)),
        "\n".join(filter(None, lines)),
        t(receipt),
        "" if is_unconfirmed else "\n".join(details),
    )


def _open(order: Write) -> Iterator[str]:
    yield _quoted(order) or t("The game broke off before it answered.")
    until = known_at(order) or order.created_at
    yield t(
        "Kiosk keeps asking and tells you, here or by direct message. Until %(until)s the purchase "
        "can still go through.",
        until=discord.utils.format_dt(until, "t"),
    )


def _details(order: Write) -> Iterator[str]:
    if order.state is WriteState.DONE:
        return
    # What the game says is exact, and what Kiosk makes of it may be a guess.
    if said := _quoted(order):
        yield said
    if order.state is WriteState.REFUSED or order.reason in set(Reason):
        reason = order.reason or ""
        keys = ((order.kind, reason), (None, reason), (None, "Refused"))
        yield t(next(_REASONS[key] for key in keys if key in _REASONS))


def _quoted(order: Write) -> str:
    if order.game_words is None:
        return ""
    return t("The game says: “%(quote)s”", quote=one_line(order.game_words, _ROOM_FOR_QUOTE))
