"""What a server hides is read again only after a change, and every change is counted."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import storage
from storage import MIGRATIONS
from storage.database import load_queries, open_database, sqlite
from storage.member_reports import among_reports

QUERIES = Path(storage.__file__).parent / "sql"
# Which statements a process asks for what a server hides.
READ = ("removals.hidden", "moderation.watched", "held_back.held_back", "held_back.released")
# Statements that write what these read, and yet change nothing that is hidden.
UNCHANGING = {
    "cases.open_case": "a new case hides nothing, and whom a mute is about is in its subject"
}
# Filled in for each table: whole servers are forgotten by it, a month after Kiosk left them.
TEMPLATES = {"retention"}


def statements() -> Iterator[tuple[str, str]]:
    for file in QUERIES.glob("*.sql"):
        for name, sql in load_queries(file).items():
            if file.stem not in TEMPLATES:
                sql = among_reports(sql).replace("{clock}", sqlite.SqliteDatabase.clock)
                yield f"{file.stem}.{name}", sql


def touched(file: sqlite3.Connection, sql: str) -> tuple[set[str], set[str]]:
    """Return the columns that a statement reads, and the columns or tables that it writes."""
    read, written = set[str](), set[str]()

    def note(action: int, table: str | None, column: str | None, *_: str | None) -> int:
        match action:
            case sqlite3.SQLITE_READ:
                read.add(f"{table}.{column}")
            case sqlite3.SQLITE_UPDATE:
                written.add(f"{table}.{column}")
            case sqlite3.SQLITE_INSERT | sqlite3.SQLITE_DELETE:
                written.add(f"{table}.")
            case _:
                pass
        return sqlite3.SQLITE_OK

    file.set_authorizer(note)
    file.execute(f"EXPLAIN {sql}", dict.fromkeys(re.findall(r":(\w+)", sql)))
    return read, written


async def test_every_statement_that_changes_what_is_hidden_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "kiosk.db"
    async with open_database(f"sqlite:///{path}", MIGRATIONS):
        pass
    with closing(sqlite3.connect(path)) as file:
        found = {name: touched(file, sql) for name, sql in statements()}
    read = {column for name in READ for column in found[name][0]}
    tables = {f"{column.partition('.')[0]}." for column in read}
    assert {"removals.until", "cases.hit_text_key", "watched.words"} <= read

    changing = {name for name, (_, written) in found.items() if written & (read | tables)}

    assert "hiding.undo" in changing
    assert {name for name in changing if not name.startswith("hiding.")} == UNCHANGING.keys()
