"""SQLite: a write-ahead log, a connection that writes, and two that read."""

import asyncio
import contextlib
import errno
import glob
import logging
import shutil
import sqlite3
import threading
import typing
from collections import abc
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile

import aiosqlite

from storage import storage_errors
from storage.database import aside, interface, shrinking
from storage.rows import to_micros

log = logging.getLogger(__name__)

T = typing.TypeVar("T")

PREFIX = "sqlite:///"
# The lowest byte of SQLite's codes. The others say more than is needed.
_PRIMARY = 0xFF
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
# How much a backup copies before it checks whether it is still wanted: 4 MiB.
_PAGES = 1024
# Work that has just begun may have missed the first stop.
_SECONDS_BETWEEN_STOPS = 0.1
# In bytes: what a new database needs, and the smallest of the files beside it.
_FIRST_TABLES = 1 << 20
_SHARED_MEMORY = 32768
# A change by hand may leave rows that refer to missing ones.
_CHECK_REFERENCES = "PRAGMA foreign_key_check"
# Said of the first row that it finds: its table, its number, and the table that it refers to.
_DANGLING = (
    "{path}: row {1} of the table {0} refers to a row of {2} that is missing (such rows: {count})."
    ' Nothing was changed. Restore an older backup, or delete these rows: sqlite3 {path} "PRAGMA'
    " foreign_keys = ON; DELETE FROM {0} WHERE rowid IN"
    " (SELECT rowid FROM pragma_foreign_key_check('{0}'))\""
)
# SQLite would take files left beside a new file of this name for that file's own.
DAMAGE_MEND = (
    "Stop Kiosk, move this file away with its -wal and -shm files, and restore the last backup"
)
_FAULTS = {
    sqlite3.SQLITE_NOTADB: "isn't a SQLite database. Choose another file, or move it away",
    sqlite3.SQLITE_CORRUPT: f"is damaged. {DAMAGE_MEND}",
    sqlite3.SQLITE_FULL: "is on a full disk. Free some space there",
    sqlite3.SQLITE_BUSY: "is locked by another program. End that program",
}

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

# For every connection: the driver has no adapters for a single one.
sqlite3.register_adapter(datetime, to_micros)


@dataclass(eq=False)
class SqliteTransaction(interface.Transaction):
    connection: aiosqlite.Connection

    async def fetch(self, sql: str, **parameters: interface.Value) -> abc.Sequence[interface.Row]:
        # One call, so one hop to the connection's thread: twice as fast as a cursor.
        rows = await self.connection.execute_fetchall(sql, parameters)
        return typing.cast("abc.Sequence[interface.Row]", rows)

    async def execute(self, sql: str, **parameters: interface.Value) -> int:
        cursor = await self.connection.execute(sql, parameters)
        return cursor.rowcount

    async def execute_many(
        self, sql: str, rows: abc.Sequence[abc.Mapping[str, interface.Value]]
    ) -> None:
        await self.connection.executemany(sql, rows)


