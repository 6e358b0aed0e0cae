"""Rules of news: compare items and comments with the last look, and match subscriptions."""

import datetime as dt
from collections import abc
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from bot import visible
from bot.features import feature_errors, item_queries
from bot.features.moderation.policy import split_words
from bot.features.moderation.watched_words import Matcher, word_key
from bot.features.reading import trees
from bot.features.reading.catalogs import Reading
from bot.game import models
from storage import subscriptions
from storage.following import NO_ITEM, SeenComment, SeenItem
from storage.names import PlaceKind

# An item, a clearance or a price that disappears and is back within a day isn't news.
DAY = dt.timedelta(days=1)
# Letters of one wish's words after folding, which can turn one letter into eighteen.
_MAX_LETTERS = 200
# The highest number that a column holds.
_HIGHEST_ID = 2**63 - 1
# An item that had been gone for longer when an upgrade came isn't news.
_LONG_GONE = dt.timedelta(days=7)
# The news that a member who watches gets.
WATCHED = frozenset(
    {
        subscriptions.News.NEW,
        subscriptions.News.BACK,
        subscriptions.News.CLEARANCE,
        subscriptions.News.CHEAPER,
    }
)


def changes(
    known: abc.Mapping[int, SeenItem], reading: Reading, now: dt.datetime
) -> tuple[abc.Sequence[SeenItem], abc.Sequence[subscriptions.NewEvent]]:
    """Return the changed items to save, and the events about them."""
    changed: list[SeenItem] = []
    events: list[subscriptions.NewEvent] = []
    for entry in reading.items:
        item = entry.item
        before = known.get(item.id)
        after, news = look(before, item, now)
        if after != before:
            changed.append(after)
        if news:
            old_cost = (
                base_cost(before, now) if before and subscriptions.News.CHEAPER in news else None
            )
            payload = item_queries.ItemNews(item, entry.page, old_cost).to_json()
            events.append(subscriptions.NewEvent(subject_id=item.id, news=news, payload=payload))
    if reading.is_certain:
        ids = {entry.item.id for entry in reading.items} | reading.unreadable_ids
        changed += [
            replace(seen, gone_at=now)
            for seen in known.values()
            if seen.gone_at is None and seen.id not in ids
        ]
        for seen in known.values():
            gone_for = dt.timedelta() if seen.gone_at is None else now - seen.gone_at
            if seen.id in ids or seen.is_gone_told or gone_for <= DAY:
                continue
            changed.append(replace(seen, is_gone_told=True))
            if seen.item != NO_ITEM and gone_for <= _LONG_GONE:
                item = models.Item.from_json(bytes(seen.item).decode())
                payload = item_queries.ItemNews(item).to_json()
                gone = frozenset({subscriptions.News.GONE})
                events.append(
                    subscriptions.NewEvent(subject_id=seen.id, news=gone, payload=payload)
                )
    return changed, events


def next_due(known: abc.Mapping[int, SeenItem]) -> dt.datetime | None:
    """Return the moment after which there is news although the catalog stays as it is."""
    moments = (seen.gone_at for seen in known.values() if not seen.is_gone_told)
    return min((moment + DAY for moment in moments if moment is not None), default=None)


def baseline(reading: Reading, now: dt.datetime) -> abc.Sequence[SeenItem]:
    """Return the items of a first look, to save without any news about them."""
    nothing = SeenItem(0, "", 0, None, False, False, 0, now)
    seen = [_first_look(entry.item, now) for entry in reading.items]
    return [*seen, *(replace(nothing, id=item_id) for item_id in sorted(reading.unreadable_ids))]


def look(
    before: SeenItem | None, item: models.Item, now: dt.datetime
) -> tuple[SeenItem, frozenset[subscriptions.News]]:
    """Return an item to save after a look at it, and what is new about it."""
    if before is None:
        news = (
            {subscriptions.News.NEW, subscriptions.News.CLEARANCE}
            if item.is_clearance
            else {subscriptions.News.NEW}
        )
        return _first_look(item, now), frozenset(news)
    first_look = replace(_first_look(item, now), first_seen_at=before.first_seen_at)
    if before.currency_id is None:
        return first_look, frozenset()
    ended_at = now if before.is_clearance else before.clearance_ended_at
    after = replace(
        first_look,
        base_cost=before.base_cost,
        risen_at=before.risen_at,
        clearance_ended_at=None if item.is_clearance else ended_at,
    )
    after = _priced(before, after, now)
    return after, frozenset(_news(before, after, now))


