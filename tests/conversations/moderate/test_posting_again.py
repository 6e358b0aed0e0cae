"""A restored comment comes back to the channels that had it, if a moderator wants that."""

from typing import Any

import discord

from storage.names import PlaceKind
from tests.conversations.moderate.conftest import Beat, shown_in
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forum import EMPTY, number_of
from tests.support.owed import all_done, tried, try_again
from tests.support.permissions import let_discord_say
from tests.support.presses import press_again

AGAIN = "Post again in #game-talk"


async def poll(beat: Beat) -> None:
    await beat.world.bot.features.poller.poll(PlaceKind.THREAD, int(EMPTY))
    await all_done(beat.world)


async def follow(beat: Beat, channel: Any = None) -> None:
    let_discord_say(beat.world, discord.Permissions.all().value)
    options = {"thread": EMPTY, "channel": channel or beat.world.channel}
    await beat.world.slash("announce thread", beat.world.moderator, **options)
    await poll(beat)


async def removed(beat: Beat, text: str = "Unkind words") -> tuple[int, Any]:
    """Let a followed comment be posted and removed; give its number and the removal's card."""
    comment_id = number_of(await beat.post(text))
    await poll(beat)
    assert text in "".join(shown_in(beat.world.channel))
    card = await beat.remove(comment_id)
    await all_done(beat.world)
    assert text not in "".join(shown_in(beat.world.channel))
    return comment_id, card


async def history(beat: Beat) -> str:
    """Read what happened to the comments of the only followed thread."""
    card = answer_of(await beat.world.slash("announce list", beat.world.moderator))
    await beat.world.moderator.select(card, [selects_of(card)[0]["options"][0]["value"]])
    await beat.world.moderator.click(card, label="History")
    return text_of(card)


async def test_two_presses_bring_a_comment_back_to_its_channel(beat: Beat) -> None:
    await follow(beat)
    comment_id, card = await removed(beat)
    moderator = beat.world.moderator
    told = await history(beat)
    card = await beat.press(card, "Restore", moderator)
    assert "doesn't come back" not in text_of(card)
    card = await beat.press(card, AGAIN, moderator)
    await all_done(beat.world)

    assert f"🚫 {beat.world.channel.mention}: posted, then removed by <@{moderator.id}>" in told
    assert f"Kiosk will post it in {beat.world.channel.mention} again." in text_of(card)
    assert AGAIN not in buttons_of(card)
    (posted,) = beat.world.channel.history()
    assert "Unkind words" in text_of(posted)
    # Those who saw it go are told as of any other comment.
    assert not posted.flags.suppress_notifications
    assert "✅" in await history(beat)

    await beat.world.slash("forum edit", comment=str(comment_id), content="Kind words")
    await poll(beat)
    (posted,) = beat.world.channel.history()
    assert "Kind words" in text_of(posted)
    await beat.remove(comment_id)
    await all_done(beat.world)
    assert beat.world.channel.history() == []


async def test_a_comment_is_posted_again_once_and_a_restart_loses_nothing(beat: Beat) -> None:
    await follow(beat)
    _, card = await removed(beat)
    moderator = beat.world.moderator
    restored = await beat.press(card, "Restore", moderator)
    again = buttons_of(restored)[AGAIN]["custom_id"]
    await beat.world.restart()

    await beat.press(restored, AGAIN, moderator)
    twice = await press_again(moderator, beat.world.channel, answer_of(restored), again)
    await all_done(beat.world)

    assert "is already back" in text_of(twice)
    assert len(beat.world.channel.history()) == 1


async def test_only_what_is_shown_and_followed_is_posted_again(beat: Beat) -> None:
    await follow(beat)
    comment_id, card = await removed(beat)
    moderator = beat.world.moderator
    restored = await beat.press(card, "Restore", moderator)
    again = buttons_of(restored)[AGAIN]["custom_id"]

    async def press(actor: Any = moderator) -> str:
        where = beat.world.channel, answer_of(restored)
        return text_of(await press_again(actor, *where, again))

    await beat.remove(comment_id)
    hidden = await press()
    await beat.moderate("restore", removed=str(comment_id))
    refused = await press(beat.world.friend)
    listed = answer_of(await beat.world.slash("announce list", moderator))
    await moderator.select(listed, [selects_of(listed)[0]["options"][0]["value"]])
    await moderator.click(listed, label="Pause")
    paused = await press()
    await moderator.click(listed, label="Resume")
    await beat.press(
        await beat.world.slash("forum delete", comment=str(comment_id)), "Delete comment"
    )
    deleted = await press()
    await all_done(beat.world)

    assert f"Comment #{comment_id} is hidden here" in hidden
    assert "Only moderators can do this" in refused
    assert "The comment's thread isn't followed there" in paused
    assert "That comment is gone" in deleted
    assert beat.world.channel.history() == []


async def test_a_comment_is_posted_again_once_its_message_is_deleted(beat: Beat) -> None:
    await follow(beat)
    comment_id = number_of(await beat.post("Unkind words"))
    await poll(beat)
    deleting = f"/channels/{beat.world.channel.id}/messages/*"
    beat.world.env.inject_error("DELETE", deleting, status=500, times=None)
    card = await beat.remove(comment_id)
    await tried(beat.world)
    restored = await beat.press(card, "Restore", beat.world.moderator)
    again = buttons_of(restored)[AGAIN]["custom_id"]

    async def press() -> str:
        where = beat.world.channel, answer_of(restored)
        return text_of(await press_again(beat.world.moderator, *where, again))

    early = await press()
    beat.world.env.backend.faults.clear()
    await try_again(beat.world)
    late = await press()
    await all_done(beat.world)

    assert "The old message isn't deleted yet" in early
    assert f"Kiosk will post it in {beat.world.channel.mention} again." in late
    assert len(beat.world.channel.history()) == 1


async def test_a_comment_comes_back_that_was_removed_twice(beat: Beat) -> None:
    await follow(beat)
    comment_id, card = await removed(beat)
    await beat.press(card, "Restore", beat.world.moderator)
    card = await beat.remove(comment_id)

    restored = await beat.press(card, "Restore", beat.world.moderator)
    await beat.press(restored, AGAIN, beat.world.moderator)
    await all_done(beat.world)

    assert len(beat.world.channel.history()) == 1


async def test_a_post_of_a_forum_channel_comes_back_as_one(beat: Beat) -> None:
    forum = beat.world.guild.create_forum_channel("talk")
    old = number_of(await beat.post("Unkind words"))
    await follow(beat, forum)
    await beat.world.slash("forum reply", thread=EMPTY, comment=str(old), content="Kind words")
    await poll(beat)
    assert len(forum.threads) == 1
    card = await beat.remove(old)
    await all_done(beat.world)

    restored = await beat.press(card, "Restore", beat.world.moderator)
    await beat.press(restored, "Post again in #talk", beat.world.moderator)
    await all_done(beat.world)

    names = [thread.name for thread in forum.threads]
    assert sum("Unkind words" in str(name) for name in names) == 1
