"""An outbox and those who carry it out, on the stand-in, by clocks that tests set."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from discord.http import HTTPClient, Route

from bot.clock import MachineClock
from bot.domain.outbox import Entry, EntryState, Owed, Priority
from bot.worker.kinds import Kind
from bot.worker.outbox import Dispatcher
from bot.worker.pacing import Pacing
from bot.worker.requests import tracing
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.outbox import DirectChannels, Outbox
from tests.support.clock import ManualClock
from tests.support.databases import address_at
from tests.support.discord_standin import Discord, Message, open_discord
from tests.support.gates import PATIENCE
from tests.support.posts import Post


@dataclass
class Office:
    """One outbox, a Discord, and dispatchers that come and go."""

    discord: Discord
    database: Database
    outbox: Outbox
    channels: DirectChannels
    clock: ManualClock
    post: Post
    http: HTTPClient
    kinds: list[Kind] = field(default_factory=list[Kind])
    _outboxes: list[Outbox] = field(default_factory=list[Outbox])

    async def owe(self, *keys: str, to: int, priority: Priority = Priority.LIVE_POST) -> None:
        await self.owe_all(*(Owed("post", key, priority, channel_id=to) for key in keys))

    async def owe_all(self, *owed: Owed) -> None:
        async with self.outbox.transaction() as transaction:
            await self.outbox.owe(transaction, *owed)
        self.wake()

    @asynccontextmanager
    async def at_work(
        self, *, boot: str = "this", passing: Callable[[], float] | None = None
    ) -> AsyncGenerator[Dispatcher]:
        """Let an active worker send, on a machine that started once for each `boot`."""
        # As in a process of its own: it hears of what is owed here, and of nothing else.
        outbox = Outbox(self.database, self.clock)
        self._outboxes.append(outbox)
        machine = MachineClock(boot, passing or self.clock.seconds)
        dispatcher = Dispatcher(
            outbox,
            self.channels,
            self.clock,
            pacing=Pacing(),
            machine=machine,
            now=self.clock.seconds,
        )
        dispatcher.add(self.post, *self.kinds)
        running = asyncio.create_task(dispatcher.run(self.http))
        try:
            yield dispatcher
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    def pass_time(self, seconds: float) -> None:
        """Let so much time pass, and everybody look at what is due by then."""
        self.clock.advance(seconds)
        self.wake()

    def wake(self) -> None:
        """Let every worker look at what is due."""
        for outbox in self._outboxes:
            outbox.news.set()

    async def pass_pause(self, key: str) -> None:
        """Wait until something is put off, and let the time pass until it is due again."""
        async with asyncio.timeout(PATIENCE):
            while True:
                entry = await self.entry(key)
                assert entry.due_at is not None, entry
                if entry.due_at > self.clock.moment:
                    break
        self.pass_time((entry.due_at - self.clock.moment).total_seconds())

    async def state(self, key: str) -> EntryState:
        return (await self.entry(key)).state

    async def entry(self, key: str) -> Entry:
        entry = await self.outbox.find(key)
        assert entry is not None
        return entry

    def shown(self, channel_id: int) -> list[str]:
        """Give what a channel shows, without the look of headings."""
        return [text_of(one) for one in self.discord.state.messages if one.channel_id == channel_id]

    def all_shown(self) -> list[str]:
        return [text_of(one) for one in self.discord.state.messages]

    async def asked(self, times: int) -> None:
        """Wait until Discord was asked for so many messages."""
        asked = self.discord.state.asked
        await asked.until(lambda: sum(one.is_message for one in asked.past) >= times)


def text_of(message: Message) -> str:
    return message.text.removeprefix("### ")


@pytest.fixture
async def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Office]:
    clock = ManualClock()
    async with (
        open_discord() as discord,
        open_database(address_at(tmp_path / "kiosk.db"), MIGRATIONS) as database,
    ):
        monkeypatch.setattr(Route, "BASE", discord.state.api_url)
        http = HTTPClient(asyncio.get_running_loop(), http_trace=tracing())
        await http.static_login(discord.state.token)
        try:
            outbox = Outbox(database, clock)
            yield Office(discord, database, outbox, DirectChannels(database), clock, Post(), http)
        finally:
            await http.close()
