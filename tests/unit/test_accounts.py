"""Links to game accounts, without Discord: what proves a token, and whose player a member is."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.errors import LinkExpired, TokenNotChecked, TokenRefused
from bot.game.game_errors import RateLimited
from bot.game.models import Player
from tests.support.databases import address_at
from tests.support.full_disk import fill_up
from tests.support.game_samples import page
from tests.support.rogue_game import Reply, RogueGame, open_rogue_game, reply
from tests.support.wiring import Wiring, open_wiring

MEMBER, TOKEN = 1, SecretStr("token-of-the-member")
MISSING, REFUSED, CLOSED = reply(status=404), reply(status=401), reply(status=403)


@pytest.fixture
async def game() -> AsyncGenerator[RogueGame]:
    async with open_rogue_game() as opened:
        yield opened


@pytest.fixture
async def wired(tmp_path: Path, game: RogueGame) -> AsyncGenerator[Wiring]:
    async with open_wiring(tmp_path, game.base_url) as opened:
        yield opened


async def test_without_a_catalog_a_fake_token_is_tried(game: RogueGame, wired: Wiring) -> None:
    game.answers(MISSING, MISSING, REFUSED)
    await wired.accounts.link(MEMBER, TOKEN, [5, 6])

    paths = [asked.path.rpartition("/catalogs/")[2] for asked in game.asked]
    assert paths == ["5/items", "6/items", "5/items"]
    tokens = [asked.headers["authorization"].removeprefix("Bearer ") for asked in game.asked]
    assert tokens[:2] == [TOKEN.get_secret_value()] * 2
    assert tokens[2] not in (TOKEN.get_secret_value(), "")


async def test_a_game_that_refuses_no_token_proves_none(game: RogueGame, wired: Wiring) -> None:
    game.answers(MISSING)

    with pytest.raises(TokenNotChecked):
        await wired.accounts.link(MEMBER, TOKEN, [])
    assert await wired.accounts.find(MEMBER) is None


async def test_a_closed_catalog_says_nothing_of_a_token(game: RogueGame, wired: Wiring) -> None:
    game.answers(CLOSED, MISSING, reply(page()))
    await wired.accounts.link(MEMBER, TOKEN, [5, 6, 7])
    assert await wired.accounts.find(MEMBER) is not None

    game.answers(CLOSED, REFUSED)
    with pytest.raises(TokenRefused):
        await wired.accounts.link(MEMBER, TOKEN, [5, 6])


@pytest.mark.parametrize("before", [[], [MISSING]], ids=["their token", "a made-up one"])
async def test_a_pause_while_linking_is_that_members_alone(
    game: RogueGame, wired: Wiring, before: list[Reply]
) -> None:
    game.answers(*before, reply(status=429, headers={"Retry-After": "60"}))

    with pytest.raises(RateLimited):
        await wired.accounts.link(MEMBER, TOKEN, [5])

    game.answers(reply(page()))
    with pytest.raises(RateLimited):
        await wired.accounts.link(MEMBER, TOKEN, [5])
    await wired.client.list_comments(1)


async def test_a_comment_that_does_not_name_its_writer_changes_nothing(wired: Wiring) -> None:
    await wired.links.save(MEMBER, TOKEN)
    for player_id, name in ((7, "Hazel"), (None, "Sorrel")):
        player = Player(id=player_id, avatar_url=None, screen_name=name, is_subscribed=False)
        link = await wired.accounts.require(MEMBER)
        await wired.accounts.remember_player(link, player)

    link = await wired.accounts.require(MEMBER)
    assert (link.player_id, link.player_name) == (7, "Hazel")


async def test_an_unwritten_refusal_is_told(tmp_path: Path, game: RogueGame, wired: Wiring) -> None:
    game.answers(reply(page()), REFUSED)
    await wired.accounts.link(MEMBER, TOKEN, [5])
    await fill_up(address_at(tmp_path / "kiosk.db"), "links")

    link = await wired.accounts.require(MEMBER)
    with pytest.raises(LinkExpired):
        async with wired.accounts.using(link) as caller:
            await wired.client.list_items(caller, 5)
