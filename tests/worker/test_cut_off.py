"""A worker is cut off while it sends: what has left is written down, and nothing is sent twice."""

import asyncio
from pathlib import Path

import pytest

from bot.app import open_bot
from bot.background import BackgroundTasks
from bot.domain.operating import Role
from bot.domain.outbox import EntryState
from bot.worker.outbox import Dispatcher
from tests.support.discord_standin.state import Asked
from tests.support.gates import Happenings
from tests.support.world import settings_for
from tests.worker.conftest import Office


@pytest.fixture
def channel(office: Office) -> int:
    return office.discord.state.add_channel()


class Deaf:
    """Ends when it was told so often; what is slow to end is told again and again."""

    def __init__(self) -> None:
        self.told = Happenings[None]()

    @property
    def is_deaf(self) -> bool:
        return len(self.told.past) < 4

    async def __call__(self) -> None:
        while self.is_deaf:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.told.add(None)


def is_message(asked: Asked) -> bool:
    return asked.is_message


async def test_an_answer_that_comes_after_the_end_began_is_written_down(
    office: Office, channel: int
) -> None:
    deaf = Deaf()
    dispatcher = Dispatcher(office.outbox, office.channels, office.clock, now=office.clock.seconds)
    dispatcher.add(office.post)
    async with BackgroundTasks() as tasks:
        duties = tasks.start(dispatcher.run(office.http)), tasks.start(deaf())
        async with office.discord.state.gates.closed(is_message) as gate:
            await office.owe("a", to=channel)
            await gate.arrival()
            ending = asyncio.create_task(tasks.end(*duties))
            await deaf.told.until(lambda: not deaf.is_deaf)
        await ending

        assert await office.state("a") is EntryState.SENT


async def test_a_stop_lets_answers_come_to_what_has_left(
    office: Office, channel: int, tmp_path: Path
) -> None:
    state, deaf = office.discord.state, Deaf()
    await office.owe("a", to=channel)
    async with (
        open_bot(settings_for(tmp_path, "http://127.0.0.1:9"), role=Role.WORKER) as bot,
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

    assert await office.state("a") is EntryState.SENT
