"""PostgreSQL: a pool of connections, safe behind PgBouncer."""

import asyncio
import contextlib
import logging
import re
import selectors
import typing
from collections import abc
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

import psycopg
from psycopg import conninfo
from psycopg.abc import RV, Buffer, PQGen
from psycopg.adapt import Dumper
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumperUnknown
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from storage import storage_errors
from storage.database import interface, refusals
from storage.rows import to_micros

log = logging.getLogger(__name__)

_MIN_CONNECTIONS = 1
_MAX_CONNECTIONS = 8
# In seconds: a step may go through whole tables.
_MAX_STEP = 86_400.0
# How long a step waits for the tables, with readers behind it. Then it lets them in as long.
_LOCK_SECONDS = 5.0
# Any number under which no other program takes a lock.
_LOCK_NUMBER = 0x4B696F736B
_LOCK = f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})"
_TRY_LOCK = f"SELECT pg_try_advisory_xact_lock({_LOCK_NUMBER}) AS is_free"
# Whatever the server, or the address, has set for others.
_BEGIN_STEP = (
    "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;"
    " SET LOCAL idle_in_transaction_session_timeout = 0"
)
# The tables that a step may change.
_OWN_TABLES = (
    "SELECT quote_ident(tablename) AS name FROM pg_tables"
    " WHERE schemaname = current_schema() AND pg_has_role(tableowner, 'USAGE') ORDER BY tablename"
)
# Of those who use a table, the one that began first.
_HOLDER = (
    "SELECT pid, application_name, usename FROM pg_stat_activity"
    " WHERE pid <> pg_backend_pid() AND pid IN (SELECT pid FROM pg_locks"
    " JOIN pg_class ON pg_class.oid = relation"
    " WHERE granted AND relnamespace = current_schema()::regnamespace)"
    " ORDER BY xact_start LIMIT 1"
)
# How long the pool tries to connect, before it waits until a connection is asked for. Each try
# comes twice as late as the one before: a server that is back must not go unnoticed.
_RECONNECTING_SECONDS = 10.0
# How long a connection may be idle before its next use first checks whether it still works.
_IDLE_SECONDS = 5.0
# Unless the address says otherwise. The kernel finds out within 20 seconds that the other end
# of an idle connection is gone without a word.
_DEFAULTS = {
    "application_name": "kiosk",
    # Whatever the database's own: one in SQL_ASCII keeps it as it comes.
    "client_encoding": "UTF8",
    "connect_timeout": "3",
    "keepalives_idle": "10",
    "keepalives_interval": "3",
    "keepalives_count": "3",
}
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")


class _Text(StrDumperUnknown):
    """Text without the one invisible character that PostgreSQL can't store."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", ""))


class _Moment(Dumper):
    oid = Int8Dumper.oid

    def dump(self, obj: datetime) -> Buffer | None:
        return b"%d" % to_micros(obj)


# The pool logs each of its tries to connect, of several lines. Callers who need the database get
# the error.
logging.getLogger("psycopg").setLevel(logging.ERROR)
psycopg.adapters.register_dumper(str, _Text)
psycopg.adapters.register_dumper(datetime, _Moment)


@dataclass(eq=False)
class _LastTry:
    """How a pool's last try to connect ended, which the pool doesn't say."""

    failure: psycopg.Error | None = None
    is_over: asyncio.Event = field(default_factory=asyncio.Event)


class _Connection(psycopg.AsyncConnection[dict[str, typing.Any]]):
    """A connection that closes if its server is useless.

    A useless server takes longer than `patience` to answer, or can only read, as after a failover.
    A new connection may lead to the server that can write.
    """

    patience = interface.PATIENCE_SECONDS
    used_at = 0.0

    @classmethod
    async def connect(cls, conninfo: str = "", **kwargs: typing.Any) -> typing.Self:
        last_try: _LastTry = kwargs.pop("last_try")
        try:
            connection = await super().connect(conninfo, **kwargs)
            last_try.failure = None
        except psycopg.Error as error:
            last_try.failure = error
            raise
        finally:
            last_try.is_over.set()
        return connection

    async def wait(
        self,
        gen: PQGen[RV],
        interval: float = 0.1,
        timeout: float | None = None,  # noqa: ASYNC109 - as the driver has it
    ) -> RV:
        try:
            return await super().wait(gen, interval, timeout or self.patience)
        except psycopg.errors.ReadOnlySqlTransaction:
            self.pgconn.finish()
            raise
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()
            raise
        finally:
            self.used_at = asyncio.get_running_loop().time()


async def _check(connection: _Connection) -> None:
    """Ask a connection whether it still works, if that is in doubt."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        # Such as that the server shuts down: nothing was asked.
        has_said_something = selector.select(0)
    if has_said_something or asyncio.get_running_loop().time() - connection.used_at > _IDLE_SECONDS:
        await AsyncConnectionPool[_Connection].check_connection(connection)


