"""A bot that ends while it sends: what it sent is known, and what it didn't send comes."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta

import pytest

from bot.program.kiosk import Kiosk
from bot.ui.messages.kinds import Kind
from bot.ui.messages.requests import Requests
from storage.database import Database, Transaction, Value
from storage.messages import QUERIES, Message, MessageState, NewMessage, Priority
from tests.support.cards import text_of
from tests.support.clock import RunningClock, utc_now
from tests.support.gates import Happenings
from tests.support.owed import tried
from tests.support.posts import Once, Post
from tests.support.rest import until_idle
from tests.support.wire import Wire, is_message
from tests.support.world import World


class Deaf:
    """Ends when it was told so often; what is slow to end is told again and again."""

    def __init__(self) -> None:
        self.told = Happenings[None]()

    @property
    def is_deaf(self) -> bool:
        return len(self.told.past) < 4

    async def __call__(self, _: object) -> None:
        while self.is_deaf:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.told.add(None)


class Noted(Once):
    """Something without a nonce that is noted once it is there, and not before it `may_go_on`."""

    def __init__(self) -> None:
        self.is_there = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        message_id = await super().carry_out(message, requests)
        self.is_there.set()
        await self.may_go_on.wait()
        return message_id


async def want(world: World, kind: str) -> None:
    outbox = world.bot.features.announcing.outbox
    async with outbox.transaction() as transaction:
        owed = NewMessage(kind, "a", Priority.LIVE_POST, channel_id=world.channel.id)
        await outbox.want(transaction, owed)


async def state(world: World) -> MessageState:
    message = await world.bot.features.announcing.outbox.find("a")
    assert message is not None
    return message.state


async def restart_with(world: World, kind: Kind) -> Deaf:
    """Let the bot know a kind of message, and end slowly; give what makes it slow."""
    deaf = Deaf()

    def prepare(bot: Kiosk) -> None:
        bot.dispatcher.add(kind)
        bot.worker.add("deaf", deaf, lambda: True)

    await world.restart(prepare=prepare)
    await until_idle(world.bot)
    return deaf


async def test_a_stop_lets_answers_come(wire: Wire, world: World) -> None:
    deaf = await restart_with(world, Post())
    async with wire.gates.closed(is_message) as gate:
        await want(world, "post")
        await gate.arrival()
        ending = asyncio.create_task(world.restart())
        await deaf.told.until(lambda: not deaf.is_deaf)
        gate.open()
        await ending

    assert await state(world) is MessageState.SENT


async def test_what_was_made_is_noted_before_the_end(wire: Wire, world: World) -> None:
    noted = Noted()
    deaf = await restart_with(world, noted)
    await want(world, "once")
    await noted.is_there.wait()
    ending = asyncio.create_task(world.restart())
    await deaf.told.until(lambda: not deaf.is_deaf)
    noted.may_go_on.set()
    await ending

    assert await state(world) is MessageState.SENT


@contextmanager
def stopping_after(database: Database, sql: str, committed: asyncio.Event) -> Generator[None]:
    """Let the caller of a transaction that runs `sql` wait forever after its commit."""
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


async def test_what_was_held_and_not_sent_is_sent(wire: Wire, world: World) -> None:
    held, post = asyncio.Event(), Post()
    world.bot.dispatcher.add(post)
    outbox = world.bot.features.announcing.outbox
    with stopping_after(outbox._database, QUERIES["hold"], held):  # pyright: ignore[reportPrivateUsage]
        await want(world, "post")
        await held.wait()
        later = RunningClock(utc_now() + timedelta(minutes=10))
        await world.restart(clock=later, prepare=lambda bot: bot.dispatcher.add(post))
    await tried(world)

    assert await state(world) is MessageState.SENT
    (posted,) = world.channel.history()
    assert text_of(posted) == "### a"
