"""The bot's command line, as an operator types it and as it is documented."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from bot import __version__
from game_service.__main__ import arguments_of as arguments_of_the_game
from storage import MIGRATIONS
from storage.database import open_database
from storage.vault import new_key
from tests.support.bot_process import environment_of
from tests.support.databases import locked
from tests.support.discord_standin import open_discord
from tests.support.program import ROOT, Ended, Launcher, run_program
from tests.support.world import open_world


def kiosk(launcher: Launcher, folder: Path, *arguments: str, **settings: str) -> Ended:
    """Run a command in an empty folder with these settings and no others."""
    return launcher.run(["bot", *arguments], settings, folder)


def test_what_must_be_mended_is_a_line_each(launcher: Launcher, tmp_path: Path) -> None:
    wrong = {"KIOSK_KEYS": "too-short", "DATABASE_URL": "mysql://here", "POLL_INTERVAL": "5m"}
    log = {"LOG_FORMAT": "json", "LOG_LEVEL": "LOUD"}
    ended = kiosk(launcher, tmp_path, "run", GAME_TOKN="x", **log, **wrong)

    misspelt, *lines = [json.loads(line) for line in ended.err.splitlines()]
    assert misspelt["event"] == "GAME_TOKN: unknown setting. Did you mean GAME_TOKEN?"
    assert ended.status == 78
    told = {line["event"].split(": ")[1] for line in lines}
    assert told == {*wrong, "LOG_LEVEL", "DISCORD_TOKEN"}
    assert {(line["level"], line["exit_code"]) for line in lines} == {("critical", 78)}


def test_what_sets_nothing_is_a_line_and_harms_nothing(launcher: Launcher, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "SENTRY_DSN=https://key@sentry.example/1\nSHARD_IDS=0-7\nLOG_FORMAT=json\nDISCORD_TOKEN: x"
    )

    ended = kiosk(launcher, tmp_path, "run", LEASE_SECONDS="0")

    lines = [json.loads(line) for line in ended.err.splitlines()]
    assert lines.pop(0)["event"].startswith(f"{tmp_path}/.env:4: Kiosk can't read this line")
    assert [line["event"].partition(":")[0] for line in lines] == [
        "LEASE_SECONDS",
        "SENTRY_DSN",
        "SHARD_IDS",
        *["Kiosk can't run"] * 2,
    ]
    assert "isn't a setting any more. Remove it from .env" in lines[0]["event"]
    assert "DISCORD_TOKEN: missing" in lines[3]["event"]
    assert "KIOSK_KEYS: missing" in lines[4]["event"]
    checked = kiosk(launcher, tmp_path, "check").out
    assert f"FAULT  {tmp_path}/.env:4  Kiosk can't read this line, so it sets nothing" in checked
    assert re.search(r"^ok +SENTRY_DSN +isn't a setting any more", checked, re.MULTILINE)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("DISCORD_TOKEN", ""),
        ("DATABASE_URL", "sqlite:////nowhere/at/all.db"),
        ("GAME_BASE_URL", "http://game.example/api"),
    ],
)
def test_what_keeps_it_from_running_is_one_line(
    launcher: Launcher, tmp_path: Path, setting: str, value: str
) -> None:
    good = {"DISCORD_TOKEN": "x", "KIOSK_KEYS": new_key(), "GAME_BASE_URL": "http://127.0.0.1:9"}
    ended = kiosk(launcher, tmp_path, "run", **{**good, "LOG_LEVEL": "ERROR", setting: value})

    assert ended.status == 78
    assert f"Kiosk can't run: {setting}: " in ended.err
    assert ended.err.count("\n") == 1


async def test_a_locked_database_is_worth_a_restart(launcher: Launcher, tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'kiosk.db'}"
    good = {"DISCORD_TOKEN": "x", "KIOSK_KEYS": new_key(), "GAME_BASE_URL": "http://127.0.0.1:9"}
    async with open_database(address, MIGRATIONS):
        pass
    async with locked(address):
        ended = kiosk(launcher, tmp_path, "run", **good, DATABASE_URL=address)

    assert ended.status == 1
    assert "kiosk.db is locked by another program" in ended.err


def test_a_check_of_nothing_names_what_to_set(launcher: Launcher, tmp_path: Path) -> None:
    ended = kiosk(launcher, tmp_path, "check")

    assert ended.status == 1
    assert "FAULT  DISCORD_TOKEN            missing" in ended.out
    assert "FAULT  KIOSK_KEYS               missing. Add this database's keys" in ended.out
    assert "`python -m bot keys new`" in ended.out
    assert (
        "ok     GAME_BASE_URL            not set. `run` serves the demo game instead" in ended.out
    )
    assert not list(tmp_path.iterdir())


async def test_a_check_finds_a_key_that_does_not_fit(launcher: Launcher, tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.link(world.member, "demo-subscriber")
        url = world.settings.database_url

    fitting = world.settings.kiosk_keys[0].get_secret_value()
    good = kiosk(launcher, tmp_path, "check", DATABASE_URL=url, KIOSK_KEYS=fitting)
    bad = kiosk(launcher, tmp_path, "check", DATABASE_URL=url, KIOSK_KEYS=new_key())

    assert "ok     database" in good.out
    assert "KIOSK_KEYS               set" in good.out
    assert re.search(
        r"FAULT  KIOSK_KEYS +the key \w{8} is missing \(tokens: 1, texts: 0\)\. Add it back",
        bad.out,
    )


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


PAGES = [
    *(ROOT / page for page in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(ROOT / "docs").glob("*.md"),
    ROOT / ".env.example",
    ROOT / "deploy/kiosk.service",
]
# In code, or after the sign of a shell; a comment may follow.
COMMAND = re.compile(
    r"(?:`|^ *\$ )((?:python -m (?:bot|game_service|pip)|kiosk|make|docker)\b[^`\n#]*)",
    re.MULTILINE,
)
# The same commands in a container; what is said before its name is Docker's.
IN_DOCKER = re.compile(r"docker .*run --rm (?:--volume \S+ )?kiosk(?:-1)? (.+)")
# What stands for something of the operator's.
PLACES = {
    "URL": "http://127.0.0.1:9",
    "ID": "1",
    "FILE": "new.db",
    "MEMBER": "5",
    "postgresql://…": "sqlite:///there.db",
    ".": ".",
}
MISTYPED = 2


def documented(beginning: str) -> list[str]:
    found = {
        " ".join(command.split())
        for page in PAGES
        for command in COMMAND.findall(page.read_text(encoding="utf-8"))
    }
    return sorted(each for each in found if each.startswith(beginning))


def arguments_of(command: str, beginning: str) -> list[str]:
    return [PLACES.get(each, each) for each in shlex.split(command.removeprefix(beginning))]


@pytest.mark.parametrize(
    "command",
    sorted(
        {
            command.removeprefix(beginning)
            for beginning in ("python -m bot ", "kiosk ")
            for command in documented(beginning)
        }
        | {found[1] for each in documented("docker") if (found := IN_DOCKER.search(each))}
    ),
)
def test_a_command_of_the_bot_is_taken(launcher: Launcher, tmp_path: Path, command: str) -> None:
    ended = kiosk(launcher, tmp_path, *arguments_of(command, ""), LOG_LEVEL="too loud")

    assert ended.status != MISTYPED
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("command", documented("python -m game_service"))
def test_a_command_of_the_game_is_taken(command: str) -> None:
    arguments = arguments_of(command, "python -m game_service")
    with pytest.raises(SystemExit) if "--help" in arguments else nullcontext():
        arguments_of_the_game(arguments)


@pytest.mark.parametrize("command", documented("make"))
def test_a_target_of_make_is_there(command: str) -> None:
    ended = subprocess.run(
        ["make", "--dry-run", *shlex.split(command)[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    "command",
    [
        command
        for beginning in ("python -m pip", "docker build", "docker compose")
        for command in documented(beginning)
    ],
)
def test_what_is_installed_or_composed_from_a_file_has_that_file(command: str) -> None:
    words = shlex.split(command)
    files = [after for word, after in pairwise(words) if word in ("-r", "--file")]

    assert files
    assert all((ROOT / file).is_file() for file in files)


@pytest.mark.parametrize(
    "file", sorted(ROOT.glob("deploy/compose*.yaml")), ids=lambda file: file.name
)
def test_a_compose_file_says_the_same_as_the_documents(file: Path) -> None:
    told = re.findall(r"^# +(docker compose .*)", file.read_text(encoding="utf-8"), re.MULTILINE)

    assert told
    assert {*told} <= {*documented("docker compose")}


async def test_the_link_names_this_application(launcher: Launcher, tmp_path: Path) -> None:
    async with open_discord() as discord:
        environment = environment_of(discord, "http://127.0.0.1:9", tmp_path)
        async with run_program(launcher, ["bot", "invite"], environment, tmp_path) as told:
            assert await told.ended() == 0
        wrong = environment | {"DISCORD_TOKEN": "wrong"}
        async with run_program(launcher, ["bot", "invite"], wrong, tmp_path) as refused:
            assert await refused.ended() == 1

    link = told.output.splitlines()[-1]
    asked = parse_qs(urlsplit(link).query)
    assert asked["client_id"] == [str(discord.state.application_id)]
    assert asked["scope"] == ["bot applications.commands"]
    send_messages, manage_server = 1 << 11, 1 << 5
    assert int(asked["permissions"][0]) & send_messages
    assert not int(asked["permissions"][0]) & manage_server
    assert refused.output.splitlines()[-1].startswith("DISCORD_TOKEN: Discord refuses it")


@pytest.mark.parametrize("command", [["--version"], ["run", "--help"]])
def test_inviting_needs_no_settings(launcher: Launcher, tmp_path: Path, command: list[str]) -> None:
    ended = launcher.run(["bot", *command], {}, tmp_path)
    assert ended.status == 0
    assert command != ["--version"] or ended.out == f"kiosk {__version__}\n"


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
async def test_it_ends_cleanly(launcher: Launcher, tmp_path: Path, sign: signal.Signals) -> None:
    kept = {"TMPDIR": str(tmp_path)}
    async with run_program(launcher, ["playground"], kept, tmp_path) as program:
        await program.says("Nothing is saved")
        assert os.listdir(tmp_path)  # noqa: PTH208 - for a moment
        program.send(sign)
        assert await program.ended() == 0

    assert "http://127.0.0.1:" in program.output
    assert "Traceback" not in program.output
    assert not os.listdir(tmp_path)  # noqa: PTH208 - for a moment


def test_a_port_that_is_taken_is_one_line(launcher: Launcher, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = launcher.run(["playground", "--port", port], {}, tmp_path)

    assert ended.status == 1
    assert ended.err.strip() == f"playground: preview could not bind port {port}"
