"""A long text and an opened comment, with the replies below it."""

from tests.support.cards import text_of
from tests.support.forum import (
    EMPTY,
    ForumTown,
    can_press,
    entries_of,
    number_of,
    numbers_of,
    turn_text,
)


async def test_a_long_text_is_cut_at_a_word_and_read_to_its_end(linked: ForumTown) -> None:
    words = [f"word{number}" for number in range(500)]
    await linked.post(" ".join(words))
    card = await linked.read(EMPTY)
    assert text_of(card).split("…")[0].rsplit(maxsplit=1)[-1] in words

    await linked.open_comment(card, number_of(card))
    read = [word for word in text_of(card).split() if word.startswith("word")]
    while await turn_text(linked, card):
        read += [word for word in text_of(card).split() if word.startswith("word")]

    assert read == words


async def test_an_opened_comment_shows_its_replies_in_screens(town: ForumTown) -> None:
    card = await town.read()
    while "more replies" not in text_of(card):
        await town.press(card, "Next")
    assert "21 more replies" in text_of(card)
    (opened,) = [
        int(value.partition(".")[2])
        for value, entry in entries_of(card).items()
        if entry.get("description") == "23 replies"
    ]
    await town.open_comment(card, opened)
    seen = set[int]()
    while True:
        seen |= set(numbers_of(card)[1:])
        if not can_press(card, "Next"):
            break
        await town.press(card, "Next")

    assert len(seen) == 23
    assert numbers_of(card)[0] == opened
    await town.press(card, "Thread")
    assert "## Park life" in text_of(card)


async def test_replies_to_replies_are_told_apart_at_any_depth(linked: ForumTown) -> None:
    answered = number_of(await linked.post("Level 0"))
    numbers = [answered]
    for level in range(1, 13):
        answered = number_of(
            await linked.world.slash(
                "forum reply", thread=EMPTY, comment=str(answered), content=f"Level {level}"
            )
        )
        numbers.append(answered)

    card = await linked.read(EMPTY)
    await linked.open_comment(card, numbers[0])
    shown = text_of(card)
    while can_press(card, "Next"):
        await linked.press(card, "Next")
        shown += text_of(card)

    assert "\n-# **Juniper** · " in shown
    assert "> -# ↳ **Juniper** replied to Juniper" in shown
    assert "> -# ↳↳ **Juniper**" in shown
    assert "> -# ↳11 **Juniper**" in shown


async def test_a_reply_to_a_reply_opens_and_leads_up_again(linked: ForumTown) -> None:
    first = number_of(await linked.post("Above"))
    second = number_of(
        await linked.world.slash("forum reply", thread=EMPTY, comment=str(first), content="Below")
    )

    card = await linked.read(EMPTY)
    await linked.open_comment(card, first)
    await linked.open_comment(card, second)
    assert numbers_of(card) == [second]
    assert "in reply to Juniper: Above" in text_of(card)

    await linked.press(card, "Up")
    assert numbers_of(card) == [first, second]


async def test_a_comment_that_is_gone_is_said_to_be_gone(linked: ForumTown) -> None:
    gone = number_of(await linked.post("Soon gone"))
    card = await linked.read(EMPTY, linked.world.friend)
    await linked.game.database.execute("DELETE FROM comments WHERE thread_id = 3")
    await linked.press(card, "Refresh", linked.world.friend)

    shared = await linked.read(EMPTY, linked.world.friend)
    assert gone not in numbers_of(shared)
