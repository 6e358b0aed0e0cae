"""Walking through pages in screens of five."""

import pytest

from bot.features.paging import LAST, SCREEN_SIZE, Cut, Position, cut_screen

# A list of 12, 5 and 7 entries to the page.
PAGES = (tuple(range(12)), tuple(range(12, 17)), tuple(range(17, 24)))
SCREENS = [
    (Position(1), range(5)),
    (Position(1, 5), range(5, 10)),
    (Position(1, 10), range(10, 12)),
    (Position(2), range(12, 17)),
    (Position(3), range(17, 22)),
    (Position(3, 5), range(22, 24)),
]


def at(position: Position) -> Cut[int]:
    return cut_screen(PAGES[position.page - 1], position, has_next=position.page < len(PAGES))


def test_next_leads_through_every_entry_once() -> None:
    walked: list[tuple[Position, tuple[int, ...]]] = []
    position: Position | None = Position(1)
    while position is not None:
        screen = at(position)
        walked.append((screen.position, screen.entries))
        position = screen.next

    assert walked == [(position, tuple(entries)) for position, entries in SCREENS]


def test_previous_leads_back_through_the_last_screen_of_each_page() -> None:
    walked: list[Position] = []
    position: Position | None = Position(3, LAST)
    while position is not None:
        screen = at(position)
        walked.append(screen.position)
        position = screen.previous

    assert walked == [position for position, _ in reversed(SCREENS)]


@pytest.mark.parametrize(
    ("offset", "start"), [(0, 0), (5, 5), (10, 10), (15, 10), (10_000, 10), (LAST, 10), (3, 3)]
)
def test_a_screen_starts_within_its_page(offset: int, start: int) -> None:
    assert at(Position(1, offset)).position == Position(1, start)


def test_back_from_between_two_screens_leads_to_the_start() -> None:
    assert at(Position(1, 3)).previous == Position(1, 0)


def test_after_an_empty_page_nothing_follows() -> None:
    assert cut_screen((), Position(4), has_next=True) == Cut(
        (), Position(4), Position(3, LAST), None, is_near_page_end=True
    )


@pytest.mark.parametrize(
    ("position", "is_near"),
    [
        (Position(1), False),
        (Position(1, 5), True),
        (Position(1, 10), True),
        (Position(2), True),
        (Position(3), True),
    ],
)
def test_the_last_two_screens_are_near_the_end_of_their_page(
    position: Position, is_near: bool
) -> None:
    assert at(position).is_near_page_end is is_near


def test_a_page_of_two_whole_screens_ends_near_its_start() -> None:
    two_screens = tuple(range(2 * SCREEN_SIZE))

    assert cut_screen(two_screens, Position(1), has_next=True).is_near_page_end
