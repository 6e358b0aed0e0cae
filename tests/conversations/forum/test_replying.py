"""Replying in context, and back to where one was reading."""

import re

import pytest

from cogs.forum import writing
from tests.support.cards import buttons_of, components, text_of
from tests.support.faulty_proxy import is_read
from tests.support.forum import (
    BIG,
    EMPTY,
    SMALL,
    ForumTown,
    can_press,
    entries_of,
    number_of,
    numbers_of,
)
from tests.support.gates import PATIENCE

_BLUE = 1


def blue_buttons(shown: object) -> list[str]:
    return [str(part["label"]) for part in components(shown) if part.get("style") == _BLUE]


async def reply_to_nested(town: ForumTown, depth: int) -> int:
    """Nest replies below a comment, and give the number of the deepest."""
    number = number_of(await town.post("Level 0"))
    for level in range(1, depth + 1):
        number = number_of(
            await town.world.slash(
                "forum reply", thread=EMPTY, comment=str(number), content=f"Level {level}"
            )
        )
    return number


async def test_page_1_with_all_its_replies_is_read_with_four_presses(town: ForumTown) -> None:
    card = await town.read(BIG)
    presses, shown = 0, text_of(card)
    while True:
        for value, entry in entries_of(card).items():
            more = int((entry.get("description") or "0").split()[0]) if "open" in value else 0
            if more > 2:
                await town.open_comment(card, int(value.partition(".")[2]))
                shown += text_of(card)
                await town.press(card, "Thread")
                presses += 2
        if "11 to 15" in text_of(card):
            break
        await town.press(card, "Next")
        shown += text_of(card)
        presses += 1

    rows = await town.game.database.fetch(
        "SELECT reply.content FROM comments AS reply JOIN comments AS root "
        "ON reply.parent_id = root.id WHERE root.id IN "
        "(SELECT id FROM comments WHERE thread_id = 1 AND parent_id IS NULL "
        "ORDER BY created_at DESC, id DESC LIMIT 15)"
    )
    assert len(rows) == 11
    plain = shown.replace("\\", "")
    assert not [row["content"] for row in rows if row["content"][:50] not in plain]
    assert presses == 4


async def test_one_replies_from_a_thread_with_two_presses(linked: ForumTown) -> None:
    asked = number_of(await linked.post("Who is there?"))
    card = await linked.read(EMPTY)

    form = await linked.reply_to(card, asked)
    answered = await linked.world.member.submit_modal(form, {"text": "Nobody"})

    assert "Your reply is posted" in text_of(answered)
    assert "↳ **Juniper**: Nobody" in text_of(await linked.read(EMPTY))


async def test_the_form_names_whom_one_answers_and_quotes_the_beginning(
    linked: ForumTown,
) -> None:
    card = await linked.read(BIG)

    form = await linked.reply_to(card, 118)

    assert form.modal is not None
    assert form.modal["title"] == "Reply to Fern"
    assert form.modal["components"][0]["content"].startswith("> The Fish Balloon is at the pond")


async def test_a_comment_that_is_not_at_hand_is_quoted_all_the_same(
    linked: ForumTown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "SECONDS_BEFORE_FORM", PATIENCE)

    form = await linked.world.slash("forum reply", thread=BIG, comment="118")

    assert form.modal is not None
    assert form.modal["title"] == "Reply to Fern"


async def test_a_comment_that_can_not_be_had_in_time_is_named_by_its_number(
    linked: ForumTown,
) -> None:
    async with linked.proxy.arriving.closed(is_read) as gate:
        form = await linked.world.slash("forum reply", thread=BIG, comment="118")
        gate.open()

    assert form.modal is not None
    assert form.modal["title"] == "Reply to comment #118"


@pytest.mark.parametrize(("sort", "other"), [("latest", "hottest"), ("hottest", "latest")])
async def test_the_blue_button_leads_back_to_the_screen_that_was_read(
    linked: ForumTown, sort: str, other: str
) -> None:
    for number in range(7):
        await linked.post(f"Number {number}")
    card = await linked.read(EMPTY, sort=sort)
    await linked.press(card, "Next")
    before = text_of(card)
    # The same comments are at hand in another order.
    await linked.read(EMPTY, sort=other)
    form = await linked.reply_to(card, numbers_of(card)[1])
    answered = await linked.world.member.submit_modal(form, {"text": "Indeed"})
    assert blue_buttons(answered) == ["Thread"]

    await linked.press(answered, "Thread")

    assert numbers_of(answered)[1] == numbers_of(card)[1]
    assert text_of(answered).splitlines()[:2] == before.splitlines()[:2]
    assert "6 to 7" in text_of(answered)


