"""The client inside a bot on the simulated Discord, whose clock stands still during a command."""

from collections.abc import AsyncGenerator
from typing import Any

import discord
import pytest
import simcord
from discord.ext import commands

from bot.game import errors
from bot.game.client import GameClient
from tests.contract.conftest import IMPATIENT, impatient
from tests.support.game_samples import comment, page
from tests.support.rogue_game import RogueGame, cut, cut_short, reply, silence

CALLS = 200


class Reader(commands.Bot):
    """A bot of one command, which reads a thread and says what it found."""

    def __init__(self, client: GameClient) -> None:
        super().__init__("!", intents=discord.Intents(guilds=True))
        self.client = client

    async def setup_hook(self) -> None:
        async def read(interaction: discord.Interaction, thread: int) -> None:
            await interaction.response.defer()
            try:
                comments = await self.client.list_comments(thread)
                text = comments.entries[0].content
            except errors.GameError as error:
                text = type(error).__name__
            await interaction.followup.send(text)

        self.tree.command(name="read", description="Read")(read)
        await self.tree.sync()


def said(result: simcord.InteractionResult) -> str:
    assert result.response is not None
    return result.response.content


@pytest.fixture
async def simulated(client: GameClient) -> AsyncGenerator[simcord.Env]:
    # The pause after each action that simcord makes by default would be most of the test.
    settle: Any = simcord.Env._settle_internal  # pyright: ignore[reportPrivateUsage]  # no setting
    settle.__kwdefaults__["idle"] = 0.001
    env = simcord.Env(Reader(client))
    await env.start()
    yield env
    await env.shutdown()
    env.raise_errors()


async def test_hundreds_of_calls_with_faults_between_them_all_come_back_right(
    simulated: simcord.Env, rogue: RogueGame
) -> None:
    faults = [cut, cut_short(), reply(status=502), reply(status=429)]
    for call in range(CALLS):
        rogue.replies += [faults[call % 4]] if call % 5 == 0 else []
        rogue.replies.append(reply(page(comment(content=f"text {call}"))))
    guild = simulated.create_guild()
    channel = guild.create_text_channel("general")
    ann = guild.add_member(simulated.create_user("ann"))

    found: list[str] = []
    for call in range(CALLS):
        result = await ann.slash(channel, "read", thread=call)
        found.append(said(result))

    assert found == [f"text {call}" for call in range(CALLS)]
    assert len(rogue.asked) == CALLS + CALLS // 5
    # Half of the faults leave the connection usable, and it is used again.
    assert rogue.connections == 1 + CALLS // 10


@impatient
async def test_a_silent_game_ends_in_a_sentence(simulated: simcord.Env, rogue: RogueGame) -> None:
    rogue.answers(silence)
    guild = simulated.create_guild()
    channel = guild.create_text_channel("general")
    ann = guild.add_member(simulated.create_user("ann"))

    result = await ann.slash(channel, "read", thread=1)

    assert said(result) == "Timeout"
    assert len(rogue.asked) == IMPATIENT.attempts
