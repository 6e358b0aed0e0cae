"""`python -m bot data` and `python -m bot keys`, as an operator types them beside a bot."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from storage import MIGRATIONS
from storage.database import open_database
from storage.vault import new_key
from tests.support.program import ROOT, Launcher
from tests.support.world import KEY, SUBSCRIBER, open_world

# Gives the exit status, and what was written to either stream.
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A folder with the database of a bot that one member has linked an account with."""
    async with open_world(tmp_path) as world:
        await world.link(world.member, SUBSCRIBER)
        (tmp_path / "member").write_text(str(world.member.id))
    return tmp_path


@pytest.fixture(autouse=True)
def on_sqlite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a database there that is a file whatever the tests run on."""
    monkeypatch.setenv("DATABASE", "sqlite")


@pytest.fixture
def run(launcher: Launcher, tmp_path: Path) -> Run:
    """Type a command of the bot's in that folder."""

    def run_it(*arguments: str, keys: str = KEY) -> tuple[int, str, str]:
        ended = launcher.run(["bot", *arguments], {"KIOSK_KEYS": keys}, tmp_path)
        return ended.status, ended.out, ended.err

    return run_it


def member_of(folder: Path) -> str:
    return (folder / "member").read_text()


def test_a_database_is_backed_up_and_restored(folder: Path, run: Run) -> None:
    code, told, _ = run("data", "backup", "monday.db")
    assert code == 0
    assert "\nlinks: 1\n" in told
    assert told.endswith("\nBackup saved to monday.db. It doesn't contain the keys.\n")
    again = run("data", "backup", "monday.db")
    assert again[0] == 1
    assert again[2].endswith("monday.db already exists. Choose a new file\n")

    refused = run("data", "restore", "monday.db")
    assert refused[0] == 1
    assert "isn't empty. Add --replace" in refused[2]
    code, told, _ = run("data", "restore", "monday.db", "--replace")
    assert code == 0
    assert told.endswith("\nBackup restored. Start Kiosk again.\n")

    code, told, _ = run("data", "move", "sqlite:///kiosk.db", "sqlite:///new.db")
    assert code == 0
    assert told.splitlines()[-1] == (
        "Database copied. Set DATABASE_URL to the new database, and start Kiosk again."
    )


def test_a_file_is_compacted(folder: Path, run: Run) -> None:
    code, told, _ = run("data", "compact")

    assert code == 0
    assert re.fullmatch(
        r"The file had \d\.\d MiB, and has \d\.\d MiB now\.\nStart Kiosk again\.\n", told
    )


def test_a_member_is_given_their_data_and_has_it_erased(folder: Path, run: Run) -> None:
    member = member_of(folder)

    code, exported, _ = run("data", "export", member)
    assert code == 0
    assert json.loads(exported)["links"][0]["member_id"] == member
    assert SUBSCRIBER not in exported
    assert run("data", "erase", member)[1].startswith("links: 1\n")
    assert run("data", "erase", member)[1] == "Kiosk kept nothing about this member.\n"
    assert run("data", "export", member) == (0, "{}\n", "Kiosk keeps nothing about this member.\n")


@pytest.mark.parametrize("number", ["0", "ada", str(2**63)])
def test_what_is_no_members_id_is_told(folder: Path, run: Run, number: str) -> None:
    code, _, complaint = run("data", "export", number)
    assert code == 2
    assert complaint.endswith("isn't a Discord user id\n")


def test_keys_are_changed(folder: Path, run: Run) -> None:
    newer = new_key()

    before = run("keys", "status", keys=f"{newer},{KEY}")[1].splitlines()
    assert before[0].split()[1:] == ["newest", "nothing"]
    assert before[1].split()[1:3] == ["older", "links.sealed_token"]
    assert run("keys", "rotate", keys=f"{newer},{KEY}")[1] == "re-encrypted: 1\n"
    (after,) = run("keys", "status", keys=newer)[1].splitlines()
    assert after.split()[1:] == ["newest", "links.sealed_token", "1"]


async def test_keys_are_not_changed_while_a_process_runs_without_the_newest(
    folder: Path, run: Run
) -> None:
    newer = new_key()
    rotate = partial(asyncio.to_thread, run, "keys", "rotate", keys=f"{newer},{KEY}")
    async with open_world(folder) as world:
        await world.bot.claims.renew()

        code, _, complaint = await rotate()
        assert code == 1
        assert re.search(
            rf"\S+:{os.getpid()} can't decrypt with the newest key, \w{{8}}\. Restart Kiosk",
            complaint,
        )
        assert await asyncio.to_thread(run, "keys", "rotate") == (0, "re-encrypted: 0\n", "")
    assert (await rotate())[:2] == (0, "re-encrypted: 1\n")


def test_a_lost_key_is_named(folder: Path, run: Run) -> None:
    lost = new_key()

    code, _, complaint = run("keys", "rotate", keys=lost)
    assert code == 1
    assert "1 can't be decrypted with KIOSK_KEYS" in complaint
    assert "NOT IN KIOSK_KEYS" in run("keys", "status", keys=lost)[1]


def test_keys_that_open_no_token_are_one_sentence(folder: Path, launcher: Launcher) -> None:
    settings = {"DISCORD_TOKEN": "x", "GAME_BASE_URL": "http://127.0.0.1:9", "LOG_LEVEL": "ERROR"}
    ended = launcher.run(["bot", "run"], settings | {"KIOSK_KEYS": new_key()}, folder)

    assert ended.status == 78
    (line,) = ended.err.splitlines()
    assert "KIOSK_KEYS: no key can decrypt any token. Add the missing key back" in line


async def test_what_is_given_out_is_utf_8_whatever_the_terminal_has(folder: Path) -> None:
    async with open_database(f"sqlite:///{folder / 'kiosk.db'}", MIGRATIONS) as database:
        await database.execute("UPDATE links SET player_name = 'Zoë 🌳'")
    ended = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "bot", "data", "export", member_of(folder)],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "KIOSK_KEYS": KEY, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )

    assert json.loads(ended.stdout)["links"][0]["player_name"] == "Zoë 🌳"


@pytest.mark.parametrize(
    "arguments",
    [
        ("data", "backup", "new.db"),
        ("data", "restore", "nothing.db"),
        ("data", "move", "sqlite:///a.db", "sqlite:///b.db"),
        ("data", "compact"),
        ("data", "export", "5"),
        ("data", "erase", "5"),
        ("keys", "status"),
        ("keys", "rotate"),
    ],
)
def test_no_database_is_one_line(tmp_path: Path, run: Run, arguments: tuple[str, ...]) -> None:
    code, _, complaint = run(*arguments)

    assert code == 1
    assert complaint.strip().splitlines()[-1].count(" ") > 3
    assert not list(tmp_path.iterdir())
