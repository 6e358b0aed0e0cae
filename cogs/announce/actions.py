"""The forms that ask what to announce or follow, and how to read them."""

import typing
from collections import abc

import msgspec
from discord import ui

from bot.errors import KioskError
from bot.features import item_queries
from bot.features.directory import Place
from bot.game.models import Item
from bot.i18n import N_, pt, t
from bot.ui import fields, forms, shared_actions
from bot.ui.custom_ids import Action
from bot.ui.here import Here
from bot.ui.items import COST, TYPES, ask_query, cost_typed
from bot.ui.markdown import one_line
from bot.ui.messages.verdicts import UNKNOWN_CHANNEL
from bot.ui.permissions import POSTABLE
from storage import names, subscriptions

USUAL = frozenset({subscriptions.News.NEW, subscriptions.News.CLEARANCE})
NEWS_WORDS = {
    subscriptions.News.NEW: N_("New items"),
    subscriptions.News.CLEARANCE: N_("Clearance"),
    subscriptions.News.CHEAPER: N_("Lower price"),
    subscriptions.News.BACK: N_("Back again"),
    subscriptions.News.MEMBERS: N_("Now for subscribers or everyone"),
    subscriptions.News.GONE: N_("Gone for a day"),
}
# How many roles an announcement can ping.
MAX_ROLES = 5
# The fields of the forms.
CHANNEL = fields.Channel("channel", POSTABLE)
_NEWS = fields.SomeOf("news", subscriptions.News)
_ROLES = fields.Roles("role", MAX_ROLES)
THREAD = fields.Listed("thread")
_TYPED_THREAD = fields.TextInput(THREAD.name, is_line=True, is_required=True)


class WriteOwnWords(shared_actions.OfAnnouncement, kind="announce.words_form"):
    """A form for a server's own words above an announcement, with a preview."""


class ShowPreview(shared_actions.OfAnnouncement, kind="announce.preview"):
    """Show only the member who pressed what an announcement looks like."""


class ChangeNotifyRole(shared_actions.OfAnnouncement, kind="announce.notify_form"):
    """A form for the role that members can add and remove themselves, or none."""


class NotifyMe(shared_actions.OfAnnouncement, kind="announce.notify_me"):
    """Add or remove the member's role that is pinged."""


class ShowHistory(shared_actions.OfAnnouncement, kind="announce.history"):
    """Show the last news of an announcement, and what happened to each."""


class OfPosted(shared_actions.OfAnnouncement):
    """The message in which an announcement posted an event."""

    event_id: int


class OpenPosted(OfPosted, kind="announce.posted"):
    """Show whether a message was posted, with buttons that change it."""


class ChooseCatalog(Action, kind="announce.catalogs"):
    """Show the catalogs to announce, 0 for none chosen yet."""

    catalog_id: int = 0


class FollowFoundThread(Action, kind="forum.follow"):
    """Follow a thread with a similar name, in the channel that was chosen."""

    thread_id: int
    channel_id: int


class AnnounceFields(msgspec.Struct, frozen=True):
    """The fields of the form, with types and the highest cost as chosen or typed."""

    channel_id: int
    news: frozenset[subscriptions.News] = USUAL
    role_ids: frozenset[int] = frozenset()
    types: frozenset[str] = frozenset()
    max_cost: str = ""

    @classmethod
    def read(cls, here: Here) -> typing.Self:
        """Return what was filled in. Raises EveryoneChosen."""
        return cls(
            CHANNEL.read(here) or 0,
            _NEWS.read(here) or USUAL,
            _ROLES.read(here),
            TYPES.read(here),
            COST.read(here),
        )

    @classmethod
    def of(cls, subscription: subscriptions.Subscription) -> typing.Self:
        """Return a subscription's fields, without a channel that is gone."""
        channel_id = 0 if subscription.refusal == UNKNOWN_CHANNEL else subscription.channel_id or 0
        cost = cost_typed(subscription.query)
        return cls(
            channel_id, subscription.news, subscription.role_ids, subscription.query.types, cost
        )


def announce_form(
    action: Action, catalog: Place, wanted: AnnounceFields, types: abc.Collection[str], example: str
) -> forms.ActionForm:
    """Ask for the channel, the news, types and a cost such as the `example`.

    If no `types` are known, the member types them.
    """
    name = catalog.name or f"#{catalog.game_id}"
    title = t("Announce %(catalog)s", catalog=name)
    form = forms.ActionForm(action, title=one_line(title, forms.MAX_TITLE_LENGTH, plain=True))
    CHANNEL.ask(form, t("Channel"), chosen=wanted.channel_id or None)
    _NEWS.ask(form, t("News to announce"), NEWS_WORDS, wanted.news)
    _ROLES.ask(form, t("Roles to ping"), chosen=sorted(wanted.role_ids))
    ask_query(form, types, wanted.types, wanted.max_cost, example)
    return form


def follow_form(
    action: shared_actions.FollowThread, threads: abc.Sequence[names.Named], number_words: str = ""
) -> forms.ActionForm:
    """Ask for a thread and a channel. `number_words` say how to find a thread's number."""
    form = forms.ActionForm(action, title=t("Follow a thread"))
    if threads:
        choices = [
            fields.Choice(str(thread.game_id), thread.name, thread.game_id == action.thread_id)
            for thread in threads
        ]
        THREAD.ask(form, pt("a field", "Thread"), choices, is_required=True)
    else:
        if number_words:
            form.add_item(ui.TextDisplay(number_words))
        _TYPED_THREAD.ask(form, pt("a field", "Thread"))
    CHANNEL.ask(form, t("Channel"))
    return form


async def form_for(
    here: Here, action: Action, catalog_id: int, wanted: AnnounceFields
) -> forms.ActionForm:
    if TYPES.name in here.filled:
        wanted = msgspec.structs.replace(wanted, types=TYPES.read(here))
    place = await here.place(names.PlaceKind.CATALOG, catalog_id)
    items, is_whole = await _at_hand(here, catalog_id)
    types = {item.item_type.name for item in items if is_whole}
    return announce_form(action, place, wanted, types, item_queries.cost_example(items))


async def filters_of(
    here: Here, catalog_id: int, fields: AnnounceFields, before: AnnounceFields | None = None
) -> dict[str, typing.Any]:
    """Return the query for the types and the cost, nothing if both are as before."""
    if before is not None and (fields.types, fields.max_cost) == (before.types, before.max_cost):
        return {}
    items, is_whole = await _at_hand(here, catalog_id)
    if not is_whole and (fields.types or fields.max_cost):
        # Only the whole catalog has all types and currencies.
        items = await here.features.own_account.items(catalog_id, whole=True)
    query = item_queries.read_query(
        item_queries.ANYTHING, items, types=fields.types, cost=fields.max_cost, needs_currency=True
    )
    return {"query": query}


async def _at_hand(here: Here, catalog_id: int) -> tuple[abc.Sequence[Item], bool]:
    """Return a catalog's loaded items, and if these are all: a form has no time to load more."""
    shop = here.features.shop
    try:
        entries, _ = await shop.suggest(here.member_id, "", [catalog_id])
    except KioskError:
        return [], False
    is_whole = not shop.catalogs.at_hand(here.member_id, catalog_id).ending.is_early
    return [entry.item for entry in entries], is_whole
