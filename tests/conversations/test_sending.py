"""What is owed reaches Discord once, in its turn, whatever happens on the way."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import simcord

from bot.game.game_errors import Unavailable
from bot.ui.messages.verdicts import Settled, TryAgain
from storage.messages import Message, Messages, MessageState, NewMessage, Priority
from tests.support.cards import text_of
from tests.support.owed import tried
from tests.support.posts import Once, Post
from tests.support.rest import until_idle
from tests.support.wire import Wire, is_message
from tests.support.world import World

MANY = 30
# A status and a code of Discord's.
ITS_OWN_TROUBLE = (403, 40333)
UNAVAILABLE = (503, 0)
MALFORMED = (400, 50035)
FLAGGED = (403, 20026)
OPENED_TOO_FAST = (403, 40003)
MISSING_PERMISSIONS = (403, 50013)
MISSING_ACCESS = (403, 50001)
UNAUTHORIZED = (401, 0)


@dataclass
class Office:
    """Texts that are owed to channels and members, and the bot that sends them."""

    world: World
    wire: Wire
    post: Post

    @property
    def outbox(self) -> Messages:
        return self.world.bot.features.announcing.outbox

    async def want(self, *owed: NewMessage) -> None:
        async with self.outbox.transaction() as transaction:
            await self.outbox.want(transaction, *owed)

    async def owe(self, *keys: str, to: simcord.ChannelHandle) -> None:
        """Owe texts to a channel, and try to send them."""
        await self.want(*(text_for(to, key) for key in keys))
        await tried(self.world)

    async def owe_directly(self, member: simcord.MemberActor) -> str:
        """Owe a text to a member, and try to send it; give its key."""
        key = f"to {member.id}"
        await self.want(NewMessage("post", key, Priority.DIRECT_MESSAGE, member_id=member.id))
        await tried(self.world)
        return key

    async def entry(self, key: str) -> Message:
        entry = await self.outbox.find(key)
        assert entry is not None
        return entry

    async def state(self, key: str) -> MessageState:
        return (await self.entry(key)).state

    async def pass_pause(self, key: str) -> None:
        """Let the time pass until what was put off is tried again."""
        due_at = (await self.entry(key)).due_at
        assert due_at is not None
        left = max(due_at - self.world.bot.now(), timedelta())
        await self.world.pass_time(left + timedelta(seconds=1))

    def new_channel(self, name: str = "news") -> simcord.ChannelHandle:
        return self.world.guild.create_text_channel(name)

    def refuse(self, answer: tuple[int, int], path: str = "/channels/*/messages") -> None:
        """Let Discord answer so from now on, unless to what goes elsewhere."""
        status, code = answer
        self.world.env.inject_error("POST", path, status=status, code=code, times=None)

    def accept(self) -> None:
        self.world.env.backend.faults.clear()

    @property
    def asked(self) -> int:
        """How many messages Discord was asked for."""
        return sum(asked.is_message for asked in self.wire.asked.past)


def text_for(
    channel: simcord.ChannelHandle, key: str, priority: Priority = Priority.LIVE_POST
) -> NewMessage:
    return NewMessage("post", key, priority, channel_id=channel.id)


def shown(channel: Any) -> list[str]:
    """Give what a channel shows, without the look of headings."""
    texts = (text_of(message) or message.content for message in channel.history())
    return [text.removeprefix("### ") for text in texts]


def told(member: Any) -> list[str]:
    return shown(member.user.dm_channel)


def posting_in(channel: simcord.ChannelHandle) -> str:
    return f"/channels/{channel.id}/messages"


@pytest.fixture
def office(wire: Wire, world: World) -> Office:
    office = Office(world, wire, Post())
    world.bot.dispatcher.add(office.post, Once())
    return office


async def test_what_is_more_urgent_goes_first_and_channels_take_turns(office: Office) -> None:
    one, two = office.new_channel("one"), office.new_channel("two")

    await office.want(
        *(text_for(one, "1a"), text_for(one, "1b"), text_for(two, "2a")),
        text_for(one, "removal", Priority.REMOVAL),
    )
    await tried(office.world)

    assert shown(one) == ["removal", "1a", "1b"]
    assert shown(two) == ["2a"]
    paths = [asked.path for asked in office.wire.asked.past]
    assert paths.index(posting_in(two)) < paths.index(posting_in(one), 2)


async def test_what_waits_for_the_game_keeps_its_place(office: Office) -> None:
    channel, other = office.new_channel(), office.new_channel("other")
    office.post.troubles["first"] = Unavailable("no answer")
    await office.owe("first", "second", to=channel)
    for key in ("elsewhere", "elsewhere again"):
        await office.owe(key, to=other)
    assert (shown(channel), shown(other)) == ([], ["elsewhere", "elsewhere again"])

    office.post.troubles.clear()
    await office.pass_pause("first")

    assert shown(channel) == ["first", "second"]


async def test_a_channel_with_a_member_that_is_gone_is_opened_anew(office: Office) -> None:
    member = office.world.member
    await office.outbox.save_direct_channel(member.id, 7)

    key = await office.owe_directly(member)
    await office.pass_pause(key)

    assert told(member) == [key]


@pytest.mark.parametrize("is_closed", [True, False])
async def test_a_kept_channel_that_is_refused_is_opened_anew_once(
    office: Office, *, is_closed: bool
) -> None:
    member: Any = office.world.member
    old = office.new_channel()
    await office.outbox.save_direct_channel(member.id, old.id)
    office.refuse(MISSING_ACCESS, "/channels/*/messages" if is_closed else posting_in(old))

    key = await office.owe_directly(member)
    await office.pass_pause(key)

    assert await office.state(key) is (MessageState.REFUSED if is_closed else MessageState.SENT)
    assert told(member) == ([] if is_closed else [key])
    assert office.asked == 2


@pytest.mark.parametrize("posted", [True, False])
@pytest.mark.parametrize(
    ("seconds", "state"), [(60, MessageState.SENT), (130, MessageState.UNKNOWN)]
)
async def test_how_old_a_doubt_is_decides_whether_it_is_sent_again(
    office: Office, seconds: float, state: MessageState, *, posted: bool
) -> None:
    channel = office.new_channel()
    await leave_in_doubt(office, channel, posted=posted)

    await office.world.pass_time(seconds)

    assert shown(channel) == ["a"] * (posted or state is MessageState.SENT)
    assert await office.state("a") is state
    assert office.post.settled.past[0][1].state is state


async def leave_in_doubt(
    office: Office, channel: simcord.ChannelHandle, *, posted: bool = True
) -> None:
    """Let a message be sent, and the answer to it be an error of Discord's."""
    if posted:
        office.wire.lose_answer(posting_in(channel))
    else:
        office.refuse(UNAVAILABLE)
    await office.owe("a", to=channel)
    office.accept()
    assert office.asked == 1


