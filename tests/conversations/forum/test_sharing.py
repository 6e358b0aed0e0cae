"""Sharing comments, and what an answer may take the place of."""

import asyncio

import discord
import pytest

from bot.ui import answers
from tests.support.cards import answer_of, text_of
from tests.support.faulty_proxy import Fault
from tests.support.forum import BIG, EMPTY, ForumTown, number_of
from tests.support.gates import PATIENCE_SECONDS, Happenings
from tests.support.owed import tried
from tests.support.shown import ShownMessage, showing_at
from tests.support.world import NEWCOMER, SUBSCRIBER


async def test_a_shared_comment_is_for_everybody(linked: ForumTown) -> None:
    posted = await linked.post("Look what I wrote")
    private = text_of(posted)

    await linked.press(posted, "Share")

    assert text_of(posted) == private
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
    reply = await world.slash(
        "forum reply", thread=EMPTY, comment=str(comment_id), content="Answer"
    )

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
    assert await showing_at(world.settings.database_url, world.guild.id, number_of(reply))
    assert not await showing_at(world.settings.database_url, world.guild.id + 1, comment_id)
    assert not await showing_at(world.settings.database_url, world.guild.id, comment_id + 2)


async def test_who_may_not_write_in_a_channel_shares_nothing_there(linked: ForumTown) -> None:
    posted = await linked.post("Anyone?")
    everyone = linked.world.env.backend.guilds[linked.world.guild.id].everyone_role
    everyone.permissions &= ~discord.Permissions(send_messages=True).value

    refused = await linked.press(posted, "Share")
    read = await linked.read(EMPTY, public=True)

    assert "You can't share in this channel" in text_of(refused)
    assert "You can't share in this channel" in text_of(read)
    assert linked.world.channel.last_message is None


async def test_cards_and_forms_work_after_a_restart(linked: ForumTown) -> None:
    card = await linked.read()
    await linked.press(await linked.post("Anyone?"), "Share")
    shared = linked.world.channel.last_message
    form = await linked.press(shared, "Reply", linked.world.friend)

    await linked.world.restart()
    await linked.press(card, "Next")
    assert "6 to 10" in text_of(card)
    answered = await linked.world.friend.submit_modal(form, {"text": "Still here"})
    assert "Reply posted" in text_of(answered)
    await linked.press(shared, "Open", linked.world.friend)


async def test_a_comment_that_moved_to_a_later_page_is_found_there(linked: ForumTown) -> None:
    posted = await linked.post("Sinking")
    number = number_of(posted)
    for count in range(15):
        await linked.post(f"Above it, {count}", actor=linked.world.friend)

    await linked.world.restart()
    form = await linked.form_of(await linked.world.slash("forum edit", comment=str(number)))

    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "Sinking"


async def test_a_vanished_comment_is_named_by_its_number(linked: ForumTown) -> None:
    number = await linked.world.in_the_app(NEWCOMER, "Soon gone")
    card = await linked.read(EMPTY)
    await linked.world.delete_in_the_app(NEWCOMER, number)

    await linked.world.restart()
    gone = await linked.open_comment(card, number)

    assert f"#{number} isn't in its thread any more" in text_of(gone)


async def test_who_deletes_a_comment_takes_what_was_shared_of_it_away(linked: ForumTown) -> None:
    card = await linked.post("Look what I wrote")
    await linked.press(card, "Share")
    await linked.read(EMPTY, public=True)
    assert len(linked.world.channel.history()) == 2

    await linked.press(card, "Delete comment")
    await linked.press(card, "Delete comment")
    await tried(linked.world)

    assert not linked.world.channel.history()


async def test_a_share_counts_once_and_nobody_else_takes_it_back(linked: ForumTown) -> None:
    card = answer_of(await linked.post("Look what I wrote"))

    await linked.press(card, "Share")
    again = await linked.press(card, "Share")

    assert len(linked.world.channel.history()) == 1
    assert "You already shared this" in text_of(again)
    assert answer_of(again).ephemeral
    shared = linked.world.channel.last_message
    refused = await linked.press(shared, "Delete post", linked.world.friend)
    assert "Only the member who shared it can delete it" in text_of(refused)
    assert answer_of(refused).ephemeral
    assert linked.world.channel.last_message is not None


