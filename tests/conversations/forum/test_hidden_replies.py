"""Games that show only some of a comment's replies."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.cards import answer_of, text_of
from tests.support.game_samples import comment, just_now, page, player, written_comment
from tests.support.rogue_game import RogueGame, open_rogue_game, reply
from tests.support.world import World, open_world

_MINE = comment(id=31, content="Mine")
_OTHERS = comment(id=32, content="Another's", player=player(id=8))
_PARENT = comment(
    id=30, content="Who?", player=player(id=8), children=[_MINE, _OTHERS], children_count=7
)


@pytest.fixture
async def game() -> AsyncGenerator[RogueGame]:
    async with open_rogue_game() as opened:
        yield opened


@pytest.fixture
async def world(game: RogueGame, tmp_path: Path) -> AsyncGenerator[World]:
    """The member is known to have written the first of two replies that are shown of seven."""
    async with open_world(tmp_path, game.base_url) as opened:
        said = written_comment(id=1, content="Now you know me", created_at=just_now())
        game.answers(reply(page()), reply({"data": said}), reply(page(_PARENT)))
        await opened.settle(opened.member, "a-token")
        await opened.slash("forum post", thread="1", content="Now you know me")
        yield opened


async def test_replies_that_the_game_does_not_show_are_counted_and_said_to_be_missing(
    world: World,
) -> None:
    card = await world.slash("forum read", thread="1")
    assert "5 more replies" in text_of(card)

    await world.member.select(answer_of(card), ["open.30"])

    assert "**7 replies**" in text_of(card)
    assert "The game doesn't show 5 of them here" in text_of(card)
    assert "Mine" in text_of(card)


async def test_a_removal_is_counted_where_some_are_hidden(world: World, game: RogueGame) -> None:
    other = await world.slash("forum read", thread="1")
    card = await world.slash("forum read", thread="1")
    await world.member.select(answer_of(card), ["open.30"])
    await world.member.select(answer_of(card), ["open.31"])
    await world.member.click(answer_of(card), label="Delete")
    game.answers(reply(status=204))
    await world.member.click(answer_of(card), label="Delete")

    assert "The comment is deleted" in text_of(card)
    assert "5 more replies" in text_of(other)
    await world.member.select(answer_of(other), ["open.30"])
    assert "**6 replies**" in text_of(other)
    assert "The game doesn't show 5 of them here" in text_of(other)
    assert "Mine" not in text_of(other)


async def test_what_may_go_with_a_comment_is_all_of_its_replies(
    world: World, game: RogueGame
) -> None:
    game.answers(reply(page(comment(id=40, children=[_OTHERS], children_count=7))))
    card = await world.slash("forum read", thread="2")

    await world.member.select(answer_of(card), ["open.40"])
    await world.member.click(answer_of(card), label="Delete")

    assert "It has 7 replies, which may go with it" in text_of(card)
