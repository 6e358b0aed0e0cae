"""Names are found as people type them, and pages walked in screens."""

import asyncio
import math
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.errors import BadName, NameIsTaken, UnknownName
from bot.features.directory import MAX_NAME_LENGTH, Directory, Place, find_comment_id
from bot.features.matching import find, holding, read_id
from bot.features.reading.paging import LAST, SCREEN_SIZE, Pages, Position, Seen, screen_of
from bot.game.models import Page, PageKey
from storage.names import PlaceKind
from tests.support.gates import PATIENCE_SECONDS
from tests.support.wiring import Wiring, open_wiring

THREADS = ["Park life", "Patch notes", "Patch notes 2", "Quiet corner", "The park at night"]


def found(typed: str, names: list[str] = THREADS) -> list[str]:
    return find(typed, names, name_of=str, number_of=names.index)


@pytest.mark.parametrize(
    "typed",
    [
        "park life",
        "PARK LIFE",
        " park  life",
        "k li",
        "prk life",
        "aprk life",
        "parkk life",
        "bark life",
        "lief",
        '"Park life"',
        "\u201ePark life\u201c",
        "\u00ab\u00a0Park life\u00a0\u00bb",
        "\u300aPark life\u300b",
        "\uff07Park life\uff07",
        "Park life \u00b7 Acorn Park Fans",
        "Park life \u00b7 1 of these \u00b7 or those",
        "Park life \u00b7\u2026",
        "Park li\u2026",
    ],
)
def test_a_name_is_found_in_any_case_in_part_and_with_one_typing_error(typed: str) -> None:
    assert found(typed) == ["Park life"]


@pytest.mark.parametrize("typed", ["prk lfe", "bark live", "lkie", "xyz", "pr", "Patch notes 3"])
def test_two_typing_errors_short_texts_and_other_numbers_are_not_guessed_at(typed: str) -> None:
    assert found(typed) == []


@pytest.mark.parametrize("typed", ["leve1 hats", "levle1 hats", "levell1 hats", "lavel1 hats"])
def test_a_number_beside_a_typing_error_is_as_it_was_typed(typed: str) -> None:
    assert found(typed, ["Level1 hats", "Level2 hats"]) == ["Level1 hats"]


@pytest.mark.parametrize(
    ("typed", "names", "meant"),
    [
        ("creme brulee", ["Crème brûlée", "Creme"], ["Crème brûlée"]),
        ("Crème brûlée", ["Creme brulee"], ["Creme brulee"]),
        # Where names differ by that alone, it tells them apart.
        ("Café", ["Cafe", "Café"], ["Café"]),
        ("Cafe", ["Cafe", "Café"], ["Cafe"]),
        ("еж", ["Ёж", "Мой"], ["Ёж"]),
        ("ババ", ["ハハ", "ババ", "パパ"], ["ババ"]),
        ("мои", ["мой", "мои"], ["мои"]),
        ('the "big" hat', ["The \u201cBig\u201d Hat"], ["The \u201cBig\u201d Hat"]),
        ('"Big" hat', ["\u201eBig\u201c hat", "Big"], ["\u201eBig\u201c hat"]),
        ('"Big"', ["\u201cBig\u201d", "Big"], ["\u201cBig\u201d"]),
        ('"Big"', ["Big", "Bigger"], ["Big"]),
        ("\u201cBig\u201d hat", ['"Big" hat'], ['"Big" hat']),
        ("\u00abBig\u00bb hat", ["\uff02Big\uff02 hat"], ["\uff02Big\uff02 hat"]),
        ('"Big" hat', ["\u300cBig\u300d hat"], ["\u300cBig\u300d hat"]),
        ('"Big" hat', ["\u2033Big\u2033 hat"], ["\u2033Big\u2033 hat"]),
        ("pip's hat", ["Pip\u2019s hat"], ["Pip\u2019s hat"]),
        ("pip\u2019s hat", ["Pip's hat"], ["Pip's hat"]),
        ("pip`s hat", ["Pip\u00b4s hat"], ["Pip\u00b4s hat"]),
        ("pip\u02bcs hat", ["Pip\uff07s hat"], ["Pip\uff07s hat"]),
        ("rainy-day", ["Rainy\u2013Day", "Rainy"], ["Rainy\u2013Day"]),
        ("rainy\u2014day", ["Rainy\u2011Day"], ["Rainy\u2011Day"]),
        ("rainy\u2212day", ["Rainy-Day"], ["Rainy-Day"]),
        ("level 12", ["Level \u0661\u0662", "Level 13"], ["Level \u0661\u0662"]),
        ("level \u06f1\u06f2", ["Level 12", "Level 1"], ["Level 12"]),
        ("level \u0967\u0968", ["Level \uff11\uff12"], ["Level \uff11\uff12"]),
        ("level 12", ["Level \u0e51\u0e52"], ["Level \u0e51\u0e52"]),
    ],
)
def test_a_name_is_found_by_what_a_keyboard_types(
    typed: str, names: list[str], meant: list[str]
) -> None:
    assert found(typed, names) == meant


