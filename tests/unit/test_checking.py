"""What `check` says of an installation, each mistake with what fixes it."""

import re
import resource
import shutil
import socket
import sqlite3
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from discord.http import Route
from pydantic import SecretStr

from bot.app import open_bot
from bot.program.checking import examine
from bot.program.checking.machine import Finding, examine_settings
from bot.settings import Settings
from storage import MIGRATIONS
from storage.database import open_database
from storage.links import Links
from storage.messages import Messages
from storage.names import Named, Names, PlaceKind
from storage.rows import to_micros
from storage.vault import new_key
from tests.support.bot_process import KEY
from tests.support.clock import utc_now
from tests.support.databases import damage, run_beside
from tests.support.discord_standin import Discord, open_discord
from tests.support.discord_standin.refusals import UNAVAILABLE, Refusal
from tests.support.full_disk import disk_with
from tests.support.game_samples import comment, item, page
from tests.support.one_zero import database_of_one_zero
from tests.support.rogue_game import Reply, RogueGame, open_rogue_game, reply

_UNKNOWN = reply({"message": "Not found."}, status=404)
_NOT_JSON = reply(b"<html>Not found</html>", status=404)
_UNAUTHORIZED = reply({"message": "Unauthenticated."}, status=401)
_BLOCKED = reply(b"error code: 1020", status=401)
_COMMENTS = reply(page(comment(id=1)))
_ITEMS = reply(page(item(id=1)))


@pytest.fixture
async def discord(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Discord]:
    async with open_discord() as opened:
        monkeypatch.setattr(Route, "BASE", opened.state.api_url)
        yield opened


@pytest.fixture
async def game() -> AsyncGenerator[RogueGame]:
    async with open_rogue_game() as opened:
        opened.answers(_COMMENTS, _UNAUTHORIZED)
        yield opened


def settings_of(folder: Path, **others: object) -> Settings:
    """Settings of a bot that is told of no Discord and no game."""
    given = {"database_url": f"sqlite:///{folder / 'kiosk.db'}", "kiosk_keys": KEY, **others}
    return Settings.model_validate(given)


async def faults(settings: Settings, now: datetime | None = None) -> list[str]:
    findings = await examine(settings, (lambda: now) if now else lambda: datetime.now(UTC))
    return [f"{finding.subject}: {finding.text}" for finding in findings if finding.is_fault]


async def test_what_is_well_has_no_fault(discord: Discord, game: RogueGame, tmp_path: Path) -> None:
    settings = settings_of(tmp_path, discord_token=discord.state.token, game_base_url=game.base_url)
    assert await faults(settings) == []
    assert not (tmp_path / "kiosk.db").exists()


@pytest.mark.parametrize(
    ("thread", "catalog", "says"),
    [
        (_UNKNOWN, _UNKNOWN, "answers 404 to both thread 1 and catalog 1. Check the path in"),
        (_UNAUTHORIZED, _UNAUTHORIZED, "answers 401 to both thread 1 and catalog 1"),
        (
            _NOT_JSON,
            _UNAUTHORIZED,
            "answers 404 to thread 1, but not as the game would. Check GAME_BA",
        ),
        (_COMMENTS, _NOT_JSON, "answers 404 to catalog 1, but not as the game would"),
        (reply(b"<html>"), _UNAUTHORIZED, "answers 200 to thread 1, but not as the game would"),
        (reply({"data": []}), _UNAUTHORIZED, "answers 200 to thread 1, but not as the game would"),
        (reply({}, status=503), _UNAUTHORIZED, "answers 503 to thread 1: it fails"),
        (_UNKNOWN, _UNAUTHORIZED, ""),
        (_COMMENTS, _UNKNOWN, ""),
        (_COMMENTS, reply(b"", status=401), ""),
        (_COMMENTS, _BLOCKED, "answers 401 to catalog 1, but not as the game would"),
        (_BLOCKED, _BLOCKED, "answers 401 to thread 1, but not as the game would"),
        (_COMMENTS, _ITEMS, ""),
    ],
)
async def test_a_game_is_known_by_what_the_interface_shows(
    game: RogueGame, tmp_path: Path, thread: Reply, catalog: Reply, says: str
) -> None:
    game.answers(thread, catalog)

    told = [
        fault
        for fault in await faults(settings_of(tmp_path, game_base_url=game.base_url))
        if fault.startswith("game")
    ]

    assert len(told) == bool(says)
    assert says in "".join(told)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (_ITEMS, ""),
        (_UNAUTHORIZED, "refuses GAME_TOKEN. Get a new token"),
        (reply(b"", status=401), "refuses GAME_TOKEN. Get a new token"),
        (_BLOCKED, "answers 401 to catalog 1, but not as the game would"),
    ],
)
async def test_a_token_is_tried_with_a_catalog(
    game: RogueGame, tmp_path: Path, answer: Reply, says: str
) -> None:
    game.answers(_COMMENTS, answer)
    settings = settings_of(tmp_path, game_base_url=game.base_url, game_token="ours")

    told = [fault for fault in await faults(settings) if fault.startswith("game")]

    assert len(told) == bool(says)
    assert says in "".join(told)


