"""Texts that a bot had in hand when it was killed."""

import pytest

from tests.support.cards import answer_of, text_of
from tests.support.databases import everything_in
from tests.support.forum import EMPTY, ForumTown

_DAY = 24 * 60 * 60
CANNOT_MESSAGE = 50007
WAITS = "Your text is kept here for 24 hours"


@pytest.mark.parametrize("command", ["help", "forum read"])
@pytest.mark.usefixtures("on_both_engines")
async def test_a_text_that_a_crash_cut_off_is_offered_at_the_next_command(
    linked: ForumTown, command: str
) -> None:
    linked.world.env.inject_error(
        "POST", "/channels/*/messages", status=403, code=CANNOT_MESSAGE, times=None
    )
    await linked.cut_off("Half sent")
    await linked.let_pass(600)

    options = {"thread": "404"} if command == "forum read" else {}
    told = await linked.world.slash(command, **options)

    assert WAITS in text_of(told)
    listed = await linked.press(answer_of(told), "Show unsent texts")
    await linked.press(listed, "Open")
    assert "Kiosk was interrupted" not in text_of(listed)
    await linked.press(listed, "Try again")
    assert await linked.texts_in(EMPTY) == ["Half sent"]
    assert WAITS not in text_of(await linked.world.slash("help"))


async def test_a_text_is_forgotten_after_a_day(linked: ForumTown) -> None:
    await linked.cut_off("Long ago")
    await linked.let_pass(_DAY + 1)

    listed = answer_of(await linked.world.slash("forum drafts"))
    assert "You have no unsent texts" in text_of(listed)


async def test_what_a_member_typed_is_sealed(linked: ForumTown) -> None:
    await linked.cut_off("Only for the eyes of the game")

    kept = everything_in(linked.world.settings.database_url)
    assert str(linked.world.member.id) in kept
    assert "eyes of the game" not in kept
