"""A worker is killed while it sends: the next one leaves nothing out, and sends nothing twice."""

import os
import signal
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web

from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.messages import Messages, MessageState, NewMessage, Priority
from tests.crash.rounds import IS_SOAK, ON_ONE_ENGINE, SEED, random_lines
from tests.crash.town import BOT_FOLDERS
from tests.support.clock import utc_now
from tests.support.databases import address_at
from tests.support.discord_standin import Discord
from tests.support.faulty_proxy import FaultyProxy, Forward, open_proxy
from tests.support.message_states import states_outside
from tests.support.program import NEVER, Launcher, Program, run_program

ROUNDS = 40 if IS_SOAK else 4
# With each failure, Kiosk waits for a second or more.
ROUNDS_OF_FAILURES = 12
MINUTES = 3
SENDER = ["tests.support.worker_process", "sending"]


@dataclass
class Sending:
    """An outbox, and one worker after the other that carries it out."""

    launcher: Launcher
    discord: Discord
    database: Database
    proxy: FaultyProxy
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
            "STANDIN_API": self.proxy.base_url,
            "STANDIN_GATEWAY": self.discord.state.gateway_url,
            "DISCORD_TOKEN": self.discord.state.token,
            "DATABASE_URL": address_at(self.folder / "kiosk.db"),
            "PYTHONPATH": str(Path.cwd()),
        }
        async with run_program(self.launcher, SENDER, environment, self.folder) as program:
            await program.says("ready")
            await program.arm(line, BOT_FOLDERS)
            os.kill(program.pid, signal.SIGUSR2)
            yield program

    async def send_all(self) -> int:
        """Let a worker send all that is owed; gives the lines it has run."""
        async with self.worker(NEVER) as program:
            await program.says("done")
            return await program.count()

    async def let_minutes_pass(self) -> None:
        """Let the time pass in which Discord knows again what was sent."""
        self.discord.state.nonces.clear()
        query = "UPDATE messages SET attempted_at = attempted_at - :time"
        await self.database.execute(query, time=MINUTES * 60 * 1_000_000)

    async def states(self) -> dict[str, str]:
        rows = await self.database.fetch("SELECT key, state FROM messages")
        return {row["key"]: row["state"] for row in rows}

    def shown(self) -> Counter[str]:
        return Counter(message.text.removeprefix("### ") for message in self.discord.state.messages)


@asynccontextmanager
async def open_sending(
    launcher: Launcher, discord: Discord, folder: Path
) -> AsyncGenerator[Sending]:
    async with (
        open_database(address_at(folder / "kiosk.db"), MIGRATIONS) as database,
        open_proxy(discord.state.api_url) as proxy,
    ):
        yield Sending(launcher, discord, database, proxy, folder)
        assert not await states_outside(database)


def failing_first() -> Callable[[web.Request, Forward], Awaitable[web.Response]]:
    """Post each message, and answer for the first time that it has failed."""
    posted: set[str] = set()

    async def answer(request: web.Request, forward: Forward) -> web.Response:
        answer, is_post = await forward(), request.path.endswith("/messages")
        nonce = (await request.json())["nonce"] if is_post else None
        if nonce is None or nonce in posted:
            return answer
        posted.add(nonce)
        return web.json_response({}, status=503)

    return answer


@ON_ONE_ENGINE
@pytest.mark.parametrize(
    ("is_failing", "is_late"),
    [
        pytest.param(False, False, id="honest"),
        pytest.param(False, True, id="late"),
        pytest.param(True, False, id="5xx", marks=pytest.mark.soak),
    ],
)
@pytest.mark.usefixtures("on_both_engines")
async def test_killed_at_any_line_it_has_sent_everything_once_in_the_end(
    launcher: Launcher, discord: Discord, tmp_path: Path, *, is_failing: bool, is_late: bool
) -> None:
    discord.state.limits.per_channel = 1000
    async with open_sending(launcher, discord, tmp_path) as sending:
        sending.proxy.manner = failing_first() if is_failing else None
        await sending.owe_some()
        lines = await sending.send_all()
        killed = 0
        for line in random_lines(lines, ROUNDS_OF_FAILURES if is_failing else ROUNDS):
            await sending.owe_some()
            async with sending.worker(line) as program:
                killed += await program.died_before("done")
            if is_late:
                await sending.proxy.quiet()
                await sending.let_minutes_pass()
            # What is left would have the next one die before it sends anything.
            await sending.send_all()

        # A run that waits less has fewer lines than the one that was counted.
        assert killed
        where = f"KIOSK_SEED={SEED}"
        shown, states = sending.shown(), await sending.states()
        assert states.keys() == set(sending.keys), where
        for key, state in states.items():
            if is_late and state == MessageState.UNKNOWN:
                assert shown[key] <= 1, where
            else:
                assert (state, shown[key]) == (MessageState.SENT, 1), where
