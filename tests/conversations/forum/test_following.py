"""Threads whose new comments come into channels."""

from typing import Any

import simcord

from bot.domain.announcing import NewFollow
from tests.support.cards import buttons_of, text_of
from tests.support.forum import EMPTY, ForumTown, number_of
from tests.support.owed import tried


async def follow(town: ForumTown, channel: simcord.ChannelHandle) -> Any:
    moderator = town.world.moderator
    return await town.world.slash("forum follow", moderator, thread=EMPTY, channel=channel)


async def poll(town: ForumTown, times: int = 1) -> None:
    for _ in range(times):
        assert await town.world.bot.features.following.poller.poll(int(EMPTY))
    await tried(town.world)


async def test_a_new_comment_comes_with_reply_and_what_becomes_of_it_is_seen_there(
    linked: ForumTown,
) -> None:
    world = linked.world
    elsewhere = world.guild.create_text_channel("elsewhere")
    await linked.post("Too old")
    assert "come to" in text_of(await follow(linked, elsewhere))
    await poll(linked)
    assert elsewhere.history() == []

    written = await linked.post("Hello from the game")
    await poll(linked, times=2)
    (card,) = elsewhere.history()
    assert "Hello from the game" in text_of(card)
    assert {"Reply", "Open"} <= buttons_of(card).keys()

    number = str(number_of(written))
    await world.slash("forum edit", comment=number, content="Hello again")
    await poll(linked)
    assert "Hello again" in text_of(elsewhere.history()[0])

    await linked.press(await world.slash("forum delete", comment=number), "Delete")
    await poll(linked, times=2)
    assert "This comment was deleted" in text_of(elsewhere.history()[0])

    for each in range(6):
        await linked.post(f"Comment number {each}")
    await poll(linked)
    assert "6 new comments in Quiet corner" in text_of(elsewhere.history()[-1])

    listed = text_of(await world.slash("announce list", world.moderator))
    assert f"**Quiet corner** → <#{elsewhere.id}>" in listed
    gone = await world.slash("forum unfollow", world.moderator, thread=EMPTY, channel=elsewhere)
    assert "no longer come" in text_of(gone)
    assert "There are none yet" in text_of(await world.slash("announce list", world.moderator))


async def test_no_server_follows_more_than_it_may(linked: ForumTown) -> None:
    world = linked.world
    for number in range(100):
        new = NewFollow(world.guild.id, number, 0, int(EMPTY), "en-US", 1)
        await world.bot.features.following.add(new)

    assert "A server can follow 100 of them" in text_of(await follow(linked, world.channel))


async def test_what_moderators_remove_stays_hidden_in_the_channel(linked: ForumTown) -> None:
    world = linked.world
    elsewhere = world.guild.create_text_channel("elsewhere")
    await follow(linked, elsewhere)
    await poll(linked)
    shown = await linked.post("Unkind words")
    await poll(linked)
    unseen = await linked.post("More unkind words")

    for each in (shown, unseen):
        await world.slash(
            "moderate remove", world.moderator, comment=str(number_of(each)), reason="Insults"
        )
    await poll(linked)

    assert elsewhere.history() == []


async def test_only_those_who_manage_the_server_may_follow(linked: ForumTown) -> None:
    world = linked.world
    refused = await world.slash("forum follow", thread=EMPTY, channel=world.channel)

    assert "those who manage this server" in text_of(refused)
    not_there = await world.slash(
        "forum unfollow", world.moderator, thread=EMPTY, channel=world.channel
    )
    assert "isn't followed there" in text_of(not_there)
