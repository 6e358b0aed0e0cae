"""What can be set wrong: what `run` and `check` say of it, and how they end.

All of this ends, or is found, before Discord is asked, and needs no server but the game.
"""

import ast
import os
import re
import socket
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from yarl import URL

from bot.program.kiosk import Exit
from bot.settings import KEYS_MEND
from storage.vault import new_key
from tests.support.bot_process import KEY
from tests.support.discord_standin import Discord
from tests.support.game_samples import comment, page
from tests.support.misconfigured import (
    OPENED,
    Command,
    Ended,
    Wrong,
    a_folder,
    damaged,
    nothing,
    read_only,
    with_a_row_that_refers_to_nothing,
    with_an_older_one,
    with_links,
    with_statements,
    with_tables,
    written,
)
from tests.support.program import ROOT
from tests.support.rogue_game import Reply, RogueGame, reply

TOKEN = "it has characters that tokens never have. Copy only the token"
KEYS = f"a key isn't 32 bytes in base64. {KEYS_MEND}"
LINK = "enter a full address, for example https://game.example/token"
PORT = "should be less than or equal to 65535"
GAME = "the game's address must have the form https://host/path"
BARE_GAME = "the game's address can't have a user name, query or fragment"
OPEN_GAME = (
    "the game's address must be https, except on this machine and, with GAME_PLAIN_HTTP=true,"
)
ADDRESS = "the address must be like sqlite:///kiosk.db or postgresql://…"
SERVER = "the address must have the form postgresql://user:"

ABOUT = "CREATE TABLE about (kind TEXT, step BIGINT)"
# A user of every system who owns nothing.
NOBODY_ELSE = 65534

# A setting, its value, and what is said of it before anything is opened.
SETTINGS = {
    "no token": (
        "DISCORD_TOKEN",
        "",
        "missing. Create a bot (“Run it on Discord” in README.md), or",
    ),
    "a token with its kind": ("DISCORD_TOKEN", "Bot abc", TOKEN),
    "a token with what nobody sees": ("DISCORD_TOKEN", "ab\u200bc", TOKEN),
    "a game's token with its kind": ("GAME_TOKEN", "Bearer abc", TOKEN),
    "a game's token with an accent": ("GAME_TOKEN", "schlüssel", TOKEN),
    "no keys": ("KIOSK_KEYS", "", f"missing. {KEYS_MEND}"),
    "blank keys": ("KIOSK_KEYS", " , ", f"missing. {KEYS_MEND}"),
    "a short key": ("KIOSK_KEYS", "c2hvcnQ=", KEYS),
    "a password for a key": ("KIOSK_KEYS", "correct horse battery staple", KEYS),
    "a key that was cut": ("KIOSK_KEYS", KEY[:-1], KEYS),
    "a second key that is none": ("KIOSK_KEYS", f"{KEY},old", KEYS),
    "an interval with its unit": ("POLL_INTERVAL", "5m", "should be a number, for example 2.5"),
    "an interval with a comma": ("POLL_INTERVAL", "2,5", "should be a number, for example 2.5"),
    "no interval at all": ("POLL_INTERVAL", "0", "should be greater than or equal to 1"),
    "an interval without end": ("POLL_INTERVAL", "inf", "should be a finite number"),
    "an answer that is none": ("GAME_PLAIN_HTTP", "perhaps", "should be true or false"),
    "a format of another kind": ("GAME_BODY_FORMAT", "xml", "should be 'json' or 'form'"),
    "a help that is too long": ("TOKEN_HELP", "x" * 501, "should have at most 500 characters"),
    "a German one": ("TOKEN_HELP_DE", "x" * 501, "should have at most 500 characters"),
    "a number's help that is too long": (
        "NUMBER_HELP",
        "x" * 501,
        "should have at most 500 characters",
    ),
    "a French one": ("NUMBER_HELP_FR", "x" * 501, "should have at most 500 characters"),
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
    "a file with a parameter": (
        "DATABASE_URL",
        "sqlite:///k.db?mode=rw",
        "a file has no parameters",
    ),
    "a password with an @": ("DATABASE_URL", "postgresql://me:sec@ret@x/kiosk", SERVER),
    "a password with a slash": ("DATABASE_URL", "postgresql://me:sec/ret@x/kiosk", SERVER),
    "a password with a #": ("DATABASE_URL", "postgresql://me:1#sec/ret@x/kiosk", SERVER),
    "a password with a %": ("DATABASE_URL", "postgresql://me:sec%ret@x/kiosk", SERVER),
    "a password with a blank": ("DATABASE_URL", "postgresql://me:sec ret@x/kiosk", SERVER),
    "a server at no port": ("DATABASE_URL", "postgresql://me:secret@x:port/kiosk", SERVER),
}
# What is told of none of them: of a password, a token or a key.
SECRETS = ("secret", "sec", "ret@", "Bearer", "horse", KEY[:8])


