"""Pages of comments a second, from the service and from the usual one.

Both serve the same rows and give the same answers, which is checked before anything is measured:
15 comments and 30 nested replies a page, in the envelope with its absolute links. Each is one
process; the 16 clients that keep their connections alive are a third.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from urllib.request import urlopen

from sqlalchemy import create_engine

from benchmarks.comments_page import usual_service
from benchmarks.game_data import BUSY_PAGES, BUSY_THREADS
from benchmarks.load import answers_a_second
from benchmarks.measuring import Finding, ratio_in_turn
from benchmarks.processes import Server, serve, serve_game
from game_service.pagination import PER_PAGE
from storage.database import load_queries

_SQL = load_queries(Path(__file__).parent / "usual_data.sql")
_COPIES = ("copy_players", "copy_threads", "copy_comments")
_ROUNDS = 7
_SECONDS = 3.0
# Every thread once, each at another page.
_PATHS = [
    f"/threads/{thread}/comments?sort=latest&page={thread * 7 % BUSY_PAGES + 1}"
    for thread in range(1, BUSY_THREADS + 1)
]


def compare(busy_game: Path) -> Iterator[Finding]:
    """Measure both on the rows of the busy game."""
    usual_game = busy_game.with_name("usual.db")
    _copy(busy_game, usual_game)
    usual = ("-m", usual_service.__name__, str(usual_game))
    with serve_game(busy_game) as ours, serve(*usual) as theirs:
        _check_same(ours, theirs)
        ratio = ratio_in_turn(
            partial(answers_a_second, ours.base_url, _PATHS, _SECONDS),
            partial(answers_a_second, theirs.base_url, _PATHS, _SECONDS),
            rounds=_ROUNDS,
        )
    yield Finding(
        "comments pages a second", "FastAPI and SQLAlchemy's async ORM", ratio, "at least 6"
    )


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
        page, other = _page(ours, path), _page(theirs, path)
        assert page == other, f"the answers to {path} differ"
        comments = page["data"]
        assert len(comments) == PER_PAGE
        assert sum(len(comment["children"]) for comment in comments) == 2 * PER_PAGE


def _page(server: Server, path: str) -> dict[str, list[dict[str, list[object]]]]:
    with urlopen(server.base_url + path) as answer:
        return json.loads(answer.read().decode().replace(server.base_url, ""))