async def test_a_refusal_after_a_doubt_leaves_the_doubt(office: Office) -> None:
    channel = office.new_channel()
    await leave_in_doubt(office, channel)
    office.refuse(MISSING_PERMISSIONS)

    await office.pass_pause("a")

    assert await office.state("a") is MessageState.UNKNOWN


async def test_a_message_that_was_deleted_meanwhile_was_sent(office: Office) -> None:
    channel = office.new_channel()
    await leave_in_doubt(office, channel)
    posted = channel.last_message
    assert posted is not None
    office.world.env.backend.delete_message(channel.id, posted.id)

    await office.pass_pause("a")

    assert await office.state("a") is MessageState.SENT
    assert shown(channel) == []


async def test_what_has_no_nonce_is_not_sent_again(office: Office) -> None:
    channel = office.new_channel()
    office.wire.lose_answer(posting_in(channel))
    await office.want(NewMessage("once", "o", Priority.ANNOUNCEMENT, channel_id=channel.id))
    await tried(office.world)

    await office.pass_pause("o")

    assert await office.state("o") is MessageState.UNKNOWN
    assert shown(channel) == ["o"]


async def test_trouble_everywhere_is_met_a_few_times_and_then_waited_out(office: Office) -> None:
    channels = [office.new_channel(str(number)) for number in range(MANY)]
    office.refuse(ITS_OWN_TROUBLE)
    await office.want(*(text_for(channel, str(channel.id)) for channel in channels))
    await tried(office.world)
    met = office.asked
    office.accept()

    # Longer than it leaves Discord alone, and than it puts anything off.
    await office.world.pass_time(60)

    assert met < MANY
    assert [shown(channel) for channel in channels] == [[str(channel.id)] for channel in channels]


async def test_a_refused_token_is_unused(office: Office) -> None:
    office.refuse(UNAUTHORIZED)
    await office.owe("a", "b", to=office.new_channel())
    await office.world.pass_time(3600)
    await office.owe("c", to=office.new_channel("other"))

    office.world.expect_fault("Discord refuses the token")
    assert office.asked == 1
    assert await office.state("a") is MessageState.OWED
    assert (await office.entry("a")).attempted_at is None