def subscription_key(wish: subscriptions.NewSubscription) -> str:
    """Return the key of a subscription, which no other one has."""
    key = f"{wish.member_id or wish.channel_id} {wish.kind} {wish.place_id}"
    if wish.subject_id is not None:
        return f"{key} item {wish.subject_id}"
    if wish.kind is not PlaceKind.CATALOG:
        return f"{key} words {words_key(wish.subject_name)}" if wish.subject_name else key
    query = wish.query
    types = sorted(map(visible.name_key, query.types))
    if wish.member_id is not None:
        kept = f"search {(types, query.max_cost, query.is_clearance, visible.name_key(query.name))}"
        others = replace(query, types=frozenset(), max_cost=None, is_clearance=False, name="")
    else:
        # The same catalog may be announced twice in a channel, but not the same news of it.
        # If only one role is pinged, the key has its number.
        roles = sorted(wish.role_ids)
        pinged = roles if len(roles) > 1 else next(iter(roles), None)
        kept = f"{(sorted(wish.news), types, query.max_cost, query.currency, pinged)}"
        others = replace(query, types=frozenset(), max_cost=None, currency="")
    # The keys of 1.0.0 only contain `kept`.
    return f"{key} {kept}" if others == subscriptions.ItemQuery() else f"{key} {kept} {others}"


def words_key(words: str) -> str:
    """Return the key that wishes for the same words share, however they were typed.

    Raises UnfitToWatch, TooLongToWatch.
    """
    keys = {word_key(word): word for word in split_words(words)}
    if not keys or "" in keys:
        raise feature_errors.UnfitToWatch(name=keys.get("", words))
    if sum(map(len, keys)) > _MAX_LETTERS:
        raise feature_errors.TooLongToWatch(number=str(_MAX_LETTERS))
    return ", ".join(sorted(keys))


def goes_on_with(
    subscription: subscriptions.Subscription, other: subscriptions.Subscription
) -> bool:
    """Return whether two stopped subscriptions resume together.

    They do if Discord refused both for the same reason in one channel.
    """
    if subscription.refusal is not None:
        refused = subscription.channel_id, subscription.refusal
        return (other.channel_id, other.refusal) == refused
    return subscription.id == other.id


def wants(
    wish: subscriptions.NewSubscription, news: abc.Set[subscriptions.News], item: models.Item
) -> bool:
    if wish.subject_id is not None:
        return wish.subject_id == item.id and bool(wish.news & news)
    return not any(against(wish, news, item))


def against(
    wish: subscriptions.NewSubscription, news: abc.Set[subscriptions.News], item: models.Item
) -> abc.Iterator[item_queries.Misfit]:
    """Yield the reasons why a subscription doesn't get such news of an item."""
    if not wish.news & news:
        yield item_queries.Misfit.NEWS
    yield from item_queries.misfits(wish.query, item)


def base_cost(seen: SeenItem, now: dt.datetime) -> int:
    """Return the price that cheaper ones are compared with. A rise counts after a day.

    10, 12, 10 within hours isn't news. 10, 12 for a week, 11 is.
    """
    has_stood = seen.risen_at is not None and now - seen.risen_at >= DAY
    return seen.cost if has_stood else seen.base_cost


def _news(before: SeenItem, after: SeenItem, now: dt.datetime) -> abc.Iterator[subscriptions.News]:
    if before.gone_at is not None and now - before.gone_at > DAY:
        yield subscriptions.News.BACK
    ended = before.clearance_ended_at
    is_reduced = after.is_clearance and not before.is_clearance
    if is_reduced and (ended is None or now - ended > DAY):
        yield subscriptions.News.CLEARANCE
    if after.currency_id == before.currency_id and after.cost < base_cost(before, now):
        yield subscriptions.News.CHEAPER
    if after.is_member_item != before.is_member_item:
        yield subscriptions.News.MEMBERS


def _priced(before: SeenItem, after: SeenItem, now: dt.datetime) -> SeenItem:
    if after.currency_id != before.currency_id:
        return replace(after, base_cost=after.cost)
    base = base_cost(before, now)
    if after.cost == before.cost:
        # Nothing to save: the next change shows whether a price has lasted for a day.
        return after
    if after.cost <= base:
        return replace(after, base_cost=after.cost)
    risen_at = now if after.cost > before.cost or before.risen_at is None else before.risen_at
    return replace(after, base_cost=base, risen_at=risen_at)


