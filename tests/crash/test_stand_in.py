"""The stand-in says no where Discord would, so that a bot can't lean on its kindness."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
from aiohttp import WSMsgType

from tests.support.discord_standin import Discord, Exchange
from tests.support.discord_standin.gateway import DISPATCH, IDENTIFY, INVALID_SESSION, Shard

CARD = {"type": 4, "data": {"content": "Hello"}}
THINKING = {"type": 5, "data": {"flags": 64}}


@dataclass
class Bot:
    """A bot made of bare requests; each gives the status and Discord's number for the reason."""

    discord: Discord
    session: aiohttp.ClientSession

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        async with self.session.request(
            method, self.discord.state.api_url + path, json=body
        ) as response:
            return response.status, await response.json() if response.status != 204 else None

    async def refused(self, method: str, path: str, body: Any = None) -> tuple[int, int]:
        status, answer = await self.ask(method, path, body)
        return status, answer["code"]

    async def call_back(self, exchange: Exchange, body: Any) -> tuple[int, Any]:
        return await self.ask("POST", _callback(exchange), body)


def _callback(exchange: Exchange) -> str:
    return f"/interactions/{exchange.id}/{exchange.token}/callback"


def _original(bot: Bot, exchange: Exchange) -> str:
    return f"/webhooks/{bot.discord.state.application_id}/{exchange.token}/messages/@original"


@pytest.fixture
async def bot(discord: Discord) -> AsyncGenerator[Bot]:
    headers = {"Authorization": f"Bot {discord.state.token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.ws_connect(discord.state.gateway_url) as socket,
    ):
        await socket.send_json({"op": IDENTIFY, "d": {"token": discord.state.token}})
        await discord.state.gateway.sessions.first(lambda _: True)
        yield Bot(discord, session)


@pytest.fixture
async def exchange(bot: Bot) -> Exchange:
    """A command that waits for its answer."""
    command = {"name": "help", "description": "Help"}
    application = bot.discord.state.application_id
    await bot.ask("PUT", f"/applications/{application}/commands", [command])
    return await bot.discord.slash(bot.discord.add_member("ada"), "help")


async def test_an_interaction_is_answered_once(bot: Bot, exchange: Exchange) -> None:
    assert (await bot.call_back(exchange, CARD))[0] == 200

    assert await bot.refused("POST", _callback(exchange), CARD) == (400, 40060)
    assert (await exchange.answer()).text == "Hello"


async def test_a_thinking_answer_says_nothing_until_it_is_edited(
    bot: Bot, exchange: Exchange
) -> None:
    assert await bot.refused("PATCH", _original(bot, exchange), {}) == (404, 10015)
    await bot.call_back(exchange, THINKING)
    assert not exchange.messages

    await bot.ask("PATCH", _original(bot, exchange), {"content": "Done"})

    answer = await exchange.answer()
    assert answer.text == "Done"
    assert answer.is_private


async def test_a_token_dies_after_its_time(bot: Bot, exchange: Exchange) -> None:
    await bot.call_back(exchange, THINKING)
    bot.discord.let_tokens_die()

    assert await bot.refused("PATCH", _original(bot, exchange), {}) == (401, 50027)
    assert await bot.refused("POST", _callback(exchange), CARD) == (404, 10062)


async def test_an_enforced_nonce_sends_a_direct_message_once(bot: Bot, exchange: Exchange) -> None:
    recipient = {"recipient_id": str(exchange.member.id)}
    _, channel = await bot.ask("POST", "/users/@me/channels", recipient)
    message = {"content": "News", "nonce": "7", "enforce_nonce": True}

    first, again = [
        (await bot.ask("POST", f"/channels/{channel['id']}/messages", message))[1]["id"]
        for _ in range(2)
    ]

    assert first == again
    assert len(bot.discord.direct_messages(exchange.member)) == 1


