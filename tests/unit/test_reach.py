"""Whether Discord can be reached is known by what it answers, and asked only while it is silent."""

import asyncio

import aiohttp
import pytest
from discord.http import HTTPClient, Route

from bot.program import reach as program_reach
from bot.program.reach import Reach
from tests.support.discord_standin import open_discord
from tests.support.faulty_proxy import open_proxy
from tests.support.gates import PATIENCE_SECONDS


async def test_discord_is_lost_from_an_unanswered_request_to_its_next_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("_LOST_AFTER", "_BETWEEN_LOOKS"):
        monkeypatch.setattr(program_reach, name, 0.0)
    async with open_discord() as discord, open_proxy(discord.state.api_url) as proxy:
        monkeypatch.setattr(Route, "BASE", proxy.base_url)
        reach = Reach()
        http = HTTPClient(asyncio.get_running_loop(), http_trace=reach.trace)
        await http.static_login(discord.state.token)
        assert not reach.is_lost

        async with proxy.closed():
            with pytest.raises(aiohttp.ClientConnectorError):
                await http.request(Route("GET", "/gateway/bot"))
            assert reach.is_lost
        keeping = asyncio.create_task(reach.keep(http))
        await proxy.forwarded.first(lambda passing: passing.path.endswith("/gateway"))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while reach.is_lost:  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0)

        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        await http.close()
