"""What becomes of texts that can't be sent: nothing is lost, and nothing is posted twice."""

import pytest

from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.faulty_proxy import Fault, Passing, is_write
from tests.support.forum import EMPTY, ForumTown, can_press, number_of, turn_text
from tests.support.world import SUBSCRIBER, VISITOR


async def test_a_text_typed_without_a_link_is_sent_with_one(town: ForumTown) -> None:
    refused = await town.post("Typed with care")
    assert "Link your game account first" in text_of(refused)
    assert "Typed with care" in text_of(refused)
    assert answer_of(refused).ephemeral

    form = await town.press(refused, "Link account")
    await town.world.member.submit_modal(form, {"token": SUBSCRIBER})

    assert "Comment posted" in text_of(refused)
    assert await town.texts_in(EMPTY) == ["Typed with care"]
    assert "You have no unsent texts" in text_of(await town.world.slash("forum unsent"))


async def test_texts_that_wait_are_offered_when_a_link_is_made_elsewhere(town: ForumTown) -> None:
    await town.post("Typed with care")

    linked = await town.world.link(town.world.member, SUBSCRIBER)

    assert "One of your texts is still waiting" in text_of(linked)
    listed = await town.press(linked, "Show unsent texts")
    await town.open_text(listed)
    assert "Your comment isn't posted yet" in text_of(listed)
    assert "Typed with care" in text_of(listed)


async def test_a_lost_text_is_sent_again_when_asked(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await linked.post("Into the void")
    assert "Was your comment posted?" in text_of(lost)
    assert "If you send it again, it could appear twice." in text_of(lost)
    assert "Into the void" in text_of(lost)
    assert not can_press(lost, "Send again…")
    assert await linked.texts_in(EMPTY) == []
    await linked.let_arrive()
    await linked.press(lost, "Check now")

    await linked.send_again(lost)

    assert "Comment posted" in text_of(lost)
    assert await linked.texts_in(EMPTY) == ["Into the void"]


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (4_500, "Comment posted"),
        (5_500, "The game says: “This text has 5500 characters, at most 5000 fit.”"),
    ],
)
async def test_a_text_longer_than_discords_form_is_sent_and_the_game_has_the_last_word(
    linked: ForumTown, count: int, told: str
) -> None:
    await linked.cut_off("x" * count)
    shown = await linked.world.slash("forum unsent")
    await linked.open_text(shown)
    assert await turn_text(linked, shown)
    refused = await linked.press(shown, "Edit")
    assert f"The text has {count:,} characters, and the limit is 4,000." in text_of(refused)

    await linked.press(shown, "Try again")

    assert told in text_of(shown)


@pytest.mark.parametrize(
    ("reason", "blue", "grey"),
    [
        ("invalid", "Edit", "Try again"),
        ("refused_by_game", "Edit", "Try again"),
        ("conflict", "Edit", "Try again"),
        ("forbidden", "Try again", "Edit"),
        ("server_fault", "Try again", "Edit"),
    ],
)
async def test_words_that_the_game_refuses_are_to_be_edited_first(
    linked: ForumTown, reason: str, blue: str, grey: str
) -> None:
    await linked.cut_off("Words")
    await linked.change(f"UPDATE writes SET reason = '{reason}', due_at = NULL, holder = ''")

    shown = await linked.world.slash("forum unsent")
    await linked.open_text(shown)

    buttons = buttons_of(shown)
    assert (buttons[blue]["style"], buttons[grey]["style"]) == (1, 2)
    assert next(iter(buttons)) == blue