def rounds() -> list[list[str]]:
    """Give the mistakes' names so that no setting is wrong twice at once: all are told together."""
    by_setting: dict[str, list[str]] = {}
    for name, (setting, _, _) in SETTINGS.items():
        by_setting.setdefault(setting, []).append(name)
    return [[name for name in names if name] for names in zip_longest(*by_setting.values())]


@pytest.mark.parametrize("names", rounds(), ids=lambda names: f"{names[-1]} and {len(names) - 1}")
def test_settings_are_wrong(
    monkeypatch: pytest.MonkeyPatch, run_here: Command, check_here: Command, names: list[str]
) -> None:
    for setting, value, _ in map(SETTINGS.__getitem__, names):
        monkeypatch.setenv(setting, value)

    checked, ran = check_here(), run_here()

    assert checked.code == 1
    assert (ran.code, len(ran.lines)) == (Exit.TO_MEND, len(names))
    for setting, _, says in map(SETTINGS.__getitem__, names):
        assert any(line.startswith(f"{setting} {says}") for line in checked.lines), checked
        assert any(line.startswith(f"{setting}: {says}") for line in ran.lines), ran
    assert not any(secret in f"{checked.text} {ran.text}" for secret in SECRETS)


READ_ONLY = "{folder}/kiosk.db can't be used: attempt to write a readonly database. Let the user"
KEYS_ELSEWHERE = {"KIOSK_KEYS": "", "KIOSK_KEYS_FILE": "keys"}
PLACES = {
    "no file of keys": Wrong(
        "can't read keys: No such file or directory. Choose a file that the user",
        given=KEYS_ELSEWHERE,
        setting="KIOSK_KEYS_FILE",
    ),
    "a folder of keys": Wrong(
        "can't read keys: Is a directory. Choose a file",
        a_folder("keys"),
        KEYS_ELSEWHERE,
        "KIOSK_KEYS_FILE",
    ),
    "an empty file of keys": Wrong(
        f"keys is empty. {KEYS_MEND}", written("keys", b"\n"), KEYS_ELSEWHERE, "KIOSK_KEYS_FILE"
    ),
    "keys of other bytes": Wrong(
        f"keys isn't text. {KEYS_MEND}",
        written("keys", b"\xff\xfe"),
        KEYS_ELSEWHERE,
        "KIOSK_KEYS_FILE",
    ),
    "a setting in place of keys": Wrong(
        KEYS, written("keys", f"KIOSK_KEYS={KEY}".encode()), KEYS_ELSEWHERE, "KIOSK_KEYS"
    ),
    "keys in two places": Wrong(
        "KIOSK_KEYS is set too. Leave one of them empty",
        given={"KIOSK_KEYS_FILE": "keys"},
        setting="KIOSK_KEYS_FILE",
    ),
    "no key that opens any token": Wrong(
        "Add it back. If it is lost, members must link again",
        with_links(new_key()),
        setting="KIOSK_KEYS",
        logs="KIOSK_KEYS: no key can decrypt any token. Add the missing key back",
    ),
    "a folder for settings": Wrong(
        "this is a folder. Replace it with a file", a_folder(".env"), setting="{folder}/.env"
    ),
    "settings of other bytes": Wrong(
        "this file isn't UTF-8 text. Save it as UTF-8",
        written(".env", "DISCORD_TOKEN=x".encode("utf-16")),
        setting="{folder}/.env",
    ),
    "a folder in place of the database": Wrong(
        "{folder}/kiosk.db is a folder. Choose a file in it", a_folder("kiosk.db")
    ),
    "a letter in its place": Wrong(
        "{folder}/kiosk.db isn't a SQLite database. Choose another file, or move it away",
        written("kiosk.db", b"Dear Kiosk, this is no database. " * 99),
    ),
    "another program's database": Wrong(
        "{folder}/kiosk.db is the database of another program. Nothing was changed in it",
        with_statements("CREATE TABLE songs (name TEXT)"),
    ),
    "the game's": Wrong(
        "{folder}/kiosk.db is the database of the game. Nothing was changed in it",
        with_statements(ABOUT, "INSERT INTO about VALUES ('game', 1)"),
    ),
    "a newer version's": Wrong(
        "{folder}/kiosk.db: another version of Kiosk made its tables. Start that version, or",
        with_statements(ABOUT, "INSERT INTO about VALUES ('kiosk', 99)"),
    ),
    "a row that refers to nothing": Wrong(
        "{folder}/kiosk.db: row 71 of the table seen refers to a row of followed that is missing",
        with_a_row_that_refers_to_nothing,
    ),
    "a damaged one": Wrong(
        "{folder}/kiosk.db is damaged. Stop Kiosk, move this file away", damaged
    ),
    "one that can only be read": Wrong(READ_ONLY, read_only(with_tables)),
    "an empty one that can only be read": Wrong(READ_ONLY, read_only(with_statements("VACUUM"))),
    "an older one that can only be read": Wrong(READ_ONLY, read_only(with_an_older_one)),
    "no folder for it": Wrong(
        "{folder}/data doesn't exist. Create this folder, or choose another one",
        given={"DATABASE_URL": "sqlite:///data/kiosk.db"},
    ),
    "a file in place of its folder": Wrong(
        "{folder}/data/kiosk.db can't be used: Not a directory. Let the user",
        written("data", b""),
        {"DATABASE_URL": "sqlite:///data/kiosk.db"},
    ),
    "a system's folder": Wrong(
        "/sys/kiosk.db can't be used: ", given={"DATABASE_URL": "sqlite:////sys/kiosk.db"}
    ),
    "a name that is too long": Wrong(
        "can't be used: File name too long. Let the user",
        given={"DATABASE_URL": f"sqlite:///{'n' * 300}.db"},
    ),
}


