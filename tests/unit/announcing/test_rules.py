"""What is new about an item, by how it was seen before and read."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from bot.features.following.announcing import sample
from bot.features.following.comparing import (
    against,
    baseline,
    changes,
    goes_on_with,
    look,
    subscription_key,
    wants,
)
from bot.features.item_queries import ItemNews, Misfit
from bot.features.reading.catalogs import CatalogItem, Reading, read_catalog
from bot.game.game_errors import ServerFault
from bot.game.models import Item, Page
from storage.names import PlaceKind
from storage.subscriptions import PERSON, News, Subscription
from tests.support.announcing import an_item, catalog_in, changed, watch_of

NOW = datetime(2026, 5, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
NEW, BACK, CLEARANCE, CHEAPER, MEMBERS = (
    News.NEW,
    News.BACK,
    News.CLEARANCE,
    News.CHEAPER,
    News.MEMBERS,
)
PEARLS = {"id": 2, "name": "Pearls"}
GONE: dict[str, Any] | None = None


def seen(
    items: list[Item], *, is_certain: bool = True, unreadable_ids: frozenset[int] = frozenset()
) -> Reading:
    entries = tuple(CatalogItem(1, 4, item) for item in items)
    return Reading(entries, is_certain=is_certain, unreadable_ids=unreadable_ids)


def told(looks: list[tuple[float, dict[str, Any] | None]]) -> list[set[News]]:
    """Look at item 1 after so many hours each, GONE or as it is then; gives what each look told."""
    first = looks[0][1]
    assert first is not None
    start = NOW + looks[0][0] * HOUR
    known = {each.id: each for each in baseline(seen([an_item(**first)]), start)}
    news: list[set[News]] = []
    for hours, facts in looks[1:]:
        items = [] if facts is None else [an_item(**facts)]
        changed, events = changes(known, seen(items), NOW + hours * HOUR)
        known |= {each.id: each for each in changed}
        news.append({each for event in events for each in event.news})
    return news


CASES: dict[str, tuple[list[tuple[float, dict[str, Any] | None]], list[set[News]]]] = {
    "nothing changes": ([(0, {}), (1, {}), (100, {})], [set(), set()]),
    "it goes on clearance": (
        [(0, {}), (1, {"is_clearance": True}), (2, {"is_clearance": True})],
        [{CLEARANCE}, set()],
    ),
    "clearance ends and returns within a day": (
        [(0, {"is_clearance": True}), (1, {}), (24, {"is_clearance": True})],
        [set(), set()],
    ),
    "clearance returns after more than a day": (
        [(0, {"is_clearance": True}), (1, {}), (26, {"is_clearance": True})],
        [set(), {CLEARANCE}],
    ),
    "clearance returns after a day to the minute": (
        [(0, {"is_clearance": True}), (1, {}), (25, {"is_clearance": True})],
        [set(), set()],
    ),
    "it gets cheaper twice": (
        [(0, {}), (1, {"cost": 9}), (2, {"cost": 8})],
        [{CHEAPER}, {CHEAPER}],
    ),
    "it gets dearer": ([(0, {}), (1, {"cost": 11})], [set()]),
    "it gets dearer and back within a day": (
        [(0, {}), (1, {"cost": 12}), (24, {"cost": 10})],
        [set(), set()],
    ),
    "it gets dearer and lower than ever within a day": (
        [(0, {}), (1, {"cost": 12}), (2, {"cost": 9})],
        [set(), {CHEAPER}],
    ),
    "it was dearer for a day": (
        [(0, {}), (1, {"cost": 12}), (25, {"cost": 11})],
        [set(), {CHEAPER}],
    ),
    "it gets dearer once more, which has not stood": (
        [(0, {}), (1, {"cost": 12}), (23, {"cost": 15}), (26, {"cost": 12}), (30, {"cost": 11})],
        [set(), set(), set(), set()],
    ),
    "it gets cheaper, dearer and as cheap again": (
        [(0, {}), (1, {"cost": 8}), (2, {"cost": 10}), (3, {"cost": 8})],
        [{CHEAPER}, set(), set()],
    ),
    "another currency says nothing about the price": (
        [(0, {}), (1, {"cost": 1, "currency": PEARLS}), (2, {"cost": 2, "currency": PEARLS})],
        [set(), set()],
    ),
    "a price in another currency is what later ones are measured by": (
        [(0, {}), (1, {"cost": 20, "currency": PEARLS}), (2, {"cost": 15, "currency": PEARLS})],
        [set(), {CHEAPER}],
    ),
    "it is for members, then for all": (
        [(0, {}), (1, {"is_member_item": True}), (2, {})],
        [{MEMBERS}, {MEMBERS}],
    ),
    "it is gone for a day": ([(0, {}), (1, GONE), (25, {})], [set(), set()]),
    "it is gone for more than a day": (
        [(0, {}), (1, GONE), (20, GONE), (25.1, {}), (26, {})],
        [set(), set(), {BACK}, set()],
    ),
    "that it is gone is told once, after a day, and again when it goes again": (
        [
            (0, {}),
            (1, GONE),
            (25, GONE),
            (25.1, GONE),
            (60, GONE),
            (61, {}),
            (62, GONE),
            (90, GONE),
        ],
        [set(), set(), {News.GONE}, set(), {BACK}, set(), {News.GONE}],
    ),
    "what went a week before an upgrade is no news": (
        [(0, {}), (1, GONE), (24 * 8 + 2, GONE), (24 * 8 + 3, GONE)],
        [set(), set(), set()],
    ),
    "it is back again and cheaper": (
        [(0, {}), (1, GONE), (40, {"cost": 5})],
        [set(), {BACK, CHEAPER}],
    ),
    "another name or picture is no news": (
        [(0, {}), (1, {"name": "Cap", "icon_url": None})],
        [set()],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_told_when(case: str) -> None:
    looks, expected = CASES[case]
    assert told(looks) == expected


def test_what_a_broken_reading_lacks_is_not_gone_and_not_new_later() -> None:
    known = {each.id: each for each in baseline(seen([an_item(1), an_item(2)]), NOW)}

    broken = seen([an_item(1)], is_certain=False)
    changed, events = changes(known, broken, NOW + HOUR)
    assert (changed, events) == ([], [])
    _, later = changes(known, seen([an_item(1), an_item(2)]), NOW + 100 * HOUR)
    assert later == []


def test_what_can_not_be_read_is_not_gone() -> None:
    known = {each.id: each for each in baseline(seen([an_item(1), an_item(2)]), NOW)}
    reading = seen([an_item(1)], unreadable_ids=frozenset({2}))
    assert changes(known, reading, NOW + HOUR) == ([], [])


def test_what_could_not_be_read_at_first_is_no_news_once_it_can_be() -> None:
    reading = seen([an_item(1)], unreadable_ids=frozenset({2}))
    known = {each.id: each for each in baseline(reading, NOW)}

    changed, events = changes(known, seen([an_item(1), an_item(2)]), NOW + HOUR)

    assert events == []
    assert [(each.cost, each.first_seen_at) for each in changed] == [(10, NOW)]


def test_an_event_tells_the_page_the_price_before_and_nothing_of_whoever_asked() -> None:
    before, _ = look(None, an_item(has_purchased=True), NOW)
    _, (event,) = changes({1: before}, seen([an_item(cost=7)]), NOW + HOUR)

    news = ItemNews.of(event.payload)
    assert (news.page, news.old_cost, news.item.has_purchased) == (4, 10, False)
    _, (event,) = changes({1: before}, seen([an_item(is_member_item=True)]), NOW + HOUR)
    assert ItemNews.of(event.payload).old_cost is None


def test_what_was_seen_of_an_item_is_all_of_it_but_what_is_its_readers() -> None:
    (kept,) = baseline(seen([an_item(has_purchased=True, is_coin_code_item=True)]), NOW)

    assert Item.from_json(bytes(kept.item).decode()) == an_item(
        has_purchased=False, is_coin_code_item=True
    )
    later, _ = changes({1: kept}, seen([an_item(is_coin_code_item=True)]), NOW + HOUR)
    assert not later


SUBSCRIPTION = catalog_in(1, 2, 3, news=frozenset({NEW, CLEARANCE}), created_by=4)
FILTERED: list[tuple[dict[str, Any], set[News], set[Misfit]]] = [
    ({}, {NEW}, set()),
    ({}, {CHEAPER, CLEARANCE}, set()),
    ({}, {CHEAPER}, {Misfit.NEWS}),
    ({"types": {"hat"}}, {NEW}, set()),
    ({"types": {"Kite", "Scarf"}}, {NEW}, {Misfit.TYPE}),
    ({"max_cost": 10}, {NEW}, set()),
    ({"max_cost": 9}, {NEW}, {Misfit.COST}),
    ({"max_cost": 10, "currency": "Acorns"}, {NEW}, set()),
    ({"max_cost": 10, "currency": "Gems"}, {NEW}, {Misfit.CURRENCY}),
    ({"max_cost": 0, "types": {"Kite"}}, {BACK}, {Misfit.NEWS, Misfit.TYPE, Misfit.COST}),
    ({"name": "HAT number", "types": {"#1"}, "currency": "#1", "max_cost": 10}, {NEW}, set()),
    ({"name": "wool"}, {NEW}, {Misfit.NAME}),
    ({"is_clearance": True}, {NEW}, {Misfit.CLEARANCE}),
    ({"is_for_subscribers": True}, {NEW}, {Misfit.SUBSCRIBERS}),
    ({"is_owned": True}, {NEW}, set()),
    ({"is_owned": False}, {NEW}, {Misfit.OWNED}),
]


@pytest.mark.parametrize(("filters", "news", "kept_out_by"), FILTERED)
def test_what_a_subscription_lets_through(
    filters: dict[str, Any], news: set[News], kept_out_by: set[Misfit]
) -> None:
    subscription = changed(SUBSCRIPTION, **filters)

    assert {*against(subscription, news, an_item())} == kept_out_by
    assert wants(subscription, news, an_item()) == (not kept_out_by)


def test_who_watches_an_item_hears_of_it_alone() -> None:
    watch = watch_of(1, 1, "en", subject_id=1, subject_name="Hat")

    assert not wants(watch, {CHEAPER}, an_item(2))
    assert wants(watch, {CHEAPER}, an_item(1))
    assert not wants(watch, {MEMBERS}, an_item(1))


# What one was stopped for, what another was, and whether the other goes on with it.
STOPS: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({"stopped_for": PERSON}, {"stopped_for": PERSON}, False),
    ({"stopped_for": "50013"}, {"stopped_for": "50013"}, True),
    ({"stopped_for": "50013"}, {"stopped_for": "50013", "channel_id": 9}, False),
    ({"stopped_for": "50013"}, {"stopped_for": "10003"}, False),
    ({"stopped_for": "50013"}, {}, False),
]


@pytest.mark.parametrize(("stop", "other_stop", "goes_on"), STOPS)
def test_what_stopped_for_the_same_goes_on_together(
    stop: dict[str, Any], other_stop: dict[str, Any], *, goes_on: bool
) -> None:
    kept = Subscription(**asdict(SUBSCRIPTION), id=1, created_at=NOW)
    one = replace(kept, **stop)
    other = replace(kept, id=2, **other_stop)

    assert goes_on_with(one, one)
    assert goes_on_with(one, other) == goes_on


PER_PAGE = 3


@dataclass
class Shelf:
    """Items in order, by their numbers; `before` happens before each look, by its count from 0."""

    numbers: list[int]
    before: Callable[["Shelf", int], None] = lambda shelf, look: None
    unreadable: set[int] = field(default_factory=set[int])
    pages: list[int] = field(default_factory=list[int])

    async def page(self, number: int) -> Page[Item]:
        self.pages.append(number)
        self.before(self, len(self.pages) - 1)
        start = (number - 1) * PER_PAGE
        found = self.numbers[start : start + PER_PAGE]
        entries = tuple(an_item(each) for each in found if each not in self.unreadable)
        odd = tuple(each for each in found if each in self.unreadable)
        return Page(entries, number, PER_PAGE, start + PER_PAGE < len(self.numbers), len(odd), odd)


async def ids_in(shelf: Shelf, *, is_first: bool = False) -> list[int]:
    reading = await read_catalog(1, shelf.page, reads_twice=is_first)
    assert reading.is_certain
    return [entry.item.id for entry in reading.items]


async def test_a_catalog_that_is_not_known_yet_is_read_twice() -> None:
    shelf = Shelf([*range(1, 8)])
    assert await ids_in(shelf, is_first=True) == [*range(1, 8)]
    assert shelf.pages == [1, 2, 3, 3, 2, 1]


async def test_what_moves_up_while_it_is_read_is_not_missed() -> None:
    def sell_the_first(shelf: Shelf, look: int) -> None:
        if look == 1:
            shelf.numbers.remove(1)

    # 4 comes to stand on the first page, which was read before.
    items = await ids_in(Shelf([*range(1, 8)], sell_the_first), is_first=True)
    assert items == [1, 2, 3, 5, 6, 7, 4]


async def test_what_is_pushed_on_while_it_is_read_is_not_missed() -> None:
    def restock(shelf: Shelf, look: int) -> None:
        if look == 1:
            shelf.numbers[:0] = [11, 12, 13]

    assert {*range(1, 8)} <= {*await ids_in(Shelf([*range(1, 8)], restock))}


async def test_items_that_swap_places_at_every_look_are_all_found() -> None:
    def swap(shelf: Shelf, _: int) -> None:
        shelf.numbers[2], shelf.numbers[3] = shelf.numbers[3], shelf.numbers[2]

    assert {*await ids_in(Shelf([*range(1, 8)], swap), is_first=True)} == {*range(1, 8)}


async def test_a_page_that_keeps_failing_leaves_what_was_read_before_it() -> None:
    def break_down(_: Shelf, look: int) -> None:
        if look > 0:
            raise ServerFault("no")

    reading = await read_catalog(1, Shelf([*range(1, 8)], break_down).page)

    assert [entry.item.id for entry in reading.items] == [1, 2, 3]
    assert (reading.is_certain, reading.failure) == (False, "server_fault")


async def test_what_can_not_be_read_is_there() -> None:
    reading = await read_catalog(1, Shelf([1, 2, 3], unreadable={2}).page)
    assert (reading.is_certain, reading.unreadable_ids) == (True, {2})


async def test_a_catalog_that_never_ends_is_no_whole_one() -> None:
    async def page(number: int) -> Page[Item]:
        first = an_item()
        entries = tuple(dataclasses.replace(first, id=number * 1000 + i) for i in range(1000))
        return Page(entries, number, 1000, has_next=True)

    reading = await read_catalog(1, page, reads_twice=True)
    assert (reading.is_certain, reading.failure) == (False, "malformed_answer")


def kept(**changes: Any) -> Subscription:
    return Subscription(**asdict(catalog_in(1, 20, **changes)), id=1, created_at=NOW)


DEAR = an_item(1, cost=900)
CHEAP = an_item(2, cost=5, is_clearance=True)


@pytest.mark.parametrize(
    ("news", "wish", "items", "expected"),
    [
        ([NEW], {}, [DEAR, CHEAP], (1, NEW, None)),
        # It is an item that the announcement would show, if there is one.
        ([NEW], {"max_cost": 10}, [DEAR, CHEAP], (2, NEW, None)),
        ([NEW], {"max_cost": 1}, [DEAR, CHEAP], (1, NEW, None)),
        # An item on clearance is shown as that, if the announcement shows clearance.
        ([NEW, CLEARANCE], {"max_cost": 10}, [CHEAP], (2, CLEARANCE, None)),
        ([NEW, CHEAPER], {}, [CHEAP], (2, NEW, None)),
        ([CLEARANCE, CHEAPER], {}, [DEAR], (1, CLEARANCE, None)),
        ([CHEAPER], {}, [DEAR], (1, CHEAPER, 900)),
    ],
)
def test_a_test_shows_what_would_be_announced(
    news: list[News], wish: dict[str, Any], items: list[Item], expected: tuple[int, News, int]
) -> None:
    event = sample(kept(news=frozenset(news), **wish), items, NOW)

    assert event is not None
    told = ItemNews.of(event.payload)
    assert (told.item.id, *event.news, told.old_cost) == expected
    assert (event.kind, event.place_id, event.subject_id) == (PlaceKind.CATALOG, 1, told.item.id)
    assert event.happened_at == NOW


def test_a_catalog_without_items_has_nothing_to_be_tested_with() -> None:
    assert sample(kept(), [], NOW) is None


@pytest.mark.parametrize(
    ("roles", "ending"), [(set[int](), "None)"), ({5}, "5)"), ({6, 5}, "[5, 6])")]
)
def test_the_key_of_one_role_is_that_of_earlier_releases(roles: set[int], ending: str) -> None:
    key = subscription_key(catalog_in(1, 20, role_ids=frozenset(roles)))
    assert key == f"20 catalog 1 ([<News.NEW: 'new'>], [], None, '', {ending}"
