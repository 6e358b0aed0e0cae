"""Writes that were to go out before a moment that is over."""

import time

import aiohttp
import pytest

from bot.background import BackgroundTasks
from bot.clock import utc_now
from bot.game import errors, wire
from bot.game.client import Caller, GameClient
from bot.game.wire import open_write_session
from tests.support.game_samples import purchase
from tests.support.rogue_game import (
    RogueGame,
    reply,
)


class Clock:
    """Stands in for `time` where what was late is not sent; a second is one connection."""

    def __init__(self) -> None:
        self.now = time.monotonic()

    def monotonic(self) -> float:
        return self.now

    async def pass_a_second(self, *_: object) -> None:
        self.now += 1.0


@pytest.mark.parametrize("seconds", [0.0, 0.5])
async def test_a_write_whose_moment_is_over_is_not_sent(
    session: aiohttp.ClientSession,
    rogue: RogueGame,
    tasks: BackgroundTasks,
    caller: Caller,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
) -> None:
    rogue.answers(reply(purchase(id=51)))
    clock = Clock()
    monkeypatch.setattr(wire, "time", clock)
    slow = aiohttp.TraceConfig()
    slow.on_connection_create_start.append(clock.pass_a_second)
    slow.freeze()
    async with open_write_session() as write_session:
        write_session.trace_configs.insert(0, slow)
        client = GameClient(
            session, rogue.base_url, tasks, now=utc_now, write_session=write_session
        )

        with pytest.raises(errors.TooLate):
            await client.purchase(caller, 51, send_before=clock.now + seconds)
        with pytest.raises(errors.TooLate):
            await client.create_comment(caller, 1, "Hello!", send_before=clock.now)

    assert rogue.asked == []
