"""Announcements and followed comments on a Discord that refuses, and that hides its answers."""

import pytest

from storage.names import PlaceKind
from tests.support.commits import until_none
from tests.support.discord_standin.limits import TooMany
from tests.support.discord_standin.refusals import (
    ITS_OWN_TROUBLE,
    LATE_ERROR,
    MISSING_PERMISSIONS,
    NO_NEWS_CHANNEL,
    UNAVAILABLE,
    UNKNOWN_MESSAGE,
    Refusal,
)
from tests.support.rogue_shop import item
from tests.worker.conftest import Desk

FORUM, NEWS, TEXT = 15, 5, 0
_UNTRIED = "SELECT 1 FROM messages WHERE kind = 'announcement' AND reason IS NULL"
_UNTIL_MET_AGAIN = 600.0


async def test_after_a_day_without_discord_one_message_tells_all_that_waits(desk: Desk) -> None:
    state = desk.office.discord.state
    channel = state.add_channel()
    await desk.announce(channel, TEXT)
    for number in (97, 98):
        desk.shop.items.insert(0, item(number))
        await desk.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    await desk.office.database.execute(
        "UPDATE messages SET wanted_at = wanted_at - 90000000000, attempts = 40"
    )
    state.refusals[channel] = ITS_OWN_TROUBLE
    async with desk.office.at_work():
        await desk.office.asked(1)
        del state.refusals[channel]
        await desk.office.done()

    (told,) = desk.office.shown(channel)
    assert "for more than a day" in told
    assert all(name in told for name in ("Straw Hat", "Hat number 97", "Hat number 98"))
    assert await desk.why() == ["sent"] * 3


@pytest.mark.parametrize(("is_answered", "state_of_it"), [(True, "sent"), (False, "unknown")])
async def test_a_forum_hears_of_an_item_as_one_post_answered_or_not(
    desk: Desk, *, is_answered: bool, state_of_it: str
) -> None:
    state = desk.office.discord.state
    forum = state.add_forum()
    if not is_answered:
        state.refusals[forum] = LATE_ERROR
    async with desk.office.at_work():
        await desk.announce(forum, FORUM)
        await desk.office.done()

    (post,) = state.posts
    assert (post["name"], post["applied_tags"]) == ("Straw Hat", ["7"])
    assert "🆕 New" in desk.office.shown(int(post["id"]))[0]
    assert await desk.why() == [state_of_it]


async def test_a_post_whose_tag_was_deleted_has_none(desk: Desk) -> None:
    state = desk.office.discord.state
    state.deleted_tags.add("7")
    forum = state.add_forum()
    async with desk.office.at_work():
        await desk.announce(forum, FORUM)
        await desk.office.done()

    (post,) = state.posts
    assert (post["name"], post["applied_tags"]) == ("Straw Hat", [])


async def test_what_an_announcement_channel_hears_is_published_and_only_that_is_repeated(
    desk: Desk,
) -> None:
    state = desk.office.discord.state
    channel = state.add_channel()
    state.publishing.append(UNAVAILABLE)
    async with desk.office.at_work():
        await desk.announce(channel, NEWS)
        await desk.office.done()

    assert len(desk.office.shown(channel)) == 1
    assert len(state.published) == 1


async def shown(desk: Desk, channel: int, name: str) -> None:
    """Wait until a channel shows something, without any time passing."""
    state = desk.office.discord.state
    await state.asked.until(lambda: any(name in each for each in desk.office.shown(channel)))


@pytest.mark.parametrize(
    ("answer", "published", "states"),
    [
        (UNKNOWN_MESSAGE, 1, ["dropped", "sent"]),
        (NO_NEWS_CHANNEL, 1, ["dropped", "sent"]),
        # So many an hour are published, and any number may be posted.
        (TooMany(3000.0, "shared"), 2, ["sent", "sent"]),
    ],
)
async def test_what_is_not_published_holds_up_no_other_announcement(
    desk: Desk, answer: Refusal | TooMany, published: int, states: list[str]
) -> None:
    state = desk.office.discord.state
    channel = state.add_channel()
    state.publishing.append(answer)
    async with desk.office.at_work():
        await desk.announce(channel, NEWS)
        await state.asked.first(lambda asked: asked.path.endswith("/crosspost"))
        await desk.stock(98, "Felt Cap")
        await shown(desk, channel, "Felt Cap")
        await desk.office.done()

    assert len(state.published) == published
    rows = await desk.office.database.fetch("SELECT state FROM messages WHERE kind = 'publish'")
    assert sorted(row["state"] for row in rows) == states


async def test_a_server_is_told_once_that_its_channel_is_closed(desk: Desk) -> None:
    state = desk.office.discord.state
    closed, state.system_channel_id = state.add_channel(), state.add_channel()
    state.refusals[closed] = MISSING_PERMISSIONS
    async with desk.office.at_work():
        await desk.announce(closed, TEXT)
        await desk.office.done()
        desk.shop.items.insert(0, item(98))
        await desk.bot.features.poller.poll(PlaceKind.CATALOG, 1)
        await desk.office.done()

    (told,) = desk.office.shown(state.system_channel_id)
    assert f"Announcements in <#{closed}> have stopped" in told
    assert "/announce resume" in told
    assert await desk.why() == ["refused"]


async def test_no_server_waits_for_what_another_one_is_to_be_told(desk: Desk) -> None:
    state, moderation = desk.office.discord.state, desk.bot.features.moderation
    logs = [state.add_channel() for _ in range(2)]
    state.refusals[logs[0]] = ITS_OWN_TROUBLE
    for guild, log in enumerate(logs, start=1):
        await moderation.change_rules(guild, log_channel_id=log)
        closed = state.add_channel()
        state.refusals[closed] = MISSING_PERMISSIONS
        await desk.subscribe(closed, TEXT, guild=guild)
    async with desk.office.at_work():
        await desk.stock(99, "Straw Hat")
        desk.office.wake()
        await until_none(desk.office.database, _UNTRIED)
        desk.office.pass_time(_UNTIL_MET_AGAIN)
        await shown(desk, logs[1], "have stopped")

    assert desk.office.shown(logs[0]) == []


async def test_a_refusal_that_is_over_within_ten_minutes_stops_no_announcement(desk: Desk) -> None:
    state = desk.office.discord.state
    channel, state.system_channel_id = state.add_channel(), state.add_channel()
    state.refusals[channel] = MISSING_PERMISSIONS
    async with desk.office.at_work():
        await desk.announce(channel, TEXT)
        desk.office.wake()
        await until_none(desk.office.database, _UNTRIED)
        del state.refusals[channel]
        await desk.office.done()

    (told,) = desk.office.shown(channel)
    assert "Straw Hat" in told
    assert await desk.why() == ["sent"]
    assert desk.office.shown(state.system_channel_id) == []


async def test_the_log_channel_hears_of_it_first_and_a_server_without_any_does_not(
    desk: Desk,
) -> None:
    state = desk.office.discord.state
    closed, log, state.system_channel_id = (state.add_channel() for _ in range(3))
    await desk.bot.features.moderation.change_rules(state.guild_id, log_channel_id=log)
    state.refusals[closed] = MISSING_PERMISSIONS
    async with desk.office.at_work():
        await desk.announce(closed, TEXT)
        await desk.office.done()

    assert len(desk.office.shown(log)) == 1
    assert desk.office.shown(state.system_channel_id) == []
