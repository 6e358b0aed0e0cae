"""What `run` and `check` say of a server, a full disk or a Discord that refuses Kiosk.

All of this needs servers and seconds: `make soak` runs it.
"""

import os
import subprocess
from collections.abc import Generator, Mapping
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from tempfile import TemporaryDirectory
from typing import LiteralString

import psycopg
import pytest

from bot.program.kiosk import Exit
from tests.support.bot_process import environment_of, quick_bot
from tests.support.discord_standin import Discord
from tests.support.discord_standin.refusals import Refusal
from tests.support.misconfigured import OPENED, Command, Wrong, with_tables
from tests.support.postgres import run_postgres
from tests.support.program import Launcher
from tests.support.rogue_game import RogueGame

pytestmark = pytest.mark.soak

SERVER_HAS: tuple[LiteralString, ...] = (
    "CREATE ROLE kiosk LOGIN",
    "CREATE ROLE guarded LOGIN PASSWORD 'right'",
    "CREATE ROLE shut_out LOGIN",
    "CREATE ROLE nobody",
    "CREATE ROLE crowded LOGIN CONNECTION LIMIT 0",
    "CREATE DATABASE kiosk OWNER kiosk",
    "CREATE DATABASE closed",
    "REVOKE CONNECT ON DATABASE closed FROM PUBLIC",
    "CREATE DATABASE bare",
    "CREATE DATABASE songs",
    "CREATE DATABASE standing OWNER kiosk",
    "ALTER DATABASE standing SET default_transaction_read_only = on",
    "SELECT pg_reload_conf()",
)
# `{kiosk}` stands for the address of the user and the database of this name, with a parameter.
SERVERS = {
    "no such user": Wrong(
        'refuses Kiosk: role "stranger" does not exist. Create this user',
        given={"DATABASE_URL": "stranger kiosk"},
    ),
    "a wrong password": Wrong(
        'refuses Kiosk: password authentication failed for user "guarded". Correct the user and',
        given={"DATABASE_URL": "guarded:wrong kiosk"},
    ),
    "no password": Wrong(
        "refuses Kiosk: no password supplied. Correct the user and the password",
        given={"DATABASE_URL": "guarded kiosk"},
    ),
    "a user whom no rule lets in": Wrong(
        "refuses Kiosk: pg_hba.conf rejects connection for host",
        given={"DATABASE_URL": "shut_out kiosk"},
    ),
    "a user who may not log in": Wrong(
        'refuses Kiosk: role "nobody" is not permitted to log in. Give this user LOGIN',
        given={"DATABASE_URL": "nobody kiosk"},
    ),
    "no such database": Wrong(
        'refuses Kiosk: database "missing" does not exist. Create this database',
        given={"DATABASE_URL": "kiosk missing"},
    ),
    "a database that is closed": Wrong(
        'refuses Kiosk: permission denied for database "closed". Grant Kiosk\'s user CONNECT',
        given={"DATABASE_URL": "kiosk closed"},
    ),
    "a mode that is none": Wrong(
        'refuses Kiosk: invalid sslmode value: "on". Correct this in the address',
        given={"DATABASE_URL": "kiosk kiosk sslmode=on"},
    ),
    "a parameter that is none": Wrong(
        "PostgreSQL doesn't understand the address: invalid URI query parameter",
        given={"DATABASE_URL": "kiosk kiosk timeout=3"},
    ),
    "no rights on its schema": Wrong(
        "permission denied for schema public. Use the primary's address, and let Kiosk's user",
        given={"DATABASE_URL": "kiosk bare"},
    ),
    "a database that can only be read": Wrong(
        "cannot execute CREATE TABLE in a read-only transaction. Use the primary's address",
        given={"DATABASE_URL": "kiosk standing"},
    ),
    "another program's database": Wrong(
        "the PostgreSQL database is the database of another program. Nothing was changed in it",
        given={"DATABASE_URL": "postgres songs"},
    ),
    "a user who has too many connections": Wrong(
        'too many connections for role "crowded". Start it, or fix the address',
        given={"DATABASE_URL": "crowded kiosk"},
        code=Exit.FAILED,
    ),
    "backups of a server": Wrong(
        "only SQLite is backed up. Leave BACKUP_DIR empty, and use pg_dump",
        given={"DATABASE_URL": "kiosk kiosk", "BACKUP_DIR": "backups"},
        setting="BACKUP_DIR",
        logs="",
        code=Exit.STOPPED,
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
        address = address.replace("postgres:@/postgres?", "{user}@/{database}?")
        with psycopg.connect(address.format(user="postgres", database="songs")) as connection:
            connection.execute("CREATE TABLE songs (name TEXT)")
        yield address


@pytest.mark.parametrize("wrong", SERVERS.values(), ids=SERVERS)
def test_a_server_refuses(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    server: str,
    run_here: Command,
    check_here: Command,
    wrong: Wrong,
) -> None:
    wrong.make(tmp_path, monkeypatch)
    user, database, *parameters = os.environ["DATABASE_URL"].split()
    address = server.format(user=user, database=database)
    monkeypatch.setenv("DATABASE_URL", "&".join([address, *parameters]))

    checked = check_here()

    wrong.is_said(tmp_path, run_here(), checked)


AWAY = {
    "a port at which nobody listens": (
        "postgresql://me:secret@127.0.0.1:9/kiosk",
        "PostgreSQL at 127.0.0.1:9 can't be used: connection failed",
    ),
    "a name that nobody has": (
        "postgresql://me:secret@postgres.invalid/kiosk",
        "PostgreSQL at postgres.invalid:5432 can't be used: failed to resolve host",
    ),
    "no socket": (
        "postgresql:///kiosk?host=/nowhere",
        "PostgreSQL at /nowhere:5432 can't be used: connection is bad",
    ),
}


@pytest.mark.parametrize(("address", "says"), AWAY.values(), ids=AWAY)
def test_a_server_is_away(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    run_here: Command,
    check_here: Command,
    address: str,
    says: str,
) -> None:
    monkeypatch.setenv("DATABASE_URL", address)

    checked, ran = check_here(), run_here()

    Wrong(says, code=Exit.FAILED).is_said(tmp_path, ran, checked)
    assert "secret" not in ran.text + checked.text


def test_a_file_is_locked(tmp_path: Path, run_here: Command, check_here: Command) -> None:
    with_tables(tmp_path)
    says = "{folder}/kiosk.db is locked by another program. End that program"

    with closing(connect(tmp_path / "kiosk.db")) as file:
        file.execute("BEGIN IMMEDIATE")
        checked, ran = check_here(), run_here()

    Wrong(says, code=Exit.FAILED).is_said(tmp_path, ran, checked)


@pytest.fixture
def disk(good: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A disk of two megabytes in which Kiosk is run."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "kiosk", str(place)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root has disks to mount")
    monkeypatch.chdir(place)
    try:
        yield place
    finally:
        monkeypatch.undo()
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> None:
    with (disk / "others").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(512))
        except OSError:
            pass


@pytest.mark.parametrize("has_database", [False, True])
def test_the_disk_is_full(
    disk: Path, run_here: Command, check_here: Command, has_database: bool
) -> None:
    if has_database:
        with_tables(disk)
    fill(disk)

    checked = check_here()

    says = "{folder}/kiosk.db is on a full disk. Free some space there"
    Wrong(says, code=Exit.FAILED).is_said(disk, run_here(), checked)


def test_the_disk_of_backups_is_full(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    disk: Path,
    run_here: Command,
    check_here: Command,
) -> None:
    fill(disk)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'kiosk.db'}")
    monkeypatch.setenv("BACKUP_DIR", str(disk))

    assert f"BACKUP_DIR can't write to {disk}: No space left on device" in check_here().text
    assert run_here().lines == [OPENED]


