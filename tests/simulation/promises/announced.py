"""Announced catalogs: all news that fit, once in each channel, and nothing else."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.simulation.faults import Fault
from tests.simulation.promises.looks import Looks
from tests.simulation.promises.subscriptions import (
    CATALOG,
    Subscription,
    Subscriptions,
    on_its_card,
)
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Town

_DAY = 86400.0
_MARK = re.compile(r"q[a-z]\d+z")
_OF_AN_ITEM = ("item", "askbuy", "askredeem", "watch")
# One list has room for so many; more items are told by their number.
_MAX_LISTED = 25
# Discord's number of an announcement channel.
_NEWS = 5
_WEEK = 7 * _DAY
# Kiosk knows for 90 days what was news.
_NEARLY_FORGOTTEN = 80 * _DAY
_MAX_MISSED = 3
_KINDS = ("new", "back", "clearance", "cheaper", "members", "gone")
# A moment that is known to lie between two.
_Span = tuple[float, float]


@dataclass(frozen=True)
class _Known:
    """An item as the last look found it, and what it cost before, as far as that still counts."""

    item: Any
    base: int
    risen: _Span | None = None
    ended: _Span | None = None
    gone: _Span | None = None
    is_gone_told: bool = False
    # The model can no longer say what is news of it.
    is_vague: bool = False


# Kinds of news, each with whether it is sure.
_News = Mapping[str, bool]


class Announced:
    """Reads the catalogs at each look, and says what has to be told of them since the last."""

    def __init__(self, town: Town, looks: Looks, subscriptions: Subscriptions) -> None:
        self._town = town
        self._looks = looks
        self._subscriptions = subscriptions
        # By catalog and item, as they were at the last sure look.
        self._known: dict[int, dict[int, _Known]] = {}
        # Whose first look may have found what was changed since: nothing is sure of that.
        self._begun: set[int] = set()
        # The subscriptions that began.
        self._numbers: set[int] = set()
        # All items that a rest has found, as they were last.
        self._met: dict[int, dict[int, Any]] = {}
        # Of each item, what it was at the last rest; and how often it changed since that look.
        self._before: dict[int, Any] = {}
        self._changes: Counter[int] = Counter()
        self._marks: dict[str, int] = {}
        # By channel: what stood there at the last sure look, and the cards that came since.
        self._stood: dict[int, set[int]] = {}
        self._came: dict[int, dict[int, Card]] = {}
        # Whose newest items were posted; and since the last sure look, from among which.
        self._newest: set[int] = set()
        self._posting: dict[int, set[int]] = {}

    def post_newest(self, deed: Deed) -> None:
        """Note that the newest items are to be posted once, whatever they are."""
        known = self._subscriptions.by_number.get(int(deed.fields[0]))
        if known is not None and on_its_card(deed) and known.number not in self._newest:
            self._newest.add(known.number)
            there = self._items(known.place_id)
            self._posting[known.number] = {*self._met[known.place_id], *there}

    def see(self, deed: Deed) -> None:
        """Note what stands in a channel from which a manager is about to delete a message."""
        known = self._subscriptions.by_number.get(int(deed.fields[0]))
        for channel_id in known.channels if known else ():
            stood = self._stood.setdefault(channel_id, set())
            came = self._came.setdefault(channel_id, {})
            for card in self._cards(deed.guild_id or 0).get(channel_id, ()):
                if card.message_id not in stood:
                    came.setdefault(card.message_id, card)

    def begin(self) -> None:
        """Note what stands in catalogs before they are announced."""
        for each in self._subscriptions.of(CATALOG):
            if each.number not in self._numbers:
                self._begin(each)
            for channel_id in each.channels:
                if channel_id not in self._stood:
                    cards = self._cards(each.guild_id).get(channel_id, ())
                    self._stood[channel_id] = {card.message_id for card in cards}

    def _begin(self, each: Subscription) -> None:
        self._numbers.add(each.number)
        catalog_id = each.place_id
        others = [other for other in self._subscriptions.of(CATALOG) if other is not each]
        if any(other.place_id == catalog_id and not other.is_removed for other in others):
            return
        # What was known is forgotten with the last who wished for it, unless a member watches.
        for number, known in self._known.get(catalog_id, {}).items():
            if known.gone or known.risen or known.ended:
                self._known[catalog_id][number] = replace(known, is_vague=True)
        self._learn(catalog_id)

    def watch(self, _deed: Deed) -> None:
        """Note what stands in catalogs before a member may watch them."""
        for catalog_id in self._town.game.catalogs():
            if catalog_id not in self._known:
                self._learn(catalog_id)

    def _learn(self, catalog_id: int) -> None:
        self._begun.add(catalog_id)
        if catalog_id not in self._known:
            there = self._items(catalog_id)
            self._known[catalog_id] = {
                number: _Known(item, item.cost) for number, item in there.items()
            }
            self._before |= there
            self._met[catalog_id] = there

    async def faults(self) -> AsyncIterator[Fault]:
        news = {catalog_id: self._news(catalog_id) for catalog_id in self._known}
        for guild in self._town.guilds:
            for fault in self._faults_of(guild.id, news):
                yield fault
        if self._looks.is_new:
            for catalog_id in self._known:
                self._advance(catalog_id)
            self._changes.clear()
            self._begun.clear()
            self._posting.clear()
            for each in self._subscriptions.of(CATALOG):
                each.owed.clear()
                each.is_telling = False

    # What is news.

    def _items(self, catalog_id: int) -> dict[int, Any]:
        """Return what Kiosk's own account is shown of a catalog."""
        token = self._town.settings.game_token
        shown = token.get_secret_value() if token else None
        return {item.id: item for item in self._town.game.items(catalog_id, shown)}

    def _news(self, catalog_id: int) -> dict[int, _News]:
        """Return what a look at this moment finds, beside the last that is sure."""
        there = self._items(catalog_id)
        known = self._known[catalog_id]
        met = self._met.setdefault(catalog_id, {})
        met |= there
        found: dict[int, _News] = {}
        for number in sorted(met.keys() | known.keys()):
            before, item = known.get(number), there.get(number)
            if self._before.get(number) != item:
                self._changes[number] += 1
                self._before[number] = item
            if item is not None:
                self._marks |= dict.fromkeys(_MARK.findall(item.name), number)
            # What came and went between two sure looks may have been seen.
            news = {} if before is item is None else self._news_of(before, item)
            is_vague = self._changes[number] > 1 or (before is not None and before.is_vague)
            if is_vague or before is item or (self._changes[number] and catalog_id in self._begun):
                found[number] = dict.fromkeys(_KINDS, False)
            elif news:
                found[number] = news
        return found

    def _news_of(self, before: _Known | None, item: Any) -> dict[str, bool]:
        """Return what is new of an item, each with whether it is sure."""
        if before is None:
            return {"new": True} | ({"clearance": True} if item.is_clearance else {})
        if item is None:
            return self._gone(before)
        news: dict[str, bool] = {}
        was = before.item
        if before.gone:
            self._note(news, "back", before.gone)
        if item.is_clearance and not was.is_clearance:
            self._note(news, "clearance", before.ended or (-_WEEK, -_WEEK))
        bases = self._bases(before)
        if item.currency == was.currency and item.cost < max(bases):
            news["cheaper"] = item.cost < min(bases)
        if item.is_member_item != was.is_member_item:
            news["members"] = True
        return news

    def _gone(self, before: _Known) -> dict[str, bool]:
        if before.gone is None or before.is_gone_told:
            return {}
        least, most = self._looks.now - before.gone[1], self._looks.now - before.gone[0]
        # What Kiosk finds gone for a week, after it was away, is no news any more; and a card
        # without buttons shows only by a mark which item it is about.
        is_sure = least > _DAY and most <= _WEEK and bool(_MARK.search(before.item.name))
        return {"gone": is_sure} if most > _DAY else {}

    def _bases(self, before: _Known) -> set[int]:
        """Return the price that a lower one is below: a rise counts once it stood for a day."""
        has_stood = self._is_over(before.risen)
        if has_stood is None:
            return {before.base, before.item.cost}
        return {before.item.cost if has_stood else before.base}

    def _note(self, news: dict[str, bool], kind: str, since: _Span) -> None:
        """Note what is news if it has been so for a day."""
        is_over = self._is_over(since)
        if is_over is not False:
            news[kind] = is_over is True

    def _is_over(self, since: _Span | None) -> bool | None:
        """Tell whether a day has passed: None if that depends on which look found it."""
        if since is None:
            return False
        if self._looks.began - since[1] > _DAY:
            return True
        return None if self._looks.now - since[0] >= _DAY else False

    def _advance(self, catalog_id: int) -> None:
        """Note how a catalog is from this look on."""
        there = self._items(catalog_id)
        known = self._known[catalog_id]
        span = self._looks.began, self._looks.now
        for number, last in self._met[catalog_id].items():
            before, item = known.get(number), there.get(number)
            is_vague = self._changes[number] > 1
            if catalog_id in self._begun and before is not None and before.item != item:
                is_vague = True
            if item is not None and before is not None:
                known[number] = self._seen_again(before, item, span, is_vague=is_vague)
            elif item is not None:
                known[number] = _Known(item, item.cost, is_vague=is_vague)
            elif before is None:
                known[number] = _Known(last, last.cost, gone=span, is_vague=True)
            else:
                sure = self._news_of(before, None).get("gone")
                known[number] = replace(
                    before,
                    gone=before.gone or span,
                    is_gone_told=before.is_gone_told or sure is True,
                    is_vague=before.is_vague or is_vague or sure is False,
                )

    def _seen_again(self, before: _Known, item: Any, span: _Span, *, is_vague: bool) -> _Known:
        was = before.item
        ended = None if item.is_clearance else (span if was.is_clearance else before.ended)
        after = replace(before, item=item, gone=None, is_gone_told=False, ended=ended)
        after = replace(after, is_vague=before.is_vague or is_vague)
        if item.currency != was.currency:
            return replace(after, base=item.cost, risen=None)
        if item.cost == was.cost:
            return after
        bases = self._bases(before)
        if len(bases) > 1:
            return replace(after, is_vague=True)
        (base,) = bases
        if item.cost <= base:
            return replace(after, base=item.cost, risen=None)
        is_rise = item.cost > was.cost or before.risen is None
        return replace(after, base=base, risen=span if is_rise else before.risen)

    # What was told.

    def _cards(self, guild_id: int) -> dict[int, list[Card]]:
        return self._town.sight.posted(guild_id)

    def _faults_of(self, guild_id: int, news: Mapping[int, Mapping[int, _News]]) -> Iterator[Fault]:
        announced = [each for each in self._subscriptions.of(CATALOG) if each.guild_id == guild_id]
        if not announced:
            return
        posted = self._cards(guild_id)
        for channel_id in sorted({channel for each in announced for channel in each.channels}):
            stood = self._stood.setdefault(channel_id, set())
            came = self._came.setdefault(channel_id, {})
            for card in posted.get(channel_id, ()):
                if card.message_id not in stood:
                    came.setdefault(card.message_id, card)
            new = list(came.values())
            here = [each for each in announced if channel_id in each.channels]
            if self._looks.is_sure(channel_id):
                yield from self._compare(channel_id, new, here, news)
            if self._looks.is_new:
                stood.update(came)
                came.clear()

    def _compare(
        self,
        channel_id: int,
        new: list[Card],
        here: list[Subscription],
        news: Mapping[int, Mapping[int, _News]],
    ) -> Iterator[Fault]:
        """Compare what came to a channel since the last sure look with what had to, and may."""
        told = Counter(number for card in new for number in self._told(card))
        must, may = Counter[int](), Counter[int]()
        for each in here:
            these_must, these_may = self._owed(each, channel_id, news.get(each.place_id, {}))
            must += these_must
            may += these_may
        name = str(self._town.env.backend.channels[channel_id].name)
        for number in sorted(told - may):
            about = f"item {number} in {name}"
            yield Fault("what is announced is news that fits", about, f"{told[number]} times")
        has_room = all(len(self._told(card)) < _MAX_LISTED for card in new)
        for number in sorted(must - told) if self._looks.is_new and has_room else ():
            about = f"item {number} in {name}"
            yield Fault("all news that fit are announced", about, f"{told[number]} times")
        announcing = [card for card in new if self._told(card)]
        yield from self._wrong_pings(name, announcing, here, is_due=bool(must))
        is_news_channel = self._town.channel_type(channel_id) == _NEWS
        has_newest = any(each.number in self._posting for each in here)
        if is_news_channel and not has_newest and not all(c.is_published for c in announcing):
            yield Fault("what is announced in a news channel is published", name)

    def _wrong_pings(
        self, name: str, cards: list[Card], here: list[Subscription], *, is_due: bool
    ) -> Iterator[Fault]:
        pinged = frozenset(role for card in cards for role in card.pinged_roles)
        is_steady = all(max(each.changed, each.pings_changed) < self._looks.before for each in here)
        # What came before a change pinged the roles from then.
        if is_steady and not pinged <= frozenset[int]().union(*(each.pinged for each in here)):
            yield Fault("an announcement pings its roles alone", name)
        is_due = is_due and self._looks.is_new and len(here) == 1
        is_due = is_due and not any(card.is_changed for card in cards)
        if not (is_due and is_steady):
            return
        roles = self._town.env.backend.guilds[here[0].guild_id].roles
        if pinged != here[0].pinged.intersection(roles):
            yield Fault("an announcement pings its roles", name)

    def _owed(
        self, each: Subscription, channel_id: int, news: Mapping[int, _News]
    ) -> tuple[Counter[int], Counter[int]]:
        """Return what a channel has to get of a subscription by now, and what it may get."""
        is_steady = each.changed < self._looks.before
        is_here = each.channel_id == channel_id
        if is_steady and (each.is_removed or not is_here):
            return Counter(), Counter()
        must, may = self._wanted(each, news)
        if is_steady and each.paused is not None:
            self._miss(each, must)
            return Counter(), Counter()
        if not is_steady:
            must.clear()
            # News may fit what was wanted before the change.
            may |= Counter({number: 1 + (self._changes[number] > 1) for number in news})
        if is_here:
            must += Counter(each.owed - may.keys())
        if each.is_telling:
            # Among it may be several news of one item.
            may += Counter(dict.fromkeys(self._met[each.place_id], _MAX_MISSED))
        may += Counter(self._posting.get(each.number, ()))
        return must, may

    def _miss(self, each: Subscription, must: Counter[int]) -> None:
        if self._looks.is_new:
            each.missed.update(must)
        if self._looks.now - each.paused_at > _NEARLY_FORGOTTEN:
            each.missed.clear()

    def _wanted(
        self, each: Subscription, news: Mapping[int, _News]
    ) -> tuple[Counter[int], Counter[int]]:
        """Return which items' news fit a subscription for sure, and which may."""
        must, may = Counter[int](), Counter[int]()
        wanted = each.wanted
        for number, kinds in news.items():
            sure = [is_sure for kind, is_sure in kinds.items() if kind in wanted.news]
            item = self._met[each.place_id][number]
            if sure and (not wanted.is_plain or wanted.fits(item)):
                may[number] += 1 + (self._changes[number] > 1)
                must[number] += wanted.is_plain and any(sure)
        return +must, may

    def _told(self, card: Card) -> set[int]:
        """Return the items that a card is about."""
        numbers = {
            int(control.fields[2]) for control in card.controls if control.kind in _OF_AN_ITEM
        }
        return numbers | {self._marks[mark] for mark in card.marks if mark in self._marks}
