"""A followed thread on a Discord that refuses comments."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.discord_standin.refusals import (
    HARMFUL_LINK,
    ITS_OWN_TROUBLE,
    MISSING_PERMISSIONS,
)
from tests.worker.conftest import Office
from tests.worker.corner import FORUM, TEXT, Corner, open_corner


@pytest.fixture
async def corner(office: Office, tmp_path: Path) -> AsyncGenerator[Corner]:
    async with open_corner(office, tmp_path) as opened:
        yield opened


async def test_a_comment_with_a_link_that_discord_refuses_stops_no_follow(corner: Corner) -> None:
    state = corner.office.discord.state
    channel = state.add_channel()
    follow = await corner.follow(channel, TEXT)
    await corner.post()
    state.refusals[channel] = HARMFUL_LINK
    corner.write(2, "https://harmful.example")
    await corner.post()
    del state.refusals[channel]
    corner.write(3, "Hello")
    await corner.post()

    (told,) = corner.office.shown(channel)
    assert "Hello" in told
    assert await corner.followed(channel) == follow


async def test_an_outage_of_a_day_stops_no_follow(corner: Corner) -> None:
    state = corner.office.discord.state
    channel = state.add_channel()
    follow = await corner.follow(channel, TEXT)
    await corner.post()
    corner.write(2, "Hello")
    await corner.look()
    await corner.office.database.execute(
        "UPDATE messages SET wanted_at = wanted_at - 90000000000, attempts = 40"
    )
    state.refusals[channel] = ITS_OWN_TROUBLE
    await corner.post()

    assert await corner.followed(channel) == follow


async def test_what_a_closed_forum_did_not_take_comes_with_the_first_answer_to_it(
    corner: Corner,
) -> None:
    state = corner.office.discord.state
    forum = state.add_forum()
    await corner.follow(forum, FORUM)
    await corner.post()
    state.refusals[forum] = MISSING_PERMISSIONS
    corner.write(2, "Refused")
    corner.write(3, "Dropped for the pause that follows")
    await corner.post()
    assert (await corner.followed(forum)).paused_at is not None
    del state.refusals[forum]
    await corner.follow(forum, FORUM)
    corner.write(4, "One answer", below=2)
    corner.write(5, "Another answer", below=3)
    await corner.post()

    inside = [corner.office.shown(int(post["id"])) for post in state.posts]
    found = [(first.splitlines()[-1], second.splitlines()[-1]) for first, second in inside]
    assert found == [
        ("Refused", "One answer"),
        ("Dropped for the pause that follows", "Another answer"),
    ]


async def test_a_forum_that_takes_no_replies_any_more_is_told_of(corner: Corner) -> None:
    state = corner.office.discord.state
    forum, state.system_channel_id = state.add_forum(), state.add_channel()
    await corner.follow(forum, FORUM)
    await corner.post()
    corner.write(2, "Hello")
    await corner.post()
    (post,) = state.posts
    state.refusals[int(post["id"])] = MISSING_PERMISSIONS
    corner.write(3, "An answer", below=2)
    await corner.post()

    (told,) = corner.office.shown(state.system_channel_id)
    assert f"New comments no longer come to <#{forum}>" in told
