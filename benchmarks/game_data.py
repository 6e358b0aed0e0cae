"""Make games in bulk, for the service to serve."""

import asyncio
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

from game_service.admin import MIGRATIONS
from game_service.pagination import PER_PAGE
from storage.database import load_queries, open_database

# 150,000 rows: 50,000 comments in 100 threads, each with two replies.
BUSY_THREADS = 100
BUSY_COMMENTS = 50_000
# The full pages of each.
BUSY_PAGES = BUSY_COMMENTS // BUSY_THREADS // PER_PAGE
SHORT_THREAD = 1
SHORT_COMMENTS = 1_000
LONG_THREAD = 2
LONG_COMMENTS = 1_000_000
# Threads that are read once each, with a page and a bit of comments.
FRESH_THREADS = 2_000
_FRESH_COMMENTS = 20
# Each a page of more than a megabyte: to every comment there are more replies than are listed.
BUSHY_THREADS = 60
BUSHY_REPLIES = 187

_SQL = load_queries(Path(__file__).parent / "game_data.sql")
_PLAYERS = 500
_TALK = {
    "players": _PLAYERS,
    "text": "Did anyone else find the acorn behind the old fountain? I looked for it all week. "
    * 4,
    # 2026-01-01, and a little over a second from one comment to the next, in microseconds.
    "begin": 1_767_225_600_000_000,
    "step": 1_300_001,
}

_GERMAN = (
    "Hat außer mir schon jemand die Eichel hinter dem alten Brunnen gefunden? Ich habe die ganze"
    " Woche überall danach gesucht, und natürlich lag sie schließlich auf der größten Mauer. "
)


def busy_game(folder: Path) -> Path:
    """Make a game of many threads in which players answer each other."""
    return _made(folder / "busy.db", _fill_busy)


def fresh_game(folder: Path, *, in_german: bool = False) -> Path:
    """Make a game of many short threads. German has a letter beyond ASCII in each line."""
    talk = _TALK | {"text": _GERMAN * 2} if in_german else _TALK

    def fill(connection: sqlite3.Connection) -> None:
        connection.execute(_SQL["fill_threads"], {"count": FRESH_THREADS})
        count = FRESH_THREADS * _FRESH_COMMENTS
        connection.execute(
            _SQL["fill_comments"], {"threads": FRESH_THREADS, "comments": count, **talk}
        )

    return _made(folder / ("german.db" if in_german else "fresh.db"), fill)


def game_of_extremes(folder: Path) -> Path:
    """Make a game of one short thread and one of a million comments."""
    return _made(folder / "extremes.db", _fill_extremes)


def bushy_game(folder: Path) -> Path:
    """Make a game of threads whose comments have as many replies as a page may nest."""
    return _made(folder / "bushy.db", _fill_bushy)


async def make_tables(path: Path, migrations: Path) -> None:
    """Make an empty database."""
    async with open_database(f"sqlite:///{path}", migrations):
        pass


@contextmanager
def filling(path: Path) -> Generator[sqlite3.Connection]:
    """Lend a connection that fills a file quickly: no one else has it open, or would miss it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -262144"):
            connection.execute(f"PRAGMA {pragma}")
        yield connection


def _made(path: Path, fill: Callable[[sqlite3.Connection], None]) -> Path:
    """Make the game unless it is there already: those who measure share it."""
    if not path.exists():
        asyncio.run(make_tables(path, MIGRATIONS))
        with filling(path) as connection:
            connection.execute(_SQL["fill_players"], {"count": _PLAYERS})
            fill(connection)
    return path


def _fill_busy(connection: sqlite3.Connection) -> None:
    connection.execute(_SQL["fill_threads"], {"count": BUSY_THREADS})
    connection.execute(
        _SQL["fill_comments"], {"threads": BUSY_THREADS, "comments": BUSY_COMMENTS, **_TALK}
    )


def _fill_extremes(connection: sqlite3.Connection) -> None:
    connection.execute(_SQL["fill_threads"], {"count": 2})
    for thread_id, comments in ((SHORT_THREAD, SHORT_COMMENTS), (LONG_THREAD, LONG_COMMENTS)):
        connection.execute(
            _SQL["fill_thread"], {"thread_id": thread_id, "comments": comments, **_TALK}
        )


def _fill_bushy(connection: sqlite3.Connection) -> None:
    connection.execute(_SQL["fill_threads"], {"count": BUSHY_THREADS})
    connection.execute(
        _SQL["fill_bushy"], {"threads": BUSHY_THREADS, "replies": BUSHY_REPLIES, **_TALK}
    )
