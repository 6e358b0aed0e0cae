"""Connections to PostgreSQL: a pool, and whether anybody else has one."""

import asyncio
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from typing import Any, cast

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Dumper
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row
from psycopg.sql import SQL, Identifier
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumperUnknown
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from storage.errors import BadDatabaseUrl, DatabaseInUse, DatabaseUnavailable, DatabaseUnusable
from storage.rows import to_micros

# How long the first connection waits for the server, in seconds.
FIRST_PATIENCE = 10.0
_FIRST_PAUSE = 0.5
_FEWEST, _MOST = 1, 8
# For a second, at whether a database is in use.
_LOOKS, _SECONDS_BETWEEN_LOOKS = 10, 0.1
# How long, in seconds, the pool tries to replace a lost connection before it waits for somebody to
# ask for one. Each try comes twice as late as the one before, so a long time here would mean that
# a server that is back goes unnoticed for as long.
_RECONNECTING = 5.0
# What the address doesn't say otherwise. The kernel finds out within 20 seconds that the other end
# of an idle connection is gone without a word.
_DEFAULTS = {
    "connect_timeout": "3",
    "keepalives_idle": "10",
    "keepalives_interval": "3",
    "keepalives_count": "3",
}

# By this name it is known that a Kiosk is connected.
_NAME = "kiosk"

Connection = psycopg.AsyncConnection[dict[str, Any]]
Pool = AsyncConnectionPool[Connection]


class _Text(StrDumperUnknown):
    """Text without the one character that nobody sees and PostgreSQL can't hold."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", ""))


class _Moment(Dumper):
    """A time, as columns hold it."""

    oid = Int8Dumper.oid

    def dump(self, obj: datetime) -> Buffer | None:
        return b"%d" % to_micros(obj)


@asynccontextmanager
async def open_pool(url: str) -> AsyncGenerator[Pool]:
    """Open a pool, of which each statement is a transaction of its own.

    Raises DatabaseUnusable, BadDatabaseUrl.
    """
    address = _address(url)
    await _wait_for_server(address)
    pool: Pool = AsyncConnectionPool(
        address,
        connection_class=cast("type[Connection]", psycopg.AsyncConnection),
        # Parameters are written into the statement by the client: types need not be guessed, and
        # nothing is prepared that a pooler in between would lose.
        kwargs={
            "autocommit": True,
            "row_factory": dict_row,
            "cursor_factory": psycopg.AsyncClientCursor,
            "prepare_threshold": None,
        },
        configure=_configure,
        check=_check,
        min_size=_FEWEST,
        max_size=_MOST,
        reconnect_timeout=_RECONNECTING,
        open=False,
    )
    try:
        await pool.open(wait=True, timeout=FIRST_PATIENCE)
        yield pool
    except PoolTimeout as error:
        raise _unreachable(address, error) from None
    finally:
        await pool.close()


async def _configure(connection: Connection) -> None:
    connection.adapters.register_dumper(str, _Text)
    connection.adapters.register_dumper(datetime, _Moment)


async def _check(connection: Connection) -> None:
    """Raise where the server has hung up; asking it something would take as long as a statement."""
    # What the loop is about to hear of counts, too.
    await asyncio.sleep(0)
    for _ in range(2):
        # A server that stops says so before it hangs up.
        connection.pgconn.consume_input()


async def _wait_for_server(address: str) -> None:
    """Return once the server lets Kiosk in, which takes a while where it is just starting.

    Raises DatabaseUnavailable: the pool would not say why it has no connection. Raises
    DatabaseUnusable where the database can't hold every text.
    """
    deadline = time.monotonic() + FIRST_PATIENCE
    while True:
        try:
            connection = await psycopg.AsyncConnection.connect(address)
        except psycopg.Error as error:
            if time.monotonic() + _FIRST_PAUSE > deadline:
                raise _unreachable(address, error) from None
            await asyncio.sleep(_FIRST_PAUSE)
        else:
            break
    encoding = connection.info.parameter_status("server_encoding")
    await connection.close()
    if encoding != "UTF8":
        raise DatabaseUnusable(
            f"the PostgreSQL database keeps its text in {encoding}, and Kiosk needs UTF8:"
            " make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )


def _unreachable(address: str, error: Exception) -> DatabaseUnavailable:
    named = conninfo_to_dict(address)
    where = f"{named.get('host', 'this machine')}:{named.get('port', '5432')}"
    return DatabaseUnavailable(
        f"PostgreSQL at {where} can't be used: {reason_of(error)}: start it, or mend the address"
    )


def _address(url: str) -> str:
    try:
        return make_conninfo(
            "", **(_DEFAULTS | conninfo_to_dict(url) | {"application_name": _NAME})
        )
    except psycopg.ProgrammingError as error:
        # What follows a colon repeats some of the address, and that may be of a password.
        said = reason_of(error).partition(":")[0]
        raise BadDatabaseUrl(f"PostgreSQL doesn't understand the address: {said}") from None


def reason_of(error: Exception) -> str:
    """Say in a line why PostgreSQL can't be used; what follows may repeat a statement."""
    return (str(error.__cause__ or error) or type(error).__name__).splitlines()[0]


@contextmanager
def holding_postgres(url: str) -> Generator[None]:
    """Let nobody write to a database while the block runs. Raises DatabaseInUse."""
    with _visiting(url) as connection:
        _require_alone(connection)
        # Whoever starts from here on waits: it would write.
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        for (table,) in connection.execute(tables).fetchall():
            connection.execute(SQL("LOCK TABLE {} IN SHARE MODE").format(Identifier(table)))
        _require_alone(connection)
        yield


def prove_postgres_writable(url: str) -> None:
    """Make a table there, and take it back. Raises DatabaseUnusable."""
    with _visiting(url) as connection:
        try:
            connection.execute("CREATE TABLE kiosk_can_write (one INTEGER)")
        except psycopg.DatabaseError as error:
            raise DatabaseUnusable(
                f"PostgreSQL can't be written: {reason_of(error)}: name the primary, and let"
                " Kiosk's user make tables there"
            ) from None
        finally:
            connection.rollback()


@contextmanager
def _visiting(url: str) -> Generator[psycopg.Connection]:
    address = _address(url)
    try:
        with psycopg.connect(
            address, connect_timeout=int(FIRST_PATIENCE), application_name=f"{_NAME} data"
        ) as connection:
            yield connection
    except psycopg.Error as error:
        raise _unreachable(address, error) from None


def _require_alone(connection: psycopg.Connection) -> None:
    """Raise DatabaseInUse if a Kiosk is connected; one that has just left is listed for a while."""
    for _ in range(_LOOKS):
        # What was seen once is kept until a transaction ends.
        connection.execute("SELECT pg_stat_clear_snapshot()")
        found = connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name = %s",
            (_NAME,),
        )
        if found.fetchone() is None:
            return
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    raise DatabaseInUse