@pytest.mark.parametrize(
    "typed",
    [
        "12",
        "#12",
        "\u0661\u0662",
        "#\u06f1\u06f2",
        "\u0967\u0968",
        "\uff11\uff12",
        "\uff03\uff11\uff12",
        "\u0e51\u0e52",
        " \u09e7\u09e8 ",
    ],
)
def test_a_number_may_be_in_the_digits_of_any_script(typed: str) -> None:
    assert read_id(typed) == 12
    assert find_comment_id(typed) == 12
    assert read_id(f"{typed}x") is None


def test_a_whole_name_is_meant_though_others_have_it_in_them() -> None:
    assert found("patch notes") == ["Patch notes"]


def test_several_that_fit_are_all_found_those_that_start_so_first() -> None:
    assert found("patch") == ["Patch notes", "Patch notes 2"]
    assert holding("park", list(reversed(THREADS)), str) == ["Park life", "The park at night"]


def test_a_typing_error_is_looked_for_only_where_nothing_fits_without() -> None:
    assert found("note", ["A vote", "A note"]) == ["A note"]


def test_of_a_long_name_no_more_is_looked_through_than_a_list_shows() -> None:
    long = "a b " * 500 + "park"
    assert found("park life", [long, "Park life"]) == ["Park life"]
    assert found("parrk", [long]) == found("park", [long]) == []


@pytest.mark.parametrize("typed", ["abdcef", "abcdfe", "bacdef", "abcdeg", "xabcdef", "abcdefx"])
def test_a_typing_error_is_found_wherever_in_a_name_it_stands(typed: str) -> None:
    assert found(typed, ["zz abcdef zz"]) == ["zz abcdef zz"]


Start = Position[PageKey]


def start_at(number: int, offset: int = 0) -> Start:
    return Position(PageKey(1, page=number), offset)


# A list of 12, 5 and 7 entries to the page.
PAGES = (tuple(range(12)), tuple(range(12, 17)), tuple(range(17, 24)))
SCREENS = [
    (start_at(1), range(5)),
    (start_at(1, 5), range(5, 10)),
    (start_at(1, 10), range(10, 12)),
    (start_at(2), range(12, 17)),
    (start_at(3), range(17, 22)),
    (start_at(3, 5), range(22, 24)),
]


def at(position: Start) -> tuple[Start, Start | None, Start | None]:
    """Return the start of a screen, and of those around it."""
    entries = PAGES[position.key.page - 1]
    number = position.key.page
    page = Page(entries, number, len(entries), number < len(PAGES))
    screen = screen_of(page, position, int)
    return screen.at, screen.previous, screen.next


def test_next_leads_through_every_entry_once() -> None:
    walked: list[tuple[Start, tuple[int, ...]]] = []
    position: Start | None = start_at(1)
    while position is not None:
        here, _, position = at(position)
        walked.append((here, PAGES[here.key.page - 1][here.offset :][:SCREEN_SIZE]))

    assert walked == [(position, tuple(entries)) for position, entries in SCREENS]


def test_previous_leads_back_through_the_last_screen_of_each_page() -> None:
    walked: list[Start] = []
    position: Start | None = start_at(3, LAST)
    while position is not None:
        here, position, _ = at(position)
        walked.append(here)

    assert walked == [position for position, _ in reversed(SCREENS)]


@pytest.mark.parametrize(
    ("offset", "start"), [(0, 0), (5, 5), (10, 10), (15, 10), (10_000, 10), (LAST, 10), (3, 3)]
)
def test_a_screen_starts_within_its_page(offset: int, start: int) -> None:
    assert at(start_at(1, offset))[0] == start_at(1, start)


def test_screens_of_eight_make_two_of_a_page_of_fifteen() -> None:
    page = Page(tuple(range(15)), 2, 15, has_next=True)
    starts = (start_at(2), start_at(2, 8))
    for start, others in zip(starts, (start_at(1, LAST), start_at(3)), strict=True):
        screen = screen_of(page, start, int, step=8)
        assert len(screen.entries) == (7 if start.offset else 8)
        assert {others, *starts} == {screen.previous, screen.at, screen.next}
    assert screen_of(page, start_at(2, LAST), int, step=8).at == start_at(2, 8)


