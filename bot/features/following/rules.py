"""What is news, by how items and comments were seen before; and who wants to hear it.

- What was not seen before is new. What is gone for more than a day and returns is back again.
- What goes and comes back within a day is no news: neither an item, nor a clearance, nor a price.
  A lower price is therefore one below `SeenItem.base_cost`, which follows a price up only once that
  has stood for a day: 10, 12, 10 within hours is no news, 10, 12 for a week, 11 is.
- Prices in different currencies say nothing about each other.
- What could not be read when a catalog was followed first is no news once it can be.
- A comment is new that was written after its thread was followed; one is gone that two readings of
  its page lack.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from bot.features.forum.trees import all_comments
from bot.game.models import Comment, Item, Page
from bot.visible import text_key
from storage.following import (
    Filter,
    Judgement,
    NewEvent,
    News,
    NewSubscription,
    NewWatch,
    SeenComment,
    SeenItem,
)
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


def changes(
    known: Mapping[int, SeenItem], reading: Reading, now: datetime
) -> tuple[Sequence[SeenItem], Sequence[NewEvent]]:
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
            if each.gone_at is None and each.id not in ids
        ]
    return changed, events


def baseline(reading: Reading, now: datetime) -> Sequence[SeenItem]:
    """Return how items are kept that nobody is told of."""
    unread = reading.unreadable_ids - {item.id for item in reading.items}
    nothing = SeenItem(0, "", 0, None, False, False, 0, now)
    seen = [_first_look(item, now) for item in reading.items]
    return [*seen, *(replace(nothing, id=item_id) for item_id in sorted(unread))]


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


def who_watches(watches: Sequence[W], told: Sequence[tuple[E, Item]]) -> list[tuple[W, E]]:
    """Return the watches whose members are to hear of each event, in the order of events."""
    wanted = [(watch, name_key(watch.name)) for watch in watches]
    notices: list[tuple[W, E]] = []
    for event, item in told:
        if event.news & _WATCHED:
            name = name_key(item.name)
            notices += [
                (watch, event) for watch, part in wanted if _is_for(watch, part, item, name)
            ]
    return notices


def _is_for(watch: NewWatch, part: str, item: Item, name: str) -> bool:
    if watch.item_id is not None:
        return watch.item_id == item.id
    return (
        part in name
        and watch.type_id in (None, item.item_type.id)
        and (watch.max_cost is None or item.cost <= watch.max_cost)
        and (item.is_clearance or not watch.is_clearance)
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
        id=item.id,
        name=item.name,
        cost=item.cost,
        currency_id=item.currency.id,
        is_clearance=item.is_clearance,
        is_member_item=item.is_member_item,
        base_cost=item.cost,
        first_seen_at=now,
    )


class ThreadChanges(Struct, frozen=True):
    """What a reading has found; `missing` are comments that are gone if a later one lacks them.

    `changed` are comments whose text is another, or that are gone; `moved` are on other pages now.
    """

    new: Sequence[SeenComment]
    changed: Sequence[SeenComment]
    moved: Sequence[SeenComment]
    missing: Set[int]


def compare(
    known: Mapping[int, SeenComment],
    pages: Sequence[Page[Comment]],
    since: datetime,
    missing: Set[int] = frozenset(),
) -> ThreadChanges:
    """Return what differs from what is known; new is what was written after `since`, in order."""
    found = {
        comment.id: seen_as(comment, root, page.number)
        for page in pages
        for root in page.entries
        for comment in all_comments((root,))
    }
    new = [each for key, each in found.items() if key not in known and each.written_at > since]
    changed: list[SeenComment] = []
    moved: list[SeenComment] = []
    for key, each in found.items():
        before = known.get(key)
        if before is None:
            continue
        if before.is_gone or before.digest != each.digest:
            changed.append(replace(each, is_changed=True))
        elif before.page != each.page:
            moved.append(replace(each, is_changed=before.is_changed))
    lacking = {each for page in pages for each in _lacking_on(page, known)} - found.keys()
    gone = lacking & missing
    changed += [replace(known[key], is_gone=True, is_changed=True) for key in sorted(gone)]
    new.sort(key=lambda each: (each.written_at, each.id))
    # What is missing on a page that was not read this time is so until that is read again.
    return ThreadChanges(new, changed, moved, (lacking | missing) - gone - found.keys())


def newest(pages: Sequence[Page[Comment]], *, before: datetime) -> datetime | None:
    """Return when the last of these comments was written.

    What is dated later than `before` says nothing of that, unless all of them are.
    """
    moments = [each.created_at for page in pages for each in all_comments(page.entries)]
    return max([each for each in moments if each < before] or moments, default=None)


def seen_as(comment: Comment, root: Comment, page: int) -> SeenComment:
    """Return how a comment was seen."""
    digest = text_key(comment.content)
    return SeenComment(comment.id, root.id, page, digest, comment.created_at)


def _lacking_on(page: Page[Comment], known: Mapping[int, SeenComment]) -> Set[int]:
    """Return what is known and should stand on a page, by when it was written."""
    moments = [entry.created_at for entry in page.entries]
    if page.unreadable or any(later < earlier for later, earlier in pairwise(moments)):
        return set()
    standing = {entry.id for entry in page.entries}
    whole = {
        entry.id
        for entry in page.entries
        if all(len(each.children) >= each.children_count for each in all_comments((entry,)))
    }
    lacking: set[int] = set()
    for each in known.values():
        if each.is_gone:
            continue
        if each.id == each.root_id:
            is_due = _is_within(each.written_at, page, moments) and each.id not in standing
        else:
            is_due = each.root_id in whole
        if is_due:
            lacking.add(each.id)
    below = {each.id for each in known.values() if each.root_id in lacking}
    return lacking | {key for key in below if not known[key].is_gone}


def _is_within(moment: datetime, page: Page[Comment], moments: Sequence[datetime]) -> bool:
    """Return whether a comment of this moment would stand on a page, strictly between others."""
    if not moments:
        return page.number == 1 and not page.has_next
    is_after_last = moment > moments[-1] or not page.has_next
    is_before_first = moment < moments[0] or page.number == 1
    return is_after_last and is_before_first
