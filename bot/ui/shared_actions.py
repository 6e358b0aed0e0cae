"""Actions that cards of any cog lead to, for accounts, texts, items and moderation."""

import typing
from functools import partial

import discord

from bot.errors import TokenSource
from bot.features.reading.paging import SCREEN_SIZE
from bot.game import models
from bot.i18n import N_, spoken, t
from bot.ui import custom_ids, drawing
from storage import names
from storage.cases import CaseKind

# The value for an unknown id.
NO_ID = -1


class LinkAccount(custom_ids.Action, kind="link_form"):
    """A form for a token. `resume_id` is the folded press that led to it."""

    resume_id: custom_ids.Folded = custom_ids.NOTHING_FOLDED


class GoOn(custom_ids.Action, kind="go_on"):
    """Open the form of a folded press. The card with this button was only a step on the way."""

    resume_id: custom_ids.Folded


class ShowHelp(custom_ids.Action, kind="help"):
    """Show what Kiosk can do here."""


class ShowPlaces(custom_ids.Action, kind="places"):
    """Show the threads and catalogs that have names here."""


class ShowSetup(custom_ids.Action, kind="setup"):
    """Show this server's setup, with a page of its names, counted from 0."""

    page: int = 0


class AddName(custom_ids.Action, kind="setup.add_form"):
    """A form for the number and the name of a thread or catalog."""

    place: names.PlaceKind


class OpenThread(custom_ids.Action, kind="thread"):
    thread_id: int


class OfPage(custom_ids.Action):
    near: models.PageKey


class ScreenAction(OfPage):
    """An action on, or from, the screen that starts at `offset` of a page."""

    offset: int


class ShowScreen(ScreenAction, kind="forum.screen"):
    """Show a screen of a thread.

    `seen` are the ids that this screen showed (see `Seen`). With them, show the next screen, or
    the previous one if it `goes_back`.
    """

    seen: str = ""
    goes_back: bool = False

    @classmethod
    def at_number(cls, thread_id: int, sort: models.Sort, number: int) -> typing.Self:
        """Return the action for a screen by its number, counted from 1."""
        return cls(models.PageKey(thread_id, sort), (number - 1) * SCREEN_SIZE)


class CommentAction(OfPage):
    comment_id: int


class ShowComment(CommentAction, kind="forum.comment"):
    """Show a whole comment, from a page of its text, and its replies from an offset.

    If `seen` are the ids of the replies there (see `Seen`), show the replies before or after them.
    """

    text_page: int = 0
    offset: int = 0
    seen: str = ""
    goes_back: bool = False


class WriteComment(custom_ids.Action, kind="forum.write_form"):
    """A form for a comment, or for a reply to `parent_id`."""

    thread_id: int
    parent_id: int = NO_ID
    sort: models.Sort = models.Sort.LATEST
    page: int = 1

    @property
    def near(self) -> models.PageKey:
        return models.PageKey(self.thread_id, self.sort, self.page)


class WatchWords(custom_ids.Action, kind="forum.watch_form"):
    """A form for the words to watch, in comments of this thread or of all threads."""

    thread_id: int
    # The words in the form at first, `widened`.
    words: str = ""


class OpenCatalog(custom_ids.Action, kind="catalog"):
    catalog_id: int


class AnnounceCatalog(OpenCatalog, kind="an.form"):
    """A form for a new announcement of a catalog."""


class FollowThread(custom_ids.Action, kind="announce.follow_form"):
    """A form for a thread to follow, and its channel. `thread_id` is preset, 0 for none."""

    thread_id: int = 0


class ShowAnnouncements(custom_ids.Action, kind="announce.list"):
    page: int = 0


class OfAnnouncement(custom_ids.Action):
    subscription_id: int


class OpenAnnouncement(OfAnnouncement, kind="announce.open"):
    """Show one announcement."""


class EditAnnouncement(OfAnnouncement, kind="an.edit"):
    """A form to edit an announcement, without its role if that was deleted."""

    is_role_gone: bool = False


class Resume(OfAnnouncement, kind="announce.resume"):
    """Resume an announcement that has stopped."""


class ShowRules(custom_ids.Action, kind="moderate.rules"):
    """Show the watched words."""


class ShowQueue(custom_ids.Action, kind="moderate.queue"):
    """Show cases that moderators have yet to decide, oldest first."""


class ShowLatestRemovals(custom_ids.Action, kind="moderate.latest"):
    """Show the log of removals, latest first."""


