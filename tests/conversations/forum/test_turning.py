"""Turning pages while comments come and go: each that stays is shown exactly once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.forum import EMPTY, ForumTown, can_press, numbers_of
from tests.support.game_samples import comment
from tests.support.rogue_game import open_rogue_thread
from tests.support.world import SUBSCRIBER, World, open_world

SORTS = ("latest", "hottest")
# How often Next was pressed before something happens: within a page, and at its end.
MOMENTS = (0, 1, 2, 5)


@dataclass
class Game:
    """The game itself, in which someone writes and deletes without Kiosk. `ids` are in order."""

    world: World
    ids: list[int] = field(default_factory=list[int])

    async def write(self, count: int, parent_id: int | None = None) -> None:
        for number in range(count):
            text = f"Comment {number}"
            self.ids.append(await self.world.in_the_app(SUBSCRIBER, text, below=parent_id))

    async def delete(self, ids: Sequence[int]) -> None:
        for comment_id in ids:
            await self.world.delete_in_the_app(SUBSCRIBER, comment_id)
            self.ids.remove(comment_id)


@pytest.fixture
def game(linked: ForumTown) -> Game:
    return Game(linked.world)


async def fetched_ahead() -> None:
    """Wait until no page is on its way that Kiosk fetches ahead."""
    tasks = [task for task in asyncio.all_tasks() if "_look_ahead" in str(task.get_coro())]
    await asyncio.gather(*tasks)


async def turn(
    town: ForumTown, card: Any, seen: list[int], *, most: int = 99, actor: Any = None
) -> None:
    """Press Next as often as it can be pressed, or so often."""
    for _ in range(most):
        if not can_press(card, "Next"):
            break
        await town.press(card, "Next", actor)
        await fetched_ahead()
        seen += numbers_of(card)


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("moment", MOMENTS)
async def test_new_comments_show_none_again(
    linked: ForumTown, game: Game, moment: int, sort: str
) -> None:
    await game.write(40)
    there = list(game.ids)
    card = await linked.read(EMPTY, sort=sort)
    seen = numbers_of(card)
    await turn(linked, card, seen, most=moment)
    await game.write(3)
    await turn(linked, card, seen)

    assert sorted(number for number in seen if number in there) == there


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("which", ["first", "last", "every other", "all of a screen"])
async def test_deleted_comments_hide_none(
    linked: ForumTown, game: Game, moment: int, sort: str, which: str
) -> None:
    await game.write(40)
    card = await linked.read(EMPTY, sort=sort)
    seen = numbers_of(card)
    await turn(linked, card, seen, most=moment)
    gone = {"first": seen[:3], "last": seen[-3:], "every other": seen[-5::2]}.get(which, seen[-5:])
    await game.delete(gone)
    await turn(linked, card, seen)

    assert sorted(number for number in seen if number not in gone) == game.ids


async def test_what_moved_to_a_page_that_is_at_hand_is_found_there(
    linked: ForumTown, game: Game
) -> None:
    await game.write(40)
    there = list(game.ids)
    friend = linked.world.friend
    other = await linked.read(EMPTY, friend)
    await turn(linked, other, [], most=3, actor=friend)
    card = await linked.read(EMPTY)
    seen = numbers_of(card)
    await turn(linked, card, seen, most=2)
    await linked.press(other, "Refresh", friend)
    await game.write(7)
    await turn(linked, card, seen)

    assert sorted(number for number in seen if number in there) == there


async def test_previous_leads_back_past_each_once(linked: ForumTown, game: Game) -> None:
    await game.write(40)
    there = list(game.ids)
    card = await linked.read(EMPTY)
    await game.write(3)
    await turn(linked, card, [])
    await linked.press(card, "Refresh")
    seen = numbers_of(card)
    await game.delete([there.pop(0), there.pop(20)])
    while can_press(card, "Previous"):
        await linked.press(card, "Previous")
        seen += numbers_of(card)

    assert len(seen) == len(set(seen))
    assert set(seen) >= set(there)


@pytest.mark.parametrize(("way", "at_first"), [("Previous", 3), ("Next", 2)])
async def test_what_came_and_went_between_two_looks_hides_none(
    linked: ForumTown, game: Game, way: str, at_first: int
) -> None:
    await game.write(40)
    newest_first = game.ids[::-1]
    card, other = await linked.read(EMPTY), await linked.read(EMPTY)
    await turn(linked, card, [], most=at_first)
    on_card = numbers_of(card)
    await linked.world.pass_time(10)
    # The page beside the card's is read while a comment more, or less, has moved it.
    if way == "Previous":
        await game.write(1)
        await linked.press(other, "Refresh")
        await game.delete(game.ids[-1:])
    else:
        await game.delete(game.ids[-1:])
        await turn(linked, other, [], most=3)
        await linked.press(other, "Refresh")
        await game.write(1)
    await linked.world.pass_time(10)
    await linked.press(card, way)

    at = newest_first.index(on_card[0])
    start = at - len(numbers_of(card)) if way == "Previous" else at + len(on_card)
    assert numbers_of(card) == newest_first[start : start + len(numbers_of(card))]


async def test_replies_are_turned_past_each_once(linked: ForumTown, game: Game) -> None:
    await game.write(1)
    (opened,) = game.ids
    await game.write(35, opened)
    card, other = await linked.read(EMPTY), await linked.read(EMPTY)
    await linked.open_comment(card, opened)
    seen = numbers_of(card)[1:]
    await game.delete(seen[:3])
    await linked.press(other, "Refresh")
    await linked.press(card, "Next")
    seen += numbers_of(card)[1:]
    await game.delete(seen[-3:])
    await game.write(3, opened)
    await linked.press(other, "Refresh")
    while can_press(card, "Next"):
        await linked.press(card, "Next")
        seen += numbers_of(card)[1:]
    assert len(seen) == len(set(seen)) == 38

    back = numbers_of(card)[1:]
    while can_press(card, "Previous"):
        await linked.press(card, "Previous")
        back += numbers_of(card)[1:]
    assert sorted(back) == sorted(set(game.ids) - {opened})


@pytest.mark.parametrize("sort", SORTS)
async def test_first_and_last_lead_through_a_long_thread(town: ForumTown, sort: str) -> None:
    card = await town.read(sort=sort)
    assert list(buttons_of(card))[:3] == ["Previous", "Next", "Last"]

    await town.press(card, "Last")
    assert "56 to 56" in text_of(card)
    assert list(buttons_of(card))[:3] == ["First", "Previous", "Next"]
    await town.press(card, "Previous")
    assert "51 to 55" in text_of(card)
    assert list(buttons_of(card))[:4] == ["First", "Previous", "Next", "Last"]
    await town.press(card, "First")
    assert f"1 to 5 · {sort} first" in text_of(card)


@pytest.mark.parametrize(("count", "is_long"), [(15, False), (25, False), (26, True)])
async def test_a_thread_of_five_screens_needs_no_ways_beyond_next(
    linked: ForumTown, game: Game, count: int, is_long: bool
) -> None:
    await game.write(count)
    card = await linked.read(EMPTY)
    seen = numbers_of(card)
    await turn(linked, card, seen, most=2)
    await linked.press(card, "Previous")

    assert {"First", "Last"}.isdisjoint(buttons_of(card)) != is_long


@pytest.mark.parametrize("is_blind_after_end", [False, True])
async def test_the_end_of_a_thread_is_found_by_few_questions(
    tmp_path: Path, is_blind_after_end: bool
) -> None:
    async with open_rogue_thread() as game, open_world(tmp_path, game.base_url) as world:
        game.comments = [comment(id=number) for number in range(1000, 0, -1)]
        game.is_blind_after_end = is_blind_after_end
        card = answer_of(await world.slash("forum read", thread="1"))
        await world.member.click(card, label="Last")

        assert "996 to 1,000" in text_of(card)
        assert numbers_of(card) == [5, 4, 3, 2, 1]
        assert len(game.pages_asked) < 20


async def test_a_thread_that_never_ends_is_given_up(tmp_path: Path) -> None:
    async with open_rogue_thread() as game, open_world(tmp_path, game.base_url) as world:
        game.comments = [comment(id=number) for number in range(15, 0, -1)]
        game.never_ends = True
        card = answer_of(await world.slash("forum read", thread="1"))
        await world.member.click(card, label="Last")

        assert numbers_of(card) == [5, 4, 3, 2, 1]
        assert len(game.pages_asked) < 20