@pytest.mark.parametrize(
    ("to_nobody", "is_fault", "says"),
    [
        (_UNAUTHORIZED, False, "answers 404 to catalog 1, which says nothing about GAME_TOKEN"),
        (
            _UNKNOWN,
            True,
            "answers 404 to both thread 1 and catalog 1. Check the path in GAME_BASE_",
        ),
    ],
)
async def test_a_path_is_right_where_a_token_that_nobody_has_is_refused(
    game: RogueGame, tmp_path: Path, to_nobody: Reply, is_fault: bool, says: str
) -> None:
    game.answers(_UNKNOWN, _UNKNOWN, to_nobody)
    settings = settings_of(tmp_path, game_base_url=game.base_url, game_token="ours")

    *_, told = [finding for finding in await examine(settings) if finding.subject == "game"]

    # Whether the account's own token is good can't be seen at the right path either.
    assert (told.is_fault, told.is_sure) == (is_fault, False)
    assert says in told.text


@pytest.mark.parametrize("headers", [{}, {"Retry-After": "60"}])
async def test_a_game_that_limits_requests_is_no_wrong_path(
    game: RogueGame, tmp_path: Path, headers: Mapping[str, str]
) -> None:
    game.answers(reply({"message": "Too Many Attempts."}, status=429, headers=headers))

    told = await faults(settings_of(tmp_path, game_base_url=game.base_url))

    assert "game: limits this machine's requests. Check again in a few minutes" in told


def test_that_kiosk_has_no_account_of_its_own_is_a_note(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, game_base_url="https://game.example/api")
    told = {finding.subject: finding for finding in examine_settings(settings)}
    # The demo game has one.
    of_the_demo = {finding.subject for finding in examine_settings(settings_of(tmp_path))}

    assert told["GAME_TOKEN"].line().startswith("ok     GAME_TOKEN")
    assert "Kiosk has no account of its own" in told["GAME_TOKEN"].text
    assert "GAME_TOKEN" not in of_the_demo


async def test_a_named_thread_is_asked_for(game: RogueGame, tmp_path: Path) -> None:
    settings = settings_of(tmp_path, game_base_url=game.base_url)
    async with open_database(settings.database_url, MIGRATIONS) as database:
        names = Names(database, Messages(database, utc_now))
        await names.save(5, PlaceKind.THREAD, Named(77, "Patch notes"), "patch notes")

    await faults(settings)

    assert game.asked[0].path.endswith("/threads/77/comments?sort=latest&page=1")


