"""Comments of a followed thread that change, or that Discord refuses."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.app import open_bot
from cogs.forum.followed_comments import FollowedComment
from storage.names import PlaceKind
from tests.support.discord_standin.refusals import (
    HARMFUL_LINK,
    ITS_OWN_TROUBLE,
    LATE_ERROR,
    MISSING_PERMISSIONS,
)
from tests.support.rogue_game import reply
from tests.support.world import settings_for
from tests.worker.conftest import Office
from tests.worker.corner import FORUM, TEXT, THREAD, Corner, open_corner


@pytest.fixture
def one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the bot's database on PostgreSQL, with one connection for all; first of the fixtures."""
    monkeypatch.setenv("DATABASE", "postgresql")
    monkeypatch.setattr("storage.database.postgres._MOST_CONNECTIONS", 1)


@pytest.fixture
async def corner(office: Office, tmp_path: Path) -> AsyncGenerator[Corner]:
    async with open_corner(office, tmp_path) as opened:
        yield opened


async def test_one_worker_shows_what_another_saw(corner: Corner, tmp_path: Path) -> None:
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


async def test_a_changed_post_in_doubt_is_not_made_again(corner: Corner) -> None:
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
async def test_a_change_on_its_way_is_shown_in_the_end(corner: Corner, kind: int) -> None:
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


async def test_a_deleted_comment_goes_where_a_follow_is_paused_too(corner: Corner) -> None:
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
    async with corner.office.at_work():
        await corner.office.done()

    assert corner.office.shown(channel) == []


@pytest.mark.parametrize("is_away", [False, True])
async def test_what_quotes_a_deleted_comment_is_drawn_anew_or_goes(
    corner: Corner, *, is_away: bool
) -> None:
    channel = corner.office.discord.state.add_channel()
    await corner.follow(channel, TEXT)
    await corner.post()
    corner.write(2, "Hasty words")
    corner.write(3, "An answer", below=2)
    await corner.post()
    before = "".join(corner.office.shown(channel))
    # Another game than ours keeps the answers.
    (answer,) = corner.find(2)["children"]
    corner.written[0] = answer
    corner.show()
    await corner.look()
    await corner.look()
    if is_away:
        corner.game.answers(reply("", status=503))
    async with corner.office.at_work():
        await corner.office.done()

    assert before.count("Hasty words") == 2
    shown = corner.office.shown(channel)
    assert [text.splitlines()[-1] for text in shown] == ([] if is_away else ["An answer"])
    assert "Hasty words" not in "".join(shown)


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


async def test_what_a_closed_forum_refused_comes_with_a_reply(corner: Corner) -> None:
    state = corner.office.discord.state
    forum = state.add_forum()
    await corner.follow(forum, FORUM)
    await corner.post()
    state.refusals[forum] = MISSING_PERMISSIONS
    corner.write(2, "Refused")
    corner.write(3, "Dropped for the pause that follows")
    await corner.post()
    assert (await corner.followed(forum)).stopped_at is not None
    del state.refusals[forum]
    await corner.go_on(forum, tells_missed=False)
    corner.write(4, "One answer", below=2)
    corner.write(5, "Another answer", below=3)
    await corner.post()

    inside = [corner.office.shown(int(post["id"])) for post in state.posts]
    found = [(first.splitlines()[-1], second.splitlines()[-1]) for first, second in inside]
    assert found == [
        ("Refused", "One answer"),
        ("Dropped for the pause that follows", "Another answer"),
    ]


@pytest.mark.parametrize(("count", "words"), [(2, ["Words 2", "Words 3"]), (7, ["7 new"])])
async def test_what_a_closed_channel_refused_comes_once_it_goes_on(
    corner: Corner, count: int, words: list[str]
) -> None:
    state = corner.office.discord.state
    channel = state.add_channel()
    await corner.follow(channel, TEXT)
    await corner.post()
    state.refusals[channel] = MISSING_PERMISSIONS
    for number in range(count):
        corner.write(2 + number, f"Words {2 + number}")
    await corner.post()
    del state.refusals[channel]

    assert await corner.go_on(channel, tells_missed=True) == count
    await corner.post()

    told = corner.office.shown(channel)
    assert [word in text for word, text in zip(words, told, strict=True)] == [True] * len(words)


async def test_what_goes_on_waits_for_no_second_connection(
    one_connection: None, corner: Corner
) -> None:
    state = corner.office.discord.state
    channel = state.add_channel()
    await corner.follow(channel, TEXT)
    await corner.post()
    corner.write(2, "Hello")
    await corner.post()
    state.refusals[channel] = MISSING_PERMISSIONS
    corner.write(3, "An answer", below=2)
    await corner.post()

    assert await corner.go_on(channel, tells_missed=True) == 1


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
    assert f"Thread 3 in <#{forum}> can't be posted" in told