@dataclass(eq=False)
class PostgresTransaction(interface.Transaction):
    connection: _Connection

    async def fetch(self, sql: str, **parameters: interface.Value) -> abc.Sequence[interface.Row]:
        cursor = await self.connection.execute(_translated(sql), parameters)
        return await cursor.fetchall() if cursor.description else []

    async def execute(self, sql: str, **parameters: interface.Value) -> int:
        cursor = await self.connection.execute(_translated(sql), parameters)
        return cursor.rowcount

    async def execute_many(
        self, sql: str, rows: abc.Sequence[abc.Mapping[str, interface.Value]]
    ) -> None:
        await self.connection.cursor().executemany(_translated(sql), rows)


class PostgresDatabase(interface.Database):
    """Every statement takes a connection of the pool, a transaction for as long as it lasts."""

    engine = "postgresql"
    words: typing.ClassVar = {
        "id": "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
        "bytes": "BYTEA",
    }
    tables = "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()"
    references = (
        "SELECT tables.relname AS name, referred.relname AS refers_to FROM pg_constraint AS keys"
        " JOIN pg_class AS tables ON tables.oid = keys.conrelid"
        " JOIN pg_class AS referred ON referred.oid = keys.confrelid"
        " WHERE keys.contype = 'f' AND keys.connamespace = current_schema()::regnamespace"
    )
    columns_of = (
        "SELECT column_name AS name, data_type AS type FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND table_name = :table AND is_generated = 'NEVER'"
        " ORDER BY ordinal_position"
    )
    clock = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::BIGINT"
    size = "SELECT pg_database_size(current_database()) AS bytes"
    last_id = "SELECT pg_sequence_last_value(pg_get_serial_sequence(:table, 'id')::regclass) AS id"
    continue_ids = "SELECT setval(pg_get_serial_sequence(:table, 'id'), :last_id)"

    def __init__(
        self, pool: AsyncConnectionPool[_Connection], last_try: _LastTry, patience: float
    ) -> None:
        self._pool = pool
        self._last_try = last_try
        self._patience = patience
        # For the server itself, in case this process dies and leaves it with a transaction.
        milliseconds = int(patience * 1000)
        self._begin = (
            f"BEGIN; SET LOCAL statement_timeout = {milliseconds};"
            f" SET LOCAL idle_in_transaction_session_timeout = {milliseconds}"
        )

    async def fetch(self, sql: str, **parameters: interface.Value) -> abc.Sequence[interface.Row]:
        with self.time_read():
            async with self._borrowed_connection() as connection:
                return await PostgresTransaction(connection).fetch(sql, **parameters)

    async def state(self) -> object:
        """Return which transactions have ended: each that writes has a number of its own."""
        row = await self.fetch_one("SELECT CAST(pg_current_snapshot() AS text) AS ended")
        return row and row["ended"]

    @contextlib.asynccontextmanager
    async def snapshot(self) -> abc.AsyncGenerator[interface.Source]:
        async with self._borrowed_connection() as connection:
            await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield PostgresTransaction(connection)

    @contextlib.asynccontextmanager
    async def transaction(self) -> abc.AsyncGenerator[interface.Transaction]:
        """Hold a connection for a transaction. Raises CommitUnknown."""
        with self.time_transaction():
            async with self._borrowed_connection() as connection:
                transaction = PostgresTransaction(connection)
                await transaction.execute(self._begin)
                yield transaction
                try:
                    await connection.commit()
                except psycopg.OperationalError as error:
                    if connection.broken:
                        raise storage_errors.CommitUnknown(type(error).__name__) from error
                    raise
        for callback in transaction.on_commit:
            callback()

    @contextlib.asynccontextmanager
    async def changing_tables(self) -> abc.AsyncGenerator[interface.Transaction]:
        async with self._borrowed_connection() as connection:
            connection.patience = _MAX_STEP
            try:
                transaction = PostgresTransaction(connection)
                await transaction.execute(_BEGIN_STEP)
                await transaction.execute(_LOCK)
                yield transaction
                await connection.commit()
            finally:
                connection.patience = self._patience

    async def are_tables_changing(self) -> bool:
        # Outside of a transaction, the lock is given back at once.
        (row,) = await self.fetch(_TRY_LOCK)
        return not row["is_free"]

    async def lock_tables(self, transaction: interface.Transaction) -> None:
        await transaction.execute(f"SET LOCAL lock_timeout = {int(_LOCK_SECONDS * 1000)}")
        names = ", ".join(row["name"] for row in await transaction.fetch(_OWN_TABLES))
        told: int | None = None
        while names:
            await transaction.execute("SAVEPOINT unlocked")
            try:
                await transaction.execute(f"LOCK TABLE {names}")
                return
            except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
                await transaction.execute("ROLLBACK TO unlocked")
            holder = await transaction.fetch_one(_HOLDER)
            if holder and holder["pid"] != told:
                told = holder["pid"]
                log.warning(
                    "The upgrade waits: %s of user %s uses the tables. Let it finish, or end it:"
                    " SELECT pg_terminate_backend(%s)",
                    *(holder["application_name"] or "a program", holder["usename"], told),
                )
            await asyncio.sleep(_LOCK_SECONDS)

    async def copy_old(self, name: str) -> bool:
        log.warning(
            "Kiosk keeps no copy of version %s. To go back, you need a `pg_dump` from before"
            " this start",
            name.partition("-")[0],
        )
        return False

    @contextlib.asynccontextmanager
    async def _borrowed_connection(self) -> abc.AsyncGenerator[_Connection]:
        """Lend a connection. End what the block began, and raise the driver's errors as ours."""
        task = asyncio.current_task()
        cancellations = task.cancelling() if task else 0
        try:
            async with self._pool.connection(self._patience) as connection:
                if task and task.cancelling() > cancellations:
                    # On Python 3.11, the pool loses a cancellation that comes with a connection.
                    raise asyncio.CancelledError
                yield connection
        except PoolTimeout as error:
            failure = self._last_try.failure
            why = _first_line(failure) if failure else "all connections are in use"
            raise storage_errors.StatementFailed(why) from failure or error
        except psycopg.Error as error:
            is_taken = isinstance(error, psycopg.IntegrityError)
            kind = storage_errors.NotUnique if is_taken else storage_errors.StatementFailed
            raise kind(type(error).__name__) from error


