"""A game that has posted a text, and refuses its repetition on the way."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from tests.support.cards import answer_of, text_of
from tests.support.game_samples import comment, page, written_comment
from tests.support.rogue_game import open_rogue_game, reply
from tests.support.world import open_world

_TEXT = "Good morning"


@pytest.mark.parametrize("status", [403, 409, 422, 429])
@pytest.mark.parametrize("is_late", [False, True])
async def test_a_text_that_stands_in_its_thread_is_posted_whatever_the_game_has_said(
    tmp_path: Path, status: int, is_late: bool
) -> None:
    now = datetime.now(UTC)
    soon = (now + timedelta(seconds=30)).isoformat()
    dated = {"Date": format_datetime(now, usegmt=True)}
    said = written_comment(id=1, content="Hello", created_at=soon)
    listed = comment(id=1, content="Hello", created_at=soon)
    posted = comment(id=2, content=_TEXT, created_at=soon)
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        nothing = reply(page(), headers=dated)
        game.answers(nothing, reply({"data": said}, headers=dated))
        await world.settle(world.member, "a-token")
        await world.slash("forum post", thread="1", content="Hello")
        looks = [reply(page(listed))] if is_late else []
        game.answers(reply(status=status), *looks, reply(page(posted, listed)))

        card = await world.slash("forum post", thread="1", content=_TEXT)
        if is_late:
            assert "Your comment is posted" not in text_of(card)
            await world.member.click(answer_of(card), label="Try again")

        assert "Your comment is posted" in text_of(card)
        assert len([asked for asked in game.asked if asked.method == "POST"]) == 2


async def test_a_busy_thread_is_not_walked_through_for_a_text_that_is_refused(
    tmp_path: Path,
) -> None:
    earlier = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    busy = page(*[comment(id=900 - n, created_at=earlier) for n in range(15)])
    async with open_rogue_game() as game, open_world(tmp_path, game.base_url) as world:
        game.answers(reply(page()))
        await world.settle(world.member, "a-token")
        before = len(game.asked)
        game.answers(reply(status=403), reply(busy))

        card = await world.slash("forum post", thread="1", content=_TEXT)

        assert "Your comment is posted" not in text_of(card)
        assert [asked.method for asked in game.asked[before:]] == ["POST", "GET", "GET"]
