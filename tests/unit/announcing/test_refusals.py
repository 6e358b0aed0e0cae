"""Whether refusals are the servers' doing, or Discord's."""

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.domain.outbox import HELD_BACK
from bot.worker.pacing import Refusals
from bot.worker.verdicts import TryAgain
from tests.support.clock import ManualClock


def refusal(code: int = 50013) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=403, reason="Forbidden")
    return discord.Forbidden(response, {"code": code, "message": "no"})


async def end(refusals: Refusals, *, refused: bool) -> None:
    async with refusals.watched():
        if refused:
            raise refusal()


async def test_a_few_refusals_are_the_servers_own() -> None:
    refusals = Refusals(ManualClock().seconds)

    for _ in range(4):
        with pytest.raises(discord.Forbidden):
            await end(refusals, refused=True)


async def test_too_many_at_once_are_to_be_tried_again_until_they_are_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = ManualClock()
    refusals = Refusals(clock.seconds)
    for _ in range(90):
        await end(refusals, refused=False)
    for _ in range(4):
        with pytest.raises(discord.Forbidden):
            await end(refusals, refused=True)
    with pytest.raises(TryAgain, match=HELD_BACK):
        await end(refusals, refused=True)
    assert "that is Discord, not the servers" in caplog.text

    clock.advance(61)
    with pytest.raises(discord.Forbidden):
        await end(refusals, refused=True)


async def test_one_in_twenty_is_not_too_many() -> None:
    refusals = Refusals(ManualClock().seconds)
    for _ in range(200):
        await end(refusals, refused=False)

    for _ in range(10):
        with pytest.raises(discord.Forbidden):
            await end(refusals, refused=True)