class SqliteDatabase(interface.Database):
    """One connection runs transactions, one reads for members, and one reads aside."""

    engine = "sqlite"
    words: typing.ClassVar = {"id": "INTEGER PRIMARY KEY AUTOINCREMENT", "bytes": "BLOB"}
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
    references = (
        'SELECT tables.name, keys."table" AS refers_to'
        " FROM sqlite_schema AS tables JOIN pragma_foreign_key_list(tables.name) AS keys"
    )
    # A cast to BOOLEAN would make a number of it, as everything else does here.
    columns_of = (
        "SELECT name, replace(type, 'INTEGER', 'BIGINT') AS type FROM pragma_table_info(:table)"
    )
    clock = "CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)"
    size = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size"
    last_id = "SELECT seq AS id FROM sqlite_sequence WHERE name = :table"
    continue_ids = (
        "REPLACE INTO sqlite_sequence (rowid, name, seq)"
        " VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = :table), :table, :last_id)"
    )

    def __init__(
        self,
        path: Path,
        readers: abc.Mapping[bool, aiosqlite.Connection],
        writer: aiosqlite.Connection,
        watcher: sqlite3.Connection,
        patience: float,
    ) -> None:
        self._path = path
        # By whether they read aside.
        self._readers = {
            reads_aside: SqliteTransaction(reader) for reads_aside, reader in readers.items()
        }
        self._writer = writer
        self._watcher = watcher
        self._patience = patience
        self._writing = asyncio.Lock()

    async def fetch(self, sql: str, **parameters: interface.Value) -> abc.Sequence[interface.Row]:
        with self.time_read(), _naming():
            return await self._readers[aside.is_aside.get()].fetch(sql, **parameters)

    async def state(self) -> object:
        """Return a number that each change by another connection counts up."""
        # On this thread: it reads shared memory, in a tenth of the time of a hop to another.
        with _naming():
            return self._watcher.execute("PRAGMA data_version").fetchall()

    @contextlib.asynccontextmanager
    async def snapshot(self) -> abc.AsyncGenerator[interface.Source]:
        """Lend the database as of the first read. Everyone who shares the connection sees that."""
        reader = self._readers[aside.is_aside.get()]
        with _naming():
            await reader.execute("BEGIN")
            try:
                yield reader
            finally:
                await reader.execute("ROLLBACK")

    async def truncate_log(self) -> None:
        # A copy of the file alone then has everything, except what came since. While someone still
        # reads the state before, the log stays: members would wait for the read's end.
        async with self._writing:
            with _naming():
                await self._writer.execute_fetchall("PRAGMA busy_timeout = 0")
                try:
                    await self._writer.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
                finally:
                    milliseconds = int(self._patience * 1000)
                    await self._writer.execute_fetchall(f"PRAGMA busy_timeout = {milliseconds}")

    async def give_back_room(self) -> bool:
        async with self._writing:
            with _naming():
                return await shrinking.move_some(self._writer)

    async def compact(self) -> None:
        with _naming_file(self._path):
            await shrinking.compact(self._writer, self._path.resolve(), self.free_room())
        await self.truncate_log()

    @contextlib.asynccontextmanager
    async def transaction(self) -> abc.AsyncGenerator[interface.Transaction]:
        with self.time_transaction():
            try:
                async with asyncio.timeout(self._patience):
                    await self._writing.acquire()
            except TimeoutError:
                raise storage_errors.StatementFailed("the database is locked") from None
            transaction = SqliteTransaction(self._writer)
            try:
                with _naming():
                    await self._writer.execute("BEGIN IMMEDIATE")
                    yield transaction
                    await self._writer.commit()
            except BaseException:
                # Shielded: a second cancellation must not hand on a connection mid-transaction.
                await asyncio.shield(asyncio.ensure_future(self._writer.rollback()))
                raise
            finally:
                self._writing.release()
        for callback in transaction.on_commit:
            callback()

    @contextlib.asynccontextmanager
    async def changing_tables(self) -> abc.AsyncGenerator[interface.Transaction]:
        # Otherwise other tables' rows would be deleted with a table that is made again. Later, this
        # does nothing.
        await self._writer.execute("PRAGMA foreign_keys = OFF")
        try:
            async with contextlib.AsyncExitStack() as stack:
                transaction = await self._begin_patiently(stack)
                yield transaction
                if dangling := await transaction.fetch(_CHECK_REFERENCES):
                    raise storage_errors.DatabaseUnusable(
                        f"{self._path.resolve()}: a step deleted rows that {dangling[0]['table']}"
                        " refers to. Nothing was changed. Please report this"
                    )
        finally:
            await self._writer.execute("PRAGMA foreign_keys = ON")

    async def check_references(self) -> None:
        dangling = await self.fetch(_CHECK_REFERENCES)
        if not dangling:
            return
        first = dangling[0]
        count = len({row["rowid"] for row in dangling if row["table"] == first["table"]})
        raise storage_errors.DatabaseUnusable(
            _DANGLING.format(*first, path=self._path.resolve(), count=count)
        )

    async def _begin_patiently(self, stack: contextlib.AsyncExitStack) -> interface.Transaction:
        """Begin a transaction, however long another program has the file locked."""
        has_waited = False
        while True:
            try:
                return await stack.enter_async_context(self.transaction())
            except storage_errors.StatementFailed as error:
                if _code_of(error.__cause__) != sqlite3.SQLITE_BUSY:
                    raise
                if not has_waited:
                    log.warning("%s is locked by another program. Waiting", self._path.resolve())
                has_waited = True

    def free_room(self) -> int:
        return shutil.disk_usage(self._path.resolve().parent).free

    async def copy_old(self, name: str) -> bool:
        """Copy the file to one beside it, which is hidden until it has its name."""
        part, target = self._part_and_target(name)
        with _naming_file(target):
            self._remove_parts()
            try:
                await copy_file(self._path, part)
            except BaseException:
                self._remove_parts()
                raise
        return True

    async def name_copy(self, name: str) -> None:
        part, target = self._part_and_target(name)
        if not part.exists():
            return
        for number in count(2):
            if not target.exists():
                break
            target = self._path.with_name(f"{self._path.stem}-{name}-{number}.db")
        with _naming_file(target):
            part.rename(target)
        version = name.partition("-")[0]
        log.warning("Kept a copy of the database of version %s as %s", version, target.resolve())

    def _part_and_target(self, name: str) -> tuple[Path, Path]:
        target = self._path.with_name(f"{self._path.stem}-{name}.db")
        return target.with_name(f".{target.name}.part"), target

    def _remove_parts(self) -> None:
        """Remove copies that were cut off, with what SQLite keeps beside them."""
        for left in self._path.parent.glob(f".{glob.escape(self._path.stem)}-[0-9]*.db.part*"):
            left.unlink()