DISCORD: Mapping[str, tuple[dict[str, str], str, str]] = {
    "a token that Discord doesn't know": (
        {"DISCORD_TOKEN": "wrong"},
        "DISCORD_TOKEN: Discord refuses it. Reset it in the developer portal, under Bot,",
        "discord refuses DISCORD_TOKEN. Reset it in the developer portal, under Bot,",
    ),
    "a gateway while Discord posts": (
        {},
        "Discord posts interactions to https://own.example/interactions. Empty",
        "discord Discord posts interactions to https://own.example/interactions. Empty",
    ),
}
# What Discord's edge answers to an address that asked too often.
SHUT_OUT = Refusal(403, 0, "<!DOCTYPE html><title>Access denied</title>")


@pytest.mark.parametrize(("given", "says", "checks"), DISCORD.values(), ids=DISCORD)
def test_discord_refuses(
    monkeypatch: pytest.MonkeyPatch,
    launcher: Launcher,
    ground: tuple[Discord, RogueGame],
    tmp_path: Path,
    check_here: Command,
    given: dict[str, str],
    says: str,
    checks: str,
) -> None:
    discord, game = ground
    discord.state.posting.url = None if given else "https://own.example/interactions"
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    checked = check_here()
    environment = environment_of(discord, game.base_url, tmp_path) | given
    ran = launcher.run(quick_bot(), environment, tmp_path)

    assert checked.code == 1
    assert checked.text.startswith(checks)
    assert ran.status == Exit.TO_MEND
    assert f"Kiosk can't run: {says}" in ran.err.splitlines()[-1]


def test_discord_shuts_out_this_machine(
    launcher: Launcher, ground: tuple[Discord, RogueGame], tmp_path: Path, check_here: Command
) -> None:
    discord, game = ground
    discord.state.refusal = SHUT_OUT
    try:
        checked = check_here()
        ran = launcher.run(quick_bot(), environment_of(discord, game.base_url, tmp_path), tmp_path)
    finally:
        discord.state.refusal = None

    assert (
        "Discord blocks this machine's address for a time. Check again in an hour" in checked.text
    )
    assert ran.status == Exit.FAILED
    assert "Kiosk can't run: can't connect to Discord: 403 Forbidden" in ran.err.splitlines()[-1]
