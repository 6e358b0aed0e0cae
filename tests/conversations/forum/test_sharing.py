"""Sharing comments, and cards that outlive a restart."""

import discord

from bot.app import open_bot
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.forum import EMPTY, ForumTown, number_of
from tests.support.owed import tried
from tests.support.shown import ShownMessage, showing_at
from tests.support.world import SUBSCRIBER


async def test_a_shared_comment_is_for_everybody(linked: ForumTown) -> None:
    posted = await linked.post("Look what I wrote")

    await linked.press(posted, "Share")

    shared = linked.world.channel.last_message
    assert shared is not None
    assert not shared.flags.ephemeral
    assert "Look what I wrote" in text_of(shared)
    assert "Shared by member." in text_of(shared)
    assert not shared.mentions


async def test_what_a_public_message_shows_is_recorded(linked: ForumTown) -> None:
    world = linked.world
    posted = await linked.post("Look what I wrote")
    comment_id = number_of(posted)

    await linked.press(posted, "Share")
    shared = world.channel.last_message
    await world.slash("forum read", thread=str(EMPTY), public=True)
    read_aloud = world.channel.last_message

    assert shared is not None
    assert read_aloud is not None
    shown = await showing_at(world.settings.database_url, world.guild.id, comment_id)
    assert shown == [
        ShownMessage(world.channel.id, read_aloud.id),
        ShownMessage(world.channel.id, shared.id),
    ]
    assert not await showing_at(world.settings.database_url, world.guild.id + 1, comment_id)
    assert not await showing_at(world.settings.database_url, world.guild.id, comment_id + 1)


async def test_whoever_presses_reply_on_a_shared_comment_replies_as_themselves(
    linked: ForumTown,
) -> None:
    await linked.press(await linked.post("Anyone?"), "Share")
    shared = linked.world.channel.last_message

    form = await linked.press(shared, "Reply", linked.world.friend)
    answered = await linked.world.friend.submit_modal(form, {"text": "Me"})

    assert answer_of(answered).ephemeral
    assert "**Sprig**" in text_of(answered)
    assert await linked.texts_in(EMPTY) == ["Anyone?", "Me"]


async def test_a_shared_comment_opens_privately(linked: ForumTown) -> None:
    await linked.press(await linked.post("Anyone?"), "Share")
    shared = linked.world.channel.last_message

    opened = await linked.press(shared, "Open", linked.world.friend)

    assert answer_of(opened).ephemeral
    assert "Anyone?" in text_of(opened)


async def test_who_may_not_write_in_a_channel_shares_nothing_there(linked: ForumTown) -> None:
    posted = await linked.post("Anyone?")
    everyone = linked.world.env.backend.guilds[linked.world.guild.id].everyone_role
    everyone.permissions &= ~discord.Permissions(send_messages=True).value

    refused = await linked.press(posted, "Share")
    read = await linked.read(EMPTY, public=True)

    assert "You can't share in this channel" in text_of(refused)
    assert "You can't share in this channel" in text_of(read)
    assert linked.world.channel.last_message is None


async def test_linking_on_the_way_to_a_reply_takes_three_presses_and_the_paste(
    linked: ForumTown,
) -> None:
    await linked.press(await linked.post("Anyone?"), "Share")
    newcomer, presses = linked.world.moderator, ["Reply", "Link account", "Continue"]

    refused = await linked.press(linked.world.channel.last_message, presses.pop(0), newcomer)
    assert "Link your game account first" in text_of(refused)
    form = await linked.press(refused, presses.pop(0), newcomer)
    await newcomer.submit_modal(form, {"token": f'"Bearer {SUBSCRIBER}"'})
    meant = await linked.press(refused, presses.pop(0), newcomer)
    await newcomer.submit_modal(meant, {"text": "Here now"})

    # The one private card was the step to each, and is the reply by now.
    assert "Your reply is posted" in text_of(refused)
    assert await linked.texts_in(EMPTY) == ["Anyone?", "Here now"]


async def test_cards_and_forms_work_after_a_restart(linked: ForumTown) -> None:
    card = await linked.read()
    await linked.press(await linked.post("Anyone?"), "Share")
    shared = linked.world.channel.last_message
    form = await linked.press(shared, "Reply", linked.world.friend)

    async with open_bot(linked.world.settings) as again:
        await linked.world.env.restart_bot(again)
        await linked.press(card, "Next")
        assert "6 to 10" in text_of(card)
        answered = await linked.world.friend.submit_modal(form, {"text": "Still here"})
        assert "Your reply is posted" in text_of(answered)
        await linked.press(shared, "Open", linked.world.friend)


async def test_an_own_comment_is_known_as_such_after_a_restart(linked: ForumTown) -> None:
    await linked.post("Mine")

    async with open_bot(linked.world.settings) as again:
        await linked.world.env.restart_bot(again)
        card = await linked.read(EMPTY)
        await linked.open_comment(card, number_of(card))
        assert "Edit" in buttons_of(card)


