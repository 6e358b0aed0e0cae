"""What is owed reaches Discord once, in its turn, whatever happens on the way."""

import asyncio
from pathlib import Path

import pytest
from discord.http import Route

from bot.app import open_bot
from bot.game.game_errors import Unavailable
from bot.settings import load_settings
from bot.ui.messages.kinds import Kind, Repeat
from bot.ui.messages.requests import Requests
from storage import MIGRATIONS
from storage.claims import Claims
from storage.database import Database, open_database
from storage.messages import Message, MessageState, NewMessage, Priority
from tests.support.databases import address_at
from tests.support.discord_standin import open_discord
from tests.support.discord_standin.refusals import (
    ITS_OWN_TROUBLE,
    LATE_ERROR,
    MISSING_ACCESS,
    MISSING_PERMISSIONS,
    UNAVAILABLE,
    Refusal,
)
from tests.support.gates import PATIENCE_SECONDS
from tests.support.world import KEY
from tests.worker.conftest import Office


async def test_what_is_more_urgent_goes_first_and_channels_take_turns(office: Office) -> None:
    one, two = (office.discord.state.add_channel() for _ in range(2))
    await office.owe("1a", "1b", to=one)
    await office.owe("2a", to=two)
    await office.owe("removal", to=one, priority=Priority.REMOVAL)

    async with office.at_work():
        await office.post.until("1a", "1b", "2a", "removal")

    shown = office.all_shown()
    assert office.shown(one) == ["removal", "1a", "1b"]
    assert shown.index("2a") < shown.index("1b")


async def test_what_waits_for_the_game_keeps_its_place(office: Office) -> None:
    channel, other = (office.discord.state.add_channel() for _ in range(2))
    office.post.troubles["first"] = Unavailable("no answer")
    await office.owe("first", "second", to=channel)
    await office.owe("elsewhere", to=other)

    async with office.at_work():
        await office.post.until("elsewhere")
        await office.owe("elsewhere again", to=other)
        await office.post.until("elsewhere again")
        assert office.shown(channel) == []
        office.post.troubles.clear()
        await office.pass_pause("first")
        await office.post.until("first", "second")

    assert office.shown(channel) == ["first", "second"]


async def test_a_channel_with_a_member_that_is_gone_is_opened_anew(office: Office) -> None:
    ada = office.discord.add_member("ada")
    await office.outbox.save_direct_channel(ada.id, 7)
    await office.owe_all(NewMessage("post", "hi", Priority.DIRECT_MESSAGE, member_id=ada.id))

    async with office.at_work():
        await office.asked(1)
        await office.pass_pause("hi")
        await office.post.until("hi")
    assert len(office.discord.direct_messages(ada)) == 1


@pytest.mark.parametrize("is_closed", [True, False])
async def test_a_kept_channel_that_is_refused_is_opened_anew_once(
    office: Office, *, is_closed: bool
) -> None:
    ada, old = office.discord.add_member("ada"), office.discord.state.add_channel()
    office.discord.state.refusals[old] = MISSING_ACCESS
    if is_closed:
        fresh = office.discord.state.direct_channel(ada)
        office.discord.state.refusals[fresh] = MISSING_ACCESS
    await office.outbox.save_direct_channel(ada.id, old)
    await office.owe_all(NewMessage("post", "hi", Priority.DIRECT_MESSAGE, member_id=ada.id))

    async with office.at_work():
        await office.asked(1)
        await office.pass_pause("hi")
        await office.post.until("hi")

    expected = MessageState.REFUSED if is_closed else MessageState.SENT
    assert await office.state("hi") is expected
    assert len(office.discord.direct_messages(ada)) == (0 if is_closed else 1)
    await office.asked(2)


