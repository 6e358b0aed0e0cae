"""What an answer may take the place of: a private card that was pressed, and nothing else."""

import asyncio

import pytest

from bot.ui import answers
from tests.support.cards import answer_of, text_of
from tests.support.faulty_proxy import Fault
from tests.support.forum import BIG, EMPTY, ForumTown
from tests.support.gates import PATIENCE, Happenings


async def test_a_private_card_is_replaced_by_where_its_buttons_lead(linked: ForumTown) -> None:
    card = answer_of(await linked.read(BIG))

    pressed = await linked.press(card, "Next")

    assert not pressed.followups
    assert "6 to 10" in text_of(card)


async def test_a_public_card_stays_as_it_is_whoever_presses_it(linked: ForumTown) -> None:
    await linked.read(BIG, public=True)
    card = linked.world.channel.last_message
    shown = text_of(card)

    pressed = await linked.press(card, "Next")

    assert text_of(card) == shown
    assert answer_of(pressed).ephemeral
    assert "6 to 10" in text_of(pressed)


async def test_a_press_that_fails_leaves_the_private_card_for_the_way_back(
    linked: ForumTown,
) -> None:
    card = answer_of(await linked.read(BIG))
    shown = text_of(card)

    with linked.proxy.failing(Fault.LOST_REQUEST, lambda _: True):
        pressed = await linked.press(card, "Refresh")

    assert text_of(card) == shown
    assert answer_of(pressed).ephemeral
    assert "The game doesn't answer" in text_of(pressed)


async def test_a_press_that_takes_long_says_so_on_its_card(
    linked: ForumTown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_SOON", 0.0)
    monkeypatch.setattr(answers, "_PATIENCE", 0.0)
    card = answer_of(await linked.read(BIG))
    shown = text_of(card)

    async def press_refresh() -> None:
        async with linked.proxy.arriving.closed(lambda _: True) as gate:
            pressing = asyncio.create_task(linked.press(card, "Refresh"))
            await gate.arrival()
            async with asyncio.timeout(PATIENCE):
                # Nobody is told of what a private card shows.
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
    assert "The game doesn't answer" in text_of(private)
    assert world.channel.last_message is None


async def test_what_a_form_leads_to_stands_beside_the_card_it_was_opened_from(
    linked: ForumTown,
) -> None:
    card = answer_of(await linked.post("Who is there?"))
    shown = text_of(card)

    form = await linked.press(card, "Reply")
    answered = await linked.world.member.submit_modal(form, {"text": "Nobody"})

    assert answer_of(answered).ephemeral
    assert "Your reply is posted" in text_of(answered)
    assert text_of(card).splitlines()[:1] == shown.splitlines()[:1]
    assert await linked.texts_in(EMPTY) == ["Who is there?", "Nobody"]


async def test_sharing_leaves_the_private_card_where_it_is(linked: ForumTown) -> None:
    card = answer_of(await linked.post("Look"))
    shown = text_of(card)

    await linked.press(card, "Share")

    assert text_of(card) == shown
    shared = linked.world.channel.last_message
    assert shared is not None
    assert not shared.flags.ephemeral


async def test_what_the_game_did_not_answer_is_tried_again_with_one_press(
    linked: ForumTown,
) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, lambda _: True):
        failed = await linked.read(BIG)
        assert "The game doesn't answer" in text_of(failed)

    await linked.press(failed, "Try again")

    assert "## Park life" in text_of(failed)


async def test_a_comment_that_is_gone_leads_to_the_thread_as_it_is_now(linked: ForumTown) -> None:
    posted = await linked.post("Soon gone")
    await linked.post("Still there")
    await linked.game.database.execute("DELETE FROM comments WHERE content = 'Soon gone'")
    lost = await linked.press(posted, "Share")

    await linked.press(lost, "Thread")

    assert "Still there" in text_of(lost)
    assert "Soon gone" not in text_of(lost)
