"""A worker is cut off while it sends: what has left is written down, and nothing is sent twice."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from aiohttp import ClientResponse
from discord.http import Route

from bot.app import open_bot
from bot.background import BackgroundTasks
from bot.clock import Clock
from bot.rest import Rest
from bot.ui.messages.dispatcher import Dispatcher
from bot.ui.messages.kinds import Kind, Repeat
from bot.ui.messages.requests import Requests
from storage.database import Database, Transaction, Value
from storage.messages import QUERIES, Message, MessageState, NewMessage, Priority
from tests.support.discord_standin.state import Asked
from tests.support.gates import PATIENCE_SECONDS, Happenings
from tests.support.world import settings_for
from tests.worker.conftest import Office


@pytest.fixture
def channel(office: Office) -> int:
    return office.discord.state.add_channel()


class Noted(Kind):
    """Something without a nonce that is noted once it is there; `note` does that."""

    name = "noted"
    priority = Priority.ANNOUNCEMENT

    def repeat(self, message: Message) -> Repeat:
        return Repeat.NEVER

    def __init__(self, note: Callable[[], Awaitable[None]]) -> None:
        self._note = note

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=message.channel_id)
        posted = await requests.ask(route, makes=True, json={"content": message.key})
        await self._note()
        return int(posted["id"])


class Deaf:
    """Ends when it was told so often; what is slow to end is told again and again."""

    def __init__(self) -> None:
        self.told = Happenings[None]()

    @property
    def is_deaf(self) -> bool:
        return len(self.told.past) < 4

    async def __call__(self, _: object = None) -> None:
        while self.is_deaf:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.told.add(None)


def is_message(asked: Asked) -> bool:
    return asked.is_message


async def owe_noted(office: Office, channel: int) -> None:
    await office.owe_all(NewMessage("noted", "n", Priority.ANNOUNCEMENT, channel_id=channel))


async def nothing() -> None:
    """Note at once."""


@asynccontextmanager
async def cut_off(office: Office, once_told: asyncio.Event | None = None) -> AsyncGenerator[None]:
    """Let a worker send until the block ends, and then lose its claim."""
    dispatcher = Dispatcher(office.outbox, office.clock)
    dispatcher.add(office.post, *office.kinds)
    async with BackgroundTasks(Clock()) as tasks:
        duty = tasks.start(dispatcher.run(office.http, Rest(office.clock)))
        yield
        ending = asyncio.create_task(tasks.end(duty))
        for _ in range(10):
            await asyncio.sleep(0)
        if once_told:
            once_told.set()
        await ending


@contextmanager
def stopping_after(database: Database, sql: str, committed: asyncio.Event) -> Generator[None]:
    """Let whoever runs a statement wait for ever once what it did lasts."""
    opened = database.transaction

    @asynccontextmanager
    async def stopping() -> AsyncGenerator[Transaction]:
        async with opened() as transaction:
            execute, ran = transaction.execute, list[str]()

            async def noted(sql: str, **parameters: Value) -> int:
                ran.append(sql)
                return await execute(sql, **parameters)

            transaction.execute = noted
            yield transaction
        if sql in ran:
            committed.set()
            await asyncio.Event().wait()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "transaction", stopping)
        yield


async def settled_later(office: Office, key: str) -> MessageState:
    """Let another worker look, now and as often as it has to, and return what it comes to."""
    async with office.at_work(), asyncio.timeout(PATIENCE_SECONDS):
        while (message := await office.entry(key)).due_at is not None:
            if message.due_at > office.clock.moment:
                office.pass_time((message.due_at - office.clock.moment).total_seconds())
    return message.state


async def test_a_late_answer_is_written_down(office: Office, channel: int) -> None:
    deaf = Deaf()
    dispatcher = Dispatcher(office.outbox, office.clock)
    dispatcher.add(office.post)
    async with BackgroundTasks(Clock()) as tasks:
        duties = tasks.start(dispatcher.run(office.http, Rest(office.clock))), tasks.start(deaf())
        async with office.discord.state.gates.closed(is_message) as gate:
            await office.owe("a", to=channel)
            await gate.arrival()
            ending = asyncio.create_task(tasks.end(*duties))
            await deaf.told.until(lambda: not deaf.is_deaf)
        await ending

        assert await office.state("a") is MessageState.SENT


async def test_what_discord_has_taken_is_not_made_again_where_its_limits_are_waited_out(
    office: Office, channel: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With its answer, the library waits until the channel takes another message.
    office.discord.state.limits.per_channel, office.discord.state.limits.seconds = 1, 0.5
    office.kinds.append(Noted(nothing))
    after_try, answered = Requests.after_try, asyncio.Event()

    def noted(requests: Requests, response: ClientResponse) -> None:
        after_try(requests, response)
        answered.set()

    monkeypatch.setattr(Requests, "after_try", noted)
    async with cut_off(office):
        await owe_noted(office, channel)
        await answered.wait()

    assert await settled_later(office, "n") is MessageState.SENT
    assert office.shown(channel) == ["n"]


async def test_what_was_made_is_noted_before_the_end(office: Office, channel: int) -> None:
    noting, going_on = asyncio.Event(), asyncio.Event()

    async def note() -> None:
        noting.set()
        await going_on.wait()

    office.kinds.append(Noted(note))
    async with cut_off(office, once_told=going_on):
        await owe_noted(office, channel)
        await noting.wait()

    assert await office.state("n") is MessageState.SENT


async def test_what_was_held_and_not_sent_is_sent(office: Office, channel: int) -> None:
    held = asyncio.Event()
    async with cut_off(office):
        with stopping_after(office.database, QUERIES["hold"], held):
            await office.owe("a", to=channel)
            await held.wait()
    office.clock.advance(timedelta(minutes=10))

    assert await settled_later(office, "a") is MessageState.SENT
    assert office.shown(channel) == ["a"]


async def test_a_stop_lets_answers_come(office: Office, channel: int, tmp_path: Path) -> None:
    state, deaf = office.discord.state, Deaf()
    await office.owe("a", to=channel)
    async with (
        open_bot(settings_for(tmp_path, "http://127.0.0.1:9")) as bot,
        state.gates.closed(is_message) as gate,
    ):
        bot.dispatcher.add(office.post)
        bot.worker.add("deaf", deaf)
        await bot.login(state.token)
        await gate.arrival()
        closing = asyncio.create_task(bot.close())
        while deaf.is_deaf and not closing.done():
            await office.entry("a")
        gate.open()
        await closing

    assert await office.state("a") is MessageState.SENT


async def test_whoever_is_cut_off_while_the_whole_bot_waits_holds_up_nobody(
    office: Office, channel: int, caplog: pytest.LogCaptureFixture
) -> None:
    office.discord.state.limits.in_a_second = 1
    other = office.discord.state.add_channel()
    async with cut_off(office):
        await office.owe("a", to=channel)
        await office.owe("b", to=other)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while "Global rate limit has been hit" not in caplog.text:
                await office.entry("a")

    async with office.at_work():
        await office.post.until("a", "b")

    assert sorted(office.all_shown()) == ["a", "b"]
