"""`python -m bot`, as an operator types it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.settings import Settings
from storage import MIGRATIONS
from storage.database import open_database
from storage.vault import new_key
from tests.support.databases import locked
from tests.support.program import ROOT, Ended, Launcher
from tests.support.world import open_world


def kiosk(launcher: Launcher, folder: Path, *arguments: str, **settings: str) -> Ended:
    """Run a command in an empty folder with these settings and no others."""
    return launcher.run(["bot", *arguments], settings, folder)


def test_a_new_key_is_printed_alone(launcher: Launcher, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bot", "keys", "new"]
    first = subprocess.check_output(command, cwd=ROOT, text=True)
    second = kiosk(launcher, tmp_path, "keys", "new").out

    assert first != second
    assert len(Settings.model_validate({"kiosk_keys": first}).kiosk_keys) == 1


def test_what_must_be_mended_is_a_line_each_in_the_logs_format(
    launcher: Launcher, tmp_path: Path
) -> None:
    wrong = {"KIOSK_KEYS": "too-short", "DATABASE_URL": "mysql://here", "SHARD_IDS": "0-7"}
    log = {"LOG_FORMAT": "json", "LOG_LEVEL": "LOUD"}
    ended = kiosk(launcher, tmp_path, "run", GAME_TOKN="x", **log, **wrong)

    misspelt, *lines = [json.loads(line) for line in ended.err.splitlines()]
    assert misspelt["event"] == "GAME_TOKN: no setting has this name: GAME_TOKEN is meant?"
    assert ended.status == 78
    assert {line["event"].split(": ")[1] for line in lines} == {*wrong, "LOG_LEVEL"}
    assert {(line["level"], line["exit_code"]) for line in lines} == {("critical", 78)}


@pytest.mark.parametrize(
    ("role", "setting", "value"),
    [
        ("run", "DISCORD_TOKEN", ""),
        ("run", "DATABASE_URL", "sqlite:////nowhere/at/all.db"),
        ("run", "GAME_BASE_URL", "http://game.example/api"),
        ("worker", "GAME_BASE_URL", ""),
    ],
)
def test_what_keeps_it_from_running_is_one_line(
    launcher: Launcher, tmp_path: Path, role: str, setting: str, value: str
) -> None:
    good = {"DISCORD_TOKEN": "x", "KIOSK_KEYS": new_key(), "GAME_BASE_URL": "http://127.0.0.1:9"}
    ended = kiosk(launcher, tmp_path, role, **{**good, "LOG_LEVEL": "ERROR", setting: value})

    assert ended.status == 78
    assert f"Kiosk can't run: {setting}: " in ended.err
    assert ended.err.count("\n") == 1


async def test_a_database_that_is_locked_for_a_while_is_worth_another_start(
    launcher: Launcher, tmp_path: Path
) -> None:
    address = f"sqlite:///{tmp_path / 'kiosk.db'}"
    good = {"DISCORD_TOKEN": "x", "KIOSK_KEYS": new_key(), "GAME_BASE_URL": "http://127.0.0.1:9"}
    async with open_database(address, MIGRATIONS):
        pass
    async with locked(address):
        ended = kiosk(launcher, tmp_path, "run", **good, DATABASE_URL=address)

    assert ended.status == 1
    assert "kiosk.db is locked by another program" in ended.err


def test_a_check_says_what_is_wrong_with_the_shards(launcher: Launcher, tmp_path: Path) -> None:
    wrong = kiosk(launcher, tmp_path, "check", SHARD_COUNT="4", SHARD_IDS="2-4")
    right = kiosk(launcher, tmp_path, "check", SHARD_COUNT="4", SHARD_IDS="2-3")

    assert "FAULT  SHARD_IDS                of 4 shards, the last one is 3" in wrong.out
    assert "ok     SHARD_IDS                2, 3" in right.out


def test_a_check_of_nothing_names_what_to_set(launcher: Launcher, tmp_path: Path) -> None:
    ended = kiosk(launcher, tmp_path, "check")

    assert ended.status == 1
    assert "FAULT  DISCORD_TOKEN            missing" in ended.out
    assert (
        "FAULT  KIOSK_KEYS               missing: make one with `python -m bot keys new`"
        in ended.out
    )
    assert (
        "ok     GAME_BASE_URL            not set: `run` serves the demo game instead" in ended.out
    )
    assert not list(tmp_path.iterdir())


def test_a_check_says_that_the_game_is_down(launcher: Launcher, tmp_path: Path) -> None:
    ended = kiosk(
        launcher, tmp_path, "check", GAME_BASE_URL="http://127.0.0.1:9", KIOSK_KEYS=new_key()
    )

    assert "FAULT  game" in ended.out
    assert "is GAME_BASE_URL right, and the game up?" in ended.out


async def test_a_check_finds_a_key_that_does_not_fit(launcher: Launcher, tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.link(world.member, "demo-subscriber")
        url = world.settings.database_url

    fitting = world.settings.kiosk_keys[0].get_secret_value()
    good = kiosk(launcher, tmp_path, "check", DATABASE_URL=url, KIOSK_KEYS=fitting)
    bad = kiosk(launcher, tmp_path, "check", DATABASE_URL=url, KIOSK_KEYS=new_key())

    assert "has sealed 1 link and 0 texts" in good.out
    assert "is not in KIOSK_KEYS, and has sealed 1 link and 0 texts: add it back" in bad.out


def test_a_database_that_can_not_be_moved_is_one_line(launcher: Launcher, tmp_path: Path) -> None:
    ended = kiosk(launcher, tmp_path, "data", "move", "sqlite:///a.db", "sqlite:///b.db")

    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith(f"{tmp_path / 'a.db'} is not there yet")
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("command", ["check", "data move --help"])
def test_a_terminal_without_every_letter_is_told_all_the_same(command: str, tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii", "TOKEN_HELP": "Überall"}
    ended = subprocess.run(
        [sys.executable, "-m", "bot", *command.split()],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "Traceback" not in ended.stderr
    assert "\\" in ended.stdout
