"""Actions and forms of `/announce`."""

from collections.abc import Iterable, Sequence
from typing import Self

from msgspec import Struct

from bot.features.errors import CurrencyNeeded
from bot.features.names import Place
from bot.features.reading.catalogs import CatalogItem, find_type, read_cost
from bot.game.models import Item
from bot.i18n import N_, number, t
from bot.ui.actions import MOST_CHOICES, Action
from bot.ui.forms import LONGEST_TITLE, ActionForm, FormOption
from bot.ui.here import Here
from bot.ui.messages.verdicts import UNKNOWN_CHANNEL
from bot.ui.permissions import POSTABLE
from bot.ui.shared_actions import OfAnnouncement, OpenCatalog
from bot.ui.text import one_line
from bot.visible import name_key
from storage.names import Named
from storage.subscriptions import News, Subscription

USUAL = frozenset({News.NEW, News.CLEARANCE})
NEWS_WORDS = {
    News.NEW: N_("New items"),
    News.CLEARANCE: N_("Clearance"),
    News.CHEAPER: N_("Lower price"),
    News.BACK: N_("Back again"),
    News.MEMBERS: N_("Subscribers only, or no longer"),
}
CHANNEL, NEWS, ROLE, TYPE, COST, THREAD = "channel", "news", "role", "type", "cost", "thread"


SendEdit = OfAnnouncement.of_kind("announce.edit")
Pause = OfAnnouncement.of_kind("announce.pause")
Resume = OfAnnouncement.of_kind("announce.resume")
PostTest = OfAnnouncement.of_kind("announce.test")
ShowHistory = OfAnnouncement.of_kind("announce.history")
AnnounceMissed = OfAnnouncement.of_kind("announce_missed")
DismissMissed = OfAnnouncement.of_kind("announce.dismiss")
AskRemove = OfAnnouncement.of_kind("announce.ask_remove")
Remove = OfAnnouncement.of_kind("announce.remove")


class OfTest(OfAnnouncement):
    """A test that was posted at the wish of an interaction."""

    wish: int


TakeTestBack = OfTest.of_kind("announce.untest")


class TellWhy(Action, kind="announce.why"):
    item_id: int


class ChooseCatalog(Action, kind="announce.catalogs"):
    """Show the catalogs to announce, 0 for none chosen yet."""

    catalog_id: int = 0


OpenAnnounceForm = OpenCatalog.of_kind("an.form")
SendAnnounce = OpenCatalog.of_kind("announce.add")
OpenFollowForm = Action.of_kind("announce.follow_form")
SendFollow = Action.of_kind("announce.follow")


class FollowThread(Action, kind="forum.follow"):
    thread_id: int
    channel_id: int


class Wish(Struct, frozen=True):
    """What the form asks for; types and the highest cost are as they were chosen or typed."""

    channel_id: int
    news: frozenset[News] = USUAL
    role_id: int | None = None
    types: frozenset[str] = frozenset()
    max_cost: str = ""

    @classmethod
    def read(cls, here: Here) -> Self:
        """Return what was filled in. Raises EveryoneChosen."""
        news = frozenset(each for each in News if each.value in here.filled.get(NEWS, ()))
        types = frozenset(here.filled.get(TYPE, ())) - {""}
        cost = here.texts.get(COST, "").strip()
        return cls(here.id_of(CHANNEL) or 0, news or USUAL, here.role_of(ROLE), types, cost)

    @classmethod
    def of(cls, one: Subscription) -> Self:
        """Return what is announced, but for a channel that is gone."""
        channel_id = 0 if one.pause_reason == UNKNOWN_CHANNEL else one.channel_id or 0
        cost = "" if one.max_cost is None else f"{number(one.max_cost)} {one.currency}".strip()
        return cls(channel_id, one.news, one.role_id, one.types, cost)


def types_of_wish(chosen: Iterable[str], items: Sequence[Item]) -> frozenset[str]:
    """Return the types chosen, or typed with commas between. Raises UnknownChoice, SeveralFit."""
    listed = [CatalogItem(0, 1, item) for item in items]
    known = {item.item_type.name for item in items}
    typed = [
        each.strip() for text in chosen for each in ([text] if text in known else text.split(","))
    ]
    return frozenset(find_type(listed, each).name if listed else each for each in typed if each)


def cost_of(typed: str, items: Sequence[Item]) -> tuple[int | None, str]:
    """Return None for any cost, "" for any currency. Raises UnknownCost, CurrencyNeeded."""
    if not typed:
        return None, ""
    cost, currency = read_cost(typed)
    known = {each.currency.name: each.currency for each in items}
    wanted = name_key(currency)
    fitting = [
        name
        for name, each in known.items()
        if not wanted or wanted in (name_key(name), name_key(each.singular_name))
    ]
    if known and len(fitting) != 1:
        example = f"{cost} {next(iter(known))}"
        raise CurrencyNeeded(known=list(known), example=example)
    return cost, fitting[0] if fitting else currency


def announce_form(action: Action, catalog: Place, wish: Wish, types: Iterable[str]) -> ActionForm:
    """Ask where and what to announce; without `types` at hand, they are typed."""
    name = catalog.name or f"#{catalog.game_id}"
    title = t("Announce %(catalog)s", catalog=name)
    form = ActionForm(action, title=one_line(title, LONGEST_TITLE, plain=True))
    form.ask_channel(t("Channel"), CHANNEL, POSTABLE, chosen=wish.channel_id or None)
    boxes = [FormOption(each.value, t(NEWS_WORDS[each]), each in wish.news) for each in NEWS_WORDS]
    form.ask_which(t("What is told"), NEWS, boxes)
    form.ask_role(t("Role to ping"), ROLE, chosen=wish.role_id)
    label = t("Only these types")
    if types := sorted(types):
        options = [FormOption(each, each, each in wish.types) for each in types]
        form.ask_from(label, TYPE, options, most=MOST_CHOICES)
    else:
        hint, typed = t("Such as Hat, Scarf. Empty: any."), ", ".join(sorted(wish.types))
        form.ask_line(label, TYPE, hint, longest=400, text=typed)
    hint = t("The highest cost, such as 100 Acorns. Empty: any.")
    form.ask_line(t("Only up to"), COST, hint, longest=40, text=wish.max_cost)
    return form


def follow_form(threads: Sequence[Named]) -> ActionForm:
    form = ActionForm(SendFollow(), title=t("Follow a thread"))
    if threads:
        options = [FormOption(str(each.game_id), each.name) for each in threads]
        form.ask_from(t("Thread"), THREAD, options, is_required=True)
    else:
        form.ask_line(t("Thread"), THREAD, is_required=True)
    form.ask_channel(t("Channel"), CHANNEL, POSTABLE)
    return form