def test_a_secret_in_an_address_is_never_shown(tmp_path: Path) -> None:
    settings = settings_of(
        tmp_path,
        game_base_url="https://ann:hidden@game.example/?key=hidden",
        database_url="postgresql://ann:hidden@127.0.0.1/kiosk?sslpassword=hidden",
        discord_token="hidden",
        game_token="hidden",
    )

    lines = [finding.line() for finding in examine_settings(settings)]

    assert {"DISCORD_TOKEN", "GAME_TOKEN", "KIOSK_KEYS"} <= {line.split()[1] for line in lines}
    assert "hidden" not in "".join(lines)
    assert KEY not in "".join(lines)


def _make_another_programs(path: Path) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("CREATE TABLE songs (name TEXT)")


def _write_a_letter(path: Path) -> None:
    path.write_text("Dear Kiosk, this is no database. " * 99)


def _take_the_folder_away(path: Path) -> None:
    path.parent.rmdir()


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (Path.mkdir, "{path} is a folder. Choose a file in it"),
        (_write_a_letter, "{path} isn't a SQLite database. Choose"),
        (_make_another_programs, "{path} is the database of another program"),
        (_take_the_folder_away, "{folder} doesn't exist. Create this folder"),
    ],
)
async def test_a_database_that_can_not_be_used_is_named_by_its_full_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prepare: Callable[[Path], object], says: str
) -> None:
    path = tmp_path / "data" / "kiosk.db"
    path.parent.mkdir()
    prepare(path)
    monkeypatch.chdir(tmp_path)

    told = await faults(settings_of(tmp_path, database_url="sqlite:///data/kiosk.db"))

    assert any(f"database: {says.format(path=path, folder=path.parent)}" in each for each in told)


