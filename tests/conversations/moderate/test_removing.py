"""A moderator removes a comment from the server's chat."""

from storage import MIGRATIONS
from storage.database import open_database
from storage.rows import to_micros
from tests.conversations.moderate.conftest import Beat
from tests.support.cards import answer_of, text_of
from tests.support.forum import EMPTY, number_of


async def test_a_comment_is_removed_from_a_messages_menu_with_a_reason(beat: Beat) -> None:
    _, message = await beat.share()

    form = await beat.menu(message)
    removed = await beat.world.moderator.submit_modal(form, {"reason": "Insults", "in_game": False})
    await beat.settled()

    assert answer_of(removed).ephemeral
    assert "is removed here" in text_of(removed)
    assert beat.world.channel.last_message is None
    assert "Unkind words" not in await beat.read_here()
    log = await beat.log()
    assert "Insults" in log
    assert "> Unkind words" in log


async def test_of_a_page_only_the_comment_goes_and_the_others_stay(beat: Beat) -> None:
    await beat.post("Kind words")
    comment_id, _ = await beat.share()
    await beat.read(EMPTY, public=True)
    page = beat.world.channel.last_message
    assert page is not None

    await beat.remove(comment_id)
    await beat.settled()

    shown = text_of(beat.world.channel.last_message)
    assert "removed by a moderator" in shown
    assert "Kind words" in shown
    assert "Unkind words" not in shown


async def test_a_page_that_discord_does_not_take_back_goes_whole(beat: Beat) -> None:
    world = beat.world
    await beat.post("Kind words")
    comment_id = number_of(await beat.post("Unkind words"))
    await beat.read(EMPTY, public=True)
    page = world.channel.last_message
    assert page is not None
    editing = f"/channels/{world.channel.id}/messages/{page.id}"
    world.env.inject_error("PATCH", editing, status=400, code=50035)

    await beat.remove(comment_id)
    await beat.settled()

    assert text_of(world.channel.last_message) == "-# 🚫 removed by a moderator"
    assert "1 of 1" in await beat.log()


async def test_the_card_says_how_the_public_messages_are_and_what_cannot_be_reached(
    beat: Beat,
) -> None:
    comment_id, message = await beat.share()
    await message.delete()

    removed = await beat.remove(comment_id)
    await beat.settled()
    told = text_of(await beat.look_again(removed))

    assert "0 of 1" in told
    assert "the message is gone" in told
    assert "forwarded stay" in told


async def test_a_removal_is_undone_once_and_says_what_stays(beat: Beat) -> None:
    comment_id, _ = await beat.share()
    removed = await beat.remove(comment_id)
    await beat.settled()

    undone = await beat.press(removed, "Restore", beat.world.moderator)
    again = await beat.press(removed, "Restore", beat.world.moderator)

    assert "is back" in text_of(undone)
    assert "stays deleted or edited" in text_of(undone)
    assert "is not removed or muted here" in text_of(again)
    assert "Unkind words" in await beat.read_here()
    assert "Undone by" in await beat.log()


async def test_a_moderator_who_lost_the_role_can_not_send_the_form(beat: Beat) -> None:
    _, message = await beat.share()
    form = await beat.menu(message)
    backend = beat.world.env.backend
    backend.guilds[beat.world.guild.id].members[beat.world.moderator.id].role_ids.clear()

    refused = await beat.world.moderator.submit_modal(form, {"reason": "x", "in_game": False})

    assert "That is for moderators" in text_of(refused)
    assert "Unkind words" in await beat.read_here()


async def test_a_message_whose_number_a_crash_lost_is_found_by_what_it_shows(beat: Beat) -> None:
    comment_id, message = await beat.share()
    async with open_database(beat.world.settings.database_url, MIGRATIONS) as database:
        await database.execute(
            "UPDATE messages SET message_id = NULL, wanted_at = :at WHERE kind = 'shared'",
            # Messages are dated by the simulated clock.
            at=to_micros(message.created_at),
        )

    await beat.remove(comment_id)
    await beat.settled()

    assert beat.world.channel.last_message is None
    assert "1 of 1" in await beat.log()


async def test_nothing_of_a_removed_comment_is_offered_to_its_writer_here(beat: Beat) -> None:
    comment_id, _ = await beat.share()
    world = beat.world
    before = await world.member.autocomplete(world.channel, "forum edit", "comment", "")
    await beat.remove(comment_id)

    offered = await world.member.autocomplete(world.channel, "forum edit", "comment", "")
    asked = await world.slash("forum delete", comment=str(comment_id))

    assert "Unkind words" in str(before)
    assert "Unkind words" not in str(offered)
    assert "Unkind words" not in text_of(asked)


async def test_a_reason_that_can_not_be_written_down_comes_back_to_be_copied(beat: Beat) -> None:
    _, message = await beat.share()
    form = await beat.menu(message)
    typed = {"reason": "Rude to everybody", "in_game": False}
    async with open_database(beat.world.settings.database_url, MIGRATIONS) as database:
        await database.execute("ALTER TABLE removals RENAME TO elsewhere")

        lost = text_of(await beat.world.moderator.submit_modal(form, typed))

        await database.execute("ALTER TABLE elsewhere RENAME TO removals")
    assert "Kiosk can't get at its records" in lost
    assert "Rude to everybody" in lost


async def test_cards_that_others_have_open_lose_it_at_their_next_press(beat: Beat) -> None:
    world = beat.world
    await beat.post("Kind words")
    comment_id, _ = await beat.share()
    page = await beat.read(EMPTY, world.friend)
    assert "Unkind words" in text_of(page)

    await beat.remove(comment_id)
    await beat.settled()
    await world.friend.click(answer_of(page), label="Refresh")

    assert "Unkind words" not in text_of(page)
    assert "Kind words" in text_of(page)
