"""Announcements on a Discord that refuses and hides its answers, also while they are moved."""

import asyncio
from collections.abc import Callable

import pytest

from storage.names import PlaceKind
from storage.subscriptions import PERSON, Subscription
from tests.support.discord_standin.limits import TooMany
from tests.support.discord_standin.refusals import (
    ITS_OWN_TROUBLE,
    LATE_ERROR,
    MISSING_PERMISSIONS,
    NO_NEWS_CHANNEL,
    UNAVAILABLE,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    Refusal,
)
from tests.support.gates import PATIENCE_SECONDS
from tests.support.rest import until_idle
from tests.support.rogue_game import item
from tests.worker.conftest import Desk

FORUM, NEWS, TEXT = 15, 5, 0
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


async def test_a_published_announcement_alone_is_repeated(desk: Desk) -> None:
    state = desk.office.discord.state
    channel = state.add_channel()
    state.publishing.append(UNAVAILABLE)
    async with desk.office.at_work():
        await desk.announce(channel, NEWS)
        await desk.office.done()

    assert len(desk.office.shown(channel)) == 1
    assert len(state.published) == 1


async def until(desk: Desk, condition: Callable[[], bool]) -> None:
    """Let the worker look until something holds, without any time passing."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():
            desk.office.wake()
            await desk.office.due()


async def shown(desk: Desk, channel: int, name: str) -> None:
    """Wait until a channel shows something, without any time passing."""
    await until(desk, lambda: any(name in each for each in desk.office.shown(channel)))


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
        await until(desk, lambda: any("/crosspost" in one.path for one in state.asked.past))
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
    directory = desk.bot.features.directory
    await directory.add(state.guild_id, PlaceKind.CATALOG, 1, "Season")
    async with desk.office.at_work():
        await desk.announce(closed, TEXT)
        await desk.office.done()
        desk.shop.items.insert(0, item(98))
        await desk.bot.features.poller.poll(PlaceKind.CATALOG, 1)
        await desk.office.done()

    (told,) = desk.office.shown(state.system_channel_id)
    assert f"Season in <#{closed}> can't be posted\nKiosk may not post there" in told
    assert await desk.why() == ["refused"]


async def test_a_server_is_not_told_of_what_goes_on_by_then(desk: Desk) -> None:
    state, announcing = desk.office.discord.state, desk.bot.features.announcing
    channel, state.system_channel_id = state.add_channel(), state.add_channel()
    one = await desk.announce(channel, TEXT)
    async with announcing.outbox.transaction() as transaction:
        await announcing.owing.stop(transaction, one, MISSING_PERMISSIONS.code)
    await announcing.go_on([one], tells_missed=False)

    async with desk.office.at_work():
        await desk.office.done()

    assert desk.office.shown(state.system_channel_id) == []


async def test_no_server_waits_for_what_another_one_is_to_be_told(desk: Desk) -> None:
    state, moderation = desk.office.discord.state, desk.bot.features.moderation
    logs = [state.add_channel() for _ in range(2)]
    state.refusals[logs[0]] = ITS_OWN_TROUBLE
    for guild, log in enumerate(logs, start=1):
        await moderation.settings.change(guild, log_channel_id=log)
        closed = state.add_channel()
        state.refusals[closed] = MISSING_PERMISSIONS
        await desk.subscribe(closed, TEXT, guild=guild)
    async with desk.office.at_work() as dispatcher:
        await desk.stock(99, "Straw Hat")
        desk.office.wake()
        await until_idle(dispatcher)
        desk.office.pass_time(_UNTIL_MET_AGAIN)
        await shown(desk, logs[1], "can't be posted")

    assert desk.office.shown(logs[0]) == []


async def test_a_refusal_that_is_over_within_ten_minutes_stops_no_announcement(desk: Desk) -> None:
    state = desk.office.discord.state
    channel, state.system_channel_id = state.add_channel(), state.add_channel()
    state.refusals[channel] = MISSING_PERMISSIONS
    async with desk.office.at_work() as dispatcher:
        await desk.announce(channel, TEXT)
        desk.office.wake()
        await until_idle(dispatcher)
        del state.refusals[channel]
        await desk.office.done()

    (told,) = desk.office.shown(channel)
    assert "Straw Hat" in told
    assert await desk.why() == ["sent"]
    assert desk.office.shown(state.system_channel_id) == []


FIRST, SECOND = "Straw Hat", "Felt Cap"


async def move(desk: Desk, one: Subscription, channel: int, kind: int) -> None:
    await desk.bot.features.announcing.change(one.id, channel_id=channel, channel_kind=kind)


async def current(desk: Desk, one: Subscription) -> Subscription:
    return await desk.bot.features.announcing.find(one.guild_id or 0, one.id)


async def test_a_channel_that_is_gone_stops_no_announcement_that_has_left_it(desk: Desk) -> None:
    state = desk.office.discord.state
    old, new = state.add_channel(), state.add_channel()
    state.refusals[old] = UNKNOWN_CHANNEL
    one = await desk.announce(old, TEXT, role_ids=frozenset({7}))
    async with state.gates.closed(lambda asked: asked.is_message) as gate, desk.office.at_work():
        await gate.arrival()
        await move(desk, one, new, TEXT)
        gate.open()
        await desk.office.done()

    assert (await current(desk, one)).stopped_at is None
    (told,) = desk.office.shown(new)
    assert FIRST in told
    assert "<@&7>" in told


async def test_what_waited_at_a_pause_is_missed(desk: Desk) -> None:
    announcing = desk.bot.features.announcing
    channel = desk.office.discord.state.add_channel()
    one = await desk.announce(channel, TEXT)
    await announcing.subscribed.stop(one.id, PERSON, now=announcing.now())
    await desk.stock(98, SECOND)
    async with desk.office.at_work():
        await desk.office.done()
        assert desk.office.shown(channel) == []

        assert await announcing.go_on([one], tells_missed=True) == 2
        await desk.office.done()

    (told,) = desk.office.shown(channel)
    assert FIRST in told
    assert SECOND in told


async def test_a_removed_post_is_forgotten(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    state = desk.office.discord.state
    forum = state.add_forum()
    one = await desk.announce(forum, FORUM)
    async with (
        state.gates.closed(lambda asked: asked.path.endswith("/threads")) as gate,
        desk.office.at_work(),
    ):
        await gate.arrival()
        state.refusals[forum] = LATE_ERROR
        await desk.bot.features.announcing.subscribed.remove(one)
        gate.open()
        await desk.office.done()

    assert len(state.posts) == 1
    assert "NoLongerWanted" not in caplog.text