@pytest.mark.parametrize("wrong", PLACES.values(), ids=PLACES)
def test_a_file_or_a_folder_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    run_here: Command,
    check_here: Command,
    wrong: Wrong,
) -> None:
    wrong.make(tmp_path, monkeypatch)

    checked = check_here()

    wrong.is_said(tmp_path, run_here(), checked)


def closed(
    name: str, mode: int, prepare: Callable[[Path], object] = nothing
) -> Callable[[Path], None]:
    def close(folder: Path) -> None:
        prepare(folder)
        (folder / name).chmod(mode)

    return close


DENIED = "can't be used: Permission denied. Let the user that runs Kiosk write to it and its folder"
RIGHTS = {
    "settings": Wrong(
        "can't read this file: Permission denied. Let the user that runs Kiosk read it",
        closed(".env", 0o000, written(".env", b"")),
        setting="{folder}/.env",
    ),
    "keys": Wrong(
        "can't read keys: Permission denied. Choose a file that the user",
        closed("keys", 0o000, written("keys", KEY.encode())),
        KEYS_ELSEWHERE,
        "KIOSK_KEYS_FILE",
    ),
    "a folder without a database": Wrong(f"{{folder}}/kiosk.db {DENIED}", closed(".", 0o555)),
    "a database to write to": Wrong(READ_ONLY, closed("kiosk.db", 0o444, with_tables)),
    "a database to read": Wrong(
        "{folder}/kiosk.db can't be used: unable to open database file. Let the user",
        closed("kiosk.db", 0o000, with_tables),
    ),
}


