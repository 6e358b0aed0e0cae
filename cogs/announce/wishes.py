"""What a server wishes to hear of: kinds of news in words, and buttons that carry a wish."""

import re
from dataclasses import dataclass
from typing import Self

from bot.domain.announcing import News, NewSubscription
from bot.domain.names import name_key
from bot.features.errors import UnknownNews
from bot.i18n import N_, number, t
from bot.ui.actions import Action, quoted, unquoted
from bot.ui.items import word

USUAL = frozenset({News.NEW, News.CLEARANCE})
EVERYTHING = frozenset(News)

_NEWS = {
    News.NEW: N_("new items"),
    News.BACK: N_("back again"),
    News.CLEARANCE: N_("clearance"),
    News.CHEAPER: N_("lower price"),
    News.MEMBERS: N_("members-only changes"),
}
_EVERYTHING = N_("everything")

_NONE = -1
# What a custom id has left beside the largest numbers; a part of a type's name is found, too.
_LONGEST_TYPE = 8


def news_words(news: frozenset[News]) -> str:
    """Return kinds of news as a list."""
    return ", ".join(t(_NEWS[each]) for each in News if each in news)


def read_news(text: str) -> frozenset[News]:
    """Return the kinds of news that are typed, by their words or keys. Raises UnknownNews."""
    known = {name_key(word): {each} for each in News for word in (each.value, t(_NEWS[each]))}
    known |= {name_key(word): set(News) for word in (_EVERYTHING, t(_EVERYTHING))}
    found: set[News] = set()
    for part in re.split(r"[,;+]", text):
        if name_key(part) not in known:
            raise UnknownNews(name=part.strip())
        found |= known[name_key(part)]
    return frozenset(found)


def offer_news(typed: str) -> list[tuple[str, str]]:
    """Return what can follow what was typed, each with the value it stands for."""
    done, _, last = typed.rpartition(",")
    try:
        chosen = read_news(done) if done.strip() else frozenset[News]()
    except UnknownNews:
        chosen = frozenset[News]()
    offers = [chosen | {each} for each in News if each not in chosen]
    if not chosen:
        offers = [USUAL, *offers, EVERYTHING]
    entries = [
        (t(_EVERYTHING) if each == EVERYTHING else news_words(each), ",".join(sorted(each)))
        for each in offers
    ]
    return [entry for entry in entries if name_key(last) in name_key(entry[0])] or entries


def subscription_words(one: NewSubscription) -> str:
    """Return what a subscription is for, and whom it pings."""
    parts = [news_words(one.news)]
    if one.type_name is not None:
        parts.append(word(one.type_name))
    if one.max_cost is not None:
        parts.append(t("up to %(cost)s", cost=number(one.max_cost)))
    if one.role_id is not None:
        parts.append(t("pings %(role)s", role=f"<@&{one.role_id}>"))
    return " · ".join(parts)


def channel_of(one: NewSubscription) -> str:
    """Return the channel as a mention."""
    return f"<#{one.channel_id}>"


@dataclass(frozen=True)
class SubscriptionWish:
    """What was typed and chosen; None where nothing was. `without` is what to take away."""

    channel_id: int | None
    role_id: int | None
    news: str | None
    item_type: str | None
    max_cost: int | None
    without: str | None = None


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
        """Return the action for what was wished. Raises UnknownNews."""
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
        """What was wished."""
        chosen = [each.value for bit, each in enumerate(News) if self.news >> bit & 1]
        return SubscriptionWish(
            self.channel_id,
            None if self.role_id == _NONE else self.role_id,
            ",".join(chosen) or None,
            unquoted(self.item_type) or None,
            None if self.max_cost == _NONE else self.max_cost,
        )
