"""What is new about a catalog's items, by how they were seen before; and who wants to hear it.

- What was not seen before is new. What is gone for more than a day and returns is back again.
- What goes and comes back within a day is no news: neither an item, nor a clearance, nor a price.
  A lower price is therefore one below `SeenItem.base_cost`, which follows a price up only once that
  has stood for a day: 10, 12, 10 within hours is no news, 10, 12 for a week, 11 is.
- Prices in different currencies say nothing about each other.
- What could not be read when a catalog was followed first is no news once it can be.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from bot.domain.announcing import (
    Changes,
    Filter,
    Judgement,
    NewEvent,
    News,
    NewSubscription,
    NewWatch,
    SeenItem,
)
from bot.game.models import Item
from storage.names import name_key

W = TypeVar("W", bound=NewWatch)
E = TypeVar("E", bound=NewEvent)

DAY = timedelta(days=1)
# What a member who watches hears of.
_WATCHED = frozenset({News.NEW, News.BACK, News.CLEARANCE, News.CHEAPER})


class Reading(Struct, frozen=True):
    """What was seen of a catalog, each item once, in the catalog's order.

    Items that are not in it are gone only if it is `certain`: every page was read, and nothing
    unnamed could not be; those that moved meanwhile are back within a day. `failure` says why it
    ended early.
    """

    items: tuple[Item, ...]
    is_certain: bool
    unreadable_ids: frozenset[int] = field(default_factory=frozenset[int])
    failure: str | None = None
    per_page: int = 15


def changes(known: Mapping[int, SeenItem], reading: Reading, now: datetime) -> Changes:
    """Return how items are to be kept from now on, where that changes, and the news of them."""
    changed: list[SeenItem] = []
    events: list[NewEvent] = []
    for place, item in enumerate(reading.items):
        before = known.get(item.id)
        after, news = look(before, item, now)
        if after != before:
            changed.append(after)
        if news:
            page = place // reading.per_page + 1
            old_cost = base_cost(before, now) if before and News.CHEAPER in news else None
            # Whose token it was read with is nobody's business.
            written = dataclasses.replace(item, has_purchased=False).to_json()
            events.append(NewEvent(item.id, news, written, page, old_cost))
    if reading.is_certain:
        ids = {item.id for item in reading.items} | reading.unreadable_ids
        changed += [
            replace(each, gone_at=now)
            for each in known.values()
            if each.gone_at is None and each.item_id not in ids
        ]
    return changed, events


def baseline(reading: Reading, now: datetime) -> list[SeenItem]:
    """Return how items are kept that nobody is told of."""
    unread = reading.unreadable_ids - {item.id for item in reading.items}
    nothing = SeenItem(0, "", 0, None, False, False, 0, now)
    return [
        *(_first_look(item, now) for item in reading.items),
        *(replace(nothing, item_id=item_id) for item_id in sorted(unread)),
    ]


def look(before: SeenItem | None, item: Item, now: datetime) -> tuple[SeenItem, frozenset[News]]:
    """Return how an item is to be kept after a look at it, and what is new about it."""
    if before is None:
        news = {News.NEW, News.CLEARANCE} if item.is_clearance else {News.NEW}
        return _first_look(item, now), frozenset(news)
    if before.currency_id is None:
        return replace(_first_look(item, now), first_seen_at=before.first_seen_at), frozenset()
    ended_at = now if before.is_clearance else before.clearance_ended_at
    after = replace(
        before,
        name=item.name,
        cost=item.cost,
        currency_id=item.currency.id,
        is_clearance=item.is_clearance,
        is_member_item=item.is_member_item,
        gone_at=None,
        clearance_ended_at=None if item.is_clearance else ended_at,
    )
    after = _priced(before, after, now)
    return after, frozenset(_news(before, after, now))


def judge(subscription: NewSubscription, event: NewEvent, item: Item) -> Judgement:
    """Return which filters of a subscription let an event through; those that are not set do."""
    most = subscription.max_cost
    return {
        Filter.NEWS: bool(subscription.news & event.news),
        Filter.TYPE: subscription.type_id in (None, item.item_type.id),
        Filter.COST: most is None or item.cost <= most,
    }


def wants(subscription: NewSubscription, event: NewEvent, item: Item) -> bool:
    """Return whether a subscription is to hear of an event."""
    return all(judge(subscription, event, item).values())


def who_watches(watches: Iterable[W], told: Sequence[tuple[E, Item]]) -> list[tuple[W, E]]:
    """Return the watches whose members are to hear of each event, in the order of events.

    Thousands watch, and hundreds may be new: no watch is held against each of them.
    """
    told = [(event, item) for event, item in told if event.news & _WATCHED]
    names = {item.id: name_key(item.name) for _, item in told}
    of_item = defaultdict[int, list[W]](list)
    searches = defaultdict[str, list[W]](list)
    for watch in watches:
        if watch.item_id is None:
            searches[name_key(watch.name)].append(watch)
        elif watch.item_id in names:
            of_item[watch.item_id].append(watch)
    all_names = "\n".join(names.values())
    found = [(part, those) for part, those in searches.items() if part in all_names]
    notices: list[tuple[W, E]] = []
    for event, item in told:
        notices += [(watch, event) for watch in of_item.get(item.id, ())]
        for part, those in found:
            if part in names[item.id]:
                notices += [(watch, event) for watch in those if _is_for(watch, item)]
    return notices


def _is_for(search: NewWatch, item: Item) -> bool:
    return (
        search.type_id in (None, item.item_type.id)
        and (search.max_cost is None or item.cost <= search.max_cost)
        and (item.is_clearance or not search.is_clearance)
    )


def base_cost(seen: SeenItem, now: datetime) -> int:
    """Return the price that a lower one is lower than."""
    has_stood = seen.risen_at is not None and now - seen.risen_at >= DAY
    return seen.cost if has_stood else seen.base_cost


def _news(before: SeenItem, after: SeenItem, now: datetime) -> Iterator[News]:
    if before.gone_at is not None and now - before.gone_at > DAY:
        yield News.BACK
    ended = before.clearance_ended_at
    is_reduced = after.is_clearance and not before.is_clearance
    if is_reduced and (ended is None or now - ended > DAY):
        yield News.CLEARANCE
    if after.currency_id == before.currency_id and after.cost < base_cost(before, now):
        yield News.CHEAPER
    if after.is_member_item != before.is_member_item:
        yield News.MEMBERS


def _priced(before: SeenItem, after: SeenItem, now: datetime) -> SeenItem:
    if after.currency_id != before.currency_id:
        return replace(after, base_cost=after.cost)
    base = base_cost(before, now)
    if after.cost == before.cost:
        # Nothing to write: that a price has stood for a day is seen when it changes next.
        return after
    if after.cost <= base:
        return replace(after, base_cost=after.cost)
    risen_at = now if after.cost > before.cost or before.risen_at is None else before.risen_at
    return replace(after, base_cost=base, risen_at=risen_at)


def _first_look(item: Item, now: datetime) -> SeenItem:
    return SeenItem(
        item_id=item.id,
        name=item.name,
        cost=item.cost,
        currency_id=item.currency.id,
        is_clearance=item.is_clearance,
        is_member_item=item.is_member_item,
        base_cost=item.cost,
        first_seen_at=now,
    )