def test_after_an_empty_page_nothing_follows() -> None:
    screen = screen_of(Page((), 4, 15, has_next=True), start_at(4), int)
    assert (screen.at, screen.previous, screen.next) == (start_at(4), start_at(3, LAST), None)


class Entry(NamedTuple):
    id: int


# The example of `Pages`: of 5, 4, 3 | 2, 1, a member has seen the first page.
@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [([5, 4, 3], [2, 1], [2, 1]), ([6, 5, 4], [3, 2, 1], [2, 1]), ([5, 3, 2], [1], [2])],
)
async def test_next_shows_what_is_behind_what_was_seen(
    first: list[int], second: list[int], shown: list[int]
) -> None:
    now = {1: first, 2: second}
    at_hand = {1: [5, 4, 3]}
    read_at = {1: 0.0}

    async def read(key: PageKey, max_age: float | None) -> Page[Entry]:
        if key.page not in at_hand or max_age != math.inf:
            at_hand[key.page] = now[key.page]
            read_at[key.page] = max(read_at.values()) + 1
        entries = tuple(map(Entry, at_hand[key.page]))
        return Page(entries, key.page, 3, has_next=key.page == 1)

    pages = Pages(read, lambda key: read_at.get(key.page, -math.inf))
    page, at, size = await pages.locate(start_at(1), Seen("3.4.5"), SCREEN_SIZE, math.inf)
    screen = screen_of(page, at, lambda entry: entry.id, size=size)
    assert [*screen.entries] == shown


HERE, THERE, MEMBER = 1, 2, 3
THREAD, CATALOG = PlaceKind.THREAD, PlaceKind.CATALOG


@pytest.fixture
async def wired(tmp_path: Path) -> AsyncGenerator[Wiring]:
    async with open_wiring(tmp_path, "http://127.0.0.1:9") as opened:
        yield opened


@pytest.fixture
def directory(wired: Wiring) -> Directory:
    return wired.directory


async def test_a_name_may_be_as_long_as_its_limit(directory: Directory) -> None:
    longest = "n" * MAX_NAME_LENGTH

    assert await directory.add(HERE, THREAD, 1, longest) == Place(THREAD, 1, longest)
    with pytest.raises(BadName):
        await directory.add(HERE, THREAD, 2, longest + "n")


async def test_the_names_of_ones_servers_are_in_order(directory: Directory) -> None:
    for server, game_id, name in ((HERE, 1, "Park"), (HERE, 2, "beach"), (THERE, 3, "Attic")):
        await directory.add(server, THREAD, game_id, name)
    for server in (HERE, THERE):
        await directory.place(server, THREAD, 1, member_id=MEMBER)

    async def named() -> list[str]:
        found = await directory.all_of_kind(None, THREAD, member_id=MEMBER)
        return [each.name for each in found]

    here = await directory.all_of_kind(HERE, THREAD)
    assert [each.name for each in here] == ["beach", "Park"]
    # Which servers a member uses is noted beside the answer.
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(await named()) < 3:
            pass
    assert await named() == ["Attic", "beach", "Park"]


async def test_names_that_differ_by_an_accent_are_two(directory: Directory) -> None:
    for number, name in ((1, "Café"), (2, "Cafe"), (3, "Crème")):
        await directory.add(HERE, THREAD, number, name)

    assert (await directory.resolve(HERE, THREAD, "café")).game_id == 1
    assert (await directory.resolve(HERE, THREAD, "cafe")).game_id == 2
    assert (await directory.remove(HERE, THREAD, "creme")).game_id == 3
    assert (await directory.remove(HERE, THREAD, "Cafe")).game_id == 2
    # A part is too little.
    with pytest.raises(UnknownName):
        await directory.remove(HERE, THREAD, "caf")


async def test_a_name_given_meanwhile_is_taken(tmp_path: Path, directory: Directory) -> None:
    assert await directory.all_of_kind(HERE, CATALOG) == []
    async with open_wiring(tmp_path, "http://127.0.0.1:9") as other:
        await other.directory.add(HERE, THREAD, 4, "Hats")
        await other.directory.add(HERE, CATALOG, 5, "Hats")

    with pytest.raises(NameIsTaken) as taken:
        await directory.add(HERE, CATALOG, 6, "hats")
    assert taken.value.values["game_id"] == "5"