async def test_every_nested_reply_leads_to_the_thread_in_one_press(linked: ForumTown) -> None:
    deepest = await reply_to_nested(linked, 3)
    card = await linked.read(EMPTY)
    await linked.open_comment(card, numbers_of(card)[0])
    await linked.open_comment(card, deepest)
    assert blue_buttons(card) == ["Reply"]

    await linked.press(card, "Thread")

    assert "## Quiet corner" in text_of(card)
    assert "Level 0" in text_of(card)


async def test_replies_to_replies_are_counted_too(linked: ForumTown) -> None:
    await reply_to_nested(linked, 3)

    card = await linked.read(EMPTY)
    assert "1 more reply" in text_of(card)
    await linked.open_comment(card, numbers_of(card)[0])

    assert "**3 replies**" in text_of(card)


async def test_an_answered_comment_that_is_gone_is_said_and_the_text_goes_into_the_thread(
    linked: ForumTown,
) -> None:
    posted = await linked.post("Here a moment")
    form = await linked.press(posted, "Reply")
    await linked.game.database.execute("DELETE FROM comments WHERE thread_id = 3")
    refused = await linked.world.member.submit_modal(form, {"text": "Wait for me"})
    assert "“There is no such comment in this thread.”" in text_of(refused)
    assert "Wait for me" in text_of(refused)
    assert not can_press(refused, "Try again")

    await linked.press(refused, "Post in the thread")

    assert "Your comment is posted" in text_of(refused)
    assert await linked.texts_in(EMPTY) == ["Wait for me"]
    assert "You have no unsent texts" in text_of(await linked.world.slash("forum drafts"))


async def test_what_holds_nothing_that_can_be_seen_is_said_to_where_it_is_answered_or_deleted(
    linked: ForumTown,
) -> None:
    posted = await linked.post("Soon unseen")
    await linked.game.database.execute("UPDATE comments SET content = '\u200b' WHERE thread_id = 3")

    form = await linked.press(posted, "Reply")
    replied = await linked.world.member.submit_modal(form, {"text": "What?"})
    assert "in reply to Juniper: *(no text)*" in text_of(replied)

    await linked.press(replied, "Up")
    await linked.press(replied, "Delete")
    assert text_of(replied).count("*(no text)*") == 1


async def test_a_comment_of_another_thread_is_not_said_to_be_gone(linked: ForumTown) -> None:
    number = number_of(await linked.post("Here to stay"))

    refused = await linked.world.slash(
        "forum reply", thread=SMALL, comment=str(number), content="Hello"
    )

    assert "“There is no such comment in this thread.”" in text_of(refused)
    assert "gone" not in text_of(refused)


async def test_a_reply_that_the_game_refuses_for_another_reason_is_told_in_its_words(
    linked: ForumTown,
) -> None:
    await linked.post("Above")
    card = await linked.read(EMPTY)
    form = await linked.reply_to(card, number_of(card))
    answered = await linked.world.member.submit_modal(form, {"text": "Too deep"})
    await linked.game.database.execute("UPDATE comments SET depth = 1000 WHERE thread_id = 3")

    form = await linked.press(answered, "Reply")
    refused = await linked.world.member.submit_modal(form, {"text": "Deeper still"})

    assert "“This conversation can't go any deeper.”" in text_of(refused)
    assert "is gone" not in text_of(refused)
    assert can_press(refused, "Post in the thread")


@pytest.mark.parametrize("text", ["\u200b\u2060", "\u2800 \u3164", "\ufe0f\u0301", "\u200d"])
async def test_a_text_that_nobody_could_see_is_not_sent(linked: ForumTown, text: str) -> None:
    writes = linked.writes

    refused = await linked.post(text)

    assert "nothing in your text that anybody could see" in text_of(refused)
    assert linked.writes == writes
    assert not can_press(refused, "Try again")


async def test_the_marks_beside_names_are_explained_where_they_stand_alone(
    town: ForumTown,
) -> None:
    card = await town.read(BIG)

    assert "**Old Tuft** ⭐ ☑️" in text_of(card)
    assert re.search(r"^-# ⭐ subscriber · ☑️ verified$", text_of(card), re.MULTILINE)
    assert buttons_of(card)
