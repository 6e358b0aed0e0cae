"""What can be set wrong: what `run` and `check` say of it, and how they end."""

import ast
import asyncio
import contextlib
import logging
import os
import re
import socket
import sqlite3
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import LiteralString

import psycopg
import pytest
from discord.http import Route
from pydantic import SecretStr
from yarl import URL

from bot.app import open_bot
from bot.background import utc_now
from bot.program import cli, running
from bot.program.kiosk import CannotRun, Exit, Kiosk
from bot.settings import Settings
from storage import MIGRATIONS
from storage.database import open_database
from storage.database.sqlite import keep_in_one_file
from storage.links import Links
from storage.vault import Vault, new_key
from tests.support.bot_process import KEY, environment_of, quick_bot
from tests.support.discord_standin import Discord, open_discord
from tests.support.game_samples import comment, page
from tests.support.one_zero import database_of_one_zero
from tests.support.postgres import run_postgres
from tests.support.program import ROOT, Launcher
from tests.support.rogue_game import RogueGame, open_rogue_game, reply

# Of SQLite's header: which versions may write the file, and one that is none.
WRITTEN_BY, NOBODY = 18, b"\3"
# What says that Kiosk would now ask Discord.
OPENED = "all is opened"


class Ground:
    """A Discord and a game in a loop of their own: what is tested runs one of its own, too."""

    def __init__(self) -> None:
        self._opened: Future[tuple[Discord, RogueGame]] = Future()
        self._is_over = threading.Event()

    @contextlib.contextmanager
    def open(self) -> Generator[tuple[Discord, RogueGame]]:
        with ThreadPoolExecutor(1) as aside:
            serving = aside.submit(asyncio.run, self._serve())
            try:
                yield self._opened.result()
            finally:
                self._is_over.set()
                serving.result()

    async def _serve(self) -> None:
        async with open_discord() as discord, open_rogue_game() as game:
            self._opened.set_result((discord, game))
            await asyncio.to_thread(self._is_over.wait)


@pytest.fixture(scope="module")
def ground() -> Generator[tuple[Discord, RogueGame]]:
    with Ground().open() as opened:
        yield opened


@pytest.fixture(autouse=True)
def good(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ground: tuple[Discord, RogueGame]
) -> None:
    """Be in an empty folder with settings in which nothing is wrong, and no others."""
    discord, game = ground
    discord.state.posting.url = None
    monkeypatch.setattr(Route, "BASE", discord.state.api_url)
    monkeypatch.chdir(tmp_path)
    for name in {name.upper() for name in os.environ} - {"PATH", "HOME", "TMPDIR"}:
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "DISCORD_TOKEN": discord.state.token,
        "KIOSK_KEYS": KEY,
        "GAME_BASE_URL": game.base_url,
        "LOG_LEVEL": "ERROR",
    }.items():
        monkeypatch.setenv(name, value)
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)


@contextlib.asynccontextmanager
async def opening(settings: Settings) -> AsyncGenerator[Kiosk]:
    """Open all that `run` does, and end before Discord is asked."""
    async with open_bot(settings):
        raise CannotRun(OPENED, Exit.STOPPED)
        yield


@dataclass(frozen=True)
class Ended:
    """A command that has ended, and what was wrong, in lines."""

    code: int
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


# Runs a command in this process.
Command = Callable[[], Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    """`python -m bot run`, which gives what keeps it from running."""

    def run_here() -> Ended:
        code = running.run(opening)
        told = capsys.readouterr().err.splitlines()
        lines = [line.rpartition(" [bot.")[0].partition("Kiosk can't run: ")[2] for line in told]
        return Ended(code, [line.rstrip() for line in lines if line])

    return run_here


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str], ground: tuple[Discord, RogueGame]) -> Command:
    """`python -m bot check`, which gives its faults."""

    def check_here() -> Ended:
        _, game = ground
        game.answers(reply(page(comment(id=1))), reply({"message": "Who is it?"}, status=401))
        code = 0
        try:
            asyncio.run(cli.check())
        except SystemExit as ended:
            code = int(str(ended.code))
        told = capsys.readouterr().out.splitlines()
        faults = [" ".join(line.split()[1:]) for line in told if line.startswith("FAULT")]
        return Ended(code, faults)

    return check_here


