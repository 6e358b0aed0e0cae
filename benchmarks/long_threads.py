"""What the length of a thread costs the service: nothing that grows with it.

Page 66,000 of a million comments and its neighbours are asked for as often as the first pages, in
either order, by 16 clients, each under an address whose answer isn't kept. The memory of a service
that has answered from the long thread is compared with that of one that has answered from a short
one.
"""

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.game_data import (
    LONG_COMMENTS,
    LONG_THREAD,
    SHORT_COMMENTS,
    SHORT_THREAD,
    game_of_extremes,
)
from benchmarks.load import answers_a_second
from benchmarks.measuring import Finding, ratio_in_turn
from benchmarks.processes import memory_of, serve_game
from game_service.anchors import Sort
from game_service.pagination import PER_PAGE

_ROUNDS = 5
_SECONDS = 1.0
_DEEP_PAGE = 66_000
_NEIGHBOURS = 300
# More than are answered in a round.
_ASKED = 20_000
_SPREAD_PAGES = 50


def compare(folder: Path) -> Iterator[Finding]:
    """Measure the cost of depth and of length on the game of extremes."""
    game = game_of_extremes(folder)
    with serve_game(game) as service:
        for sort in Sort:
            pages = partial(_rate, service.base_url, sort)
            ratio = ratio_in_turn(partial(pages, 1), partial(pages, _DEEP_PAGE), rounds=_ROUNDS)
            yield Finding(
                f"cost of page 66,000 of a million comments, {sort} first",
                "page 1",
                ratio,
                at_most=3,
            )
    long, short = (
        partial(_memory_after, game, _spread(thread_id, comments))
        for thread_id, comments in ((LONG_THREAD, LONG_COMMENTS), (SHORT_THREAD, SHORT_COMMENTS))
    )
    yield Finding(
        "the service's memory after a thread of a million comments",
        "a thread of a thousand",
        ratio_in_turn(long, short, rounds=3),
        at_most=1.1,
    )


def _rate(base_url: str, sort: Sort, first: int) -> float:
    """Ask for some pages from a first one on, each under an address of its own."""
    paths = [
        f"{_path(LONG_THREAD, sort, first + number % _NEIGHBOURS)}&unread={time.monotonic_ns()}"
        for number in range(_ASKED)
    ]
    return answers_a_second(base_url, paths, _SECONDS)


def _spread(thread_id: int, comments: int) -> list[str]:
    """Return pages from all over a thread, in both orders."""
    last = comments // PER_PAGE
    pages = [1 + last * step // _SPREAD_PAGES for step in range(_SPREAD_PAGES)]
    return [_path(thread_id, sort, page) for page in pages for sort in Sort]


def _memory_after(game: Path, paths: list[str]) -> int:
    with serve_game(game) as service:
        answers_a_second(service.base_url, paths, _SECONDS * 3)
        return memory_of(service.pid)


def _path(thread_id: int, sort: Sort, page: int) -> str:
    return f"/threads/{thread_id}/comments?sort={sort}&page={page}"
