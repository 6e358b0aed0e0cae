"""A worker is killed while it looks and announces: every item is told once in every channel."""

import os
import re
import signal
from collections import Counter
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.app import open_bot
from storage.names import PlaceKind
from tests.crash.rounds import IS_SOAK, ON_ONE_ENGINE, SEED, random_lines
from tests.crash.town import BOT_FOLDERS
from tests.support.announcing import catalog_in
from tests.support.databases import address_at
from tests.support.discord_standin import Discord
from tests.support.program import NEVER, Launcher, run_program
from tests.support.rogue_game import RogueShop, item
from tests.support.world import KEY, settings_for

ROUNDS = 50 if IS_SOAK else 1
WORKER = ["tests.support.worker_process", "announcing"]
TEXT, NEWS = 0, 5
MEMBER = 4242


async def run_worker(
    launcher: Launcher, environment: dict[str, str], folder: Path, line: int
) -> int:
    """Let a worker look and announce, or die at a line; gives the lines it had, 0 if it died."""
    async with run_program(launcher, WORKER, environment, folder) as program:
        await program.says("ready")
        await program.arm(line, BOT_FOLDERS)
        os.kill(program.pid, signal.SIGUSR2)
        if await program.died_before("done"):
            return 0
        return await program.count()


@ON_ONE_ENGINE
@pytest.mark.usefixtures("on_both_engines")
async def test_killed_at_any_line_it_has_told_every_item_once_in_every_channel(
    launcher: Launcher, discord: Discord, shop: RogueShop, tmp_path: Path
) -> None:
    state = discord.state
    state.limits.per_channel = 1000
    channels = [state.add_channel() for _ in range(2)]
    environment = {
        "STANDIN_API": state.api_url,
        "STANDIN_GATEWAY": state.gateway_url,
        "DISCORD_TOKEN": state.token,
        "DATABASE_URL": address_at(tmp_path / "kiosk.db"),
        "KIOSK_KEYS": KEY,
        "GAME_BASE_URL": shop.base_url,
        "GAME_TOKEN": "the-operators",
        "PYTHONPATH": str(Path.cwd()),
    }
    async with open_bot(settings_for(tmp_path, shop.base_url)) as bot:
        for channel, kind in zip(channels, (TEXT, NEWS), strict=True):
            await bot.features.announcing.add(
                catalog_in(state.guild_id, channel, channel_kind=kind)
            )
        await bot.features.accounts.link(MEMBER, SecretStr("a-token"), [1])
        assert await bot.features.poller.poll(PlaceKind.CATALOG, 1)
    told: list[int] = []

    def stock() -> None:
        told.append(100 + len(told))
        shop.items.insert(0, item(told[-1]))

    stock()
    lines = await run_worker(launcher, environment, tmp_path, NEVER)
    killed = 0
    for line in random_lines(lines, ROUNDS):
        stock()
        killed += not await run_worker(launcher, environment, tmp_path, line)
        # What is left would have the next one die before it announces anything.
        await run_worker(launcher, environment, tmp_path, NEVER)

    where = f"KIOSK_SEED={SEED}"
    assert killed > ROUNDS / 2 or not IS_SOAK
    for channel in channels:
        texts = [message.text for message in state.messages if message.channel_id == channel]
        found = Counter(
            int(number) for text in texts for number in set(re.findall(r"Hat number (\d+)", text))
        )
        assert found == Counter(told), where
    published = [message.id for message in state.messages if message.channel_id == channels[1]]
    assert set(state.published) == set(published), where
