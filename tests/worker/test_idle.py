"""The dispatcher is idle once all that was due is sent and written down, and not before."""

from datetime import timedelta

from bot.ui.messages.verdicts import TryAgain
from storage.messages import MessageState
from tests.support.discord_standin.state import Asked
from tests.support.rest import until_idle
from tests.worker.conftest import Office


def is_message(asked: Asked) -> bool:
    return asked.is_message


async def test_what_is_due_is_sent_and_written_down_by_then(office: Office) -> None:
    keys = [str(number) for number in range(30)]
    async with office.at_work() as dispatcher:
        assert not dispatcher.is_idle()
        await until_idle(dispatcher)
        await office.owe(*keys, to=office.discord.state.add_channel())
        assert not dispatcher.is_idle()

        await until_idle(dispatcher)

        assert {await office.state(key) for key in keys} == {MessageState.SENT}


async def test_a_request_that_was_not_answered_yet_is_under_way(office: Office) -> None:
    async with office.at_work() as dispatcher:
        async with office.discord.state.gates.closed(is_message) as gate:
            await office.owe("a", to=office.discord.state.add_channel())
            await gate.arrival()
            # Nothing else is left to do, of which a look would tell.
            office.wake()
            await office.state("a")
            assert not dispatcher.is_idle()
        await until_idle(dispatcher)

        assert await office.state("a") is MessageState.SENT


async def test_what_is_put_off_is_due_again_as_soon_as_the_clock_says_so(office: Office) -> None:
    office.post.troubles["a"] = TryAgain("not now", timedelta(seconds=3))
    async with office.at_work() as dispatcher:
        await office.owe("a", to=office.discord.state.add_channel())
        await until_idle(dispatcher)
        assert await office.state("a") is MessageState.OWED

        office.post.troubles.clear()
        office.clock.advance(2)
        assert dispatcher.is_idle()
        office.clock.advance(1)
        assert not dispatcher.is_idle()

        await until_idle(dispatcher)
        assert await office.state("a") is MessageState.SENT