@pytest.fixture
def folder_of_others(monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A folder of someone else's: root, who may do everything, becomes another user there."""
    with TemporaryDirectory() as name:
        # Not in pytest's own, which others may not enter.
        folder = Path(name)
        folder.chmod(0o777)
        monkeypatch.chdir(folder)
        yield folder
        folder.chmod(0o777)


@contextmanager
def another_user() -> Generator[None]:
    own = os.geteuid()
    if own == 0:
        os.seteuid(NOBODY_ELSE)
    try:
        yield
    finally:
        os.seteuid(own)


@pytest.mark.parametrize("wrong", RIGHTS.values(), ids=RIGHTS)
def test_rights_are_missing(
    monkeypatch: pytest.MonkeyPatch,
    run_here: Command,
    check_here: Command,
    folder_of_others: Path,
    wrong: Wrong,
) -> None:
    wrong.make(folder_of_others, monkeypatch)

    with another_user():
        checked = check_here()
        ran = run_here()

    wrong.is_said(folder_of_others, ran, checked)


def test_a_proxy_is_of_another_kind(
    monkeypatch: pytest.MonkeyPatch, run_here: Command, check_here: Command
) -> None:
    monkeypatch.setenv("GAME_BASE_URL", "https://game.example/api")
    monkeypatch.setenv("HTTPS_PROXY", "socks5://me:secret@a:1080")
    says = "enter an HTTP proxy's address, for example http://host:3128"

    assert check_here() == Ended(1, [f"HTTPS_PROXY {says}"])
    assert run_here() == Ended(Exit.TO_MEND, [f"HTTPS_PROXY: {says}"])


def test_a_port_to_watch_it_at_is_taken(
    monkeypatch: pytest.MonkeyPatch,
    ground: tuple[Discord, RogueGame],
    run_here: Command,
    check_here: Command,
) -> None:
    port = URL(ground[1].base_url).port
    monkeypatch.setenv("MONITORING_PORT", str(port))
    says = f"can't use port {port}: Address already in use. Choose another port"

    assert check_here() == Ended(1, [f"MONITORING_PORT {says}"])
    assert run_here() == Ended(Exit.TO_MEND, [f"MONITORING_PORT: {says}"])


@pytest.mark.parametrize("database", ["sqlite:///kiosk.db", "postgresql://127.0.0.1:9/kiosk"])
def test_a_port_for_interactions_is_taken(
    monkeypatch: pytest.MonkeyPatch,
    ground: tuple[Discord, RogueGame],
    run_here: Command,
    check_here: Command,
    database: str,
) -> None:
    port = URL(ground[1].base_url).port
    monkeypatch.setenv("INTERACTIONS_PORT", str(port))
    says = f"can't use port {port}: Address already in use. Choose another port"

    assert f"INTERACTIONS_PORT {says}" in check_here().lines

    monkeypatch.setenv("DATABASE_URL", database)
    # On a file, another Kiosk may have it, and this one stand by; else it ends once it listens.
    waits = database.startswith("sqlite")
    ended = Ended(Exit.TO_MEND, [f"INTERACTIONS_PORT: {says}"])
    assert run_here() == (Ended(Exit.STOPPED, [OPENED]) if waits else ended)


def test_one_port_is_set_twice(
    monkeypatch: pytest.MonkeyPatch, run_here: Command, check_here: Command
) -> None:
    with socket.create_server(("", 0)) as free:
        port = free.getsockname()[1]
    for setting in ("MONITORING_PORT", "INTERACTIONS_PORT"):
        monkeypatch.setenv(setting, str(port))

    assert f"MONITORING_PORT can't use port {port}: Address already in use" in check_here().text
    assert run_here().code == Exit.TO_MEND


# What `run` goes on with, and what `check` finds.
GOES_ON = {
    "a misspelt name": Wrong(
        "unknown setting. Did you mean GAME_TOKEN?", given={"GAME_TOKN": "x"}, setting="GAME_TOKN"
    ),
    "a language that Kiosk doesn't speak": Wrong(
        "Kiosk speaks de, es, fr,", given={"TOKEN_HELP_XX": "There"}, setting="TOKEN_HELP_XX"
    ),
    "a number's help in another": Wrong(
        "Kiosk speaks de, es, fr,", given={"NUMBER_HELP_XX": "There"}, setting="NUMBER_HELP_XX"
    ),
    "a line that can't be read": Wrong(
        "Kiosk can't read this line, so it sets nothing. Write NAME='…'",
        written(".env", b"\nGAME_TOKEN: x\n"),
        setting="{folder}/.env:2",
    ),
    "a key that is missing": Wrong(
        "Add it back. If it is lost, members must link again",
        with_links(KEY, new_key()),
        setting="KIOSK_KEYS",
        logs="Can't decrypt 1 of 2 members' tokens with KIOSK_KEYS. Add the missing key back",
    ),
    "a file for backups": Wrong(
        "{folder}/a file isn't a folder. Choose a folder, or move this file away",
        written("a file", b""),
        {"BACKUP_DIR": "a file"},
        "BACKUP_DIR",
        "",
    ),
    "a system's folder for backups": Wrong(
        "can't write to /sys: ", given={"BACKUP_DIR": "/sys/kiosk"}, setting="BACKUP_DIR", logs=""
    ),
    "a port that Discord doesn't know of": Wrong(
        "Discord posts nothing to INTERACTIONS_PORT. While Kiosk runs, enter https://YOUR-HOST",
        given={"INTERACTIONS_PORT": "0"},
        setting="discord",
        logs="",
    ),
    "a game at no port": Wrong(
        "can't be reached: no connection",
        given={"GAME_BASE_URL": "http://127.0.0.1:9/api"},
        setting="game",
        logs="",
    ),
}


@pytest.mark.parametrize("wrong", GOES_ON.values(), ids=GOES_ON)
def test_it_runs_and_something_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    run_here: Command,
    check_here: Command,
    wrong: Wrong,
) -> None:
    wrong.make(tmp_path, monkeypatch)

    checked = check_here()

    replace(wrong, code=Exit.STOPPED).is_said(tmp_path, run_here(), checked)