async def test_a_comment_that_moved_to_a_later_page_is_found_there(linked: ForumTown) -> None:
    posted = await linked.post("Sinking")
    number = number_of(posted)
    for count in range(15):
        await linked.post(f"Above it, {count}", actor=linked.world.friend)

    async with open_bot(linked.world.settings) as again:
        await linked.world.env.restart_bot(again)
        form = await linked.form_of(await linked.world.slash("forum edit", comment=str(number)))

    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "Sinking"


async def test_a_comment_that_has_vanished_is_named_by_the_number_its_card_shows(
    linked: ForumTown,
) -> None:
    await linked.game.database.execute(
        "INSERT INTO comments (id, thread_id, player_id, depth, content, created_at) "
        "SELECT 1234567, 3, player_id, 1, 'Soon gone', created_at FROM comments LIMIT 1"
    )
    card = await linked.read(EMPTY)
    await linked.game.database.execute("DELETE FROM comments WHERE id = 1234567")

    async with open_bot(linked.world.settings) as again:
        await linked.world.env.restart_bot(again)
        gone = await linked.open_comment(card, 1234567)

    assert "#1234567 was deleted" in text_of(gone)


async def test_a_comment_that_was_deleted_since_is_not_shared_from_memory(
    linked: ForumTown,
) -> None:
    posted = await linked.post("Soon gone")
    await linked.game.database.execute("DELETE FROM comments WHERE id = :id", id=number_of(posted))

    told = await linked.press(posted, "Share")

    assert "can't find that comment" in text_of(told)
    assert answer_of(told).ephemeral
    assert linked.world.channel.last_message is None


async def test_a_name_can_not_fake_the_marks_that_the_game_gives(linked: ForumTown) -> None:
    await linked.game.database.execute("UPDATE players SET screen_name = 'Juniper ☑️ verified ⭐'")

    posted = await linked.post("Believe me")

    assert "**Juniper verified**" in text_of(posted)


async def test_who_deletes_a_comment_takes_what_was_shared_of_it_away(linked: ForumTown) -> None:
    await linked.post("Stays")
    card = await linked.post("Look what I wrote")
    await linked.press(card, "Share")
    await linked.read(EMPTY, public=True)
    assert len(linked.world.channel.history()) == 2

    await linked.press(card, "Delete")
    await linked.press(card, "Delete")
    await tried(linked.world)

    (page,) = linked.world.channel.history()
    assert "deleted by its writer" in text_of(page)
    assert "Look what I wrote" not in text_of(page)
    assert "Stays" in text_of(page)


async def test_the_same_press_twice_shares_once(linked: ForumTown) -> None:
    card = answer_of(await linked.post("Look what I wrote"))

    await linked.press(card, "Share")
    again = await linked.press(card, "Share")

    assert len(linked.world.channel.history()) == 1
    assert "You have shared this already" in text_of(again)
    assert answer_of(again).ephemeral


async def test_whoever_shared_takes_it_back_with_one_press_even_after_a_restart(
    linked: ForumTown,
) -> None:
    world = linked.world
    card = await linked.post("Look what I wrote")
    await linked.press(card, "Share")

    async with open_bot(world.settings) as again:
        await world.env.restart_bot(again)
        await linked.press(world.channel.last_message, "Take back")

        assert world.channel.last_message is None
        assert not await showing_at(world.settings.database_url, world.guild.id, number_of(card))
        # Now it may be shared anew.
        await linked.press(card, "Share")
        assert world.channel.last_message is not None


async def test_nobody_else_takes_it_back(linked: ForumTown) -> None:
    await linked.press(await linked.post("Look what I wrote"), "Share")
    shared = linked.world.channel.last_message

    refused = await linked.press(shared, "Take back", linked.world.friend)

    assert "Only they can take it back" in text_of(refused)
    assert answer_of(refused).ephemeral
    assert linked.world.channel.last_message is not None


async def test_what_was_read_out_to_everybody_can_be_taken_back(linked: ForumTown) -> None:
    await linked.read(EMPTY, public=True)

    await linked.press(linked.world.channel.last_message, "Take back")

    assert linked.world.channel.last_message is None


async def test_of_a_long_text_everybody_sees_the_beginning_and_may_read_all(
    linked: ForumTown,
) -> None:
    await linked.press(await linked.post("All work and no play. " * 100 + "The end"), "Share")
    shared = linked.world.channel.last_message
    assert "All work and no play." in text_of(shared)
    assert len(text_of(shared)) < 800

    read = await linked.press(shared, "Read all", linked.world.friend)

    assert "The end" in text_of(read)
    assert answer_of(read).ephemeral


async def test_a_short_text_is_shared_whole(linked: ForumTown) -> None:
    await linked.press(await linked.post("Short\n\nand sweet"), "Share")
    shared = linked.world.channel.last_message

    assert "Short\n\nand sweet" in text_of(shared)
    assert "Read all" not in buttons_of(shared)


async def test_a_public_thread_is_recorded_with_the_replies_it_shows(linked: ForumTown) -> None:
    world = linked.world
    asked = number_of(await linked.post("Question"))
    answered = await world.slash("forum reply", thread=EMPTY, comment=str(asked), content="Answer")

    await linked.read(EMPTY, public=True)

    assert await showing_at(world.settings.database_url, world.guild.id, number_of(answered))
