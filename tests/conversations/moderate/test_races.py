"""Several do something with one comment at once: one record, and it is not on show afterwards."""

import asyncio

import simcord

from playground.scene import MODERATOR
from storage.moderation import Subject
from storage.removals import Removal
from tests.conversations.moderate.conftest import Beat
from tests.support.cards import text_of
from tests.support.faulty_proxy import Passing, is_read
from tests.support.forum import EMPTY, number_of
from tests.support.world import VISITOR


def is_list(passing: Passing) -> bool:
    return passing.path.endswith("/comments") and is_read(passing)


async def remove_now(beat: Beat, comment_id: int) -> None:
    """Remove a comment while somebody else's press is under way."""
    new = Removal(
        beat.world.guild.id, Subject(comment_id), beat.world.moderator.id, "Insults", "en-GB"
    )
    await beat.world.bot.features.moderation.remove(new)


async def second_moderator(beat: Beat) -> simcord.MemberActor:
    world = beat.world
    role = world.guild.create_role("Second", permissions=MODERATOR)
    return world.guild.add_member(world.env.create_user("second"), roles=[role])


async def test_of_two_moderators_with_the_form_open_one_removes_and_the_other_is_told(
    beat: Beat,
) -> None:
    _, message = await beat.share()
    other = await second_moderator(beat)
    first_form = await beat.menu(message)
    second_form = await other.context_menu(beat.world.channel, "Remove comment", message)

    first = await beat.world.moderator.submit_modal(
        first_form, {"reason": "Insults", "in_game": False}
    )
    second = await other.submit_modal(second_form, {"reason": "Spam", "in_game": False})
    await beat.settled()

    log = await beat.log()
    assert "is removed here" in text_of(first)
    assert f"by <@{beat.world.moderator.id}>" in text_of(second)
    assert log.count("is removed here") == 1
    assert "Spam" not in log
    assert beat.world.channel.last_message is None


async def test_a_comment_that_is_removed_while_its_writer_edits_it_stays_removed(
    beat: Beat,
) -> None:
    world = beat.world
    posted = await beat.post("Unkind words")
    await beat.press(posted, "Share")
    form = await beat.press(posted, "Edit")

    await beat.remove(number_of(posted))
    edited = await world.member.submit_modal(form, {"text": "Unkinder words"})
    await beat.settled()

    assert await beat.texts_in() == ["Unkinder words"]
    assert "Your comment has been edited" in text_of(edited)
    assert "Unkinder" not in text_of(edited)
    assert "nkind" not in await beat.read_here()
    assert world.channel.last_message is None


async def test_a_comment_that_is_removed_while_it_is_shared_is_not_posted(beat: Beat) -> None:
    posted = await beat.post("Unkind words")
    async with beat.proxy.leaving.closed(is_list) as gate:
        sharing = asyncio.create_task(beat.press(posted, "Share"))
        await gate.arrival()
        await remove_now(beat, number_of(posted))

    shared = await sharing

    assert "Unkind" not in text_of(shared)
    assert beat.world.channel.last_message is None


async def test_a_page_that_is_posted_while_one_of_its_comments_is_removed_goes_without_it(
    beat: Beat,
) -> None:
    await beat.post("Kind words")
    posted = await beat.post("Unkind words")
    async with beat.proxy.leaving.closed(is_list) as gate:
        reading = asyncio.create_task(beat.read(EMPTY, public=True))
        await gate.arrival()
        await remove_now(beat, number_of(posted))

    await reading
    await beat.settled()

    shown = text_of(beat.world.channel.last_message)
    assert "Kind words" in shown
    assert "Unkind" not in shown


async def test_a_reply_to_a_comment_that_is_removed_meanwhile_does_not_quote_it(
    beat: Beat,
) -> None:
    world = beat.world
    await world.link(world.friend, VISITOR)
    posted = await beat.post("Unkind words")
    card = await beat.read(EMPTY, world.friend)
    form = await beat.reply_to(card, number_of(posted), world.friend)

    await beat.remove(number_of(posted))
    replied = await world.friend.submit_modal(form, {"text": "Be kind"})

    assert "Unkind" not in text_of(replied)
