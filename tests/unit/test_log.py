"""What is told in the log."""

import json
import logging
import os
from pathlib import Path

import aiohttp
import discord
import pytest

from bot.log import configure_logging
from tests.support.cards import text_of
from tests.support.rogue_game import open_rogue_game, reply
from tests.support.world import open_world


@pytest.fixture(autouse=True)
def own_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the handlers of the tests as they were."""
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)


def test_that_no_events_and_no_voices_are_wanted_is_no_warning_and_others_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discord.VoiceClient, "warn_nacl", True)
    monkeypatch.setattr(discord.VoiceClient, "warn_dave", True)
    configure_logging("json", "INFO")

    discord.Client(intents=discord.Intents.none())
    logging.getLogger("discord.state").warning("something else")

    (told,) = capsys.readouterr().err.splitlines()
    assert "something else" in told


def test_a_network_that_fails_is_one_line_and_a_fault_of_a_library_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging("console", "INFO")
    log = logging.getLogger("discord.shard")

    log.error("Retrying...", exc_info=aiohttp.ClientConnectionError("cut\noff"))
    (line,) = capsys.readouterr().err.splitlines()
    assert "Retrying... cut off" in line
    log.error("Retrying...", exc_info=ZeroDivisionError())
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_line_about_a_path_that_is_not_utf_8_is_not_lost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging("json", "INFO")

    logging.getLogger("bot").critical("Kiosk can't run: %s", os.fsdecode(b"/M\xfcll/kiosk.db"))

    (line,) = capsys.readouterr().err.splitlines()
    assert "Kiosk can't run: /M\\udcfcll/kiosk.db" in line


@pytest.mark.parametrize("log_format", ["json", "console"])
async def test_a_reference_that_a_member_is_shown_is_in_the_log_at_every_level(
    log_format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(reply({"message": "Oh."}, status=500))
        configure_logging("json" if log_format == "json" else "console", "ERROR")
        card = await world.slash("forum read", thread="77")
        reference = text_of(card).rpartition("Reference: ")[2].strip(" *_-#`\n")
        server, member = world.guild.id, world.member.id

    (line,) = capsys.readouterr().err.splitlines()
    told = {
        "reference": reference,
        "command": "forum read",
        "method": "GET",
        "path": "/api/threads/77/comments?sort=latest&page=1",
        "status": 500,
        "server": server,
        "member": member,
    }
    if log_format == "json":
        assert told.items() <= json.loads(line).items()
    else:
        line = line.replace("'", "")
        assert all(f"{name}={value}" in line for name, value in told.items())


async def test_each_request_to_the_game_is_told_to_whoever_debugs_and_no_ordinary_mistake_to_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(reply({"message": "Not found."}, status=404))
        configure_logging("json", "DEBUG")
        await world.slash("forum read", thread="77")

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (asked,) = [line for line in lines if line["event"] == "asked the game"]
    assert (asked["method"], asked["status"]) == ("GET", 404)
    assert asked["path"] == "/api/threads/77/comments?sort=latest&page=1"
    assert asked["milliseconds"] >= 0
    (mistake,) = [line for line in lines if line.get("reference")]
    assert (mistake["level"], "exception" in mistake) == ("info", False)
