"""Actions that cards of any cog lead to: to link accounts, to texts, to items, to moderate.

An error card for a missing or refused link offers the form. The press that failed travels with
it as `then`, folded into the custom ids, and goes on by itself once the link is made.
"""

from dataclasses import dataclass
from typing import ClassVar

import discord

from bot.domain.items import ItemRef
from bot.domain.links import TokenSource
from bot.domain.orders import OrderKind
from bot.errors import OldButton
from bot.game.models import Sort
from bot.i18n import t
from bot.ui.actions import Action, action_button, unfold
from bot.ui.cards import Button, button, page_button

_SEPARATOR = "."


@dataclass(frozen=True)
class OpenLinkForm(Action):
    """Open the form that asks for a token; `then` is the folded custom id of the press before."""

    kind: ClassVar[str] = "link_form"
    then: str = ""


@dataclass(frozen=True)
class LinkToken(Action):
    """A token was typed."""

    kind: ClassVar[str] = "link"
    then: str = ""


@dataclass(frozen=True)
class GoOn(Action):
    """Do what opens a form, `then`; the card with this button was only a step on the way to it."""

    kind: ClassVar[str] = "go_on"
    then: str


@dataclass(frozen=True)
class ShowHelp(Action):
    """Show what Kiosk can do: everybody's page, or that of a command for moderators."""

    kind: ClassVar[str] = "help"
    command: str = ""


@dataclass(frozen=True)
class ShowPlaces(Action):
    """List the threads and catalogs that have a name here."""

    kind: ClassVar[str] = "places"


@dataclass(frozen=True)
class ShowSetup(Action):
    """Show how this server is set up: a page of its names, counted from 0."""

    kind: ClassVar[str] = "setup"
    page: int = 0


@dataclass(frozen=True)
class OpenThread(Action):
    """Read a thread from its first page."""

    kind: ClassVar[str] = "thread"
    thread_id: int


@dataclass(frozen=True)
class OpenCatalog(Action):
    """Browse a catalog from its first page."""

    kind: ClassVar[str] = "catalog"
    catalog_id: int


@dataclass(frozen=True)
class ShowMyOrders(Action):
    """List the member's own orders, beside the card."""

    kind: ClassVar[str] = "my_orders"


@dataclass(frozen=True)
class ShowUnsent(Action):
    """List the texts that wait to be sent."""

    kind: ClassVar[str] = "forum.unsent"


@dataclass(frozen=True)
class _AboutComment(Action):
    """A comment, and the page where it was seen."""

    thread_id: int
    comment_id: int
    sort: Sort = Sort.LATEST
    page: int = 1


@dataclass(frozen=True)
class OpenRemoveForm(_AboutComment):
    """Open the form that removes a comment from this server's chat."""

    kind: ClassVar[str] = "moderate.remove_form"


@dataclass(frozen=True)
class OpenReportForm(_AboutComment):
    """Open the form that reports a comment to this server's moderators."""

    kind: ClassVar[str] = "moderate.report_form"


@dataclass(frozen=True)
class OfItem(Action):
    """What is about one item, as it was seen."""

    catalog_id: int
    page: int
    item_id: int

    @property
    def ref(self) -> ItemRef:
        """Where the item was seen."""
        return ItemRef(self.catalog_id, self.page, self.item_id)


@dataclass(frozen=True)
class OpenItem(OfItem):
    """Show an item's card."""

    kind: ClassVar[str] = "item"


@dataclass(frozen=True)
class AskPurchase(OfItem):
    """Show what a purchase would be, to be confirmed."""

    kind: ClassVar[str] = "askbuy"
    order_kind: ClassVar[OrderKind] = OrderKind.PURCHASE


@dataclass(frozen=True)
class AskRedemption(OfItem):
    """Show what redeeming would be, to be confirmed."""

    kind: ClassVar[str] = "askredeem"
    order_kind: ClassVar[OrderKind] = OrderKind.REDEEM


@dataclass(frozen=True)
class WatchItem(OfItem):
    """Watch an item from now on."""

    kind: ClassVar[str] = "watch"


@dataclass(frozen=True)
class ChooseItem(Action):
    """An item was chosen from a list; the value is what `item_value` wrote."""

    kind: ClassVar[str] = "choose"
    catalog_id: int


ASK = {OrderKind.PURCHASE: AskPurchase, OrderKind.REDEEM: AskRedemption}


def item_value(ref: ItemRef) -> str:
    """Return an item as the value of a list's entry."""
    return f"{ref.page}{_SEPARATOR}{ref.item_id}"


def read_item_value(catalog_id: int, value: str) -> ItemRef:
    """Return the item of a list's entry by its value. Raises OldButton."""
    try:
        page, item_id = value.split(_SEPARATOR)
        return ItemRef(catalog_id, int(page), int(item_id))
    except ValueError as error:
        raise OldButton from error


def link_button(then: str = "") -> Button:
    """Offer to link, on any card."""
    return action_button(
        OpenLinkForm(then), t("Link account"), style=discord.ButtonStyle.primary, emoji="🔗"
    )


def link_buttons(source: TokenSource, then: str = "") -> tuple[Button, ...]:
    """Offer to link, and the page where the token comes from."""
    return (link_button(then), *token_page_buttons(source))


def token_page_buttons(source: TokenSource) -> tuple[Button, ...]:
    """Lead to the page where the token comes from, where there is one."""
    if not source.url:
        return ()
    return (page_button(source.url, t("Get a token"), emoji="🔑"),)


def token_words(source: TokenSource) -> str:
    """Say where an access token comes from, else whom to ask."""
    if source.text or source.url:
        return source.text
    return t("You don't know where to get one? Ask this server's moderators, or who runs this bot.")


def continue_button(then: str) -> Button:
    """Offer to open the form that was meant before linking."""
    return action_button(GoOn(then), t("Continue"), style=discord.ButtonStyle.primary, emoji="▶️")


def again_button(then: str) -> Button:
    """Offer to try again what did not work; `then` is its folded custom id."""
    return button(unfold(then), t("Try again"), emoji="🔁")


def unsent_button() -> Button:
    """Offer to look at the texts that wait."""
    return action_button(ShowUnsent(), t("Show unsent texts"), emoji="📝")


def help_button() -> Button:
    """Offer to see what Kiosk can do."""
    return action_button(ShowHelp(), t("Help"), emoji="❔")


def places_button(label: str = "") -> Button:
    """Offer to choose among what this server has named."""
    return action_button(ShowPlaces(), label or t("Threads and catalogs"), emoji="📜")


def setup_button() -> Button:
    """Offer moderators to set this server up."""
    return action_button(ShowSetup(), t("Set up"), emoji="🛠️")


def orders_button() -> Button:
    """Offer to list one's own orders."""
    return action_button(ShowMyOrders(), t("My orders"), emoji="🧾")