def _first_look(item: models.Item, now: dt.datetime) -> SeenItem:
    return SeenItem(
        id=item.id,
        name=item.name,
        cost=item.cost,
        currency_id=item.currency.id,
        is_clearance=item.is_clearance,
        is_member_item=item.is_member_item,
        base_cost=item.cost,
        first_seen_at=now,
        item=msgspec.Raw(item_queries.without_reader_fields(item).to_json()),
    )


class ThreadChanges(msgspec.Struct, frozen=True):
    """The result of a look at a thread.

    `changed` are comments with another text, or that are gone. `moved` are on other pages now, or
    older ones that a new comment answers or whose replies a member waits for. `missing` are gone if
    the next look lacks them too.
    """

    new: abc.Sequence[SeenComment]
    changed: abc.Sequence[SeenComment]
    moved: abc.Sequence[SeenComment]
    missing: abc.Set[int]


def compare(
    known: abc.Mapping[int, SeenComment],
    pages: abc.Sequence[models.Page[models.Comment]],
    since: dt.datetime,
    missing: abc.Set[int] = frozenset(),
) -> ThreadChanges:
    """Return what differs from `known`. Comments written after `since` are new, in order."""
    found: dict[int, SeenComment] = {
        comment.id: comment
        for page in pages
        for root in page.entries
        for comment in seen_below(root, page.number)
    }
    new: list[SeenComment] = []
    changed: list[SeenComment] = []
    moved: list[SeenComment] = []
    for key, comment in found.items():
        before = known.get(key)
        if before is None or before.is_only_placed:
            if comment.written_at > since:
                new.append(comment)
            elif before is not None:
                moved.append(comment)
        elif before.is_gone or before.digest != comment.digest:
            changed.append(replace(comment, is_changed=True))
        elif (before.page, before.parent_id) != (comment.page, comment.parent_id):
            moved.append(replace(comment, is_changed=before.is_changed))
    answered = {comment.root_id for comment in new} - {comment.id for comment in new} - known.keys()
    moved += [found[number] for number in sorted(answered & found.keys())]
    lacking = {number for page in pages for number in _lacking_on(page, known)} - found.keys()
    gone = lacking & missing
    changed += [replace(known[key], is_gone=True, is_changed=True) for key in sorted(gone)]
    new.sort(key=lambda comment: (comment.written_at, comment.id))
    # A comment missing on a page that wasn't read this time stays so until that page is read.
    return ThreadChanges(new, changed, moved, (lacking | missing) - gone - found.keys())


def roots_within(page: models.Page[models.Comment]) -> tuple[int, int]:
    """Return the lowest and the highest id of a root that a page may have to show.

    The game counts ids up. The first page shows all newer roots too, the last one all older ones.
    """
    ids = [entry.id for entry in page.entries]
    lowest = min(ids, default=_HIGHEST_ID) if page.has_next else 0
    highest = _HIGHEST_ID if page.number == 1 else max(ids, default=0)
    return lowest, highest


def seen_below(root: models.Comment, page: int) -> abc.Iterator[SeenComment]:
    """Yield the comment at the top of a page, and all below it, as they are saved."""
    parents = {reply.comment.id: reply.parent.id for reply in trees.tree_of(root).replies}
    for comment in trees.all_comments((root,)):
        yield SeenComment(
            comment.id,
            root.id,
            page,
            visible.text_key(comment.content),
            comment.created_at,
            parent_id=parents.get(comment.id),
            player_id=comment.player.id,
        )


def placed(branch: abc.Sequence[models.Comment], page: int) -> abc.Iterator[SeenComment]:
    """Yield the comments of a branch, on their page, as comments that no look has seen yet."""
    numbers = {comment.id for comment in branch}
    for comment in seen_below(branch[0], page):
        if comment.id in numbers:
            yield replace(comment, is_only_placed=True)