async def test_a_share_is_taken_back_even_after_a_restart(linked: ForumTown) -> None:
    world = linked.world
    card = await linked.post("Look what I wrote")
    await linked.press(card, "Share")

    await world.restart()
    await linked.press(world.channel.last_message, "Delete post")

    assert world.channel.last_message is None
    assert not await showing_at(world.settings.database_url, world.guild.id, number_of(card))
    # Now the comment can be shared again.
    await linked.press(card, "Share")
    assert world.channel.last_message is not None


async def test_what_was_read_out_to_everybody_can_be_taken_back(linked: ForumTown) -> None:
    await linked.read(EMPTY, public=True)

    await linked.press(linked.world.channel.last_message, "Delete post")

    assert linked.world.channel.last_message is None


async def test_a_long_shared_text_can_be_read_whole(linked: ForumTown) -> None:
    await linked.press(await linked.post("All work and no play. " * 100 + "The end"), "Share")
    shared = linked.world.channel.last_message
    assert "All work and no play." in text_of(shared)
    assert len(text_of(shared)) < 800

    read = await linked.press(shared, "Read more", linked.world.friend)

    assert "The end" in text_of(read)
    assert answer_of(read).ephemeral


async def test_a_press_that_fails_leaves_the_private_card(linked: ForumTown) -> None:
    card = answer_of(await linked.read(BIG))
    shown = text_of(card)

    with linked.proxy.failing(Fault.LOST_REQUEST, lambda _: True):
        pressed = await linked.press(card, "Refresh")

    assert text_of(card) == shown
    assert answer_of(pressed).ephemeral
    assert "The game isn't answering" in text_of(pressed)
    await linked.press(pressed, "Try again")
    assert "## Park life" in text_of(pressed)


async def test_a_press_that_takes_long_says_so_on_its_card(
    linked: ForumTown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_SOON_SECONDS", 0.0)
    monkeypatch.setattr(answers, "_PATIENCE_SECONDS", 0.0)
    card = answer_of(await linked.read(BIG))
    shown = text_of(card)

    async def press_refresh() -> None:
        async with linked.proxy.arriving.closed(lambda _: True) as gate:
            pressing = asyncio.create_task(linked.press(card, "Refresh"))
            await gate.arrival()
            async with asyncio.timeout(PATIENCE_SECONDS):
                # Nothing notifies a test of what a private card shows.
                while "One moment" not in text_of(card):  # noqa: ASYNC110
                    await asyncio.sleep(0)
        await pressing

    await press_refresh()
    assert text_of(card) == shown

    with linked.proxy.failing(Fault.LOST_REQUEST, lambda _: True):
        await press_refresh()
    assert text_of(card) == shown

    # What it led to stays, and not what was there before.
    await linked.post("Just now", thread=BIG, actor=linked.world.friend)
    await press_refresh()
    assert "Just now" in text_of(card)


async def test_what_was_to_be_public_and_fails_late_is_told_in_private(linked: ForumTown) -> None:
    world, happened = linked.world, Happenings[str]()
    world.env.backend.subscribers.append(lambda event, _: happened.add(event))

    with linked.proxy.failing(Fault.LOST_REQUEST, lambda _: True):
        async with linked.proxy.arriving.closed(lambda _: True) as gate:
            reading = asyncio.ensure_future(linked.read(BIG, public=True))
            await happened.first(lambda event: event == "MESSAGE_CREATE")
            gate.open()
            told = await reading

    (private,) = told.followups
    assert private.ephemeral
    assert "The game isn't answering" in text_of(private)
    assert world.channel.last_message is None


async def test_a_comment_that_is_gone_leads_to_the_thread_as_it_is_now(linked: ForumTown) -> None:
    posted = await linked.post("Soon gone")
    await linked.post("Still there")
    await linked.world.delete_in_the_app(SUBSCRIBER, number_of(posted))
    lost = await linked.press(posted, "Share")
    assert "That comment is gone" in text_of(lost)
    assert linked.world.channel.last_message is None

    await linked.press(lost, "Thread")

    assert "Still there" in text_of(lost)
    assert "Soon gone" not in text_of(lost)