async def test_a_failing_kind_is_alone(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(office.post, "on_settled", fail)
    one, two = office.new_channel("one"), office.new_channel("two")
    await office.want(text_for(one, "a"), text_for(two, "b"))
    await tried(office.world)

    office.world.expect_fault("ZeroDivisionError")
    assert (shown(one), shown(two)) == (["a"], ["b"])
    assert {await office.state("a"), await office.state("b")} == {MessageState.SENT}


async def test_malformed_is_given_up(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    # As an announcement, which waits for ever where Discord is in trouble.
    monkeypatch.setattr(office.post, "gives_up", False)
    channel = office.new_channel()
    office.refuse(MALFORMED)
    await office.owe("bad", to=channel)
    while await office.state("bad") is MessageState.OWED:
        await office.pass_pause("bad")
    office.accept()
    await office.owe("good", to=channel)

    office.world.expect_fault("50035")
    refused = Settled(MessageState.REFUSED, "given up: 400 50035", only_this_entry=True)
    assert office.post.settled.past[0] == ("bad", refused)
    assert shown(channel) == ["good"]


def said_of(caplog: pytest.LogCaptureFixture, code: int) -> list[int]:
    """Give the levels of the lines in the log that name one of Discord's codes."""
    return [line.levelno for line in caplog.records if f"{code}" in line.getMessage()]


@pytest.mark.parametrize(
    ("refusal", "wait", "level"),
    [(FLAGGED, 3600, logging.ERROR), (OPENED_TOO_FAST, 600, logging.WARNING)],
)
async def test_no_direct_message_is_opened_for_a_while_once_discord_refuses_one(
    office: Office,
    caplog: pytest.LogCaptureFixture,
    refusal: tuple[int, int],
    wait: float,
    level: int,
) -> None:
    world = office.world
    members, channel = (world.member, world.friend), office.new_channel()
    office.refuse(refusal, "/users/@me/channels")

    def opened() -> int:
        return sum(asked.path == "/users/@me/channels" for asked in office.wire.asked.past)

    keys = [await office.owe_directly(member) for member in members]
    assert opened() == 1
    # The channel doesn't wait for any of that.
    await office.owe("here", to=channel)
    assert shown(channel) == ["here"]
    for key in keys:
        due_at = (await office.entry(key)).due_at
        assert due_at is not None
        left = due_at - world.bot.now()
        assert timedelta(seconds=wait - 60) < left <= timedelta(seconds=wait)

    await world.pass_time(wait)
    # Here they are opened at once.
    assert 1 < opened() <= 3
    assert said_of(caplog, refusal[1]) == [level] * (2 if wait >= 3600 else 1)
    if level == logging.ERROR:
        world.expect_fault(str(refusal[1]))

    office.accept()
    await world.pass_time(wait)
    assert [told(member) for member in members] == [[key] for key in keys]


async def test_an_unknown_code_is_said_once_an_hour(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    office.refuse((400, 987654))
    await office.owe("a", to=office.new_channel("one"))
    await office.owe("b", to=office.new_channel("two"))
    for minutes in (1, 1, 60):
        await office.world.pass_time(minutes * 60)

    assert said_of(caplog, 987654) == [logging.WARNING] * 2
    assert "Can't send a message of the kind post yet. Discord answers: 400 987654" in caplog.text


async def test_what_is_due_is_sent_and_written_down_once_nothing_is_left_to_do(
    office: Office,
) -> None:
    keys = [str(number) for number in range(MANY)]
    channel = office.new_channel()
    assert office.world.bot.dispatcher.is_idle()
    await office.want(*(text_for(channel, key) for key in keys))
    assert not office.world.bot.dispatcher.is_idle()

    await until_idle(office.world.bot.dispatcher)

    assert {await office.state(key) for key in keys} == {MessageState.SENT}


async def test_a_request_that_was_not_answered_yet_is_under_way(office: Office) -> None:
    dispatcher = office.world.bot.dispatcher
    async with office.wire.gates.closed(is_message) as gate:
        await office.want(text_for(office.new_channel(), "a"))
        await gate.arrival()
        # Nothing else is left to do, of which a look would tell.
        dispatcher.wake()
        await office.state("a")
        assert not dispatcher.is_idle()
    await until_idle(dispatcher)

    assert await office.state("a") is MessageState.SENT


async def test_what_is_put_off_is_due_again_as_soon_as_the_clock_says_so(office: Office) -> None:
    office.post.troubles["a"] = TryAgain("not now", timedelta(seconds=300))
    await office.owe("a", to=office.new_channel())
    assert await office.state("a") is MessageState.OWED

    office.post.troubles.clear()
    await office.world.pass_time(200)
    assert await office.state("a") is MessageState.OWED
    await office.world.pass_time(100)

    assert await office.state("a") is MessageState.SENT
