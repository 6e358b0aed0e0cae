"""Followed threads whose comments change and go, on a Discord that refuses and loses answers."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import simcord

from bot.app import open_bot
from storage.names import PlaceKind
from storage.subscriptions import Subscription
from tests.conversations.forum.test_following import remove
from tests.support.announcing import thread_in
from tests.support.cards import text_of
from tests.support.forum import ForumTown, open_forum_town
from tests.support.game_samples import comment, just_now
from tests.support.owed import tried
from tests.support.rest import until_idle
from tests.support.rogue_game import open_rogue_thread
from tests.support.wire import Asked, Wire, is_message
from tests.support.world import EMPTY, NEWCOMER, SUBSCRIBER, World, open_world

FORUM, TEXT = 15, 0
AN_HOUR = 3600.0
# After it, a refusal that is met again counts.
_UNTIL_MET_AGAIN = 600.0
MISSING_PERMISSIONS = (403, 50013)


async def follow(world: World, channel: simcord.ChannelHandle, kind: int = TEXT) -> None:
    """Let a channel have all that is written from now on."""
    await world.bot.features.followed_threads.follow(
        thread_in(world.guild.id, channel.id, kind, int(EMPTY))
    )
    await look(world)


async def followed(world: World) -> Subscription:
    subscribed = world.bot.features.announcing.subscribed
    (found,) = await subscribed.of_guild(world.guild.id, PlaceKind.THREAD)
    return found


async def find(world: World) -> None:
    """Look at the thread, and send nothing yet."""
    assert await world.bot.features.poller.poll(PlaceKind.THREAD, int(EMPTY))


async def look(world: World, times: int = 1) -> None:
    for _ in range(times):
        await find(world)
    await tried(world)


def refuse(
    world: World,
    channel: simcord.ChannelHandle,
    answer: tuple[int, int],
    *,
    times: int | None = None,
) -> None:
    status, code = answer
    for path in ("messages", "threads"):
        path = f"/channels/{channel.id}/{path}"
        world.env.inject_error("POST", path, status=status, code=code, times=times)


async def let_it_stop(world: World) -> None:
    """Let the time pass in which a refusal may be over."""
    await world.pass_time(_UNTIL_MET_AGAIN)
    assert (await followed(world)).stopped_at is not None
    world.env.backend.faults.clear()


def shown(channel: Any) -> list[str]:
    return [text_of(message) for message in channel.history()]


def last_lines(channel: Any) -> list[str]:
    return [text.splitlines()[-1] for text in shown(channel)]


@pytest.fixture
async def world(wire: Wire, linked: ForumTown) -> World:
    return linked.world


async def test_one_process_shows_what_another_saw(world: World) -> None:
    await follow(world, world.channel)
    async with open_bot(world.settings) as other:
        number = await world.in_the_app(SUBSCRIBER, "Hello")
        for text in ("Hello", "Goodbye"):
            await world.change_in_the_app(SUBSCRIBER, number, text)
            assert await other.features.poller.poll(PlaceKind.THREAD, int(EMPTY))
            await tried(world)

    assert last_lines(world.channel) == ["Goodbye"]


async def test_a_changed_post_in_doubt_is_not_made_again(wire: Wire, world: World) -> None:
    forum = world.guild.create_forum_channel("talk")
    await follow(world, forum, FORUM)
    number = await world.in_the_app(SUBSCRIBER, "Hello")
    wire.lose_answer(f"/channels/{forum.id}/threads")
    async with wire.gates.closed(is_message) as gate:
        await find(world)
        await gate.arrival()
        await world.change_in_the_app(SUBSCRIBER, number, "Goodbye")
        await find(world)
        gate.open()
        await until_idle(world.bot)
    for seconds in (10, AN_HOUR):
        await world.pass_time(seconds)

    (post,) = forum.threads
    assert str(post.name).endswith(": Hello")


@pytest.mark.parametrize("kind", [TEXT, FORUM])
async def test_a_change_on_its_way_is_shown_in_the_end(wire: Wire, world: World, kind: int) -> None:
    forum = world.guild.create_forum_channel("talk")
    await follow(world, forum if kind == FORUM else world.channel, kind)
    top = await world.in_the_app(SUBSCRIBER, "Hello")
    reply = await world.in_the_app(NEWCOMER, "Unkind words", below=top)

    async with wire.gates.closed(is_message) as first:
        await find(world)
        await first.arrival()
        await world.change_in_the_app(SUBSCRIBER, top, "Goodbye")
        await find(world)
        async with wire.gates.closed(is_message) as second:
            first.open()
            await second.arrival()
            await world.change_in_the_app(NEWCOMER, reply, "Kind words")
            await find(world)
    await until_idle(world.bot)
    await world.pass_time(AN_HOUR)

    channel = forum.threads[0] if kind == FORUM else world.channel
    assert last_lines(channel) == ["Goodbye", "Kind words"]


async def test_a_deleted_comment_goes_where_a_follow_is_paused_too(world: World) -> None:
    await follow(world, world.channel)
    number = await world.in_the_app(SUBSCRIBER, "Unkind words")
    await look(world)
    refuse(world, world.channel, MISSING_PERMISSIONS)
    await world.in_the_app(SUBSCRIBER, "Hello")
    await look(world)
    await let_it_stop(world)
    before = last_lines(world.channel)

    await world.delete_in_the_app(SUBSCRIBER, number)
    await look(world, times=2)

    assert before == ["Unkind words"]
    assert shown(world.channel) == []


@pytest.mark.parametrize("is_away", [False, True])
async def test_what_quotes_a_deleted_comment_is_drawn_anew_or_goes(
    tmp_path: Path, *, is_away: bool
) -> None:
    async with open_rogue_thread() as game, open_world(tmp_path, game.base_url) as world:

        async def look_here() -> None:
            assert await world.bot.features.poller.poll(PlaceKind.THREAD, 1)

        game.comments = [comment(id=1, content="Older", created_at=just_now())]
        new = thread_in(world.guild.id, world.channel.id, TEXT, 1)
        await world.bot.features.followed_threads.follow(new)
        await look_here()
        answer = comment(id=3, content="An answer", created_at=just_now())
        hasty = comment(id=2, content="Hasty words", created_at=just_now())
        game.comments.insert(0, {**hasty, "children": [answer], "children_count": 1})
        await look_here()
        await tried(world)
        before = "".join(shown(world.channel))
        # Another game than ours keeps the answers.
        game.comments[0] = answer
        await look_here()
        await look_here()
        if is_away:
            game.failing_pages.add(1)
        await tried(world)

        assert before.count("Hasty words") == 2
        assert last_lines(world.channel) == ([] if is_away else ["An answer"])
        assert "Hasty words" not in "".join(shown(world.channel))


async def test_a_comment_with_a_link_that_discord_refuses_stops_no_follow(world: World) -> None:
    await follow(world, world.channel)
    before = await followed(world)
    refuse(world, world.channel, (400, 240000), times=1)
    await world.in_the_app(SUBSCRIBER, "https://harmful.example")
    await look(world)
    await world.in_the_app(SUBSCRIBER, "Hello")
    await look(world)

    assert last_lines(world.channel) == ["Hello"]
    assert await followed(world) == before


async def test_an_outage_of_a_day_stops_no_follow(world: World) -> None:
    await follow(world, world.channel)
    before = await followed(world)
    refuse(world, world.channel, (403, 40333))
    await world.in_the_app(SUBSCRIBER, "Hello")
    await look(world)
    for _ in range(40):
        await world.pass_time(AN_HOUR)
    world.env.backend.faults.clear()
    await world.in_the_app(SUBSCRIBER, "Hello again")
    await look(world)

    assert await followed(world) == before
    assert last_lines(world.channel) == ["Hello again"]


async def test_what_a_closed_forum_refused_comes_with_a_reply(world: World) -> None:
    forum = world.guild.create_forum_channel("talk")
    await follow(world, forum, FORUM)
    refuse(world, forum, MISSING_PERMISSIONS)
    refused = await world.in_the_app(SUBSCRIBER, "Refused")
    await look(world)
    dropped = await world.in_the_app(SUBSCRIBER, "Dropped for the pause that follows")
    await look(world)
    await let_it_stop(world)
    announcing = world.bot.features.announcing
    await announcing.resume([await followed(world)], tells_missed=False)
    await world.in_the_app(NEWCOMER, "One answer", below=refused)
    await world.in_the_app(NEWCOMER, "Another answer", below=dropped)
    await look(world)

    assert [last_lines(post) for post in forum.threads] == [
        ["Refused", "One answer"],
        ["Dropped for the pause that follows", "Another answer"],
    ]


@pytest.mark.parametrize(("count", "words"), [(2, ["Words 0", "Words 1"]), (7, ["7 new"])])
async def test_what_a_closed_channel_refused_comes_once_it_goes_on(
    world: World, count: int, words: list[str]
) -> None:
    await follow(world, world.channel)
    refuse(world, world.channel, MISSING_PERMISSIONS)
    for number in range(count):
        await world.in_the_app(SUBSCRIBER, f"Words {number}")
    await look(world)
    await let_it_stop(world)

    announcing = world.bot.features.announcing
    assert await announcing.resume([await followed(world)], tells_missed=True) == count
    await tried(world)

    told = shown(world.channel)
    assert [word in text for word, text in zip(words, told, strict=True)] == [True] * len(words)


@pytest.fixture
async def one_connection(
    wire: Wire, demo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    """A world whose database is on PostgreSQL, with one connection for all."""
    monkeypatch.setenv("DATABASE", "postgresql")
    monkeypatch.setattr("storage.database.postgres._MAX_CONNECTIONS", 1)
    async with open_forum_town(demo, tmp_path, SUBSCRIBER, NEWCOMER) as town:
        yield town.world


async def test_what_goes_on_waits_for_no_second_connection(one_connection: World) -> None:
    world = one_connection
    await follow(world, world.channel)
    top = await world.in_the_app(SUBSCRIBER, "Hello")
    await look(world)
    refuse(world, world.channel, MISSING_PERMISSIONS)
    await world.in_the_app(NEWCOMER, "An answer", below=top)
    await look(world)
    await let_it_stop(world)

    announcing = world.bot.features.announcing
    assert await announcing.resume([await followed(world)], tells_missed=True) == 1


async def test_a_forum_that_takes_no_replies_any_more_is_told_of(world: World) -> None:
    forum, log = world.guild.create_forum_channel("talk"), world.guild.create_text_channel("log")
    await world.manage("Moderation", log_channel_id=[log])
    await follow(world, forum, FORUM)
    top = await world.in_the_app(SUBSCRIBER, "Hello")
    await look(world)
    refuse(world, forum.threads[0], MISSING_PERMISSIONS)
    await world.in_the_app(NEWCOMER, "An answer", below=top)
    await look(world)
    await let_it_stop(world)
    await tried(world)

    assert f"Kiosk can't post Quiet corner in <#{forum.id}>" in shown(log)[-1]


async def test_each_comment_is_a_post_with_its_replies_inside(wire: Wire, world: World) -> None:
    forum = world.guild.create_forum_channel("talk")
    old = await world.in_the_app(SUBSCRIBER, "Older than the follow")
    await follow(world, forum, FORUM)
    new = await world.in_the_app(SUBSCRIBER, "Hello")
    await world.in_the_app(NEWCOMER, "An answer", below=new)
    await look(world)
    await world.in_the_app(NEWCOMER, "An answer to what was there before", below=old)
    await look(world)

    first, second = forum.threads
    assert str(first.name).endswith(": Hello")
    assert last_lines(first) == ["Hello", "An answer"]
    assert str(second.name).endswith(": Older than the follow")
    assert last_lines(second) == ["Older than the follow", "An answer to what was there before"]

    # A text changes faster than Discord takes edits; then a moderator deletes the message.
    asked = len(wire.asked.past)
    async with wire.gates.closed(lambda _: True) as gate:
        for text in ("Changed", "Changed more", "Changed again"):
            await world.change_in_the_app(SUBSCRIBER, new, text)
            await find(world)
        await gate.arrival()
        gate.open()
        await until_idle(world.bot)
    assert last_lines(first)[0] == "Changed again"
    assert str(first.name).endswith(": Changed again")
    assert len(wire.asked.past) <= asked + 4
    begins = first.history()[0]
    world.env.backend.delete_message(first.id, begins.id)
    await world.change_in_the_app(SUBSCRIBER, new, "Changed where nobody sees it")
    await look(world)
    assert last_lines(first) == ["An answer"]
    assert len(forum.threads) == 2


async def test_a_post_is_changed_where_it_was_archived_and_ends_with_its_comment(
    wire: Wire, world: World
) -> None:
    forum = world.guild.create_forum_channel("talk")
    await follow(world, forum, FORUM)
    top = await world.in_the_app(SUBSCRIBER, "Somebody else")
    one = await world.in_the_app(NEWCOMER, "One answer", below=top)
    another = await world.in_the_app(NEWCOMER, "Another answer", below=top)
    await look(world)
    (post,) = forum.threads
    # For lack of answers, Discord has archived it meanwhile.
    changing = f"/channels/{post.id}/messages/*"
    world.env.inject_error("PATCH", changing, status=400, code=50083, times=1)
    await world.change_in_the_app(NEWCOMER, one, "One answer, mended")
    await world.delete_in_the_app(NEWCOMER, another)
    await look(world, times=2)
    assert Asked("PATCH", f"/channels/{post.id}") in wire.asked.past
    assert last_lines(post) == ["Somebody else", "One answer, mended"]

    await world.delete_in_the_app(SUBSCRIBER, top)
    await look(world, times=2)
    assert shown(post) == []
    assert post.name == "🗑️ deleted by its author"


async def test_a_post_that_keeps_its_name_takes_replies(wire: Wire, world: World) -> None:
    forum = world.guild.create_forum_channel("talk")
    await follow(world, forum, FORUM)
    top = await world.in_the_app(SUBSCRIBER, "Hallo")
    await look(world)
    (post,) = forum.threads
    # Discord takes two names in ten minutes.
    wire.limit(f"/channels/{post.id}", 600.0)
    await world.change_in_the_app(SUBSCRIBER, top, "Unkind words")
    await look(world)
    await world.in_the_app(NEWCOMER, "An answer", below=top)
    await look(world)
    before = post.name
    assert last_lines(post) == ["Unkind words", "An answer"]

    wire.take_all()
    await world.pass_time(AN_HOUR)

    assert str(before).endswith(": Hallo")
    assert str(post.name).endswith(": Unkind words")


async def test_what_quotes_what_was_removed_goes_too(linked: ForumTown) -> None:
    world = linked.world
    await follow(world, world.channel)
    top = await world.in_the_app(SUBSCRIBER, "Unkind words")
    reply = await world.in_the_app(NEWCOMER, "Be kind", below=top)
    await look(world)
    before = shown(world.channel)[-1]

    await world.change_in_the_app(NEWCOMER, reply, "Be kinder")
    await find(world)
    await remove(linked, top)
    await look(world)

    assert "Unkind words" in before
    assert shown(world.channel) == []
