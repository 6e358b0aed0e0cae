"""What is owed reaches Discord once, in its turn, whatever happens on the way."""

import pytest

from bot.game.errors import Unavailable
from storage.messages import MessageState, NewMessage, Priority
from tests.support.discord_standin.refusals import (
    ITS_OWN_TROUBLE,
    LATE_ERROR,
    MISSING_PERMISSIONS,
    UNAVAILABLE,
    Refusal,
)
from tests.support.discord_standin.state import Asked
from tests.worker.conftest import Office


async def test_what_is_owed_is_posted_once_and_noted(office: Office) -> None:
    channel = office.discord.state.add_channel()
    async with office.at_work():
        await office.owe("hello", to=channel)
        await office.post.until("hello")

    assert office.shown(channel) == ["hello"]
    entry = await office.entry("hello")
    assert entry.state is MessageState.SENT
    assert entry.message_id == office.discord.state.messages[0].id


async def test_what_was_owed_before_the_start_is_sent_too(office: Office) -> None:
    channel = office.discord.state.add_channel()
    await office.owe("a", "b", to=channel)

    async with office.at_work():
        await office.post.until("a", "b")

    assert office.shown(channel) == ["a", "b"]


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


async def test_what_has_trouble_of_its_own_holds_up_nobody_and_is_sent_later(
    office: Office,
) -> None:
    channel = office.discord.state.add_channel()
    office.post.troubles["broken"] = ZeroDivisionError()
    await office.owe("broken", "next", "last", to=channel)

    async with office.at_work():
        await office.post.until("next", "last")
        office.post.troubles.clear()
        await office.pass_pause("broken")
        await office.post.until("broken")

    assert office.shown(channel) == ["next", "last", "broken"]


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


async def test_what_is_no_longer_owed_is_not_sent(office: Office) -> None:
    channel = office.discord.state.add_channel()
    office.post.withdrawn.add("late")
    await office.owe("late", "next", to=channel)

    async with office.at_work():
        await office.post.until("late", "next")

    assert office.shown(channel) == ["next"]
    assert await office.state("late") is MessageState.DROPPED


async def test_a_member_is_written_to_directly_and_the_channel_is_opened_once(
    office: Office,
) -> None:
    ada = office.discord.add_member("ada")
    for key in ("first", "second"):
        owed = NewMessage("post", key, Priority.DIRECT_MESSAGE, member_id=ada.id)
        await office.owe_all(owed)

    async with office.at_work():
        await office.post.until("first", "second")

    assert [one.text for one in office.discord.direct_messages(ada)] == ["### first", "### second"]
    opened = [a for a in office.discord.state.asked.past if a.path == "/users/@me/channels"]
    assert len(opened) == 1


async def test_a_channel_with_a_member_that_is_gone_is_opened_anew(office: Office) -> None:
    ada = office.discord.add_member("ada")
    await office.outbox.save_direct_channel(ada.id, 7)
    await office.owe_all(NewMessage("post", "hi", Priority.DIRECT_MESSAGE, member_id=ada.id))

    async with office.at_work():
        await office.asked(1)
        await office.pass_pause("hi")
        await office.post.until("hi")
    assert len(office.discord.direct_messages(ada)) == 1


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


async def send_through(office: Office, trouble: Refusal) -> list[str]:
    """Send a message that meets trouble of Discord's once; gives what its channel shows."""
    channel = office.discord.state.add_channel()
    office.discord.state.refusals[channel] = trouble
    async with office.at_work():
        await office.owe("a", to=channel)
        await office.asked(1)
        del office.discord.state.refusals[channel]
        await office.pass_pause("a")
        await office.post.until("a")
    assert await office.state("a") is MessageState.SENT
    return office.shown(channel)


@pytest.mark.parametrize("trouble", [ITS_OWN_TROUBLE, UNAVAILABLE])
async def test_discords_own_trouble_is_waited_out(office: Office, trouble: Refusal) -> None:
    assert await send_through(office, trouble) == ["a"]


async def test_an_error_after_it_was_posted_posts_nothing_twice(office: Office) -> None:
    assert await send_through(office, LATE_ERROR) == ["a"]


async def test_what_is_refused_for_an_emoji_is_posted_once_without_any(office: Office) -> None:
    def has_no_emoji(asked: Asked) -> bool:
        return asked.is_message and "<:" not in str(asked.body)

    state, told = office.discord.state, "<:acorn_ab12:77> 30 Acorns"
    channel = state.add_channel()
    state.refusals[channel] = Refusal(400, 50035, "In components.0.content: Invalid emoji")
    async with state.gates.closed(has_no_emoji) as without, office.at_work():
        await office.owe(told, to=channel)
        await without.arrival()
        state.refusals.clear()
        without.open()
        await office.post.until(told)

    assert office.shown(channel) == ["30 Acorns"]
    assert await office.state(told) is MessageState.SENT
    first, second = (each for each in state.asked.past if each.is_message)
    assert first.body["nonce"] == second.body["nonce"]
