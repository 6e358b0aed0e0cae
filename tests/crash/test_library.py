"""What discord.py does with requests by itself: it repeats some, and waits for limits."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiohttp import ClientResponse
from discord.http import HTTPClient, Route

from bot.clock import Clock
from bot.rest import Rest
from bot.ui.messages.dispatcher import Dispatcher
from bot.ui.messages.requests import Requests, tracing
from storage import MIGRATIONS
from storage.database import open_database
from storage.messages import Message, Messages, MessageState, NewMessage, Priority
from tests.support.clock import utc_now
from tests.support.databases import address_at
from tests.support.discord_standin import Discord
from tests.support.discord_standin.refusals import Refusal
from tests.support.gates import PATIENCE_SECONDS
from tests.support.posts import Once, Post


@dataclass
class Office:
    """Messages that are owed, and the library by which they are sent."""

    discord: Discord
    outbox: Messages
    http: HTTPClient
    post: Post

    async def owe(self, key: str, *, to: int, kind: str = "post") -> None:
        async with self.outbox.transaction() as transaction:
            owed = NewMessage(kind, key, Priority.LIVE_POST, channel_id=to)
            await self.outbox.want(transaction, owed)

    @asynccontextmanager
    async def at_work(self) -> AsyncGenerator[None]:
        """Let a worker send until the block ends."""
        dispatcher = Dispatcher(self.outbox, Clock())
        dispatcher.add(self.post, Once())
        running = asyncio.create_task(dispatcher.run(self.http, Rest(Clock())))
        try:
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    async def entry(self, key: str) -> Message:
        entry = await self.outbox.find(key)
        assert entry is not None
        return entry

    def shown(self) -> list[str]:
        return sorted(each.text.removeprefix("### ") for each in self.discord.state.messages)


@pytest.fixture
async def office(
    discord: Discord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Office]:
    monkeypatch.setattr(Route, "BASE", discord.state.api_url)
    http = HTTPClient(asyncio.get_running_loop(), http_trace=tracing())
    await http.static_login(discord.state.token)
    async with open_database(address_at(tmp_path / "kiosk.db"), MIGRATIONS) as database:
        try:
            yield Office(discord, Messages(database, utc_now), http, Post())
        finally:
            await http.close()


async def test_the_library_repeats_nothing_that_may_be_there(office: Office) -> None:
    channel = office.discord.state.add_channel()
    office.discord.state.refusals[channel] = Refusal(500, 0, "500", is_late=True)
    async with office.at_work(), asyncio.timeout(PATIENCE_SECONDS):
        await office.owe("o", to=channel, kind="once")
        while (await office.entry("o")).reason is None:
            pass

    assert office.shown() == ["o"]


async def test_a_limit_of_the_whole_bot_is_waited_out(office: Office) -> None:
    limits = office.discord.state.limits
    limits.in_a_second = 3
    # However slow the machine is, a second is over once something was refused, and not before.
    begun = limits.now()
    limits.now = lambda: begun + limits.invalid
    channels = [office.discord.state.add_channel() for _ in range(4)]
    keys = [str(channel) for channel in channels]
    async with office.at_work():
        for channel in channels:
            await office.owe(str(channel), to=channel)
        await office.post.until(*keys)

    assert office.shown() == sorted(keys)
    assert limits.invalid


async def test_what_discord_has_taken_is_not_made_again_where_its_limits_are_waited_out(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With its answer, the library waits until the channel takes another message.
    office.discord.state.limits.per_channel, office.discord.state.limits.seconds = 1, 0.5
    after_try, answered = Requests.after_try, asyncio.Event()

    def noted(requests: Requests, response: ClientResponse) -> None:
        after_try(requests, response)
        answered.set()

    monkeypatch.setattr(Requests, "after_try", noted)
    async with office.at_work():
        await office.owe("o", to=office.discord.state.add_channel(), kind="once")
        await answered.wait()
    async with office.at_work(), asyncio.timeout(PATIENCE_SECONDS):
        while (await office.entry("o")).due_at is not None:
            pass

    assert (await office.entry("o")).state is MessageState.SENT
    assert office.shown() == ["o"]


async def test_whoever_is_cut_off_while_the_whole_bot_waits_holds_up_nobody(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    office.discord.state.limits.in_a_second = 1
    one, other = (office.discord.state.add_channel() for _ in range(2))
    async with office.at_work(), asyncio.timeout(PATIENCE_SECONDS):
        await office.owe("a", to=one)
        await office.owe("b", to=other)
        while "Global rate limit has been hit" not in caplog.text:
            await office.entry("a")

    async with office.at_work():
        await office.post.until("a", "b")

    assert office.shown() == ["a", "b"]
