"""A worker is killed while it sends: the next one leaves nothing out, and sends nothing twice."""

import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.clock import utc_now
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.messages import Messages, MessageState, NewMessage, Priority
from tests.crash.rounds import IS_SOAK, SEED, random_lines
from tests.crash.town import BOT_FOLDERS
from tests.support.databases import address_at
from tests.support.discord_standin import Discord
from tests.support.program import NEVER, Launcher, Program, run_program

ROUNDS = 100 if IS_SOAK else 4
SENDER = "tests.support.sending_process"


@dataclass
class Sending:
    """An outbox, and one worker after the other that carries it out."""

    launcher: Launcher
    discord: Discord
    database: Database
    folder: Path
    keys: list[str] = field(default_factory=list[str])

    async def owe_some(self) -> None:
        """Owe two messages to one channel, one to another, and one to a member."""
        channel, other = (self.discord.state.add_channel() for _ in range(2))
        member = self.discord.add_member("somebody")
        number = len(self.keys)
        keys = [f"message {number + n}" for n in range(4)]
        self.keys += keys
        post, direct = Priority.LIVE_POST, Priority.DIRECT_MESSAGE
        owed = [NewMessage("post", key, post, channel_id=channel) for key in keys[:2]]
        owed.append(NewMessage("post", keys[2], post, channel_id=other))
        owed.append(NewMessage("post", keys[3], direct, member_id=member.id))
        async with self.database.transaction() as transaction:
            await Messages(self.database, utc_now).want(transaction, *owed)

    @asynccontextmanager
    async def worker(self, line: int) -> AsyncGenerator[Program]:
        """Let a worker begin to send, and die at a line."""
        environment = {
            "STANDIN_API": self.discord.state.api_url,
            "STANDIN_GATEWAY": self.discord.state.gateway_url,
            "DISCORD_TOKEN": self.discord.state.token,
            "DATABASE_URL": address_at(self.folder / "kiosk.db"),
            "PYTHONPATH": str(Path.cwd()),
        }
        async with run_program(self.launcher, [SENDER], environment, self.folder) as program:
            await program.says("ready")
            await program.arm(line, BOT_FOLDERS)
            os.kill(program.pid, signal.SIGUSR2)
            yield program

    async def states(self) -> set[str]:
        rows = await self.database.fetch("SELECT DISTINCT state FROM messages")
        return {row["state"] for row in rows}

    def shown(self) -> list[str]:
        return [message.text.removeprefix("### ") for message in self.discord.state.messages]


@asynccontextmanager
async def open_sending(
    launcher: Launcher, discord: Discord, folder: Path
) -> AsyncGenerator[Sending]:
    async with open_database(address_at(folder / "kiosk.db"), MIGRATIONS) as database:
        yield Sending(launcher, discord, database, folder)


async def test_killed_at_any_line_it_has_sent_everything_once_in_the_end(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    discord.state.limits.per_channel = 1000
    async with open_sending(launcher, discord, tmp_path) as sending:
        await sending.owe_some()
        async with sending.worker(NEVER) as program:
            await program.says("done")
            lines = await program.count()
        killed = 0
        for line in random_lines(lines, ROUNDS):
            await sending.owe_some()
            async with sending.worker(line) as program:
                killed += await program.died_before("done")
        async with sending.worker(NEVER) as program:
            await program.says("done")

        # A run that waits less has fewer lines than the one that was counted.
        assert killed
        where = f"KIOSK_SEED={SEED}"
        assert sorted(sending.shown()) == sorted(sending.keys), where
        assert await sending.states() == {MessageState.SENT}, where
