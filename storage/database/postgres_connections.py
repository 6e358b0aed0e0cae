"""Connections to PostgreSQL: a pool, what is asked over them and how long, one that listens."""

import asyncio
import logging
import os
import re
import socket
import time
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import lru_cache
from typing import Any, LiteralString, cast

import psycopg
from psycopg.abc import Buffer
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row
from psycopg.sql import SQL, Identifier
from psycopg.types.string import StrDumperUnknown
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from storage.database.interface import Row, Value, stored
from storage.errors import BadDatabaseUrl, DatabaseUnreachable, NotUnique, StatementFailed

log = logging.getLogger(__name__)

NAME = "kiosk"
# How long the first connection waits for the server, in seconds.
FIRST_PATIENCE = 10.0
_FIRST_PAUSE = 0.5
_FEWEST, _MOST = 1, 8
# How long, in seconds, the pool tries to replace a lost connection before it waits for somebody to
# ask for one. Each try comes twice as late as the one before, so a long time here would mean that
# a server that is back goes unnoticed for as long.
_RECONNECTING = 5.0
# How long a listener waits before it connects anew, in seconds.
_PAUSE = 5.0
# What the address doesn't say otherwise. The kernel finds out within 20 seconds that the other end
# of an idle connection is gone without a word.
_DEFAULTS = {
    "application_name": NAME,
    "connect_timeout": "3",
    "keepalives_idle": "10",
    "keepalives_interval": "3",
    "keepalives_count": "3",
}

_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)|(%)|('(?:[^']|'')*')")

Connection = psycopg.AsyncConnection[dict[str, Any]]
Pool = AsyncConnectionPool[Connection]


class _Text(StrDumperUnknown):
    """Text without the one character that nobody sees and PostgreSQL can't hold."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", ""))


@asynccontextmanager
async def open_pool(url: str, *, read_only: bool = False) -> AsyncGenerator[Pool]:
    """Open a pool, of which each statement is a transaction of its own.

    Raises DatabaseUnreachable, BadDatabaseUrl.
    """

    async def configure(connection: Connection) -> None:
        connection.adapters.register_dumper(str, _Text)
        # Only transactions that the driver begins can be read-only, so there it begins each.
        await connection.set_autocommit(not read_only)
        await connection.set_read_only(read_only)

    address = _address(url)
    await _wait_for_server(address)
    pool: Pool = AsyncConnectionPool(
        address,
        connection_class=cast("type[Connection]", psycopg.AsyncConnection),
        # Parameters are written into the statement by the client: types need not be guessed, and
        # nothing is prepared that a pooler in between would lose.
        kwargs={
            "row_factory": dict_row,
            "cursor_factory": psycopg.AsyncClientCursor,
            "prepare_threshold": None,
        },
        configure=configure,
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


async def _wait_for_server(address: str) -> None:
    """Return once the server lets Kiosk in, which takes a while where it is just starting.

    Raises DatabaseUnreachable: the pool would not say why it has no connection.
    """
    deadline = time.monotonic() + FIRST_PATIENCE
    said: Exception | None = None
    while True:
        try:
            async with asyncio.timeout(max(deadline - time.monotonic(), 0)):
                connection = await psycopg.AsyncConnection.connect(address)
        except (psycopg.Error, TimeoutError) as error:
            # What the server has said tells more than that it says nothing in what time is left.
            said = said if said and isinstance(error, TimeoutError) else error
            if time.monotonic() + _FIRST_PAUSE > deadline:
                raise _unreachable(address, said) from None
        else:
            await connection.close()
            return
        await asyncio.sleep(_FIRST_PAUSE)


def _unreachable(address: str, error: Exception) -> DatabaseUnreachable:
    named = conninfo_to_dict(address)
    where = f"{named.get('host', 'this machine')}:{named.get('port', '5432')}"
    return DatabaseUnreachable(
        f"PostgreSQL at {where} can't be used: {_reason(error)}: start it, or mend the address"
    )


@contextmanager
def limited(connection: Connection, seconds: float) -> Generator[None]:
    """Cut a connection that takes longer to answer; the statement fails as if the server had died.

    Cancelling would wait for the server in turn, which may answer nothing at all.
    """
    timer = asyncio.get_running_loop().call_later(seconds, _cut, connection)
    try:
        yield
    finally:
        timer.cancel()


def _cut(connection: Connection) -> None:
    with suppress(OSError, psycopg.Error):
        copy = socket.socket(fileno=os.dup(connection.fileno()))
        with copy:
            copy.shutdown(socket.SHUT_RDWR)


@contextmanager
def passing_over_death(connection: Connection) -> Generator[None]:
    """Let the failure of a statement pass where it is that the connection has died."""
    try:
        yield
    except psycopg.OperationalError:
        if not connection.broken:
            raise


@contextmanager
def naming_faults() -> Generator[None]:
    """Raise what the driver does as an error of ours."""
    try:
        yield
    except psycopg.errors.IntegrityError as error:
        raise NotUnique(type(error).__name__) from error
    except psycopg.Error as error:
        raise StatementFailed(type(error).__name__) from error


async def fetch(connection: Connection, sql: str, parameters: Mapping[str, Value]) -> Sequence[Row]:
    """Run one statement and return its rows, none where it has none to give."""
    cursor = await connection.execute(translated(sql), stored(parameters))
    return await cursor.fetchall() if cursor.description else []


@lru_cache(maxsize=1024)
def translated(sql: str) -> LiteralString:
    """Return a statement with its parameters as this driver names them: `%(so)s` for `:so`."""

    def translate(match: re.Match[str]) -> str:
        name, percent, text = match.groups()
        if name:
            return f"%({name})s"
        return "%%" if percent else str(text).replace("%", "%%")

    return cast("LiteralString", _PARAMETER.sub(translate, sql))


async def listen(url: str, channel: str) -> AsyncGenerator[None]:
    """Yield at each notification, and whenever one may have been missed; connect for ever anew."""
    while True:
        try:
            connecting = psycopg.AsyncConnection.connect(_address(url), autocommit=True)
            async with await connecting as connection:
                await connection.execute(SQL("LISTEN {}").format(Identifier(channel)))
                yield
                async for _ in connection.notifies():
                    yield
        except (psycopg.Error, OSError) as error:
            log.info("PostgreSQL can't be listened to: %s", _reason(error))
        await asyncio.sleep(_PAUSE)


def _address(url: str) -> str:
    try:
        return make_conninfo("", **(_DEFAULTS | conninfo_to_dict(url)))
    except psycopg.ProgrammingError as error:
        raise BadDatabaseUrl(
            f"PostgreSQL doesn't understand the address: {_reason(error)}"
        ) from None


def _reason(error: Exception) -> str:
    # The server's words may repeat the address, and the address holds a password.
    return (str(error.__cause__ or error) or type(error).__name__).splitlines()[0]
