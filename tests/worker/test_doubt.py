"""What may have been sent is sent again while Discord knows its nonce, and never after that."""

import asyncio
from datetime import timedelta

import pytest
from discord.http import Route

from bot.messages.kinds import Kind, Repeat
from bot.messages.requests import Requests
from storage.messages import Message, MessageState, NewMessage, Priority
from tests.support.discord_standin.refusals import LATE_ERROR, MISSING_PERMISSIONS, Refusal
from tests.support.gates import PATIENCE
from tests.worker.conftest import Office

# Longer than the first pause, and shorter than a nonce is known.
SOON = 60.0


@pytest.fixture
def channel(office: Office) -> int:
    return office.discord.state.add_channel()


async def leave_in_doubt(office: Office, channel: int, *, posted: bool = True) -> None:
    """Let a worker end right after it has sent a message, without the answer."""
    refusal = LATE_ERROR if posted else Refusal(503, 0, "nothing happened")
    office.discord.state.refusals[channel] = refusal
    async with office.at_work():
        await office.owe("a", to=channel)
        await office.asked(1)
    del office.discord.state.refusals[channel]
    async with office.outbox.transaction() as transaction:
        await transaction.execute("UPDATE messages SET due_at = wanted_at")


@pytest.mark.parametrize("posted", [True, False])
async def test_after_a_crash_it_is_sent_again_at_once_and_stands_there_once(
    office: Office, channel: int, *, posted: bool
) -> None:
    await leave_in_doubt(office, channel, posted=posted)
    office.clock.advance(SOON)

    async with office.at_work():
        await office.post.until("a")

    assert office.shown(channel) == ["a"]
    assert await office.state("a") is MessageState.SENT


@pytest.mark.parametrize("posted", [True, False])
async def test_when_discord_may_have_forgotten_the_nonce_nothing_is_sent(
    office: Office, channel: int, *, posted: bool
) -> None:
    await leave_in_doubt(office, channel, posted=posted)
    office.clock.advance(timedelta(minutes=10))

    async with office.at_work():
        await office.post.until("a")

    assert office.shown(channel) == ["a"] * posted
    assert await office.state("a") is MessageState.UNKNOWN
    assert office.post.settled.past[0][1].state is MessageState.UNKNOWN


@pytest.mark.parametrize(("by", "state"), [(30, "sent"), (130, "unknown")])
async def test_how_old_a_doubt_is_decides_whether_it_is_sent_again(
    office: Office, channel: int, by: float, state: str
) -> None:
    await leave_in_doubt(office, channel)
    office.clock.advance(by)

    async with office.at_work():
        await office.post.until("a")

    assert await office.state("a") == state
    assert office.shown(channel) == ["a"]


async def test_a_refusal_after_a_doubt_leaves_the_doubt(office: Office, channel: int) -> None:
    await leave_in_doubt(office, channel)
    office.discord.state.refusals[channel] = MISSING_PERMISSIONS

    async with office.at_work():
        await office.post.until("a")

    assert await office.state("a") is MessageState.UNKNOWN


async def test_a_message_that_was_deleted_meanwhile_was_sent(office: Office, channel: int) -> None:
    await leave_in_doubt(office, channel)
    office.discord.state.messages.clear()

    async with office.at_work():
        await office.post.until("a")

    assert await office.state("a") is MessageState.SENT
    assert office.shown(channel) == []


async def test_two_workers_at_once_send_everything_once(office: Office) -> None:
    channels = [office.discord.state.add_channel() for _ in range(10)]
    for number, each in enumerate(channels):
        await office.owe(f"{number}a", f"{number}b", to=each)

    async with office.at_work(), office.at_work():
        await office.post.until(*(f"{n}{x}" for n in range(10) for x in "ab"))

    shown = [office.shown(each) for each in channels]
    assert shown == [[f"{number}a", f"{number}b"] for number in range(10)]


class Once(Kind):
    """Something without a nonce, such as a post in a forum."""

    name = "once"
    priority = Priority.ANNOUNCEMENT
    repeat = Repeat.NEVER

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=message.channel_id)
        return int((await requests.ask(route, json={"content": message.key}))["id"])


async def test_what_has_no_nonce_is_not_sent_again(office: Office, channel: int) -> None:
    office.discord.state.refusals[channel] = LATE_ERROR
    async with office.at_work() as dispatcher:
        dispatcher.add(Once())
        owed = NewMessage("once", "o", Priority.ANNOUNCEMENT, channel_id=channel)
        await office.owe_all(owed)
        await office.asked(1)
        del office.discord.state.refusals[channel]
        async with asyncio.timeout(PATIENCE):
            while (message := await office.entry("o")).due_at is not None:
                if message.due_at > office.clock.moment:
                    office.pass_time((message.due_at - office.clock.moment).total_seconds())

    assert await office.state("o") is MessageState.UNKNOWN
    assert office.shown(channel) == ["o"]


async def test_the_library_repeats_nothing_that_may_be_sent_once_only(
    office: Office, channel: int
) -> None:
    office.discord.state.refusals[channel] = Refusal(500, 0, "500", is_late=True)
    async with office.at_work() as dispatcher:
        dispatcher.add(Once())
        await office.owe_all(NewMessage("once", "o", Priority.ANNOUNCEMENT, channel_id=channel))
        async with asyncio.timeout(PATIENCE):
            while (await office.entry("o")).reason is None:
                pass

    assert office.shown(channel) == ["o"]
