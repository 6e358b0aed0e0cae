"""Actions and forms of `/announce`."""

import re
from collections.abc import Sequence
from typing import Any, Self
from urllib.parse import unquote

import discord
from discord import ui
from msgspec import Struct

from bot.features.errors import UnknownCost
from bot.features.names import Place
from bot.game.models import ItemType
from bot.i18n import N_, t
from bot.ui.actions import MOST_CHOICES, Action, ActionForm, FormOption, quoted
from bot.ui.permissions import POSTABLE
from bot.ui.router import Press
from bot.ui.shared_actions import OfAnnouncement, OpenCatalog
from bot.ui.text import one_line
from storage.names import Named
from storage.subscriptions import News, NewSubscription

USUAL = frozenset({News.NEW, News.CLEARANCE})
NEWS_WORDS = {
    News.NEW: N_("New items"),
    News.CLEARANCE: N_("Clearance"),
    News.CHEAPER: N_("Lower price"),
    News.BACK: N_("Back again"),
    News.MEMBERS: N_("Subscribers only, or no longer"),
}
CHANNEL, NEWS, ROLE, TYPE, COST, THREAD = "channel", "news", "role", "type", "cost", "thread"
_NONE = -1
# What a custom id has left beside the largest numbers; a part of a type's name is found, too.
_LONGEST_TYPE = 8
_LONGEST_TITLE, _LONGEST_CHOICE = 45, 100
_MOST_COST = 10**12


SendEdit = OfAnnouncement.of_kind("announce.edit")
Pause = OfAnnouncement.of_kind("announce.pause")
Resume = OfAnnouncement.of_kind("announce.resume")
PostTest = OfAnnouncement.of_kind("announce.test")
ShowHistory = OfAnnouncement.of_kind("announce.history")
DismissMissed = OfAnnouncement.of_kind("announce.dismiss")
AskRemove = OfAnnouncement.of_kind("announce.ask_remove")
Remove = OfAnnouncement.of_kind("announce.remove")


class AnnounceMissed(OfAnnouncement, kind="announce_missed"):
    """Announce what was missed; `after` stands on older buttons, and means nothing."""

    after: int = 0


class OfTest(Action):
    """A test that was posted at the wish of an interaction."""

    subscription_id: int
    wish: int


LookAtTest = OfTest.of_kind("announce.look_at_test")
TakeTestBack = OfTest.of_kind("announce.untest")


class ChooseCatalog(Action, kind="announce.catalogs"):
    """Show the catalogs to announce, 0 for none chosen yet."""

    catalog_id: int = 0


SendAnnounce = OpenCatalog.of_kind("announce.add")
OpenFollowForm = Action.of_kind("announce.follow_form")
SendFollow = Action.of_kind("announce.follow")


class FollowThread(Action, kind="forum.follow"):
    """Post a thread's new comments in a channel."""

    thread_id: int
    channel_id: int


# Older cards end a follow by it.
UnfollowThread = FollowThread.of_kind("forum.unfollow")


class Wish(Struct, frozen=True):
    """What the form asks for; the type and the highest cost are as they were typed or chosen."""

    channel_id: int
    news: frozenset[News] = USUAL
    role_id: int | None = None
    item_type: str = ""
    max_cost: str = ""

    @classmethod
    def read(cls, press: Press[Any]) -> Self:
        """Return what was filled in. Raises OldButton."""
        news = frozenset(each for each in News if each.value in press.chosen.get(NEWS, ()))
        return cls(
            press.id_of(CHANNEL) or 0,
            news or USUAL,
            press.id_of(ROLE),
            press.texts.get(TYPE, ""),
            press.texts.get(COST, ""),
        )

    @classmethod
    def of(cls, one: NewSubscription) -> Self:
        cost = "" if one.max_cost is None else str(one.max_cost)
        item_type = "" if one.type_id is None else str(one.type_id)
        return cls(one.channel_id or 0, one.news, one.role_id, item_type, cost)

    @property
    def cost(self) -> int | None:
        """The highest cost, None for any; what stands behind the number is its currency's name.

        Raises UnknownCost.
        """
        if not self.max_cost.strip():
            return None
        found = re.match(r"\s*(\d[\d.,' \u00a0\u202f]*)", self.max_cost)
        digits = re.sub(r"\D", "", found[1]) if found else ""
        if not digits or int(digits) > _MOST_COST:
            raise UnknownCost(text=self.max_cost)
        return int(digits)


