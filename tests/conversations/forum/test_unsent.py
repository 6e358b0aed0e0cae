"""What becomes of texts that can't be sent: nothing is lost, and nothing is posted twice."""

import pytest

from bot.app import open_bot
from tests.support.cards import answer_of, text_of
from tests.support.faulty_proxy import Fault, Passing, is_write
from tests.support.forum import EMPTY, ForumTown, can_press, number_of, turn_text
from tests.support.world import SUBSCRIBER


async def test_a_text_typed_without_a_link_comes_back_and_is_sent_once_one_is_made(
    town: ForumTown,
) -> None:
    refused = await town.post("Typed with care")
    assert "Link your game account first" in text_of(refused)
    assert "Typed with care" in text_of(refused)
    assert answer_of(refused).ephemeral

    form = await town.press(refused, "Link account")
    await town.world.member.submit_modal(form, {"token": SUBSCRIBER})

    assert "Your comment is posted" in text_of(refused)
    assert await town.texts_in(EMPTY) == ["Typed with care"]
    assert "You have no unsent texts" in text_of(await town.world.slash("forum drafts"))


async def test_texts_that_wait_are_offered_when_a_link_is_made_elsewhere(town: ForumTown) -> None:
    await town.post("Typed with care")

    linked = await town.world.link(town.world.member, SUBSCRIBER)

    assert "One of your texts is still waiting" in text_of(linked)
    listed = await town.press(linked, "Show unsent texts")
    await town.press(listed, "Open")
    assert "This text wasn't sent" in text_of(listed)
    assert "Typed with care" in text_of(listed)


async def test_a_text_comes_back_when_the_link_has_expired(linked: ForumTown) -> None:
    await linked.expire_tokens()

    refused = await linked.post("Typed with care")

    assert "Your link has expired" in text_of(refused)
    assert "Typed with care" in text_of(refused)
    assert can_press(refused, "Link account")


async def test_a_text_that_never_reached_the_game_is_sent_by_retry(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await linked.post("Into the void")
    assert "your text has not arrived" in text_of(lost)
    assert "Into the void" in text_of(lost)
    await linked.press(lost, "Try again")
    assert "It may still arrive" in text_of(lost)
    assert "Reference" not in text_of(lost)
    assert await linked.texts_in(EMPTY) == []
    await linked.let_arrive()

    await linked.press(lost, "Try again")

    assert "Your comment is posted" in text_of(lost)
    assert await linked.texts_in(EMPTY) == ["Into the void"]


@pytest.mark.parametrize("fault", [Fault.LOST_ANSWER, Fault.CUT_ANSWER])
@pytest.mark.usefixtures("on_both_engines")
async def test_a_comment_whose_answer_is_lost_is_found_in_the_thread(
    linked: ForumTown, fault: Fault
) -> None:
    await linked.get_known()
    with linked.proxy.failing(fault, is_write):
        posted = await linked.post("Once is enough")

    assert "Your comment is posted" in text_of(posted)
    assert await linked.texts_in(EMPTY) == ["Once is enough"]


async def test_a_reply_whose_answer_is_lost_is_found_below_its_parent(linked: ForumTown) -> None:
    parent = number_of(await linked.post("Parent"))
    with linked.proxy.failing(Fault.LOST_ANSWER, is_write):
        replied = await linked.world.slash(
            "forum reply", thread=EMPTY, comment=str(parent), content="Child"
        )

    assert "Your reply is posted" in text_of(replied)
    assert await linked.texts_in(EMPTY) == ["Parent", "Child"]


async def test_the_same_words_as_before_are_not_taken_for_the_lost_ones(
    linked: ForumTown,
) -> None:
    await linked.post("Good morning")

    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await linked.post("Good morning")
    assert "has not arrived" in text_of(lost)
    await linked.let_arrive()
    await linked.press(lost, "Try again")

    assert await linked.texts_in(EMPTY) == ["Good morning", "Good morning"]


async def test_retry_looks_first_when_nothing_could_be_seen_before(linked: ForumTown) -> None:
    def fails_after_the_write(passing: Passing) -> bool:
        return linked.writes > writes

    await linked.get_known()
    writes = linked.writes
    with (
        linked.proxy.failing(Fault.LOST_ANSWER, is_write),
        linked.proxy.failing(Fault.LOST_REQUEST, fails_after_the_write),
    ):
        unknown = await linked.post("Did it arrive?")
    assert "couldn't find out" in text_of(unknown)
    assert "Did it arrive?" in text_of(unknown)

    await linked.press(unknown, "Try again")

    assert "Your comment is posted" in text_of(unknown)
    assert await linked.texts_in(EMPTY) == ["Did it arrive?"]


async def test_retry_keeps_the_text_while_the_game_stays_silent(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, lambda _: True):
        unknown = await linked.post("Patience")
        await linked.press(unknown, "Try again")
        assert "Patience" in text_of(unknown)
        await linked.press(unknown, "Try again")
    await linked.let_arrive()

    await linked.press(unknown, "Try again")
    assert await linked.texts_in(EMPTY) == ["Patience"]


async def test_a_second_retry_posts_nothing_more(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await linked.post("Only once")
    on_another_device = await linked.world.slash("forum drafts")
    await linked.press(on_another_device, "Open")
    await linked.let_arrive()

    await linked.press(lost, "Try again")
    second = await linked.press(on_another_device, "Try again")

    assert "This text is no longer kept" in text_of(second)
    assert await linked.texts_in(EMPTY) == ["Only once"]


async def test_an_edit_whose_answer_is_lost_can_be_sent_again(linked: ForumTown) -> None:
    posted = await linked.post("Frist!")
    form = await linked.form_of(await linked.press(posted, "Edit"))
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await linked.world.member.submit_modal(form, {"text": "First!"})
    assert "First!" in text_of(lost)

    await linked.press(lost, "Try again")

    assert await linked.texts_in(EMPTY) == ["First!"]


async def test_a_discarded_text_is_gone(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        await linked.post("Never mind")
    lost = await linked.world.slash("forum drafts")
    await linked.press(lost, "Open")
    assert "This text may not have been sent" in text_of(lost)

    await linked.press(lost, "Discard")

    assert "The text has been discarded" in text_of(lost)
    assert "The game may have it all the same" in text_of(lost)
    assert "Nothing is waiting" in text_of(await linked.world.slash("forum drafts"))


async def test_texts_that_find_no_room_on_the_list_are_said_to_wait_as_well(
    town: ForumTown,
) -> None:
    for number in range(10):
        await town.post(f"Text {number}")

    listed = text_of(await town.world.slash("forum drafts"))

    assert "Text 9" in listed
    assert "Text 1" not in listed
    assert "2 older texts appear here" in listed


async def test_a_text_of_many_pages_comes_back_whole(town: ForumTown) -> None:
    words = [f"word{number}" for number in range(560)]

    card = await town.post(" ".join(words))
    shown = text_of(card).split()
    while await turn_text(town, card):
        shown += text_of(card).split()

    assert [word for word in shown if word.startswith("word")] == words


async def test_nobody_else_gets_at_a_text(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        await linked.post("Mine alone")

    others = await linked.world.slash("forum drafts", linked.world.friend)

    assert "You have no unsent texts" in text_of(others)


@pytest.mark.usefixtures("on_both_engines")
async def test_retry_works_after_a_restart(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await linked.post("Survivor")

    await linked.let_arrive()
    async with open_bot(linked.world.settings) as again:
        await linked.world.env.restart_bot(again)
        told = await linked.press(lost, "Try again")

    assert await linked.texts_in(EMPTY) == ["Survivor"], text_of(told)
