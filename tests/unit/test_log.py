"""What is told in the log."""

import json
import logging

import discord
import pytest

from bot.log import configure_logging


def test_that_no_events_are_asked_for_is_no_warning_and_others_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    configure_logging("json", "INFO")

    discord.Client(intents=discord.Intents.none())
    logging.getLogger("discord.state").warning("something else")

    told = capsys.readouterr().err
    assert "intent" not in told
    assert "something else" in told


def test_each_record_is_one_json_object_whatever_was_typed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    configure_logging("json", "INFO")

    try:
        raise ValueError("no\nsuch thing")
    except ValueError:
        logging.getLogger("a.place").exception("it says %s", "half a \ud83e\nand more")

    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert told["event"] == "it says half a \ud83e\nand more"
    assert (told["level"], told["logger"]) == ("error", "a.place")
    assert "ValueError: no\nsuch thing" in told["exception"]