# With the largest numbers, a longer kind has no room in a custom id.
class OpenAnnounceForm(Action, kind="an.form"):
    """Open the form, with what was filled in before; `number` is the catalog's."""

    number: int
    channel_id: int = 0
    role_id: int = _NONE
    max_cost: int = _NONE
    # A bit for each kind, in the order of News; 0 where nothing was filled in.
    news: int = 0
    item_type: str = ""

    @classmethod
    def of(cls, number: int, wish: Wish) -> Self:
        cost = wish.max_cost if wish.max_cost.isdecimal() else ""
        return cls(
            number,
            wish.channel_id,
            _NONE if wish.role_id is None else wish.role_id,
            min(int(cost), _MOST_COST) if cost else _NONE,
            sum(1 << bit for bit, each in enumerate(News) if each in wish.news),
            quoted(wish.item_type, _LONGEST_TYPE),
        )

    @property
    def wish(self) -> Wish:
        return Wish(
            self.channel_id,
            frozenset(each for bit, each in enumerate(News) if self.news >> bit & 1) or USUAL,
            None if self.role_id == _NONE else self.role_id,
            unquote(self.item_type),
            "" if self.max_cost == _NONE else str(self.max_cost),
        )


# `number` is the announcement's.
OpenEditForm = OpenAnnounceForm.of_kind("an.edit")
# On older buttons, which announced at once.
AnnounceAtOnce = OpenAnnounceForm.of_kind("announce")


def announce_form(
    action: Action, catalog: Place, wish: Wish, types: Sequence[ItemType]
) -> ActionForm:
    """Ask where and what to announce; without `types` at hand, the type is typed."""
    name = catalog.name or f"#{catalog.game_id}"
    title = t("Announce %(catalog)s", catalog=name)
    form = ActionForm(action, title=one_line(title, _LONGEST_TITLE, plain=True))
    form.ask_channel(t("Channel"), CHANNEL, POSTABLE, chosen=wish.channel_id or None)
    boxes = [FormOption(each.value, t(NEWS_WORDS[each]), each in wish.news) for each in NEWS_WORDS]
    form.ask_which(t("What is told"), NEWS, boxes)
    form.ask_role(t("Role to ping"), ROLE, chosen=wish.role_id)
    label = t("Only this type")
    if types:
        options = [
            discord.SelectOption(
                label=one_line(each.name, _LONGEST_CHOICE, plain=True) or str(each.id),
                value=str(each.id),
                default=str(each.id) == wish.item_type,
            )
            for each in types[:MOST_CHOICES]
        ]
        field: ui.Select[Any] = ui.Select(
            custom_id=TYPE, options=options, required=False, min_values=0
        )
        form.ask(label, field)
    else:
        form.ask_text(
            label, TYPE, longest=100, text=wish.item_type, is_long=False, is_required=False
        )
    form.ask_text(
        t("Only up to"),
        COST,
        longest=40,
        description=t("The highest cost, such as 100 Acorns. Empty: any."),
        text=wish.max_cost,
        is_long=False,
        is_required=False,
    )
    return form


def follow_form(threads: Sequence[Named]) -> ActionForm:
    """Ask for a thread, by its number where none has a name here, and a channel."""
    form = ActionForm(SendFollow(), title=t("Follow a thread"))
    if threads:
        options = [
            discord.SelectOption(
                label=one_line(each.name, _LONGEST_CHOICE, plain=True) or str(each.game_id),
                value=str(each.game_id),
            )
            for each in threads[:MOST_CHOICES]
        ]
        field: ui.Select[Any] = ui.Select(custom_id=THREAD, options=options, required=True)
        form.ask(t("Thread"), field)
    else:
        form.ask_text(t("Thread"), THREAD, longest=100, is_long=False)
    form.ask_channel(t("Channel"), CHANNEL, POSTABLE)
    return form
