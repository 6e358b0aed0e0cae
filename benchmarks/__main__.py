"""`python -m benchmarks`: measure all, or what is named, and print a table of ratios.

A goal that is missed by more than its spread makes it fail.
"""

import asyncio
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from benchmarks import (
    announcing,
    engines,
    flooding,
    game_data,
    growth,
    long_threads,
    memory,
    start_up,
)
from benchmarks.comments_page import side_by_side as comments_page
from benchmarks.forum_read import side_by_side as forum_read
from benchmarks.measuring import Finding, lines
from benchmarks.servers import side_by_side as servers


class Benchmark(StrEnum):
    """What can be measured by itself."""

    COMMENTS_PAGE = "comments-page"
    LONG_THREADS = "long-threads"
    FORUM_READ = "forum-read"
    START_UP = "start-up"
    FLOODING = "flooding"
    SERVERS = "servers"
    ENGINES = "engines"
    MEMORY = "memory"
    ANNOUNCING = "announcing"
    GROWTH = "growth"


def main() -> None:
    """Hold Kiosk beside the usual way of building it."""
    parser = ArgumentParser("python -m benchmarks", description=main.__doc__)
    parser.add_argument(
        "only", nargs="*", type=Benchmark, help=f"what to measure, of {', '.join(Benchmark)}"
    )
    only = parser.parse_args().only
    with tempfile.TemporaryDirectory(prefix="kiosk-benchmarks-") as folder:
        has_missed = False
        for line, missed in lines(_measure(only or list(Benchmark), Path(folder))):
            print(line, flush=True)
            has_missed |= missed
    if has_missed:
        sys.exit(1)


def _measure(wanted: list[Benchmark], folder: Path) -> Iterator[Finding]:
    busy_game = folder / "busy.db"
    asyncio.run(game_data.make_busy_game(busy_game))
    for each in Benchmark:
        if each in wanted:
            yield from _COMPARISONS[each](busy_game)


def _forum_read(busy_game: Path) -> Iterator[Finding]:
    yield from forum_read.compare(busy_game, _bushy_game(busy_game))


def _memory(busy_game: Path) -> Iterator[Finding]:
    yield from memory.compare(busy_game, _bushy_game(busy_game))


def _bushy_game(busy_game: Path) -> Path:
    game = busy_game.with_name("bushy.db")
    if not game.exists():
        asyncio.run(game_data.make_bushy_game(game))
    return game


def _long_threads(busy_game: Path) -> Iterator[Finding]:
    game = busy_game.with_name("extremes.db")
    asyncio.run(game_data.make_game_of_extremes(game))
    yield from long_threads.compare(game)


_COMPARISONS: Mapping[Benchmark, Callable[[Path], Iterator[Finding]]] = {
    Benchmark.COMMENTS_PAGE: comments_page.compare,
    Benchmark.LONG_THREADS: _long_threads,
    Benchmark.FORUM_READ: _forum_read,
    Benchmark.START_UP: start_up.compare,
    Benchmark.FLOODING: flooding.compare,
    Benchmark.SERVERS: lambda busy_game: servers.compare(busy_game.parent),
    Benchmark.ENGINES: lambda busy_game: engines.compare(busy_game.parent),
    Benchmark.MEMORY: _memory,
    Benchmark.ANNOUNCING: lambda busy_game: announcing.compare(busy_game.parent),
    Benchmark.GROWTH: lambda busy_game: growth.compare(busy_game.parent),
}


if __name__ == "__main__":
    main()
