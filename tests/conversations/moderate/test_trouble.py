"""What can't be reached, who may not press any more, and that the moderators learn of it."""

import simcord

from tests.conversations.moderate.conftest import Beat
from tests.support.cards import text_of
from tests.support.forum import EMPTY


async def test_a_log_channel_that_takes_nothing_is_told_until_it_does(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    first, _ = await beat.share()
    second, _ = await beat.share("Unkinder words")
    posting = f"/channels/{log_channel.id}/messages"
    world.env.inject_error("POST", posting, status=403, code=50013, times=1)

    await beat.remove(first)
    await beat.settled()
    told = await beat.remove(second)
    await beat.settled()
    again = await beat.moderate("remove", comment="999", reason="Insults")

    assert f"I can't post in the log channel, <#{log_channel.id}>" in text_of(told)
    assert "I can't post" not in again
    posted = [text_of(message) for message in log_channel.history()]
    assert [sum(words in text for text in posted) for words in ("Unkind ", "Unkinder")] == [0, 1]


async def test_a_page_in_an_archived_post_is_listed_with_its_reason(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await beat.post("Kind words")
    comment_id, _ = await beat.share()
    await beat.read(EMPTY, public=True)
    page = beat.world.channel.last_message
    assert page is not None
    editing = f"/channels/{beat.world.channel.id}/messages/{page.id}"
    beat.world.env.inject_error("PATCH", editing, status=400, code=50083)

    removed = await beat.remove(comment_id)
    await beat.settled()
    looked = await beat.press(removed, "Look again", beat.world.moderator)

    assert "1 of 2" in text_of(looked)
    assert f"{page.id}: the post is archived" in text_of(looked)
    assert "1 of 2" in text_of(log_channel.last_message)


async def test_nothing_of_a_moderator_is_left_to_press_once_the_role_is_gone(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    await beat.moderate("words add", words="unkind")
    removed_id, _ = await beat.share("Rude words")
    await beat.remove(removed_id)
    await beat.settled()
    log = await world.slash("moderate log", world.moderator)
    removal = log_channel.last_message
    await beat.post("Unkind words")
    await beat.read_here()
    await beat.settled()
    held_back = log_channel.last_message
    world.env.backend.guilds[world.guild.id].members[world.moderator.id].role_ids.clear()

    answers = [
        await beat.press(shown, label, world.moderator)
        for shown, label in [
            (removal, "Restore"),
            (removal, "Note"),
            (held_back, "Show"),
            (held_back, "Remove"),
        ]
    ]

    assert "Rude words" in text_of(log)
    assert all("That is for moderators" in text_of(each) for each in answers)
    read = await beat.read_here()
    assert "Rude words" not in read
    assert "Unkind words" not in read


async def test_another_server_goes_on_showing_what_was_removed_here(beat: Beat) -> None:
    comment_id, _ = await beat.share()
    elsewhere = beat.world.env.create_guild("Elsewhere")
    channel = elsewhere.create_text_channel("talk")
    visitor = elsewhere.add_member(beat.world.env.create_user("visitor"))
    await visitor.slash(channel, "forum read", thread=EMPTY, public=True)

    await beat.remove(comment_id)
    await beat.settled()
    there = await visitor.slash(channel, "forum read", thread=EMPTY)

    assert "Unkind words" not in await beat.read_here()
    assert "Unkind words" in text_of(there)
    assert "Unkind words" in text_of(channel.last_message)
