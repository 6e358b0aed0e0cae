"""Announcements that are moved or paused while Discord is asked for what they tell."""

import pytest
from msgspec.structs import replace

from bot.features.following.announcing import sample
from storage.following import Subscription
from tests.support.discord_standin.refusals import (
    LATE_ERROR,
    MISSING_PERMISSIONS,
    UNKNOWN_CHANNEL,
)
from tests.worker.conftest import Desk

FORUM, TEXT = 15, 0
FIRST, SECOND = "Straw Hat", "Felt Cap"


async def move(desk: Desk, one: Subscription, channel: int, kind: int) -> None:
    wish = replace(one, channel_id=channel, channel_kind=kind)
    await desk.bot.features.announcing.change(wish)


async def current(desk: Desk, one: Subscription) -> Subscription:
    return await desk.bot.features.announcing.find(one.guild_id or 0, str(one.id))


@pytest.mark.parametrize("kind", [TEXT, FORUM])
async def test_what_waits_is_told_where_its_announcement_was_moved_to(
    desk: Desk, kind: int
) -> None:
    state = desk.office.discord.state
    old = state.add_channel()
    new = state.add_channel() if kind == TEXT else state.add_forum()
    one = await desk.announce(old, TEXT)
    await move(desk, one, new, kind)
    async with desk.office.at_work():
        await desk.office.done()

    assert desk.office.shown(old) == []
    (told,) = desk.office.all_shown()
    assert FIRST in told
    assert [post["parent_id"] for post in state.posts] == [str(new)] * (kind == FORUM)
    assert await desk.why() == ["sent"]


async def test_a_channel_that_is_gone_stops_no_announcement_that_has_left_it(desk: Desk) -> None:
    state = desk.office.discord.state
    old, new = state.add_channel(), state.add_channel()
    state.refusals[old] = UNKNOWN_CHANNEL
    one = await desk.announce(old, TEXT)
    async with (
        state.gates.closed(lambda asked: asked.is_message) as gate,
        desk.office.at_work(),
    ):
        await gate.arrival()
        await move(desk, one, new, TEXT)
        gate.open()
        await desk.office.done()

    assert (await current(desk, one)).paused_at is None
    (told,) = desk.office.shown(new)
    assert FIRST in told


async def test_what_waited_when_an_announcement_was_paused_is_offered_with_what_came_later(
    desk: Desk,
) -> None:
    announcing = desk.bot.features.announcing
    channel = desk.office.discord.state.add_channel()
    one = await desk.announce(channel, TEXT)
    await announcing.following.pause(one.id, now=announcing.clock())
    await desk.stock(98, SECOND)
    async with desk.office.at_work():
        await desk.office.done()
        paused = await current(desk, one)
        missed = await announcing.resume(paused)
        assert [event.item_id for event in missed] == [99, 98]

        assert paused.paused_after is not None
        await announcing.catch_up(one, paused.paused_after, wish=1)
        await desk.office.done()

    (told,) = desk.office.shown(channel)
    assert FIRST in told
    assert SECOND in told


async def test_a_test_that_is_refused_makes_nothing_missed_that_was_before(desk: Desk) -> None:
    announcing = desk.bot.features.announcing
    state = desk.office.discord.state
    await desk.announce(state.add_channel(), TEXT)
    closed = state.add_channel()
    late = await desk.subscribe(closed, TEXT)
    state.refusals[closed] = MISSING_PERMISSIONS
    items = await announcing.items(1, late.created_by, whole=False)
    event = sample(late, items, announcing.clock())
    assert event is not None
    async with desk.office.at_work():
        await announcing.owe_test(late, event, wish=1)
        await desk.office.done()

    paused = await current(desk, late)
    assert paused.pause_reason == MISSING_PERMISSIONS.code
    assert await announcing.resume(paused) == []


async def test_a_post_in_doubt_whose_announcement_is_removed_is_not_looked_for_for_ever(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    state = desk.office.discord.state
    forum = state.add_forum()
    one = await desk.announce(forum, FORUM)
    async with (
        state.gates.closed(lambda asked: asked.path.endswith("/threads")) as gate,
        desk.office.at_work(),
    ):
        await gate.arrival()
        state.refusals[forum] = LATE_ERROR
        await desk.bot.features.announcing.following.remove(one)
        gate.open()
        await desk.office.done()

    assert len(state.posts) == 1
    assert "NotOwed" not in caplog.text
