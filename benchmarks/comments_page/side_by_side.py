"""Pages of comments a second: the same hundred, read again and again, from one service and others.

All serve the same rows and give the same answers, which is checked before anything is measured: 15
comments and 30 nested replies a page, in the envelope with its absolute links. Each is one process.
The 16 clients that keep their connections alive are another. The bare server sends the service's
own bytes and does nothing else. If there is one write for each ten readings, a comment is written
in one of the threads that are read.
"""

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from urllib.request import urlopen

from sqlalchemy import create_engine

from benchmarks.comments_page import bare_service, usual_service
from benchmarks.game_data import BUSY_PAGES, BUSY_THREADS, busy_game
from benchmarks.load import answers_a_second
from benchmarks.measuring import Finding, ratio_in_turn
from benchmarks.processes import Server, serve, serve_game
from game_service.admin import MIGRATIONS, create_token
from game_service.pagination import PER_PAGE
from storage.database import load_queries, open_database

_SQL = load_queries(Path(__file__).parent / "usual_data.sql")
_COPIES = ("copy_players", "copy_threads", "copy_comments")
_ROUNDS = 5
_SECONDS = 2.0
# Every thread once, each at another page.
_PATHS = [
    f"/threads/{thread}/comments?sort=latest&page={thread * 7 % BUSY_PAGES + 1}"
    for thread in range(1, BUSY_THREADS + 1)
]
# Ten paths, then a comment in the thread of the last, and so on.
_MIXED = [
    wish
    for number, path in enumerate(_PATHS, start=1)
    for wish in ([path, f"/threads/{number}/comments What a day!"] if number % 10 == 0 else [path])
]
_WHAT = "comments pages a second"
_USUAL = "FastAPI and SQLAlchemy's core"


def compare(folder: Path) -> Iterator[Finding]:
    """Measure all on the rows of the busy game."""
    # A copy: some is written.
    game = folder / "talking.db"
    usual_game = folder / "usual.db"
    shutil.copy(busy_game(folder), game)
    _copy(game, usual_game)
    token = asyncio.run(_make_token(game))
    with serve_game(game) as ours:
        with serve("-m", usual_service.__name__, str(usual_game)) as usual:
            _check_same(ours, usual)
            ratio = ratio_in_turn(_rate(ours), _rate(usual), rounds=_ROUNDS)
            yield Finding(_WHAT, _USUAL, ratio, at_least=12)
            ratio = ratio_in_turn(_mixed_rate(ours, token), _mixed_rate(usual), rounds=_ROUNDS)
            yield Finding("the same with one write for each ten", _USUAL, ratio, at_least=8)
        paths = "\n".join(_PATHS)
        with serve("-m", bare_service.__name__, ours.base_url, told=paths) as bare:
            ratio = ratio_in_turn(_rate(ours), _rate(bare), rounds=_ROUNDS)
            yield Finding(_WHAT, "bare aiohttp sending the same bytes", ratio, at_least=0.5)


def _rate(server: Server) -> Callable[[], float]:
    return partial(answers_a_second, server.base_url, _PATHS, _SECONDS)


def _mixed_rate(server: Server, token: str = "") -> Callable[[], float]:
    return partial(answers_a_second, server.base_url, _MIXED, _SECONDS, token=token)


async def _make_token(game: Path) -> str:
    async with open_database(f"sqlite:///{game}", MIGRATIONS) as database:
        return await create_token(database, 1)


def _copy(game: Path, usual_game: Path) -> None:
    engine = create_engine(f"sqlite:///{usual_game}")
    usual_service.Base.metadata.create_all(engine)
    engine.dispose()
    with closing(sqlite3.connect(usual_game)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        # As the service has it, so that neither waits longer for the disk.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("ATTACH ? AS game", (str(game),))
        with connection:
            for copy in _COPIES:
                connection.execute(_SQL[copy])


def _check_same(ours: Server, theirs: Server) -> None:
    for path in _PATHS[:3]:
        page = _page(ours, path)
        other = _page(theirs, path)
        assert page == other, f"the answers to {path} differ"
        comments = page["data"]
        assert len(comments) == PER_PAGE
        assert sum(len(comment["children"]) for comment in comments) == 2 * PER_PAGE


def _page(server: Server, path: str) -> dict[str, list[dict[str, list[object]]]]:
    with urlopen(server.base_url + path) as answer:
        return json.loads(answer.read().decode().replace(server.base_url, ""))
