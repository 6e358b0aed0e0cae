"""Reading threads, as members do it."""

import asyncio

import pytest

from bot.ui import answers
from game_service import admin
from tests.support.cards import answer_of, components, text_of
from tests.support.forum import (
    BIG,
    EMPTY,
    SMALL,
    ForumTown,
    can_press,
    entries_of,
    numbers_of,
)
from tests.support.gates import PATIENCE, Happenings

THUMBNAIL = 11


async def test_a_screen_shows_five_comments_with_their_writers(town: ForumTown) -> None:
    card = await town.read()

    assert "## Park life\n-# Latest first · 1 to 5" in text_of(card)
    assert len(numbers_of(card)) == 5
    assert [part["type"] for part in components(card)].count(THUMBNAIL) == 5
    assert "**Old Tuft** ⭐ ☑️" in text_of(card)
    assert "<t:" in text_of(card)
    assert "2 replies" in [entry.get("description") for entry in entries_of(card).values()]
    assert answer_of(card).ephemeral


async def test_a_page_is_fetched_once_and_walked_as_three_screens(town: ForumTown) -> None:
    card = await town.read()
    seen = numbers_of(card)
    assert town.reads == 1

    for _ in range(2):
        await town.press(card, "Next")
        seen += numbers_of(card)

    assert len(set(seen)) == 15
    # The second one is the next page, fetched ahead.
    await town.proxy.forwarded.until(lambda: town.reads > 1)
    await town.proxy.quiet()
    assert town.reads == 2


async def test_moving_to_a_page_that_was_fetched_ahead_asks_for_nothing(town: ForumTown) -> None:
    card = await town.read()
    await town.press(card, "Next")
    await town.proxy.forwarded.until(lambda: town.reads == 2)
    await town.proxy.quiet()
    await town.press(card, "Next")
    asked = town.reads

    await town.press(card, "Next")

    assert "16 to 20" in text_of(card)
    assert town.reads == asked


async def test_previous_leads_back_the_same_way(town: ForumTown) -> None:
    card = await town.read(page=2)
    first_on_page_2 = numbers_of(card)

    await town.press(card, "Previous")
    assert "11 to 15" in text_of(card)
    await town.press(card, "Next")

    assert numbers_of(card) == first_on_page_2


async def test_the_end_of_a_thread_is_said(town: ForumTown) -> None:
    card = await town.read(page=3)
    for _ in range(20):
        if not can_press(card, "Next"):
            break
        assert "the end" not in text_of(card)
        await town.press(card, "Next")

    assert "You have reached the end of the thread" in text_of(card)
    assert can_press(card, "Previous")


async def test_a_page_beyond_the_end_leads_back_to_the_start(town: ForumTown) -> None:
    card = await town.read(SMALL, page=50)

    assert "The thread ends before this page" in text_of(card)
    await town.press(card, "Previous")
    assert "1 to" in text_of(card)


async def test_a_full_last_page_ends_the_thread_even_where_the_game_promises_more(
    town: ForumTown,
) -> None:
    player = await admin.add_player(town.game.database, screen_name="Chatterbox")
    token = await admin.create_token(town.game.database, player)
    await town.world.settle(town.world.member, token)
    for number in range(15):
        await town.post(f"Number {number}")

    card = await town.read(EMPTY)
    # Three screens; a fourth press may be needed to learn that the next page is empty.
    for _ in range(4):
        if can_press(card, "Next"):
            await town.press(card, "Next")

    assert "11 to 15" in text_of(card)
    assert "You have reached the end" in text_of(card)


async def test_an_empty_thread_invites_the_first_comment(town: ForumTown) -> None:
    card = await town.read(EMPTY)

    assert "Be the first!" in text_of(card)
    assert can_press(card, "Write")


async def test_a_thread_that_the_game_does_not_know_is_named(town: ForumTown) -> None:
    moderator = town.world.moderator
    asked = await town.world.slash("setup thread add", moderator, id="99", name="Gone *fishing*")
    await town.press(asked, "Keep it anyway", moderator)

    named, bare = await town.read("Gone *fishing*"), await town.read("98")

    assert "There is no thread Gone \\*fishing\\* (99) in the game" in text_of(named)
    assert "There is no thread 98 in the game" in text_of(bare)


async def test_a_public_card_is_for_all_and_stays_as_it_is(town: ForumTown) -> None:
    card = await town.read(public=True)
    shown = text_of(card)
    assert not answer_of(card).ephemeral

    moved = await town.press(card, "Next", town.world.friend)

    assert answer_of(moved).ephemeral
    assert "6 to 10" in text_of(moved)
    assert text_of(card) == shown


async def test_a_public_reading_that_fails_is_told_to_the_reader_alone(town: ForumTown) -> None:
    failed = await town.read("98", public=True)

    assert answer_of(failed).ephemeral
    assert "no thread 98" in text_of(failed)
    assert not town.world.channel.history()


async def test_the_order_can_be_chosen_and_changed(town: ForumTown) -> None:
    card = await town.read(sort="hottest")
    assert "Hottest first" in text_of(card)
    hottest = numbers_of(card)

    await town.press(card, "Latest first")

    assert "Latest first" in text_of(card)
    assert numbers_of(card) != hottest


async def test_refresh_shows_what_is_new(linked: ForumTown) -> None:
    card = await linked.read(EMPTY)
    await linked.post("Hello from elsewhere", actor=linked.world.friend)
    await linked.game.database.execute(
        "UPDATE comments SET content = 'Reworded in the game' WHERE thread_id = 3"
    )

    await linked.press(card, "Refresh")

    assert "Reworded in the game" in text_of(card)


async def test_a_member_who_comes_second_costs_the_game_nothing(town: ForumTown) -> None:
    for actor in (town.world.member, town.world.friend, town.world.moderator):
        assert "Park life" in text_of(await town.read(actor=actor))

    assert town.reads == 1


async def test_the_channel_sees_that_an_answer_is_coming_while_the_game_is_slow(
    town: ForumTown,
) -> None:
    seen = Happenings[str]()
    town.world.env.backend.subscribers.append(lambda event, payload: seen.add(event))

    async with town.proxy.arriving.closed(lambda passing: True) as gate:
        reading = asyncio.ensure_future(town.read(BIG, public=True))
        await seen.first(lambda event: event == "MESSAGE_CREATE")
        gate.open()
        assert "Park life" in text_of(await reading)


async def test_a_quick_answer_is_one_message(
    town: ForumTown, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Quick is what a busy machine manages, too.
    monkeypatch.setattr(answers, "_SOON", PATIENCE)
    requests = town.world.env.http_requests
    before = len(requests)

    await town.read(BIG)

    assert len(requests) == before + 1
