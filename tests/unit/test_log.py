"""What is told in the log."""

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
