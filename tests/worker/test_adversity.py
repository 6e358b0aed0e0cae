"""Discord at its worst: in trouble everywhere, slow, gone, or refusing the bot itself."""

import asyncio
import logging
from datetime import timedelta

import pytest

from bot.ui.messages.verdicts import Settled
from storage.messages import MessageState, NewMessage, Priority
from tests.support.discord_standin.refusals import (
    FLAGGED,
    ITS_OWN_TROUBLE,
    MALFORMED,
    OPENED_TOO_FAST,
    Refusal,
)
from tests.support.gates import PATIENCE_SECONDS
from tests.worker.conftest import Office

MANY = 30


def messages_asked(office: Office) -> int:
    return sum(asked.is_message for asked in office.discord.state.asked.past)


async def owe_everywhere(office: Office) -> list[int]:
    channels = [office.discord.state.add_channel() for _ in range(MANY)]
    await office.owe_all(
        *(
            NewMessage("post", str(channel), Priority.LIVE_POST, channel_id=channel)
            for channel in channels
        )
    )
    return channels


async def put_off(office: Office) -> list[str]:
    rows = await office.database.fetch("SELECT key FROM messages WHERE reason IS NOT NULL")
    return [row["key"] for row in rows]


async def test_trouble_everywhere_is_met_a_few_times_and_then_waited_out(office: Office) -> None:
    channels = await owe_everywhere(office)
    office.discord.state.refusals.update(dict.fromkeys(channels, ITS_OWN_TROUBLE))
    async with office.at_work():
        await office.asked(5)
        async with asyncio.timeout(PATIENCE_SECONDS):
            # Its answers have come, and nothing more is asked.
            while len(await put_off(office)) < messages_asked(office):
                pass
        met = messages_asked(office)
        office.discord.state.refusals.clear()
        # Longer than it leaves Discord alone, and than it puts anything off.
        office.pass_time(60)
        await office.discord.state.asked.until(lambda: len(office.all_shown()) == MANY)

    assert met < MANY
    assert sorted(office.all_shown()) == sorted(map(str, channels))


async def test_a_refused_token_is_unused(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    channel = office.discord.state.add_channel()
    office.discord.state.token = "another"
    async with office.at_work():
        await office.owe("a", "b", to=channel)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while "refuses the token" not in caplog.text:
                await office.outbox.find("a")
        office.pass_time(3600)
        await office.owe("c", to=office.discord.state.add_channel())

    assert messages_asked(office) == 1
    assert await office.state("a") is MessageState.OWED
    assert (await office.entry("a")).attempted_at is None


async def test_a_failing_kind_is_alone(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(office.post, "on_settled", fail)
    one, two = (office.discord.state.add_channel() for _ in range(2))
    async with office.at_work():
        await office.owe("a", to=one)
        await office.owe("b", to=two)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while {await office.state("a"), await office.state("b")} != {MessageState.SENT}:
                pass

    assert sorted(office.all_shown()) == ["a", "b"]


async def test_malformed_is_given_up(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    # As an announcement, which waits for ever where Discord is in trouble.
    monkeypatch.setattr(office.post, "gives_up", False)
    channel = office.discord.state.add_channel()
    office.discord.state.refusals[channel] = MALFORMED
    await office.owe("bad", "good", to=channel)
    # So that the channel's own limit, which counts by the real clock, is not met.
    await office.database.execute("UPDATE messages SET attempts = 3 WHERE key = 'bad'")
    async with office.at_work():
        await office.pass_pause("bad")
        await office.post.until("bad")
        office.discord.state.refusals.clear()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await office.state("good") is not MessageState.SENT:
                office.pass_time(1)

    refused = Settled(MessageState.REFUSED, "given up: 400 50035", only_this_entry=True)
    assert office.post.settled.past[0] == ("bad", refused)
    assert office.shown(channel) == ["good"]


async def test_a_limit_of_the_whole_bot_is_waited_out(office: Office) -> None:
    limits = office.discord.state.limits
    limits.in_a_second = 3
    # However slow the machine is, a second is over once something was refused, and not before.
    begun = limits.now()
    limits.now = lambda: begun + limits.invalid
    channels = [office.discord.state.add_channel() for _ in range(4)]
    async with office.at_work():
        for channel in channels:
            await office.owe(str(channel), to=channel)
        await office.post.until(*map(str, channels))

    assert sorted(office.all_shown()) == sorted(map(str, channels))
    assert limits.invalid


async def until_put_off(office: Office, key: str) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (due_at := (await office.entry(key)).due_at) and due_at <= office.clock.moment:
            pass


def said_of(caplog: pytest.LogCaptureFixture, code: int) -> list[int]:
    """Give the levels of the lines in the log that name one of Discord's codes."""
    return [line.levelno for line in caplog.records if f"{code}" in line.getMessage()]


@pytest.mark.parametrize(
    ("refusal", "wait", "level"),
    [(FLAGGED, 3600, logging.ERROR), (OPENED_TOO_FAST, 600, logging.WARNING)],
)
async def test_no_direct_message_is_opened_for_a_while_once_discord_refuses_one(
    office: Office, caplog: pytest.LogCaptureFixture, refusal: Refusal, wait: float, level: int
) -> None:
    members = [office.discord.add_member(name) for name in ("ada", "ben")]
    office.discord.state.refusals.update({member.id: refusal for member in members})
    channel = office.discord.state.add_channel()

    def opened() -> int:
        asked = office.discord.state.asked.past
        return sum(one.path.endswith("/users/@me/channels") for one in asked)

    async with office.at_work():
        for member in members:
            name = str(member.id)
            message = NewMessage("post", name, Priority.DIRECT_MESSAGE, member_id=member.id)
            await office.owe_all(message)
            await until_put_off(office, name)
        assert opened() == 1
        # The channel doesn't wait for any of that.
        await office.owe("here", to=channel)
        await office.post.until("here")
        for name in (str(member.id) for member in members):
            due_at = (await office.entry(name)).due_at
            assert due_at == office.clock.moment + timedelta(seconds=wait)

        office.pass_time(wait)
        for member in members:
            await until_put_off(office, str(member.id))
        # Here they are opened at once.
        assert 1 < opened() <= 3
        assert said_of(caplog, refusal.code) == [level] * (2 if wait >= 3600 else 1)

        office.discord.state.refusals.clear()
        office.pass_time(wait)
        await office.post.until(*(str(member.id) for member in members))
    assert [len(office.discord.direct_messages(member)) for member in members] == [1, 1]


async def test_an_unknown_code_is_said_once_an_hour(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    one, two = (office.discord.state.add_channel() for _ in range(2))
    office.discord.state.refusals.update(dict.fromkeys((one, two), Refusal(400, 987654, "so")))
    async with office.at_work():
        await office.owe("a", to=one)
        await office.owe("b", to=two)
        for minutes in (1, 1, 60):
            await office.pass_pause("a")
            await office.pass_pause("b")
            office.pass_time(minutes * 60)
        await office.pass_pause("a")
        await office.pass_pause("b")

    assert said_of(caplog, 987654) == [logging.WARNING] * 2
    assert "a message of the kind post waits, since Discord answers: 400 987654" in caplog.text
