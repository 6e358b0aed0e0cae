"""Whether anybody has a PostgreSQL database open, and keeping everybody from writing to it."""

import time
from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg.sql import SQL, Identifier

from storage.database.postgres_connections import FIRST_PATIENCE, NAME
from storage.errors import DatabaseInUse, DatabaseUnusable

# For a second, at whether a database is in use.
_LOOKS, _SECONDS_BETWEEN_LOOKS = 10, 0.1


def postgres_is_in_use(url: str) -> bool:
    """Return whether any Kiosk has the database open. Raises DatabaseUnusable."""
    with _visiting(url) as connection:
        return _has_others(connection)


@contextmanager
def holding_postgres(url: str) -> Generator[None]:
    """Let nobody write to a database while the block runs. Raises DatabaseInUse."""
    with _visiting(url) as connection:
        _require_alone(connection)
        # Whoever starts from here on waits: it would write down which steps have run.
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        for (table,) in connection.execute(tables).fetchall():
            connection.execute(SQL("LOCK TABLE {} IN SHARE MODE").format(Identifier(table)))
        _require_alone(connection)
        yield


@contextmanager
def _visiting(url: str) -> Generator[psycopg.Connection]:
    try:
        with psycopg.connect(
            url, connect_timeout=int(FIRST_PATIENCE), application_name=f"{NAME} data"
        ) as connection:
            yield connection
    except psycopg.Error as error:
        raise DatabaseUnusable(f"PostgreSQL can't be used: {type(error).__name__}") from None


def _require_alone(connection: psycopg.Connection) -> None:
    if _has_others(connection):
        raise DatabaseInUse


def _has_others(connection: psycopg.Connection) -> bool:
    """Return whether a Kiosk is connected; one that has just left is listed a moment longer."""
    for _ in range(_LOOKS):
        # What was seen once is kept until a transaction ends.
        connection.execute("SELECT pg_stat_clear_snapshot()")
        found = connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name = %s",
            (NAME,),
        )
        if found.fetchone() is None:
            return False
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    return True
