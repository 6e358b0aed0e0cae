"""The wishes of an announcement: typed options, kinds of news, and buttons that carry a wish."""

import re
from collections.abc import Sequence
from typing import Self
from urllib.parse import unquote

from discord import app_commands
from msgspec import Struct

from bot.errors import KioskError
from bot.features.errors import UnknownChoice
from bot.features.reading.catalogs import types_of
from bot.i18n import N_, t
from bot.ui.actions import MOST_CHOICES, Action, quoted
from bot.ui.commands import ChannelOption, Choices, L, Option, choices, suggest_names
from bot.ui.here import Here
from storage.following import News
from storage.names import PlaceKind, name_key

USUAL = frozenset({News.NEW, News.CLEARANCE})
EVERYTHING = frozenset(News)

_NEWS = {
    News.NEW: N_("new items"),
    News.BACK: N_("back again"),
    News.CLEARANCE: N_("clearance"),
    News.CHEAPER: N_("lower price"),
    News.MEMBERS: N_("subscribers-only changes"),
}
_EVERYTHING = N_("everything")

_NONE = -1
# What a custom id has left beside the largest numbers; a part of a type's name is found, too.
_LONGEST_TYPE = 8

Channel = app_commands.Transform[int, ChannelOption]


def news_words(news: frozenset[News]) -> str:
    return ", ".join(t(_NEWS[each]) for each in News if each in news)


def read_news(text: str) -> frozenset[News]:
    """Return the kinds of news that are typed, by their words or keys. Raises UnknownChoice."""
    known = {name_key(word): {each} for each in News for word in (each.value, t(_NEWS[each]))}
    known |= {name_key(word): set(News) for word in (_EVERYTHING, t(_EVERYTHING))}
    found: set[News] = set()
    for part in re.split(r"[,;+]", text):
        if name_key(part) not in known:
            raise UnknownChoice(name=part.strip(), known=news_words(frozenset(News)))
        found |= known[name_key(part)]
    return frozenset(found)


def offer_news(typed: str) -> list[tuple[str, str]]:
    """Return what can follow what was typed, each with the value it stands for."""
    done, _, last = typed.rpartition(",")
    try:
        chosen = read_news(done) if done.strip() else frozenset[News]()
    except UnknownChoice:
        chosen = frozenset[News]()
    offers = [chosen | {each} for each in News if each not in chosen]
    if not chosen:
        offers = [USUAL, *offers, EVERYTHING]
    entries = [
        (t(_EVERYTHING) if each == EVERYTHING else news_words(each), ",".join(sorted(each)))
        for each in offers
    ]
    return [entry for entry in entries if name_key(last) in name_key(entry[0])] or entries


class SubscriptionWish(Struct, frozen=True):
    """The options of a command; None where one was left out."""

    role_id: int | None
    news: str | None
    item_type: str | None
    max_cost: int | None


class AnnounceMissed(Action, kind="announce_missed"):
    """Announce what was missed after an event, while a subscription was paused."""

    subscription_id: int
    after: int


class Announce(Action, kind="announce"):
    """Announce a catalog's news in a channel, as a command wished."""

    catalog_id: int
    channel_id: int
    # _NONE where nothing is wished.
    role_id: int
    max_cost: int
    # A bit for each kind, in the order of News.
    news: int
    item_type: str

    @classmethod
    def wished(cls, catalog_id: int, channel_id: int, wish: SubscriptionWish) -> Self:
        """Return the action for what was wished. Raises UnknownChoice."""
        chosen = () if wish.news is None else read_news(wish.news)
        return cls(
            catalog_id,
            channel_id,
            _NONE if wish.role_id is None else wish.role_id,
            _NONE if wish.max_cost is None else wish.max_cost,
            sum(1 << bit for bit, each in enumerate(News) if each in chosen),
            quoted(wish.item_type or "", _LONGEST_TYPE),
        )

    @property
    def wish(self) -> SubscriptionWish:
        chosen = [each.value for bit, each in enumerate(News) if self.news >> bit & 1]
        return SubscriptionWish(
            None if self.role_id == _NONE else self.role_id,
            ",".join(chosen) or None,
            unquote(self.item_type) or None,
            None if self.max_cost == _NONE else self.max_cost,
        )


async def suggest_news(here: Here, typed: str) -> Choices:
    """Offer kinds of news, and what can follow those that are typed."""
    del here
    return choices(offer_news(typed))


async def suggest_types(here: Here, typed: str) -> Choices:
    """Offer the types of the catalog's items, as far as they are at hand."""
    announcing, chosen = here.features.announcing, here.typed("announcement")
    try:
        if chosen:
            catalog_id = (await announcing.find(here.guild_id, chosen)).game_id
        else:
            catalog = here.typed("catalog")
            catalog_id = (await here.find_by_name(PlaceKind.CATALOG, catalog)).game_id
        items, _ = await here.features.shop.suggest(here.member_id, "", [catalog_id])
    except KioskError:
        return []
    return choices(((each.name, each.name) for each in types_of(items)), typed)


async def suggest_items(here: Here, typed: str) -> Choices:
    found = await here.features.announcing.suggest(here.guild_id, typed, MOST_CHOICES)
    return choices((each.name, str(each.id)) for each in found)


async def suggest_subscriptions(here: Here, typed: str) -> Choices:
    found = await here.features.announcing.following.of_guild(here.guild_id)
    names = await catalog_names(here, [one.game_id for one in found])
    entries: list[tuple[str, str]] = []
    for one in found:
        where = f"{names[one.game_id] or one.game_id} → #{one.channel_name}"
        entries.append((f"{one.id} · {where} · {news_words(one.news)}", str(one.id)))
    return choices(entries, typed)


async def catalog_names(here: Here, catalog_ids: Sequence[int]) -> dict[int, str | None]:
    return {each: (await here.place(PlaceKind.CATALOG, each)).name for each in catalog_ids}


OPTIONS = {
    "subscription": Option(
        L("announcement"),
        L("Which announcement, by its number"),
        suggest_subscriptions,
    ),
    "role": Option(L("role"), L("A role to ping each time")),
    "what": Option(L("what"), L("Which news; separate several with commas"), suggest_news),
    "item_type": Option(L("type"), L("Only items of this type"), suggest_types),
    "max_cost": Option(L("max_cost"), L("Only items that cost at most this")),
    "channel": Option(L("channel"), L("The channel, forum or thread to announce in")),
    "catalog": Option(
        L("catalog"), L("The catalog's name, or its number"), suggest_names(PlaceKind.CATALOG)
    ),
    "without": Option(
        L("without"),
        L("What to leave out from now on"),
        choices=[
            app_commands.Choice(name=L("role"), value="role"),
            app_commands.Choice(name=L("type"), value="type"),
            app_commands.Choice(name=L("max_cost"), value="max_cost"),
        ],
    ),
    "item": Option(L("item"), L("The item's name, or its number"), suggest_items),
}
