"""What no Discord client sends, or hardly ever."""

from tests.support.cards import answer_of, text_of
from tests.support.forum import SMALL, ForumTown
from tests.support.presses import press_again


async def test_a_press_that_chose_nothing_is_an_old_button(town: ForumTown) -> None:
    shown = await town.read(SMALL)

    world = town.world
    told = await press_again(world.member, world.channel, answer_of(shown), "kiosk.forum.pick:2")

    assert "no longer works" in text_of(told)
    assert answer_of(told).ephemeral


async def test_half_of_a_surrogate_pair_is_looked_for_like_any_other_text(
    town: ForumTown,
) -> None:
    told = await town.read("no such \ud800 thread")

    assert "I don't know that thread" in text_of(told)


async def test_comments_are_suggested_for_no_thread_as_an_empty_list(town: ForumTown) -> None:
    world = town.world

    assert await world.member.autocomplete(world.channel, "forum reply", "comment", "4") == []
