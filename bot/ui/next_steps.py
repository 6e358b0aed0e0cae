"""What a member can do next after an error, as a button: no card is a dead end."""

from collections.abc import Callable, Mapping

from bot.i18n import t
from bot.ui.cards import Button
from bot.ui.shared_actions import (
    again_button,
    help_button,
    orders_button,
    places_button,
    setup_button,
    unsent_button,
)


def _choose_thread() -> Button:
    return places_button(t("Choose a thread"))


def _choose_catalog() -> Button:
    return places_button(t("Choose a catalog"))


_STEPS: Mapping[Callable[[], Button], tuple[str, ...]] = {
    _choose_thread: (
        *("UnknownThread", "ThreadNotInGame", "ThreadClosed", "UnknownComment", "CommentNotInGame"),
        *("CommentNotFound", "CommentUnseen", "NoCommentShown", "NotYours", "WriterUnknown"),
        "DraftGone",
    ),
    _choose_catalog: (
        *("UnknownCatalog", "CatalogNotInGame", "CatalogNeeded", "UnknownItem", "ItemGone"),
        *("ItemsNotLoaded", "UnknownType"),
    ),
    places_button: ("SeveralFit", "NothingNamed", "NotFound", "NotAMemberHere"),
    orders_button: ("Conflict", "UnknownOutcome"),
    unsent_button: ("DraftBusy", "TooManyUnsent"),
    setup_button: ("BadId", "BadName", "NameIsTaken", "ChannelClosed"),
}
_BY_KEY = {key: make for make, keys in _STEPS.items() for key in keys}
# What may work when it is done once more.
_REPEATED = ("Unexpected", "DatabaseError", "KioskError")


def next_step(key: str, then: str) -> Button:
    """Return the button for an error by the key of its words; `then` is the press, folded."""
    if key in _REPEATED and then:
        return again_button(then)
    return _BY_KEY.get(key, help_button)()