async def test_a_text_found_nowhere_goes_back_to_its_writer(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await linked.post("Into the void")

    await linked.world.pass_time(36)
    await linked.world.pass_time(5 * 60)
    assert "Was your comment posted?" in text_of(lost)
    # A card can be changed for 15 minutes after a press.
    await linked.press(lost, "Check now")
    await linked.world.pass_time(10 * 60)

    assert "Your comment isn't posted yet" in text_of(lost)
    await linked.press(lost, "Try again")
    assert "Comment posted" in text_of(lost)
    assert await linked.texts_in(EMPTY) == ["Into the void"]


async def test_what_appears_late_turns_the_card_into_the_comment(linked: ForumTown) -> None:
    def fails_after_the_write(passing: Passing) -> bool:
        return linked.writes > writes

    await linked.world.known(linked.world.member)
    writes = linked.writes
    with (
        linked.proxy.failing(Fault.LOST_ANSWER, is_write),
        linked.proxy.failing(Fault.LOST_REQUEST, fails_after_the_write),
    ):
        unknown = await linked.post("Late")
    assert "Was your comment posted?" in text_of(unknown)

    await linked.world.pass_time(36)

    assert "Comment posted" in text_of(unknown)
    assert await linked.texts_in(EMPTY) == ["Late"]


@pytest.mark.parametrize("fault", [Fault.LOST_ANSWER, Fault.CUT_ANSWER])
@pytest.mark.usefixtures("on_both_engines")
async def test_a_comment_with_a_lost_answer_is_found(linked: ForumTown, fault: Fault) -> None:
    await linked.world.known(linked.world.member)
    with linked.proxy.failing(fault, is_write):
        posted = await linked.post("Once is enough")

    assert "Comment posted" in text_of(posted)
    assert await linked.texts_in(EMPTY) == ["Once is enough"]


async def test_a_reply_whose_answer_is_lost_is_found_below_its_parent(linked: ForumTown) -> None:
    parent = number_of(await linked.post("Parent"))
    with linked.proxy.failing(Fault.LOST_ANSWER, is_write):
        replied = await linked.world.slash(
            "forum reply", thread=EMPTY, comment=str(parent), content="Child"
        )

    assert "Reply posted" in text_of(replied)
    assert await linked.texts_in(EMPTY) == ["Parent", "Child"]


async def test_look_now_finds_what_could_not_be_seen_before(linked: ForumTown) -> None:
    def fails_after_the_write(passing: Passing) -> bool:
        return linked.writes > writes

    await linked.world.known(linked.world.member)
    writes = linked.writes
    with (
        linked.proxy.failing(Fault.LOST_ANSWER, is_write),
        linked.proxy.failing(Fault.LOST_REQUEST, fails_after_the_write),
    ):
        unknown = await linked.post("Did it arrive?")
    assert "Did it arrive?" in text_of(unknown)

    await linked.press(unknown, "Check now")

    assert "Comment posted" in text_of(unknown)
    assert await linked.texts_in(EMPTY) == ["Did it arrive?"]


async def test_while_nobody_can_look_nothing_is_sent_again(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, lambda _: True):
        unknown = await linked.post("Patience")
        await linked.let_arrive()
        await linked.press(unknown, "Check now")
        await linked.send_again(unknown)
        assert "Patience" in text_of(unknown)
        assert linked.writes == 0

    await linked.send_again(unknown)

    assert await linked.texts_in(EMPTY) == ["Patience"]


async def test_a_text_sent_again_on_two_devices_is_posted_once(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await linked.post("Only once")
    await linked.let_arrive()
    on_another_device = await linked.world.slash("forum unsent")
    await linked.open_text(on_another_device)
    await linked.press(on_another_device, "Send again…")

    await linked.press(lost, "Check now")
    await linked.send_again(lost)
    second = await linked.press(on_another_device, "Send again")

    assert "Kiosk no longer has this text" in text_of(second)
    assert await linked.texts_in(EMPTY) == ["Only once"]


@pytest.mark.usefixtures("on_both_engines")
async def test_an_unsent_text_is_sent_by_itself_and_told_once(linked: ForumTown) -> None:
    async with linked.proxy.closed():
        unsent = await linked.post("Nobody home")
        assert "Kiosk tries again until" in text_of(unsent)
        await linked.world.pass_time(61)
        assert "Your comment isn't posted yet" in text_of(unsent)

    await linked.world.pass_time(5 * 60)

    assert await linked.texts_in(EMPTY) == ["Nobody home"]
    assert "Comment posted" in text_of(unsent)


async def test_what_waits_for_the_game_is_not_sent_as_somebody_else(linked: ForumTown) -> None:
    async with linked.proxy.closed():
        unsent = await linked.post("As myself")
    await linked.world.link(linked.world.member, VISITOR)

    await linked.world.pass_time(61)

    assert "Your comment isn't posted yet" in text_of(unsent)
    assert await linked.texts_in(EMPTY) == []


async def test_an_edit_whose_answer_is_lost_can_be_sent_again(linked: ForumTown) -> None:
    posted = await linked.post("Frist!")
    form = await linked.form_of(await linked.press(posted, "Edit"))
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await linked.world.member.submit_modal(form, {"text": "First!"})
    assert "Was your comment edited?" in text_of(lost)
    assert "First!" in text_of(lost)

    await linked.press(lost, "Try again")

    assert await linked.texts_in(EMPTY) == ["First!"]


async def test_a_discarded_text_is_gone(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        await linked.post("Never mind")
    lost = await linked.world.slash("forum unsent")
    await linked.open_text(lost)
    assert "Was your comment posted?" in text_of(lost)

    await linked.press(lost, "Discard…")
    assert "Never mind" in text_of(lost)
    await linked.press(lost, "Discard")

    assert "Text discarded" in text_of(lost)
    assert "The game may still have received it" in text_of(lost)
    assert "Nothing is waiting" in text_of(await linked.world.slash("forum unsent"))


async def test_texts_without_room_on_the_card_are_counted_and_in_its_list(town: ForumTown) -> None:
    for number in range(10):
        await town.post(f"Text {number}")

    listed = await town.world.slash("forum unsent")

    assert "Text 9" in text_of(listed)
    assert "Text 1" not in text_of(listed)
    assert "and 2 more" in text_of(listed)
    (offered,) = selects_of(listed)
    assert offered["placeholder"] == "Open…"
    assert [each["description"] for each in offered["options"]] == [
        f"Text {number}" for number in reversed(range(10))
    ]
    assert offered["options"][8]["label"] == "Comment for Quiet corner"
    await town.open_text(listed, 8)
    assert ">>> Text 1" in text_of(listed)


async def test_a_text_of_many_pages_comes_back_whole(town: ForumTown) -> None:
    words = [f"word{number}" for number in range(500)]

    card = await town.post(" ".join(words))
    shown = text_of(card).split()
    while await turn_text(town, card):
        shown += text_of(card).split()

    assert [word for word in shown if word.startswith("word")] == words
    assert {"Previous part", "Next part"} <= buttons_of(card).keys()


async def test_nobody_else_gets_at_a_text(linked: ForumTown) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        await linked.post("Mine alone")

    others = await linked.world.slash("forum unsent", linked.world.friend)

    assert "You have no unsent texts" in text_of(others)