@pytest.mark.parametrize(
    ("folder", "says"),
    [
        ("", ""),
        ("new/one", ""),
        (".", ""),
        ("a file", "/a file isn't a folder. Choose a folder, or move this file away"),
        ("a file/in it", "/a file isn't a folder. Choose"),
        ("a dead end", "/a dead end isn't a folder"),
        # Not even root can write there.
        ("/proc", "can't write to /proc: "),
        ("/proc/new", "can't write to /proc: "),
        ("n" * 300, "File name too long. Let the user that runs Kiosk"),
    ],
)
def test_where_no_backup_can_be_kept_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, says: str
) -> None:
    (tmp_path / "a file").touch()
    (tmp_path / "a dead end").symlink_to("nowhere")
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)

    findings = examine_settings(settings_of(tmp_path, backup_dir=folder))

    told = [
        finding.text for finding in findings if finding.is_fault and finding.subject == "BACKUP_DIR"
    ]
    assert len(told) == bool(says)
    assert says in "".join(told)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_disk_that_is_full_keeps_no_backup(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        told = examine_settings(settings_of(tmp_path, backup_dir=str(tmp_path)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert any(f"can't write to {tmp_path}: File too large" in each.text for each in told)


def test_whom_to_ask_is_named_where_nobody_is(tmp_path: Path) -> None:
    told = {setting.subject: setting for setting in examine_settings(settings_of(tmp_path))}

    assert told["SUPPORT_URL"].text.startswith(
        "not set. Discord asks for a page to report problems"
    )
    assert told["PRIVACY_URL"].text.startswith("not set. Discord asks for a privacy policy")
    page = "https://kiosk.example/support"
    set_ = examine_settings(settings_of(tmp_path, support_url=page))
    assert Finding("SUPPORT_URL", page) in set_


async def test_an_empty_file_is_as_good_as_none(tmp_path: Path) -> None:
    """As it is to `run`, which makes the tables."""
    (tmp_path / "kiosk.db").touch()

    findings = await examine(settings_of(tmp_path))

    (told,) = [finding for finding in findings if finding.subject == "database"]
    assert told.line().endswith("/kiosk.db has no tables yet. The first start creates them")
    assert not told.is_fault


async def test_a_damaged_file_is_a_fault_with_what_mends_it(tmp_path: Path) -> None:
    path = tmp_path / "kiosk.db"
    async with open_database(f"sqlite:///{path}", MIGRATIONS):
        pass
    damage(path)

    findings = await examine(settings_of(tmp_path))

    (told,) = [finding.line() for finding in findings if finding.subject == "database"]
    assert told.startswith("FAULT")
    assert re.search(
        rf"{path} is damaged \(Page .*\)\. Stop Kiosk, .*restore the last backup$", told
    )


@pytest.mark.usefixtures("on_both_engines")
async def test_what_an_older_version_left_is_no_fault_and_says_what_comes(tmp_path: Path) -> None:
    old = database_of_one_zero(tmp_path / "kiosk.db")

    findings = await examine(settings_of(tmp_path, database_url=old, kiosk_keys=""))

    (told,) = [finding for finding in findings if finding.subject == "database"]
    assert not told.is_fault
    assert "is from version 1.0.0. The next start upgrades its tables from step 1" in told.text
    keeps = (
        "keeps a copy of the old database" if old.startswith("sqlite") else "with `pg_dump` first"
    )
    assert keeps in told.text
    assert re.search(r"\. The upgrade needs \d+ MiB of space", told.text)
    assert ("MiB are free" in told.text) == old.startswith("sqlite")
    assert "waits a minute" not in told.text
    (keys,) = [finding for finding in findings if finding.subject == "KIOSK_KEYS"]
    assert re.search(r"the key \w{8} is missing \(tokens: 4, texts: 65\)\. Add it back", keys.text)
    assert run_beside(old, "SELECT kind FROM about WHERE digest <> ''") == [("kiosk",)]


async def test_what_keeps_an_upgrade_from_beginning_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE", "sqlite")
    monkeypatch.setattr(shutil, "disk_usage", disk_with(1))
    old = database_of_one_zero(tmp_path / "kiosk.db")
    user = "INSERT INTO claims VALUES ('process:1', 'kiosk-1:7:there-1', :until)"
    run_beside(old, user, until=to_micros(utc_now() + timedelta(hours=1)))

    told = await faults(settings_of(tmp_path))

    assert any(
        "The start waits a minute for Kiosk on kiosk-1 to stop. The upgrade needs 2 MiB of space,"
        " and 0 MiB are free. Free some space there" in fault
        for fault in told
    )


@pytest.mark.parametrize("keys", ["", new_key()], ids=["none", "another"])
async def test_the_key_of_what_is_there_is_asked_for(tmp_path: Path, keys: str) -> None:
    settings = settings_of(tmp_path, kiosk_keys=keys)
    async with open_database(settings.database_url, MIGRATIONS) as database:
        vault = settings_of(tmp_path).vault()
        await Links(database, vault, utc_now).save(5, SecretStr("a-token"))

    told = [each for each in await examine(settings) if each.subject == "KIOSK_KEYS"]

    (line,) = [each.line() for each in told]
    assert line.startswith("FAULT")
    assert re.search(r"the key \w{8} is missing \(tokens: 1, texts: 0\)\. Add it back", line)


@pytest.mark.parametrize(
    ("status", "mend"),
    [
        (503, "See discordstatus.com"),
        (403, "Discord blocks this machine's address for a time. Check again in an hour"),
    ],
)
async def test_a_page_in_front_of_discord_is_one_sentence(
    discord: Discord, tmp_path: Path, status: int, mend: str
) -> None:
    page = "<!DOCTYPE html>\n<html><head><title>Access denied</title>" + "<p>1015</p>" * 500
    discord.state.refusal = Refusal(status, 0, page)

    (told,) = await faults(settings_of(tmp_path, discord_token=discord.state.token))

    said = rf"discord: can't be used: {status} [\w ]+ \(error code: 0\)\. "
    assert re.fullmatch(said + re.escape(mend), told)


@pytest.mark.parametrize(
    ("url", "port", "told"),
    [
        ("https://own.example/interactions", None, "to https://own.example/interactions. Empty"),
        (None, 8080, "While Kiosk runs, enter https://YOUR-HOST/interactions as"),
    ],
)
async def test_interactions_that_nobody_would_hear_are_a_fault(
    discord: Discord, tmp_path: Path, url: str | None, port: int | None, told: str
) -> None:
    discord.state.posting.url = url
    # If they are posted, no one needs it.
    discord.state.gateway.is_down = port is not None
    settings = settings_of(tmp_path, discord_token=discord.state.token, interactions_port=port)

    (fault,) = await faults(settings)

    assert told in fault
    assert "“Interactions Endpoint URL” in the developer portal" in fault


async def test_a_discord_that_fails_is_told_at_each_step(discord: Discord, tmp_path: Path) -> None:
    settings = settings_of(tmp_path, discord_token=discord.state.token)

    discord.state.gateway.is_down = True
    (told,) = await faults(settings)
    assert told.startswith("gateway: can't be used: 503")
    assert "Service Unavailable" not in told
    discord.state.refusal = UNAVAILABLE
    (told,) = await faults(settings)
    assert told.startswith("discord: can't be used: 503 Service Unavailable")
    discord.state.refusal = None
    (told,) = await faults(settings_of(tmp_path, discord_token="wrong"))
    assert told.startswith("discord: refuses DISCORD_TOKEN. Reset it")


async def test_too_many_starts_are_told(discord: Discord, tmp_path: Path) -> None:
    discord.state.gateway.starts_left = 100
    discord.state.gateway.reset_after = 3_600_000

    (told,) = await faults(settings_of(tmp_path, discord_token=discord.state.token))

    said = "gateway: Discord lets the bot connect 100 of 1000 times in the next 1:00:00, so `run`"
    assert told == f"{said} first waits 36 s. Find out from the log why Kiosk started so often"


async def test_a_port_that_a_running_kiosk_has_is_no_fault(
    discord: Discord, game: RogueGame, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    token, url = discord.state.token, game.base_url
    settings = settings_of(tmp_path, discord_token=token, game_base_url=url, monitoring_port=port)
    async with open_bot(settings):
        findings = await examine(settings)

    assert not [finding for finding in findings if finding.is_fault]
    assert Finding("MONITORING_PORT", f"{port}, used by a running Kiosk") in findings


async def test_all_faults_are_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # What the tests run on looks like a misspelt setting.
    for name in (*Settings.model_fields, "DATABASE"):
        monkeypatch.delenv(name.upper(), raising=False)
    wrong: Mapping[str, str] = {
        "POLL_INTERVAL": "often",
        "LOG_LEVEL": "LOUD",
        "DATABASE_URL": "mysql://here",
        "KIOSK_KEYS": "short",
        "GAME_TOKEN": "two words",
        "GAME_BASE_URL": "game.example",
        "DISCORD_TOKN": "misspelt",
    }
    lines = [f"{name}={wrong[name]}\n" for name in wrong]
    (tmp_path / ".env").write_text("".join([*lines, "TOKEN_HELP=In the app.\n"]))

    findings = await examine()

    faulty = {finding.subject for finding in findings if finding.is_fault}
    assert faulty == {*wrong, "DISCORD_TOKEN", "database", "game", "discord"}
    assert Finding("TOKEN_HELP", "In the app.") in findings


async def test_a_bad_env_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DATABASE", raising=False)
    (tmp_path / ".env").mkdir()

    findings = await examine()

    assert findings[0].is_fault
    assert findings[0].line().split(maxsplit=2)[1] == str(tmp_path / ".env")


async def test_a_line_that_is_read_differently_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DATABASE", raising=False)
    (tmp_path / ".env").write_text("LOG_LEVEL=INFO\nTOKEN_HELP=Settings #2\n")

    findings = await examine()

    (told,) = [finding for finding in findings if finding.subject == f"{tmp_path}/.env:2"]
    assert told.line().startswith("ok ")
    assert "TOKEN_HELP: Docker Compose or systemd reads this line differently" in told.text
