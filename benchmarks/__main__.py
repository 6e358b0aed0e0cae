"""`python -m benchmarks`: measure all, or what is named, and print a table of ratios."""

import asyncio
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from benchmarks import engines, flooding, game_data, long_threads, start_up
from benchmarks.comments_page import side_by_side as comments_page
from benchmarks.forum_read import side_by_side as forum_read
from benchmarks.measuring import Finding, table
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


def main(
    only: Annotated[
        list[Benchmark] | None, typer.Argument(help="What to measure; else all.")
    ] = None,
) -> None:
    """Hold Kiosk beside the usual way of building it."""
    with tempfile.TemporaryDirectory(prefix="kiosk-benchmarks-") as folder:
        for line in table(_measure(only or list(Benchmark), Path(folder))):
            typer.echo(line)


def _measure(wanted: list[Benchmark], folder: Path) -> Iterator[Finding]:
    busy_game = folder / "busy.db"
    asyncio.run(game_data.make_busy_game(busy_game))
    if Benchmark.COMMENTS_PAGE in wanted:
        yield from comments_page.compare(busy_game)
    if Benchmark.LONG_THREADS in wanted:
        game = folder / "extremes.db"
        asyncio.run(game_data.make_game_of_extremes(game))
        yield from long_threads.compare(game)
    if Benchmark.FORUM_READ in wanted:
        yield from forum_read.compare(busy_game)
    if Benchmark.START_UP in wanted:
        yield from start_up.compare(busy_game)
    if Benchmark.FLOODING in wanted:
        yield from flooding.compare(busy_game)
    if Benchmark.SERVERS in wanted:
        yield from servers.compare(folder)
    if Benchmark.ENGINES in wanted:
        yield from engines.compare(folder)


if __name__ == "__main__":
    typer.run(main)