def comments_off_their_page(
    known: abc.Mapping[int, SeenComment],
    watched: abc.Collection[int],
    pages: abc.Sequence[models.Page[models.Comment]],
) -> abc.Iterator[SeenComment]:
    """Yield the watched comments that have left their pages, each with the page to read next.

    That is the page after, if others have pushed them on, or the one before, if others are gone.
    """
    by_number = {page.number: page for page in pages}
    here = {comment.id for page in pages for comment in trees.all_comments(page.entries)}
    for number in watched:
        comment = known.get(number)
        page = by_number.get(comment.page) if comment else None
        if comment is None or page is None or comment.is_gone or number in here:
            continue
        root = known.get(comment.root_id, comment)
        if page.entries and page.has_next and root.written_at < page.entries[-1].created_at:
            yield replace(comment, page=page.number + 1)
        elif page.number > 1 and (not page.entries or root.written_at > page.entries[0].created_at):
            yield replace(comment, page=page.number - 1)


def who_hears(
    wishes: abc.Sequence[subscriptions.Subscription],
    comments: abc.Sequence[SeenComment],
    texts: abc.Mapping[int, str],
) -> abc.Iterator[tuple[subscriptions.Subscription, abc.Sequence[int]]]:
    """Yield the members' wishes that new comments of a thread match, with the comments' ids.

    `texts` has the comments' texts by their ids. Each is searched once for all wishes.
    """
    words_of = {
        wish.id: split_words(wish.subject_name) for wish in wishes if wish.subject_id is None
    }
    matcher = Matcher({word for words in words_of.values() for word in words})
    holding: dict[str, list[int]] = {}
    answering: dict[int | None, list[int]] = {}
    for position, comment in enumerate(comments):
        answering.setdefault(comment.parent_id, []).append(position)
        for word in matcher.words_in(texts.get(comment.id, "")):
            holding.setdefault(word, []).append(position)
    for wish in wishes:
        if wish.subject_id is None:
            heard = {position for word in words_of[wish.id] for position in holding.get(word, ())}
        else:
            heard = {
                position
                for position in answering.get(wish.subject_id, ())
                if comments[position].id > wish.replies_after
            }
        if heard:
            yield wish, [comments[position].id for position in sorted(heard)]


def newest(
    pages: abc.Sequence[models.Page[models.Comment]], *, before: dt.datetime
) -> dt.datetime | None:
    """Return when the last comment before `before` was written, or the last of all."""
    moments = [comment.created_at for page in pages for comment in trees.all_comments(page.entries)]
    return max([moment for moment in moments if moment < before] or moments, default=None)


def awaited(
    pages: abc.Sequence[models.Page[models.Comment]],
    wishes: abc.Iterable[subscriptions.Subscription],
) -> abc.Mapping[int, dt.datetime]:
    """Return the comments that members wait for and that came after they asked.

    Each is an id with the moment when the comment was written.
    """
    members = [wish for wish in wishes if wish.member_id is not None]
    comments = [
        seen for page in pages for root in page.entries for seen in seen_below(root, page.number)
    ]
    texts = {
        comment.id: comment.content
        for page in pages
        for comment in trees.all_comments(page.entries)
    }
    moments = {comment.id: comment.written_at for comment in comments}
    return {
        number: moments[number]
        for wish, numbers in who_hears(members, comments, texts)
        for number in numbers
        if wish.subject_id is not None or moments[number] > wish.created_at
    }


def _lacking_on(
    page: models.Page[models.Comment], known: abc.Mapping[int, SeenComment]
) -> abc.Set[int]:
    """Return the known comments that should be on a page, by when they were written."""
    moments = [entry.created_at for entry in page.entries]
    if page.unreadable or any(later < earlier for later, earlier in pairwise(moments)):
        return set()
    here = {entry.id for entry in page.entries}
    whole = {
        entry.id
        for entry in page.entries
        if all(
            len(comment.children) >= comment.children_count
            for comment in trees.all_comments((entry,))
        )
    }
    lacking: set[int] = set()
    for comment in known.values():
        if comment.is_gone:
            continue
        is_due = comment.root_id in whole
        if comment.id == comment.root_id:
            is_due = _is_within(comment.written_at, page, moments) and comment.id not in here
        if is_due:
            lacking.add(comment.id)
    below = {comment.id for comment in known.values() if comment.root_id in lacking}
    return lacking | {key for key in below if not known[key].is_gone}


def _is_within(
    moment: dt.datetime, page: models.Page[models.Comment], moments: abc.Sequence[dt.datetime]
) -> bool:
    """Return whether a comment of this moment would be on a page, strictly between others."""
    if not moments:
        return page.number == 1 and not page.has_next
    is_after_last = moment > moments[-1] or not page.has_next
    is_before_first = moment < moments[0] or page.number == 1
    return is_after_last and is_before_first
