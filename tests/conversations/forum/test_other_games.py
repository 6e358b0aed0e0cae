"""Threads of games that leave off differently than our own service does."""

from pathlib import Path

from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.forum import can_press
from tests.support.game_samples import comment, page
from tests.support.rogue_game import open_rogue_game, reply
from tests.support.world import open_world

_FULL_PAGE = reply(page(*(comment(id=number) for number in range(1, 16))))
_UNKNOWN = reply({"message": "Not found."}, status=404)


async def test_a_thread_ends_where_the_game_calls_the_next_page_unknown(tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(_FULL_PAGE, _UNKNOWN)

        card = await world.slash("forum read", thread="1")
        for _ in range(3):
            if can_press(card, "Next"):
                next_button = buttons_of(card)["Next"]["custom_id"]
                await world.member.click(answer_of(card), custom_id=next_button)

        assert "comments 11 to 15" in text_of(card)
        assert "You have reached the end" in text_of(card)


async def test_a_thread_that_is_unknown_is_named_on_any_page(tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(_UNKNOWN)

        card = await world.slash("forum read", thread="1", page=3)

        assert "The game doesn't know that thread" in text_of(card)