@lru_cache(maxsize=1024)
def _translated(sql: str) -> typing.LiteralString:
    """Return a statement with its parameters as this driver names them: `%(so)s` for `:so`."""
    return typing.cast("typing.LiteralString", _PARAMETER.sub(r"%(\1)s", sql.replace("%", "%%")))


@contextlib.asynccontextmanager
async def open_postgres(
    url: str, prepare: interface.Prepare, patience: float
) -> abc.AsyncGenerator[interface.Database]:
    """Open the database at `postgresql://…`.

    A statement waits `patience` seconds for a connection, and then as long for the server.
    """

    async def configure(connection: _Connection) -> None:
        connection.patience = patience

    last_try = _LastTry()
    async with AsyncConnectionPool(
        _address(url),
        connection_class=_Connection,
        # Parameters are written into the statement by the client: types need not be guessed, and
        # nothing is prepared that a pooler in between would lose.
        kwargs={
            "autocommit": True,
            "row_factory": dict_row,
            "cursor_factory": psycopg.AsyncClientCursor,
            "prepare_threshold": None,
            "last_try": last_try,
        },
        configure=configure,
        check=_check,
        min_size=_MIN_CONNECTIONS,
        max_size=_MAX_CONNECTIONS,
        reconnect_timeout=_RECONNECTING_SECONDS,
        open=False,
    ) as pool:
        with _naming_server(url):
            await last_try.is_over.wait()
            if last_try.failure and refusals.find_refusal(last_try.failure):
                # The pool would try again and again.
                raise last_try.failure
            try:
                await pool.wait(_RECONNECTING_SECONDS)
            except PoolTimeout as error:
                raise last_try.failure or error from None
            database = PostgresDatabase(pool, last_try, patience)
            await prepare(database, "the PostgreSQL database")
        yield database


def _address(url: str) -> str:
    try:
        return conninfo.make_conninfo("", **(_DEFAULTS | conninfo.conninfo_to_dict(url)))
    except psycopg.ProgrammingError as error:
        # The text behind a colon repeats some of the address, and that may be of a password.
        said = _first_line(error).partition(":")[0]
        raise storage_errors.BadDatabaseUrl(
            f"PostgreSQL doesn't understand the address: {said}"
        ) from None


@contextlib.contextmanager
def _naming_server(url: str) -> abc.Generator[None]:
    """Raise the driver's errors as ours, with the fix and the server's address."""
    try:
        yield
    except (psycopg.Error, storage_errors.StatementFailed) as error:
        named = conninfo.conninfo_to_dict(_address(url))
        where = f"{named.get('host', 'this machine')}:{named.get('port', '5432')}"
        cause = error.__cause__ if isinstance(error, storage_errors.StatementFailed) else error
        if refusal := refusals.find_refusal(cause):
            text = f"PostgreSQL at {where} refuses Kiosk: {refusal}"
            raise storage_errors.DatabaseUnusable(text) from error
        said = f"PostgreSQL at {where} can't be used: {_first_line(cause)}"
        if isinstance(cause, psycopg.OperationalError):
            raise storage_errors.DatabaseUnavailable(
                f"{said}. Start it, or fix the address"
            ) from error
        raise storage_errors.DatabaseUnusable(
            f"{said}. Use the primary's address, and let Kiosk's user create tables there"
        ) from error


def _first_line(error: BaseException | None) -> str:
    # The rest may repeat a statement.
    return (str(error) or type(error).__name__).splitlines()[0]
