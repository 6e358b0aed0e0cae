"""Each command in the docs is run here, or shown to be there where it can't be run."""

import re
import shlex
import subprocess
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

import pytest

from game_service.__main__ import arguments_of as arguments_of_the_game
from storage.vault import new_key
from tests.support.program import ROOT, Launcher

PAGES = [
    *(ROOT / page for page in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(ROOT / "docs").glob("*.md"),
    ROOT / ".env.example",
    ROOT / "deploy/kiosk.service",
]
# In code, or after the sign of a shell; a comment may follow.
COMMAND = re.compile(
    r"(?:`|^ *\$ )((?:python -m (?:bot|game_service|pip)|kiosk|make|docker compose)\b[^`\n#]*)",
    re.MULTILINE,
)
# What stands for something of the operator's.
PLACES = {"FILE": "new.db", "MEMBER": "5", "postgresql://…": "sqlite:///there.db", ".": "."}
MISTYPED = 2
TO_MEND = 78


def documented(beginning: str) -> list[str]:
    found = {
        " ".join(command.split())
        for page in PAGES
        for command in COMMAND.findall(page.read_text(encoding="utf-8"))
    }
    return sorted(each for each in found if each.startswith(beginning))


def arguments_of(command: str, beginning: str) -> list[str]:
    return [PLACES.get(each, each) for each in shlex.split(command.removeprefix(beginning))]


@pytest.mark.parametrize("command", documented("python -m bot"))
def test_a_command_of_the_bot_is_taken(command: str, launcher: Launcher, tmp_path: Path) -> None:
    arguments = arguments_of(command, "python -m bot")
    if arguments:
        ended = launcher.run(["bot", *arguments], {"KIOSK_KEYS": new_key()}, tmp_path)

        if arguments[0] in ("run", "gateway", "worker"):
            # Without other settings they say what is missing.
            assert ended.status == TO_MEND
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


@pytest.mark.parametrize("command", documented("python -m pip") + documented("docker compose"))
def test_what_is_installed_or_composed_from_a_file_has_that_file(command: str) -> None:
    words = shlex.split(command)
    files = [after for word, after in pairwise(words) if word in ("-r", "--file")]

    assert files
    assert all((ROOT / file).is_file() for file in files)