async def test_who_takes_no_direct_messages_gets_none(bot: Bot) -> None:
    closed = bot.discord.add_member("eve", takes_direct_messages=False)
    _, channel = await bot.ask("POST", "/users/@me/channels", {"recipient_id": str(closed.id)})

    refusal = await bot.refused("POST", f"/channels/{channel['id']}/messages", {"content": "News"})

    assert refusal == (403, 50007)


async def test_a_wrong_token_is_refused(bot: Bot) -> None:
    async with aiohttp.ClientSession(headers={"Authorization": "Bot wrong"}) as session:
        stranger = Bot(bot.discord, session)
        assert (await stranger.refused("GET", "/users/@me"))[0] == 401


async def test_a_channel_takes_five_messages_in_five_seconds(bot: Bot) -> None:
    bot.discord.state.limits.now = lambda: 7.0
    path = f"/channels/{bot.discord.state.channel_id}/messages"
    taken = [(await bot.ask("POST", path, {"content": str(n)}))[0] for n in range(5)]

    status, answer = await bot.ask("POST", path, {"content": "too many"})

    assert taken == [200] * 5
    assert (status, answer["global"]) == (429, False)
    assert 0 < answer["retry_after"] <= 5
    assert bot.discord.state.limits.invalid == 1


async def test_a_bot_may_ask_fifty_times_a_second(bot: Bot) -> None:
    bot.discord.state.limits.now = lambda: 7.0
    statuses = [(await bot.ask("GET", "/users/@me"))[0] for _ in range(51)]

    assert statuses == [200] * 50 + [429]


async def test_a_nonce_is_forgotten_after_minutes_and_a_deleted_message_is_not_there(
    bot: Bot,
) -> None:
    now = 7.0
    bot.discord.state.limits.now = lambda: now
    path = f"/channels/{bot.discord.state.channel_id}/messages"
    message = {"content": "News", "nonce": "7", "enforce_nonce": True}
    _, first = await bot.ask("POST", path, message)
    await bot.ask("DELETE", f"{path}/{first['id']}", {})
    assert await bot.refused("POST", path, message) == (404, 10008)

    now += 121
    status, second = await bot.ask("POST", path, message)

    assert status == 200
    assert second["id"] != first["id"]


async def closing_code(discord: Discord, session: aiohttp.ClientSession, shard: Shard) -> Any:
    """Identify; gives the code of what comes first, or that with which the gateway closes."""
    async with session.ws_connect(discord.state.gateway_url) as socket:
        await socket.receive_json()
        identify = {"token": discord.state.token, "shard": shard}
        await socket.send_json({"op": IDENTIFY, "d": identify})
        answer = await socket.receive()
        return socket.close_code if answer.type is WSMsgType.CLOSE else answer.json()["op"]


async def test_shards_identify_one_after_the_other_in_each_bucket(discord: Discord) -> None:
    limits = discord.state.gateway.limits
    limits.max_concurrency, limits.window = 2, 3600
    async with aiohttp.ClientSession() as session:
        codes = [await closing_code(discord, session, (shard, 4)) for shard in (0, 1, 2)]

    assert codes == [DISPATCH, DISPATCH, INVALID_SESSION]
    assert discord.state.gateway.too_soon == [(2, 4)]
    assert limits.remaining == 997


async def test_a_shard_that_can_not_be_is_refused(discord: Discord) -> None:
    async with aiohttp.ClientSession() as session:
        assert await closing_code(discord, session, (4, 4)) == 4010


async def test_a_server_is_heard_of_on_its_own_shard(discord: Discord) -> None:
    server = discord.add_server((1, 4))
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(discord.state.gateway_url) as socket,
    ):
        identify = {"token": discord.state.token, "shard": (1, 4)}
        await socket.receive_json()
        await socket.send_json({"op": IDENTIFY, "d": identify})
        await discord.state.gateway.sessions.first(lambda _: True)

        assert len(discord.state.gateway.listening(server)) == 1
        assert not discord.state.gateway.listening(discord.add_server((2, 4)))
