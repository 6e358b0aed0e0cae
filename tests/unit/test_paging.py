"""Walking through pages in screens of five."""

import pytest

from bot.features.reading.paging import LAST, SCREEN_SIZE, Position, steps

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


def at(position: Position) -> tuple[Position, Position | None, Position | None]:
    """Return where a screen starts, and those around it."""
    page = PAGES[position.page - 1]
    offset, before, after = steps(position, len(page), has_next=position.page < len(PAGES))
    return Position(position.page, offset), before, after


def test_next_leads_through_every_entry_once() -> None:
    walked: list[tuple[Position, tuple[int, ...]]] = []
    position: Position | None = Position(1)
    while position is not None:
        here, _, position = at(position)
        walked.append((here, PAGES[here.page - 1][here.offset :][:SCREEN_SIZE]))

    assert walked == [(position, tuple(entries)) for position, entries in SCREENS]


def test_previous_leads_back_through_the_last_screen_of_each_page() -> None:
    walked: list[Position] = []
    position: Position | None = Position(3, LAST)
    while position is not None:
        here, position, _ = at(position)
        walked.append(here)

    assert walked == [position for position, _ in reversed(SCREENS)]


@pytest.mark.parametrize(
    ("offset", "start"), [(0, 0), (5, 5), (10, 10), (15, 10), (10_000, 10), (LAST, 10), (3, 3)]
)
def test_a_screen_starts_within_its_page(offset: int, start: int) -> None:
    assert at(Position(1, offset))[0] == Position(1, start)


def test_back_from_between_two_screens_leads_to_the_start() -> None:
    assert at(Position(1, 3))[1] == Position(1, 0)


def test_after_an_empty_page_nothing_follows() -> None:
    assert steps(Position(4), 0, has_next=True) == (0, Position(3, LAST), None)