@pytest.mark.parametrize("gone", [True, False])
async def test_a_refusal_for_good_is_known_by_its_code(office: Office, *, gone: bool) -> None:
    channel = 1 if gone else office.discord.state.add_channel()
    office.discord.state.refusals[channel] = MISSING_PERMISSIONS
    async with office.at_work():
        await office.owe("a", to=channel)
        await office.post.until("a")

    (_, verdict) = office.post.settled.past[0]
    assert verdict.state is MessageState.REFUSED
    assert verdict.reason == ("10003 unknown channel" if gone else "50013 missing permissions")
    await office.asked(1)


@pytest.mark.parametrize("trouble", [ITS_OWN_TROUBLE, UNAVAILABLE, LATE_ERROR])
async def test_discords_own_trouble_is_waited_out(office: Office, trouble: Refusal) -> None:
    channel = office.discord.state.add_channel()
    office.discord.state.refusals[channel] = trouble
    async with office.at_work():
        await office.owe("a", to=channel)
        await office.asked(1)
        del office.discord.state.refusals[channel]
        await office.pass_pause("a")
        await office.post.until("a")
    assert await office.state("a") is MessageState.SENT
    assert office.shown(channel) == ["a"]


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
@pytest.mark.parametrize(
    ("seconds", "state"), [(60, MessageState.SENT), (130, MessageState.UNKNOWN)]
)
async def test_how_old_a_doubt_is_decides_whether_it_is_sent_again(
    office: Office, channel: int, seconds: float, state: MessageState, *, posted: bool
) -> None:
    await leave_in_doubt(office, channel, posted=posted)
    office.clock.advance(seconds)

    async with office.at_work():
        await office.post.until("a")

    assert office.shown(channel) == ["a"] * (posted or state is MessageState.SENT)
    assert await office.state("a") is state
    assert office.post.settled.past[0][1].state is state


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


class Once(Kind):
    """Something without a nonce, such as a post in a forum."""

    name = "once"
    priority = Priority.ANNOUNCEMENT

    def repeat(self, message: Message) -> Repeat:
        return Repeat.NEVER

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
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (message := await office.entry("o")).due_at is not None:
                if message.due_at > office.clock.moment:
                    office.pass_time((message.due_at - office.clock.moment).total_seconds())

    assert await office.state("o") is MessageState.UNKNOWN
    assert office.shown(channel) == ["o"]


async def test_the_library_repeats_nothing(office: Office, channel: int) -> None:
    office.discord.state.refusals[channel] = Refusal(500, 0, "500", is_late=True)
    async with office.at_work() as dispatcher:
        dispatcher.add(Once())
        await office.owe_all(NewMessage("once", "o", Priority.ANNOUNCEMENT, channel_id=channel))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (await office.entry("o")).reason is None:
                pass

    assert office.shown(channel) == ["o"]


_BEATS = "SELECT expires_at FROM claims WHERE substr(name, 1, 8) = 'process:'"


async def until_it_beat(database: Database, often: int) -> None:
    """Wait until a bot has said so often that it lives: it looks at claims as often."""
    beats: set[int] = set()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(beats) <= often:
            beats |= {row["expires_at"] for row in await database.fetch(_BEATS)}


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of the database that is set for the bot."""
    address = address_at(tmp_path / "kiosk.db")
    for name, value in {
        "DATABASE_URL": address,
        "KIOSK_KEYS": KEY,
        "GAME_BASE_URL": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    return address


async def test_a_cut_off_start_lets_others(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_discord() as discord, open_database(address, MIGRATIONS) as database:
        monkeypatch.setattr(Route, "BASE", discord.state.api_url)
        async with Claims(database) as other, open_bot(load_settings(), claim_term=1.0) as bot:
            assert await other.take("commands")
            start = asyncio.create_task(bot.login(discord.state.token))
            await discord.state.asked.first(lambda one: one.path.endswith("/commands"))
            await until_it_beat(database, 3)
            start.cancel()
            await asyncio.wait([start])
            await other.release("commands")

            await until_it_beat(database, 3)
            assert not await other.current_holder("commands")
