"""The client and the service are written apart from each other; here they have to agree."""

from collections.abc import AsyncGenerator
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.game import game_errors
from bot.game.game_client import Caller, GameClient
from bot.game.transport import BodyFormat
from game_service.app import open_service
from tests.support.databases import game_address_at

SUBSCRIBER = Caller(1, SecretStr("demo-subscriber"))
VISITOR = Caller(2, SecretStr("demo-visitor"))
NEWCOMER = Caller(3, SecretStr("demo-newcomer"))
STRANGER = Caller(4, SecretStr("nobody-has-this"))


@pytest.fixture(params=["json", "form"])
async def game(
    request: pytest.FixtureRequest,
    session: aiohttp.ClientSession,
    tasks: BackgroundTasks,
    tmp_path: Path,
) -> AsyncGenerator[GameClient]:
    body_format: BodyFormat = request.param
    async with open_service(game_address_at(tmp_path / "game.db"), demo=True) as service:
        yield GameClient(session, service.base_url, tasks, body_format=body_format)


async def test_what_is_not_there_is_not_found(game: GameClient) -> None:
    nowhere = 2**40
    for asking in (
        lambda: game.list_comments(nowhere),
        lambda: game.create_comment(NEWCOMER, nowhere, "Hello?"),
        lambda: game.update_comment(NEWCOMER, 1, nowhere, "Hello?"),
        lambda: game.delete_comment(NEWCOMER, 1, nowhere),
        lambda: game.list_items(NEWCOMER, nowhere),
        lambda: game.purchase(NEWCOMER, nowhere),
        lambda: game.redeem(NEWCOMER, nowhere),
    ):
        with pytest.raises(game_errors.NotFound):
            await asking()