def nothing(_: Path) -> None:
    pass


def with_tables(folder: Path) -> None:
    async def open_once() -> None:
        async with open_database(f"sqlite:///{folder / 'kiosk.db'}", MIGRATIONS):
            pass

    asyncio.run(open_once())


def with_statements(*statements: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        with closing(sqlite3.connect(folder / "kiosk.db")) as file, file:
            for statement in statements:
                file.execute(statement)

    return make


def with_a_link(folder: Path) -> None:
    async def save() -> None:
        async with open_database(f"sqlite:///{folder / 'kiosk.db'}", MIGRATIONS) as database:
            links = Links(database, Vault([SecretStr(new_key())]), utc_now)
            await links.save(5, SecretStr("a-token"))

    asyncio.run(save())


def with_an_older_one(folder: Path) -> None:
    """One that 1.0.0 left, in one file."""
    database_of_one_zero(folder / "kiosk.db")
    keep_in_one_file(folder / "kiosk.db")


def damaged(folder: Path) -> None:
    with_tables(folder)
    with (folder / "kiosk.db").open("r+b") as file:
        # Its first page has the list of tables behind the file's head.
        file.seek(100)
        file.write(b"\xff" * 3000)


def read_only(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def make_it(folder: Path) -> None:
        make(folder)
        with (folder / "kiosk.db").open("r+b") as file:
            file.seek(WRITTEN_BY)
            file.write(NOBODY)

    return make_it


MISSING_MEND = "put back those of this database; for a new one, `python -m bot keys new` makes one"
TOKEN = "it has characters that no token has: copy it again, and nothing else"
KEYS = "a key is not 32 bytes in base64, as `python -m bot keys new` prints them"
LINK = "write a whole address, such as https://game.example/token"
PORT = "should be less than or equal to 65535"
GAME = "the game's address is not of the form https://host/path"
BARE_GAME = "the game's address must hold no user name, query or fragment"
OPEN_GAME = (
    "the game's address must be https, except on this machine and, with GAME_PLAIN_HTTP=true,"
)
ADDRESS = "the address is neither sqlite:///kiosk.db nor postgresql://…"
SERVER = "the address is not of the form postgresql://user:"

# A setting, its value, and what is said of it before anything is opened.
SETTINGS = {
    "no token": ("DISCORD_TOKEN", "", "missing: make a bot (“On real Discord” in README.md), or"),
    "a token with its kind": ("DISCORD_TOKEN", "Bot abc", TOKEN),
    "a token with what nobody sees": ("DISCORD_TOKEN", "ab\u200bc", TOKEN),
    "a game's token with its kind": ("GAME_TOKEN", "Bearer abc", TOKEN),
    "a game's token with an accent": ("GAME_TOKEN", "schlüssel", TOKEN),
    "no keys": ("KIOSK_KEYS", "", f"missing: {MISSING_MEND}"),
    "blank keys": ("KIOSK_KEYS", " , ", f"missing: {MISSING_MEND}"),
    "a short key": ("KIOSK_KEYS", "c2hvcnQ=", KEYS),
    "a password for a key": ("KIOSK_KEYS", "correct horse battery staple", KEYS),
    "a key that was cut": ("KIOSK_KEYS", KEY[:-1], KEYS),
    "a second key that is none": ("KIOSK_KEYS", f"{KEY},old", KEYS),
    "an interval with its unit": ("POLL_INTERVAL", "5m", "should be a number, such as 2.5"),
    "an interval with a comma": ("POLL_INTERVAL", "2,5", "should be a number, such as 2.5"),
    "no interval at all": ("POLL_INTERVAL", "0", "should be greater than or equal to 1"),
    "an interval without end": ("POLL_INTERVAL", "inf", "should be a finite number"),
    "an answer that is none": ("GAME_PLAIN_HTTP", "perhaps", "should be true or false"),
    "a format of another kind": ("GAME_BODY_FORMAT", "xml", "should be 'json' or 'form'"),
    "a help that is too long": ("TOKEN_HELP", "x" * 501, "should have at most 500 characters"),
    "a German one": ("TOKEN_HELP_DE", "x" * 501, "should have at most 500 characters"),
    "a page that is a script": ("TOKEN_URL", "javascript:alert(1)", LINK),
    "a page without its scheme": ("TOKEN_URL", "game.example/token", LINK),
    "a support's address to write to": ("SUPPORT_URL", "mailto:me@game.example", LINK),
    "a page of two": ("PRIVACY_URL", "https://a.example https://b.example", LINK),
    "a port with its host": ("MONITORING_PORT", "127.0.0.1:9464", "should be a whole number"),
    "a port that is none": ("MONITORING_PORT", "70000", PORT),
    "a port by its name": ("INTERACTIONS_PORT", "http", "should be a whole number"),
    "a port below all": ("INTERACTIONS_PORT", "-1", "should be greater than or equal to 0"),
    "a log of another kind": ("LOG_FORMAT", "xml", "should be 'console' or 'json'"),
    "a level that is none": (
        "LOG_LEVEL",
        "LOUD",
        "should be 'DEBUG', 'INFO', 'WARNING' or 'ERROR'",
    ),
    "a game without its scheme": ("GAME_BASE_URL", "game.example/api", GAME),
    "a game of another scheme": ("GAME_BASE_URL", "ftp://game.example/api", GAME),
    "a game without a host": ("GAME_BASE_URL", "https:///api", GAME),
    "a game at no port": ("GAME_BASE_URL", "https://game.example:70000/api", GAME),
    "a game and a blank": ("GAME_BASE_URL", "https://game.example /api", GAME),
    "a game with a password": ("GAME_BASE_URL", "https://me:secret@game.example", BARE_GAME),
    "a game with a query": ("GAME_BASE_URL", "https://game.example/?key=secret", BARE_GAME),
    "a game without https": ("GAME_BASE_URL", "http://game.example/api", OPEN_GAME),
    "a game on a private network": ("GAME_BASE_URL", "http://10.0.0.9/api", OPEN_GAME),
    "a database of another kind": ("DATABASE_URL", "mysql://me:secret@x/kiosk", ADDRESS),
    "a database without its kind": ("DATABASE_URL", "kiosk.db", ADDRESS),
    "a database with two slashes": ("DATABASE_URL", "sqlite://kiosk.db", ADDRESS),
    "a database without a name": ("DATABASE_URL", "sqlite:///", ADDRESS),
    "a database that is kept nowhere": ("DATABASE_URL", "sqlite:///:memory:", ADDRESS),
    "a driver's address": ("DATABASE_URL", "postgresql+psycopg://me:secret@x/kiosk", ADDRESS),
    "a file with a parameter": ("DATABASE_URL", "sqlite:///k.db?mode=rw", "leave out the “?” and"),
    "a password with an @": ("DATABASE_URL", "postgresql://me:sec@ret@x/kiosk", SERVER),
    "a password with a slash": ("DATABASE_URL", "postgresql://me:sec/ret@x/kiosk", SERVER),
    "a password with a #": ("DATABASE_URL", "postgresql://me:1#sec/ret@x/kiosk", SERVER),
    "a password with a %": ("DATABASE_URL", "postgresql://me:sec%ret@x/kiosk", SERVER),
    "a password with a blank": ("DATABASE_URL", "postgresql://me:sec ret@x/kiosk", SERVER),
    "a server at no port": ("DATABASE_URL", "postgresql://me:secret@x:port/kiosk", SERVER),
}
# What is told of none of them: of a password, a token or a key.
SECRETS = ("secret", "sec", "ret@", "Bearer", "horse", KEY[:8])


@pytest.mark.parametrize(("setting", "value", "says"), SETTINGS.values(), ids=SETTINGS)
def test_a_setting_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
    run: Command,
    check: Command,
    setting: str,
    value: str,
    says: str,
) -> None:
    monkeypatch.setenv(setting, value)

    checked, ran = check(), run()

    assert checked.code == 1
    assert f"{setting} {says}" in checked.text
    assert (ran.code, len(ran.lines)) == (Exit.TO_MEND, 1)
    assert f"{setting}: {says}" in ran.text
    assert not any(secret in f"{checked.text} {ran.text}" for secret in SECRETS)


@dataclass(frozen=True)
class Place:
    """Something wrong in the folder that `{folder}` stands for, and what is said of it."""

    prepare: Callable[[Path], object]
    says: str
    # With what is set besides, it begins what `run` says, and what `check` says.
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    setting: str = "DATABASE_URL"
    subject: str = "database"


def written(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def a_folder(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).mkdir()


def a_file_of_keys(prepare: Callable[[Path], object], says: str) -> Place:
    given = {"KIOSK_KEYS": "", "KIOSK_KEYS_FILE": "keys"}
    return Place(prepare, says, given, "KIOSK_KEYS_FILE", "KIOSK_KEYS_FILE")


READ_ONLY = "{folder}/kiosk.db can't be used: attempt to write a readonly database: let the user"
PLACES = {
    "no file of keys": a_file_of_keys(
        nothing, "keys can't be read: No such file or directory: name"
    ),
    "a folder of keys": a_file_of_keys(
        a_folder("keys"), "keys can't be read: Is a directory: name"
    ),
    "an empty file of keys": a_file_of_keys(written("keys", b""), "keys is empty: put back those"),
    "a file of other bytes": a_file_of_keys(written("keys", b"\xff\xfe"), "keys is not text: put"),
    "keys in two places": Place(
        nothing,
        "KIOSK_KEYS is set too: leave one of them empty",
        {"KIOSK_KEYS_FILE": "keys"},
        "KIOSK_KEYS_FILE",
        "KIOSK_KEYS_FILE",
    ),
    "a file of a setting": Place(
        written("keys", f"KIOSK_KEYS={KEY}".encode()),
        KEYS,
        {"KIOSK_KEYS": "", "KIOSK_KEYS_FILE": "keys"},
        "KIOSK_KEYS",
        "KIOSK_KEYS",
    ),
    "a folder for settings": Place(
        a_folder(".env"), "this is a folder: put a file", {}, "{folder}/.env", "{folder}/.env"
    ),
    "settings of other bytes": Place(
        written(".env", b"\xff\xfe"), "this file is not UTF-8", {}, "{folder}/.env", "{folder}/.env"
    ),
    "a folder in place of the database": Place(
        a_folder("kiosk.db"), "{folder}/kiosk.db is a folder: name a file in it"
    ),
    "a letter in its place": Place(
        written("kiosk.db", b"Dear Kiosk, this is no database. " * 99),
        "{folder}/kiosk.db is not a SQLite database: name another file, or move it away",
    ),
    "another program's": Place(
        with_statements("CREATE TABLE songs (name TEXT)"),
        "{folder}/kiosk.db is the database of another program; nothing was changed in it",
    ),
    "the game's": Place(
        with_statements(
            "CREATE TABLE about (kind TEXT, step BIGINT)", "INSERT INTO about VALUES ('game', 1)"
        ),
        "{folder}/kiosk.db is the database of the game; nothing was changed in it",
    ),
    "a newer version's": Place(
        with_statements(
            "CREATE TABLE about (kind TEXT, step BIGINT)", "INSERT INTO about VALUES ('kiosk', 99)"
        ),
        "{folder}/kiosk.db: another version of Kiosk made its tables. Start that one, or restore",
    ),
    "a damaged one": Place(damaged, "{folder}/kiosk.db is damaged: move it away, and restore"),
    "one that can only be read": Place(read_only(with_tables), READ_ONLY),
    "an empty one that can only be read": Place(read_only(with_statements("VACUUM")), READ_ONLY),
    "an older one that can only be read": Place(read_only(with_an_older_one), READ_ONLY),
    "no folder for it": Place(
        nothing,
        "{folder}/data is not there: make this folder, or name another one",
        {"DATABASE_URL": "sqlite:///data/kiosk.db"},
    ),
    "a file in place of its folder": Place(
        written("data", b""),
        "{folder}/data/kiosk.db can't be used: Not a directory: let the user",
        {"DATABASE_URL": "sqlite:///data/kiosk.db"},
    ),
    "a folder that nobody may write to": Place(
        nothing, "/sys/kiosk.db can't be used: ", {"DATABASE_URL": "sqlite:////sys/kiosk.db"}
    ),
    "a name that is too long": Place(
        nothing,
        "can't be used: File name too long: let the user",
        {"DATABASE_URL": f"sqlite:///{'n' * 300}.db"},
    ),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_file_or_a_folder_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Command, check: Command, place: Place
) -> None:
    place.prepare(tmp_path)
    for name, value in place.given.items():
        monkeypatch.setenv(name, value)
    setting, subject, says = (
        text.replace("{folder}", str(tmp_path))
        for text in (place.setting, place.subject, place.says)
    )

    checked, ran = check(), run()

    assert checked.code == 1
    assert any(line.startswith(subject) and says in line for line in checked.lines), checked
    assert (ran.code, len(ran.lines)) == (Exit.TO_MEND, 1)
    assert ran.text.startswith(f"{setting}: ")
    assert says in ran.text


def test_a_proxy_is_of_another_kind(
    monkeypatch: pytest.MonkeyPatch, run: Command, check: Command
) -> None:
    monkeypatch.setenv("GAME_BASE_URL", "https://game.example/api")
    monkeypatch.setenv("HTTPS_PROXY", "socks5://me:secret@a:1080")
    says = "write the address of an HTTP proxy, such as http://host:3128"

    assert check() == Ended(1, [f"HTTPS_PROXY {says}"])
    assert run() == Ended(Exit.TO_MEND, [f"HTTPS_PROXY: {says}"])


def test_no_key_opens_any_token(tmp_path: Path, run: Command, check: Command) -> None:
    with_a_link(tmp_path)

    assert re.search(r"KIOSK_KEYS the key \w{8} is missing \(tokens: 1", check().text)
    assert run() == Ended(
        Exit.TO_MEND, ["KIOSK_KEYS: no key opens any token: add the one back that did"]
    )


@pytest.mark.parametrize("setting", ["MONITORING_PORT", "INTERACTIONS_PORT"])
def test_a_port_is_taken(
    monkeypatch: pytest.MonkeyPatch,
    ground: tuple[Discord, RogueGame],
    run: Command,
    check: Command,
    setting: str,
) -> None:
    discord, game = ground
    if setting == "INTERACTIONS_PORT":
        discord.state.posting.url = "https://own.example/interactions"
    port = URL(game.base_url).port
    monkeypatch.setenv(setting, str(port))
    says = f"port {port} can't be had: Address already in use: name another one"

    assert check() == Ended(1, [f"{setting} {says}"])
    assert run() == Ended(Exit.TO_MEND, [f"{setting}: {says}"])


def test_one_port_is_set_twice(
    monkeypatch: pytest.MonkeyPatch, run: Command, check: Command
) -> None:
    with socket.create_server(("", 0)) as free:
        port = free.getsockname()[1]
    for setting in ("MONITORING_PORT", "INTERACTIONS_PORT"):
        monkeypatch.setenv(setting, str(port))

    assert f"MONITORING_PORT port {port} can't be had: Address already in use" in check().text
    assert run().code == Exit.TO_MEND


SERVER_HAS: tuple[LiteralString, ...] = (
    "CREATE ROLE kiosk LOGIN",
    "CREATE ROLE guarded LOGIN PASSWORD 'right'",
    "CREATE ROLE shut_out LOGIN",
    "CREATE ROLE nobody",
    "CREATE DATABASE kiosk OWNER kiosk",
    "CREATE DATABASE closed",
    "REVOKE CONNECT ON DATABASE closed FROM PUBLIC",
    "CREATE DATABASE bare",
    "CREATE DATABASE songs OWNER kiosk",
    "CREATE DATABASE standing OWNER kiosk",
    "ALTER DATABASE standing SET default_transaction_read_only = on",
    "SELECT pg_reload_conf()",
)
# The user, the database and the parameters of an address, what is said of it, and how `run` ends.
SERVERS = {
    "no such user": ("stranger", "kiosk", "", 'role "stranger" does not exist: make this user'),
    "a wrong password": (
        *("guarded:wrong", "kiosk", ""),
        'password authentication failed for user "guarded": correct the user and the password',
    ),
    "no password": ("guarded", "kiosk", "", "no password supplied: correct the user and the"),
    "a user whom nothing lets in": (
        *("shut_out", "kiosk", ""),
        "pg_hba.conf rejects connection for host",
    ),
    "a user who may not log in": (
        "nobody",
        "kiosk",
        "",
        'role "nobody" is not permitted to log in',
    ),
    "no such database": ("kiosk", "missing", "", 'database "missing" does not exist: make this'),
    "a database of others": (
        "kiosk",
        "closed",
        "",
        'permission denied for database "closed": grant',
    ),
    "a mode that is none": ("kiosk", "kiosk", "sslmode=on", 'invalid sslmode value: "on": correct'),
    "a parameter that is none": (
        *("kiosk", "kiosk", "timeout=3"),
        "PostgreSQL doesn't understand the address: invalid URI query parameter",
    ),
    "no rights on its schema": (
        *("kiosk", "bare", ""),
        "permission denied for schema public: name the primary, and let Kiosk's user make tables",
    ),
    "a database that can only be read": (
        *("kiosk", "standing", ""),
        "cannot execute CREATE TABLE in a read-only transaction: name the primary, and let",
    ),
    "another program's database": (
        *("postgres", "songs", ""),
        "the PostgreSQL database is the database of another program; nothing was changed in it",
    ),
}


@pytest.fixture(scope="module")
def server() -> Generator[str]:
    """A PostgreSQL with users and databases of all kinds; gives its address, without both."""
    # Not in pytest's folder, which every run that starts shuts to the server's own user.
    with TemporaryDirectory() as folder, run_postgres(Path(folder)) as address:
        rules = Path(folder, "pg_hba.conf")
        own = "local all guarded scram-sha-256\nlocal all shut_out reject\n"
        rules.write_text(own + rules.read_text())
        with psycopg.connect(address, autocommit=True) as connection:
            for statement in SERVER_HAS:
                connection.execute(statement)
        yield address.replace("postgres:@/postgres?", "{user}@/{database}?")


@pytest.mark.soak
@pytest.mark.parametrize(("user", "database", "parameters", "says"), SERVERS.values(), ids=SERVERS)
def test_a_server_refuses(
    monkeypatch: pytest.MonkeyPatch,
    server: str,
    run: Command,
    check: Command,
    user: str,
    database: str,
    parameters: str,
    says: str,
) -> None:
    monkeypatch.setenv(
        "DATABASE_URL", f"{server.format(user=user, database=database)}&{parameters}"
    )
    if database == "songs":
        with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
            connection.execute("CREATE TABLE songs (name TEXT)")

    checked, ran = check(), run()

    assert checked.code == 1
    assert any(line.startswith("database ") and says in line for line in checked.lines), checked
    assert (ran.code, len(ran.lines)) == (Exit.TO_MEND, 1)
    assert ran.text.startswith("DATABASE_URL: ")
    assert says in ran.text


DISCORD: Mapping[str, tuple[dict[str, str], str, str]] = {
    "a token that Discord doesn't know": (
        {"DISCORD_TOKEN": "wrong"},
        "DISCORD_TOKEN: Discord refuses it: reset it in the developer portal, under Bot,",
        "discord refuses DISCORD_TOKEN: reset it in the developer portal, under Bot,",
    ),
    "a gateway while Discord posts": (
        {},
        "Discord posts what members use to https://own.example/interactions: empty",
        "discord Discord posts what members use to https://own.example/interactions: empty",
    ),
}


@pytest.mark.soak
@pytest.mark.parametrize(("given", "says", "checks"), DISCORD.values(), ids=DISCORD)
def test_discord_refuses(
    monkeypatch: pytest.MonkeyPatch,
    launcher: Launcher,
    ground: tuple[Discord, RogueGame],
    tmp_path: Path,
    check: Command,
    given: dict[str, str],
    says: str,
    checks: str,
) -> None:
    discord, game = ground
    discord.state.posting.url = None if given else "https://own.example/interactions"
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    checked = check()
    environment = environment_of(discord, game.base_url, tmp_path) | given
    ran = launcher.run(quick_bot(), environment, tmp_path)

    assert checked.code == 1
    assert checked.text.startswith(checks)
    assert ran.status == Exit.TO_MEND
    assert f"Kiosk can't run: {says}" in ran.err.splitlines()[-1]


def test_nothing_is_wrong(run: Command, check: Command, tmp_path: Path) -> None:
    assert check() == Ended(0, [])
    assert not list(tmp_path.iterdir())
    assert run() == Ended(Exit.STOPPED, [OPENED])


# The functions that raise what may end `run` with 78, and the test that holds `check` to each.
ENDS = {
    "bot/app.py:open_bot": test_no_key_opens_any_token,
    "bot/program/connecting.py:connect": test_discord_refuses,
    "bot/program/health.py:serving": test_a_port_is_taken,
    "bot/program/proxies.py:proxy_for": test_a_proxy_is_of_another_kind,
    "bot/program/running.py:refused": test_discord_refuses,
    "bot/program/running.py:run": test_a_setting_is_wrong,
    "bot/program/running.py:_run_until_stopped": test_a_file_or_a_folder_is_wrong,
    "bot/settings.py:load_settings": test_a_setting_is_wrong,
    "bot/settings.py:vault": test_a_setting_is_wrong,
    "storage/database/__init__.py:check_address": test_a_setting_is_wrong,
    "storage/database/postgres.py:_address": test_a_server_refuses,
    "storage/database/postgres.py:_naming_server": test_a_server_refuses,
    "storage/database/sqlite.py:_naming_file": test_a_file_or_a_folder_is_wrong,
    "storage/database/sqlite.py:unusable": test_a_file_or_a_folder_is_wrong,
    "storage/database/sqlite.py:database_path": test_a_setting_is_wrong,
    "storage/database/steps.py:find_step": test_a_file_or_a_folder_is_wrong,
}
# Those that end no `run` with 78: Kiosk is in order with them, or they raise what may pass.
OTHERS = {
    # Kiosk's own commands are at fault, and a check would have to replace them.
    "bot/program/kiosk.py:_replace",
    "bot/program/connecting.py:_until_taken_over",
    # Of a step that is wrong.
    "storage/database/sqlite.py:changing_tables",
    "storage/database/sqlite.py:open_sqlite",
    "storage/database/steps.py:check_steps",
}
RAISED = re.compile(
    r"SettingsError|CannotRun|BadDatabaseUrl|Database(Unusable|Missing|Older)|unusable"
)


def raisers(path: Path) -> Iterator[str]:
    """Yield the functions of a file that raise, or give, what ends a program that can't run."""
    text = path.read_text(encoding="utf-8")
    for function in ast.walk(ast.parse(text if RAISED.search(text) else "")):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Raise | ast.Return) and RAISED.search(ast.unparse(node)):
                    yield f"{path.relative_to(ROOT).as_posix()}:{function.name}"


def test_whatever_ends_a_run_to_be_mended_is_tried_by_a_check() -> None:
    files = [
        path
        for folder in ("bot", "storage/database")
        for path in (ROOT / folder).rglob("*.py")
        # It is `init`'s.
        if path.name != "first_settings.py"
    ]

    found = {raiser for path in files for raiser in raisers(path)}

    assert found == ENDS.keys() | OTHERS
