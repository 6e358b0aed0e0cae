"""Writes that were to go out before a moment that is over."""

import asyncio
import time

import aiohttp
import pytest

from bot.background import BackgroundTasks, utc_now
from bot.game import errors
from bot.game.client import Caller, GameClient
from bot.game.transport import open_write_session
from tests.support.game_samples import purchase
from tests.support.rogue_game import RogueGame, reply


async def test_a_write_whose_moment_is_over_is_not_sent(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    rogue.answers(reply(purchase(id=51)))

    with pytest.raises(errors.TooLate):
        await client.purchase(caller, 51, send_before=time.monotonic())
    with pytest.raises(errors.TooLate):
        await client.create_comment(caller, 1, "Hello!", send_before=time.monotonic())

    assert rogue.asked == []


async def test_a_write_that_is_not_connected_by_its_moment_is_not_sent(
    session: aiohttp.ClientSession, rogue: RogueGame, tasks: BackgroundTasks, caller: Caller
) -> None:
    rogue.answers(reply(purchase(id=51)))
    connected = asyncio.Event()

    async def wait(*_: object) -> None:
        await connected.wait()

    never = aiohttp.TraceConfig()
    never.on_connection_create_start.append(wait)
    never.freeze()
    async with open_write_session() as write_session:
        write_session.trace_configs.append(never)
        client = GameClient(
            session, rogue.base_url, tasks, now=utc_now, write_session=write_session
        )

        with pytest.raises(errors.TooLate):
            await client.purchase(caller, 51, send_before=time.monotonic() + 0.05)

    assert rogue.asked == []
