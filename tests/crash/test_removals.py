"""Moderators remove comments from public messages, however often the bot is killed meanwhile."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from storage.shown import ShownComment
from storage.vault import Vault
from tests.crash.rounds import IS_SOAK, ON_ONE_ENGINE, SEED, random_lines
from tests.crash.town import BOT_FOLDERS
from tests.support.bot_process import (
    KEY,
    BotProcess,
    environment_of,
    let_claims_end,
    quick_bot,
    run_bot,
)
from tests.support.databases import address_at
from tests.support.discord_standin import Discord, Message
from tests.support.discord_standin.objects import new_id
from tests.support.discord_standin.state import Asked
from tests.support.gates import PATIENCE_SECONDS, Happenings
from tests.support.message_states import states_outside
from tests.support.moderating import COMMENT, REMOVAL, Bench, open_bench
from tests.support.program import NEVER, Launcher, Program, run_program
from tests.support.shown import claim

NO_GAME = "http://127.0.0.1:9"
ROUNDS = 30 if IS_SOAK else 1
OTHER = 1


@dataclass
class Wall:
    """A server's channels full of public messages that show comments."""

    discord: Discord
    bench: Bench
    launcher: Launcher
    folder: Path

    async def post(self, channel_id: int, *comments: int, is_lost: bool = False) -> Message:
        """Post a message, and keep what it shows; its id may be lost in a crash."""
        state = self.discord.state
        texts = [{"type": 10, "content": f"Text of {comment}."} for comment in comments]
        body = {"flags": 1 << 15, "components": [{"type": 17, "components": texts}]}
        message = Message(channel_id, state.bot_user(), body, new_id())
        shown = [ShownComment(comment, 70) for comment in comments]
        shown_id = await claim(self.bench.shown, state.guild_id, channel_id, shown)
        assert shown_id is not None
        state.messages.append(message)
        if not is_lost:
            await self.bench.shown.complete(shown_id, message.id, state.guild_id)
        return message

    def on_show(self, comment_id: int) -> list[str]:
        """Give what still shows a comment."""
        messages = [message for message in self.discord.state.messages if not message.is_private]
        return [each.text for each in messages if f"Text of {comment_id}." in each.text]

    async def settled(self) -> None:
        """Wait until it is written down that nothing is owed any more."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await self.bench.database.fetch(
                "SELECT 1 FROM messages WHERE due_at IS NOT NULL"
            ):
                pass

    @asynccontextmanager
    async def worker(self) -> AsyncGenerator[Program]:
        """Run a bot that no one asks anything. Gives it as soon as it starts."""
        environment = environment_of(self.discord, NO_GAME, self.folder)
        async with run_program(self.launcher, quick_bot(), environment, self.folder) as one:
            yield one
        await let_claims_end(environment["DATABASE_URL"], one)


@pytest.fixture
async def wall(launcher: Launcher, discord: Discord, tmp_path: Path) -> AsyncGenerator[Wall]:
    vault = Vault([SecretStr(KEY)])
    async with open_bench(address_at(tmp_path / "kiosk.db"), vault) as bench:
        yield Wall(discord, bench, launcher, tmp_path)
        assert not await states_outside(bench.database)


async def is_recorded(wall: Wall, comment_id: int) -> bool:
    return (await wall.bench.removals.hidden(wall.discord.state.guild_id)).hides(comment_id, None)


@ON_ONE_ENGINE
@pytest.mark.usefixtures("on_both_engines")
async def test_a_removal_killed_at_any_line_is_completed_or_undone(wall: Wall) -> None:
    discord, state = wall.discord, wall.discord.state
    moderator, log = discord.add_member("moderator"), state.add_channel()
    channels = [state.add_channel() for _ in range(3)]
    await wall.bench.settings.change(state.guild_id, log_channel_id=log)
    recorded: list[int] = []

    def is_done() -> bool:
        cards = [message.text for message in state.messages if message.channel_id == log]
        done = [text for text in cards if "2 of 3" in text and "lost track of" in text]
        # One of each has no number.
        are_gone = all(len(wall.on_show(number)) == 1 for number in recorded)
        return len(done) == len(recorded) and are_gone

    async def done() -> None:
        try:
            await state.asked.until(is_done)
        except TimeoutError as error:
            left = await wall.bench.database.fetch(
                "SELECT key, state, attempts, reason FROM messages ORDER BY id DESC LIMIT 12"
            )
            cards = [message.text for message in state.messages if message.channel_id == log]
            error.add_note(f"KIOSK_SEED={SEED}, {[tuple(row) for row in left]}, {cards[-2:]}")
            raise

    async def remove(bot: BotProcess, comment_id: int, line: int) -> None:
        await wall.post(channels[0], comment_id, OTHER)
        await wall.post(channels[1], comment_id)
        await wall.post(channels[2], comment_id, is_lost=True)
        await bot.program.arm(line, BOT_FOLDERS)
        await discord.slash(moderator, "moderate remove", comment=str(comment_id), reason="Insults")

    async with run_bot(wall.launcher, discord, NO_GAME, wall.folder) as bot:
        recorded.append(10)
        await remove(bot, 10, NEVER)
        await done()
        lines = await bot.program.count()
        await bot.program.stop()
    for comment_id, line in enumerate(random_lines(lines, ROUNDS), start=11):
        async with run_bot(wall.launcher, discord, NO_GAME, wall.folder) as bot:
            await done()
            await remove(bot, comment_id, line)
            await bot.program.ended()
        if await is_recorded(wall, comment_id):
            recorded.append(comment_id)
        else:
            assert len(wall.on_show(comment_id)) == 3
    async with run_bot(wall.launcher, discord, NO_GAME, wall.folder) as bot:
        await done()
        await wall.settled()


@pytest.mark.parametrize(
    ("channels", "each"), [(2, 2), pytest.param(20, 100, marks=pytest.mark.soak)]
)
async def test_a_restart_deletes_all_that_is_left(wall: Wall, channels: int, each: int) -> None:
    state, bench = wall.discord.state, wall.bench
    for channel_id in [state.add_channel() for _ in range(channels)]:
        for _ in range(each):
            await wall.post(channel_id, COMMENT, OTHER)
    removal = await bench.removals.add(replace(REMOVAL, guild_id=state.guild_id))
    assert await is_recorded(wall, COMMENT)

    count = channels * each
    async with wall.worker() as worker:
        await until(state.asked, lambda: len(wall.on_show(COMMENT)) <= count // 2)
        await worker.kill()
    async with wall.worker():
        await until(state.asked, lambda: not wall.on_show(COMMENT))
        await wall.settled()

    assert (await bench.shown.progress(removal.id)).done == count


async def until(asked: Happenings[Asked], condition: Callable[[], bool]) -> None:
    """Wait as long as something is still asked."""
    while not condition():
        count = len(asked.past)
        await asked.first(lambda _: True, since=count)