@contextlib.contextmanager
def _naming() -> abc.Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        is_taken = isinstance(error, sqlite3.IntegrityError)
        kind = storage_errors.NotUnique if is_taken else storage_errors.StatementFailed
        raise kind(str(error)) from error


@contextlib.asynccontextmanager
async def open_sqlite(
    url: str, prepare: interface.Prepare, patience: float, *, only_look: bool, makes_new: bool
) -> abc.AsyncGenerator[interface.Database]:
    """Open the database at `sqlite:///path`. With `only_look`, nothing is written.

    A transaction waits `patience` seconds for those of this process, then as long for others.
    """
    path = database_path(url)
    where = path.resolve()
    mode = "ro" if only_look else "rw"
    with _naming_file(path):
        if not makes_new and not path.exists():
            with TemporaryFile(dir=where.parent, buffering=0) as file:
                # The first start can write there, and a full disk takes an empty one.
                file.write(bytes(_FIRST_TABLES))
            raise storage_errors.DatabaseMissing(
                f"{where} doesn't exist yet. The first start creates it"
            )
    async with contextlib.AsyncExitStack() as stack:
        with _naming_file(path):
            if not path.exists():
                # Not by the driver, which would let others read it. Those beside it will be alike.
                path.touch(mode=0o600)
            # First, on this thread: what can't be opened starts no other.
            watcher = stack.enter_context(
                contextlib.closing(sqlite3.connect(_uri(path, mode), uri=True))
            )
            writer = await stack.enter_async_context(_connected(path, mode, patience))
            # A purchase that was about to be asked for must be known even after a power cut.
            await writer.executescript("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
            if makes_new and not path.stat().st_size:
                # It holds from the first table on. Elsewhere `compact` alone brings it.
                await writer.execute_fetchall(shrinking.GIVES_BACK)
            readers = {
                reads_aside: await stack.enter_async_context(_connected(path, "ro", patience))
                for reads_aside in (False, True)
            }
            database = SqliteDatabase(path, readers, writer, watcher, patience)
            await prepare(database, str(where))
            if makes_new:
                # Another start is in the way, which does the same.
                with contextlib.suppress(sqlite3.OperationalError, storage_errors.StatementFailed):
                    await writer.execute_fetchall("PRAGMA journal_mode = WAL")
                    await database.truncate_log()
        yield database


@contextlib.asynccontextmanager
async def _connected(
    path: Path, mode: str, patience: float
) -> abc.AsyncGenerator[aiosqlite.Connection]:
    connection = aiosqlite.connect(
        _uri(path, mode), uri=True, timeout=patience, isolation_level=None
    )
    opening = asyncio.ensure_future(connection)

    async def close() -> None:
        await asyncio.wait([opening])
        await connection.close()

    try:
        await asyncio.shield(opening)
        connection.row_factory = sqlite3.Row
        yield connection
    finally:
        # A cancelled caller ends it, too: its thread must not answer a loop that is closed.
        await _done(asyncio.ensure_future(close()))


async def _done(steps: asyncio.Future[typing.Any]) -> None:
    """Wait until steps are done, even if the caller is cancelled."""
    cancelled: asyncio.CancelledError | None = None
    while not steps.done():
        try:
            await asyncio.wait([steps])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled


def _uri(path: Path, mode: str) -> str:
    return f"{path.resolve().as_uri()}?mode={mode}"


def database_path(url: str) -> Path:
    """Return the file that `sqlite:///path` names. Raises BadDatabaseUrl."""
    name = url.removeprefix(PREFIX)
    if name == url or not name or name == ":memory:":
        # Not in its own words: an address may hold a password.
        raise storage_errors.BadDatabaseUrl(
            "the address must be like sqlite:///kiosk.db or postgresql://…"
        )
    if "?" in name:
        raise storage_errors.BadDatabaseUrl(
            "a file has no parameters. Leave out the “?” and everything after it"
        )
    return Path(name)


async def copy_file(source: Path, target: Path) -> None:
    """Copy a database, as of one moment, into a new file that only its owner can read.

    Other users of the database notice nothing. Raises DatabaseUnusable.
    """
    is_over = threading.Event()
    with _naming_file(target):
        await _in_thread(partial(_copy_pages, source, target, is_over), is_over.set)


async def find_damage(path: Path) -> str:
    """Check a whole file. Return what is damaged first, "" if nothing is."""
    with (
        _naming_file(path),
        contextlib.closing(
            sqlite3.connect(_uri(path, "ro"), uri=True, check_same_thread=False)
        ) as file,
    ):
        return await _in_thread(partial(_find_damage, file), file.interrupt)


async def _in_thread(work: abc.Callable[[], T], stop: abc.Callable[[], object]) -> T:
    """Do long work in a thread, and return its result. `stop` ends work no longer wanted."""
    working = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(working)
    finally:
        # No one may remove the file under it.
        await _done(asyncio.ensure_future(_end(working, stop)))


async def _end(working: asyncio.Future[typing.Any], stop: abc.Callable[[], object]) -> None:
    while not working.done():
        stop()
        await asyncio.wait([working], timeout=_SECONDS_BETWEEN_STOPS)
    # Otherwise the loop logs that no one has read what failed.
    _ = working.cancelled() or working.exception()


def _copy_pages(source: Path, target: Path, is_over: threading.Event) -> None:
    def stop_when_over(*_: int) -> None:
        if is_over.is_set():
            raise InterruptedError

    target.touch(mode=0o600)
    with (
        contextlib.closing(
            sqlite3.connect(_uri(source, "ro"), uri=True, isolation_level=None)
        ) as reader,
        contextlib.closing(sqlite3.connect(target)) as copy,
    ):
        # Nothing written from here on is seen, so that no page needs to be copied again.
        reader.execute("BEGIN")
        reader.execute("SELECT 1 FROM sqlite_schema").fetchone()
        reader.backup(copy, pages=_PAGES, progress=stop_when_over)


def _find_damage(file: sqlite3.Connection) -> str:
    try:
        (found,) = file.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & _PRIMARY not in _DAMAGED:
            raise
        found = str(error)
    return "" if found == "ok" else found.removeprefix("*** in database main ***\n")


def keep_in_one_file(path: Path) -> None:
    """Make a database readable in places that can't be written to."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = DELETE")


@contextlib.contextmanager
def _naming_file(path: Path) -> abc.Generator[None]:
    try:
        yield
    except storage_errors.StatementFailed as error:
        raise unusable(path, error.__cause__ or error) from error
    except (OSError, sqlite3.Error) as error:
        raise unusable(path, error) from error


def _code_of(error: BaseException | None) -> int:
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY


def unusable(path: Path, error: BaseException) -> storage_errors.DatabaseUnusable:
    """Return what to raise for a file that can't be used, with its full path and the fix."""
    path = path.resolve()
    code = _code_of(error)
    has_no_room = isinstance(error, OSError) and error.errno in _NO_ROOM
    if code == sqlite3.SQLITE_IOERR:
        # SQLite says so of the files beside its own.
        has_no_room = shutil.disk_usage(path.parent).free < _SHARED_MEMORY
    if has_no_room:
        code = sqlite3.SQLITE_FULL
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL):
        return storage_errors.DatabaseUnavailable(f"{path} {_FAULTS[code]}")
    if isinstance(error, sqlite3.Error) and path.is_dir():
        said = f"{path} is a folder. Choose a file in it"
    elif isinstance(error, FileNotFoundError):
        said = f"{path.parent} doesn't exist. Create this folder, or choose another one"
    elif code in _FAULTS:
        said = f"{path} {_FAULTS[code]}"
    else:
        reason = error.strerror if isinstance(error, OSError) else error
        said = f"{path} can't be used: {reason}"
        said += ". Let the user that runs Kiosk write to it and its folder"
    return storage_errors.DatabaseUnusable(said)
