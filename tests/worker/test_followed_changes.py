"""Comments of a followed thread that change, and what one worker has seen and another posts."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.app import open_bot
from cogs.forum.following import FollowedComment
from storage.names import PlaceKind
from tests.support.discord_standin.refusals import LATE_ERROR, MISSING_PERMISSIONS
from tests.support.world import settings_for
from tests.worker.conftest import Office
from tests.worker.corner import FORUM, TEXT, THREAD, Corner, open_corner


@pytest.fixture
async def corner(office: Office, tmp_path: Path) -> AsyncGenerator[Corner]:
    async with open_corner(office, tmp_path) as opened:
        yield opened


async def test_a_worker_shows_what_another_one_has_seen_since_it_looked_itself(
    corner: Corner, tmp_path: Path
) -> None:
    channel = corner.office.discord.state.add_channel()
    await corner.follow(channel, TEXT)
    await corner.post()
    async with open_bot(settings_for(tmp_path, corner.game.base_url)) as other:
        assert await other.features.poller.poll(PlaceKind.THREAD, THREAD)
        corner.write(2, "Hello")
        await corner.look()
        corner.office.kinds[:] = [FollowedComment(other)]
        async with corner.office.at_work():
            await corner.office.done()
            corner.change(2, "Goodbye")
            await corner.look()
            await corner.office.done()

    (told,) = corner.office.shown(channel)
    assert "Goodbye" in told


async def test_a_post_in_doubt_whose_comment_is_changed_meanwhile_is_not_made_again(
    corner: Corner,
) -> None:
    state = corner.office.discord.state
    forum = state.add_forum()
    await corner.follow(forum, FORUM)
    await corner.post()
    corner.write(2, "Hello")
    await corner.look()
    async with (
        state.gates.closed(lambda asked: asked.path.endswith("/threads")) as gate,
        corner.office.at_work(),
    ):
        await gate.arrival()
        state.refusals[forum] = LATE_ERROR
        corner.change(2, "Goodbye")
        await corner.look()
        gate.open()
        await corner.office.done()

    (post,) = state.posts
    assert post["name"].endswith("Hello")


@pytest.mark.parametrize("kind", [TEXT, FORUM])
async def test_what_is_changed_while_its_message_is_on_its_way_is_shown_as_it_is_now(
    corner: Corner, kind: int
) -> None:
    state = corner.office.discord.state
    channel = state.add_forum() if kind == FORUM else state.add_channel()
    await corner.follow(channel, kind)
    await corner.post()
    corner.write(2, "Hello")
    corner.write(3, "Unkind words", below=2)
    await corner.look()
    async with corner.office.at_work():
        for number, text in ((2, "Goodbye"), (3, "Kind words")):
            async with state.gates.closed(lambda asked: asked.method == "POST") as gate:
                await gate.arrival()
                corner.change(number, text)
                await corner.look()
                gate.open()
        await corner.office.done()

    shown = [text.splitlines()[-1] for text in corner.office.all_shown()]
    assert shown == ["Goodbye", "Kind words"]


async def test_what_was_deleted_while_a_channel_was_closed_goes_when_it_is_followed_again(
    corner: Corner,
) -> None:
    state = corner.office.discord.state
    channel = state.add_channel()
    await corner.follow(channel, TEXT)
    await corner.post()
    corner.write(2, "Unkind words")
    await corner.post()
    state.refusals[channel] = MISSING_PERMISSIONS
    corner.write(3, "Hello")
    await corner.post()
    corner.written.remove(corner.find(2))
    corner.show()
    await corner.look()
    await corner.look()
    del state.refusals[channel]
    await corner.follow(channel, TEXT)
    await corner.post()

    (told,) = corner.office.shown(channel)
    assert "This comment was deleted" in told