class ShowThreads(custom_ids.Action, kind="places.threads"):
    """Show the threads that have names here."""


class ShowCatalogs(custom_ids.Action, kind="places.catalogs"):
    """Show the catalogs that have names here."""


class ShowWatches(custom_ids.Action, kind="my_watches"):
    """Show what the member watches."""


class ShowAccount(custom_ids.Action, kind="show_link"):
    """Show the member's link and the data that Kiosk keeps about them."""


class ShowMyOrders(custom_ids.Action, kind="my_orders"):
    """Show the member's orders, latest first."""


class ShowUnsent(custom_ids.Action, kind="forum.unsent"):
    """Show the member's texts that were not sent."""


class AboutComment(custom_ids.Action):
    thread_id: int
    comment_id: int
    sort: models.Sort = models.Sort.LATEST
    page: int = 1

    @property
    def near(self) -> models.PageKey | None:
        """The page on which the comment was seen, None if that isn't known."""
        return (
            None
            if self.thread_id == NO_ID
            else models.PageKey(self.thread_id, self.sort, self.page)
        )


class OpenComment(AboutComment, kind="comment"):
    """Show a comment whole."""


class RemoveComment(AboutComment, kind="moderate.remove_form"):
    """A form that asks why a comment is removed.

    In the queue, `only` and `is_of_player` say which cases follow: those of a kind, and those of
    the comment's player.
    """

    only: CaseKind = CaseKind.NONE
    is_of_player: bool = False


class ReportComment(AboutComment, kind="moderate.report_form"):
    """A form that asks why a comment is reported."""


class OfItem(custom_ids.Action):
    ref: names.ItemRef


class OpenItem(OfItem, kind="item"):
    """Show an item whole."""


class AskPurchase(OfItem, kind="askbuy"):
    """Show a purchase to confirm."""


class AskRedemption(OfItem, kind="askredeem"):
    """Show a redemption to confirm."""


class WatchItem(OfItem, kind="watch"):
    """Start notifying the member of news about an item."""


class StopWatching(OfItem, kind="unwatch.item"):
    """Stop notifying the member of news about an item."""


class AskEndWatch(custom_ids.Action, kind="unwatch"):
    """Ask before ending a watch, by the id of any part of it."""

    watch_id: int


class EndWatch(AskEndWatch, kind="unwatch.sure"):
    """End a watch."""


def link_buttons(
    source: TokenSource | None = None,
    resume_id: custom_ids.Folded = custom_ids.NOTHING_FOLDED,
    *,
    again: bool = False,
) -> tuple[drawing.Button, ...]:
    """Return buttons to link, or to try again, and to the page with the token."""
    label, emoji = (t("Try again"), "🔁") if again else (t("Link account"), "🔗")
    link = drawing.button(LinkAccount(resume_id), label, style=drawing.BLUE, emoji=emoji)
    if source is None or not source.url:
        return (link,)
    return (link, drawing.page_button(source.url, t("Get access token")))


def token_words(source: TokenSource) -> str:
    if said := spoken(source.texts) or source.text:
        return said
    if source.url:
        return ""
    return t(
        "Not sure where to get an access token? Ask this server's moderators or the bot's operator."
    )


def _screen_button(
    screen: type[custom_ids.Action], label: str, *, style: discord.ButtonStyle = drawing.GREY
) -> drawing.Button:
    return drawing.button(screen(), t(label), style=style)


unsent_button = partial(_screen_button, ShowUnsent, N_("Show unsent texts"))
account_button = partial(_screen_button, ShowAccount, N_("Account"))
help_button = partial(_screen_button, ShowHelp, N_("Help"))
setup_button = partial(_screen_button, ShowSetup, N_("Set up"))
watches_button = partial(_screen_button, ShowWatches, N_("Your watches"))
orders_button = partial(_screen_button, ShowMyOrders, N_("Your orders"))
announcements_button = partial(_screen_button, ShowAnnouncements, N_("Announcements"))


def places_button(label: str = "", *, style: discord.ButtonStyle = drawing.GREY) -> drawing.Button:
    return drawing.button(ShowPlaces(), label or t("Threads and catalogs"), style=style)


def add_button(
    kind: names.PlaceKind, *, style: discord.ButtonStyle = drawing.GREY
) -> drawing.Button:
    label = t("Add a thread") if kind is names.PlaceKind.THREAD else t("Add a catalog")
    return drawing.button(AddName(kind), label, style=style)