PAGE = reply(page(comment(id=1)))
UNKNOWN = reply({"message": "Not found."}, status=404)
UNAUTHORIZED = reply({"message": "Who is it?"}, status=401)
# What the game answers to a thread and to a catalog, with its token or without, and the fault.
GAMES = {
    "a wrong path": (
        UNKNOWN,
        UNKNOWN,
        "",
        "answers 404 to both thread 1 and catalog 1. Check the path",
    ),
    "a page in front of it": (
        *(reply(b"<html>", status=403), UNKNOWN, ""),
        "answers 403 to thread 1, but not as the game would. Check GAME_BASE_URL and its path",
    ),
    "another service": (
        *(reply({"data": []}), UNKNOWN, ""),
        "answers 200 to thread 1, but not as the game would. Check GAME_BASE_URL and its path",
    ),
    "a game that fails": (
        *(reply({}, status=500), UNKNOWN, ""),
        "answers 500 to thread 1: it fails. Ask the game's operator",
    ),
    "a token that it doesn't know": (
        PAGE,
        UNAUTHORIZED,
        "x",
        "refuses GAME_TOKEN. Get a new token",
    ),
}


@pytest.mark.parametrize(("thread", "catalog", "token", "says"), GAMES.values(), ids=GAMES)
def test_the_game_answers_oddly(
    monkeypatch: pytest.MonkeyPatch,
    ground: tuple[Discord, RogueGame],
    run_here: Command,
    check_here: Command,
    thread: Reply,
    catalog: Reply,
    token: str,
    says: str,
) -> None:
    _, game = ground
    game.answers(thread, catalog)
    monkeypatch.setenv("GAME_TOKEN", token)

    checked = check_here()

    assert checked.code == 1
    assert checked.text.startswith(f"game {says}")
    assert run_here() == Ended(Exit.STOPPED, [OPENED])


def test_nothing_is_wrong(run_here: Command, check_here: Command, tmp_path: Path) -> None:
    assert check_here() == Ended(0, [])
    assert not list(tmp_path.iterdir())
    assert run_here() == Ended(Exit.STOPPED, [OPENED])


# The functions that raise what may end `run` with 78, and the test that holds `check` to each.
ENDS = {
    "bot/app.py:open_bot": "test_a_file_or_a_folder_is_wrong",
    "bot/app.py:_count_links": "test_a_file_or_a_folder_is_wrong",
    "bot/program/connecting.py:_log_in_patiently": "test_discord_refuses",
    "bot/program/health.py:serving": "test_a_port_for_interactions_is_taken",
    "bot/program/proxies.py:proxy_for": "test_a_proxy_is_of_another_kind",
    "bot/program/running.py:refused": "test_discord_refuses",
    "bot/program/running.py:run": "test_settings_are_wrong",
    "bot/program/running.py:_run_until_stopped": "test_a_file_or_a_folder_is_wrong",
    "bot/settings.py:load_settings": "test_settings_are_wrong",
    "bot/settings.py:vault": "test_settings_are_wrong",
    "storage/database/__init__.py:check_address": "test_settings_are_wrong",
    "storage/database/postgres.py:_address": "test_a_server_refuses",
    "storage/database/postgres.py:_naming_server": "test_a_server_refuses",
    "storage/database/sqlite.py:check_references": "test_a_file_or_a_folder_is_wrong",
    "storage/database/sqlite.py:_naming_file": "test_a_file_or_a_folder_is_wrong",
    "storage/database/sqlite.py:unusable": "test_a_file_or_a_folder_is_wrong",
    "storage/database/sqlite.py:database_path": "test_settings_are_wrong",
    "storage/database/steps.py:find_step": "test_a_file_or_a_folder_is_wrong",
}
# Those that end no `run` with 78: Kiosk is in order with them, or they raise what may pass.
OTHERS = {
    # Kiosk's own commands are at fault, and a check would have to replace them.
    "bot/program/kiosk.py:_replace",
    "bot/program/connecting.py:_watch_for_takeover",
    # Of a step that is wrong.
    "storage/database/sqlite.py:changing_tables",
    "storage/database/sqlite.py:open_sqlite",
    "storage/database/steps.py:check_steps",
}
HERE = Path(__file__).parent
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
        # Those of `init` and of `check --game`.
        if path.name not in ("first_settings.py", "conformance.py")
    ]

    found = {raiser for path in files for raiser in raisers(path)}

    assert found == ENDS.keys() | OTHERS
    tables = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("test_mis*.py"))
    assert all(f"def {test}(" in tables for test in ENDS.values())
