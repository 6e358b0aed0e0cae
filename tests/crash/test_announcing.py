"""A worker is killed while it looks and announces: every item is told once in every channel."""

import os
import re
import signal
from collections import Counter
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.app import open_bot
from bot.game.models import PageKey
from cogs.replies.service import ReplyService
from game_service.app import Service
from game_service.comments import add_comment
from game_service.times import to_microseconds, utc_now
from storage.names import PlaceKind
from tests.crash.rounds import IS_SOAK, ON_ONE_ENGINE, SEED, random_lines
from tests.crash.town import BOT_FOLDERS
from tests.support.announcing import catalog_in
from tests.support.databases import address_at, run_beside
from tests.support.discord_standin import Discord
from tests.support.game import open_game_copy
from tests.support.message_states import assert_states_are_described
from tests.support.program import NEVER, Launcher, run_program
from tests.support.rogue_game import RogueShop, item
from tests.support.world import KEY, settings_for

ROUNDS = 50 if IS_SOAK else 1
TEXT, NEWS = 0, 5
MEMBER = 4242
THREAD = 3


async def run_worker(
    launcher: Launcher, environment: dict[str, str], folder: Path, line: int, what: str
) -> int:
    """Let a worker look and tell, or die at a line; gives the lines it had, 0 if it died."""
    worker = ["tests.support.worker_process", what]
    async with run_program(launcher, worker, environment, folder) as program:
        await program.says("ready")
        await program.arm(line, BOT_FOLDERS)
        os.kill(program.pid, signal.SIGUSR2)
        if await program.died_before("done"):
            return 0
        return await program.count()


def environment_of(discord: Discord, folder: Path, game_url: str) -> dict[str, str]:
    return {
        "STANDIN_API": discord.state.api_url,
        "STANDIN_GATEWAY": discord.state.gateway_url,
        "DISCORD_TOKEN": discord.state.token,
        "DATABASE_URL": address_at(folder / "kiosk.db"),
        "KIOSK_KEYS": KEY,
        "GAME_BASE_URL": game_url,
        "GAME_TOKEN": "the-operators",
        "PYTHONPATH": str(Path.cwd()),
    }


@ON_ONE_ENGINE
@pytest.mark.usefixtures("on_both_engines")
async def test_killed_at_any_line_it_has_told_every_item_once_in_every_channel(
    launcher: Launcher, discord: Discord, shop: RogueShop, tmp_path: Path
) -> None:
    state = discord.state
    state.limits.per_channel = 1000
    channels = [state.add_channel() for _ in range(2)]
    environment = environment_of(discord, tmp_path, shop.base_url)
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
    lines = await run_worker(launcher, environment, tmp_path, NEVER, "announcing")
    killed = 0
    for line in random_lines(lines, ROUNDS):
        stock()
        killed += not await run_worker(launcher, environment, tmp_path, line, "announcing")
        # What is left would have the next one die before it announces anything.
        await run_worker(launcher, environment, tmp_path, NEVER, "announcing")

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
    assert_states_are_described(environment["DATABASE_URL"])


@ON_ONE_ENGINE
@pytest.mark.usefixtures("on_both_engines")
async def test_killed_at_any_line_it_has_told_of_every_reply_once(
    launcher: Launcher, discord: Discord, demo: str, tmp_path: Path
) -> None:
    async with open_game_copy(demo, tmp_path) as game:
        environment = environment_of(discord, tmp_path, game.base_url)
        settings = settings_for(tmp_path, game.base_url)
        own_id = await comment_in(game, None, "My own")
        async with open_bot(settings) as bot:
            near = PageKey(THREAD)
            page = await bot.features.threads.client.list_comments(THREAD)
            (own,) = (entry for entry in page.entries if entry.id == own_id)
            member_id = discord.add_member("ada").id
            features = bot.features
            service = ReplyService(bot.core.client, features.accounts, features.watching)
            await service.watch_replies(member_id, near, [own], None, "en-US")
            assert await bot.features.poller.poll(PlaceKind.THREAD, THREAD)
        told: list[int] = []

        async def reply() -> None:
            told.append(len(told))
            await comment_in(game, own_id, f"Reply number {told[-1]}")
            # One message an hour.
            run_beside(
                environment["DATABASE_URL"],
                "UPDATE messages SET settled_at = settled_at - :hour",
                hour=3_600_000_000,
            )

        await reply()
        lines = await run_worker(launcher, environment, tmp_path, NEVER, "replies")
        killed = 0
        for line in random_lines(lines, ROUNDS):
            await reply()
            killed += not await run_worker(launcher, environment, tmp_path, line, "replies")
            await run_worker(launcher, environment, tmp_path, NEVER, "replies")

    assert killed > ROUNDS / 2 or not IS_SOAK
    texts = [message.text for message in discord.state.messages]
    found = Counter(int(number) for text in texts for number in re.findall(r"number (\d+)", text))
    assert found == Counter(told), f"KIOSK_SEED={SEED}"
    assert_states_are_described(environment["DATABASE_URL"])


async def comment_in(game: Service, parent_id: int | None, text: str) -> int:
    async with game.database.transaction() as transaction:
        created_at = to_microseconds(utc_now())
        written = await add_comment(
            transaction, THREAD, 1, text, created_at=created_at, parent_id=parent_id
        )
    return int(written["id"])
