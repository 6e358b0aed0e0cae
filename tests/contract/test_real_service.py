"""The client and the service are written apart from each other; here they have to agree."""

from collections.abc import AsyncGenerator
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

from bot.background import BackgroundTasks, utc_now
from bot.game import errors
from bot.game.client import Caller, GameClient
from bot.game.models import Item
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
        yield GameClient(session, service.base_url, tasks, now=utc_now, body_format=body_format)


async def every_item(game: GameClient, caller: Caller, catalog_id: int = 1) -> list[Item]:
    found: list[Item] = []
    number, has_next = 1, True
    while has_next:
        page = await game.list_items(caller, catalog_id, page=number)
        found += page.entries
        number, has_next = number + 1, page.has_next
    return found


async def test_a_comment_is_written_answered_changed_and_deleted(game: GameClient) -> None:
    written = await game.create_comment(NEWCOMER, 3, "  Grüße & 'quotes' 🎉\nagain ")
    answer = await game.create_comment(VISITOR, 3, "Hi!", parent_id=written.id)
    page = await game.list_comments(3)

    assert page.entries[0].id == written.id
    assert page.entries[0].content == written.content
    assert [child.id for child in page.entries[0].children] == [answer.id]
    assert written.player.id != answer.player.id

    changed = await game.update_comment(NEWCOMER, written.id, "Changed.")
    assert (changed.id, changed.content, changed.created_at) == (
        written.id,
        "Changed.",
        written.created_at,
    )
    assert (await game.list_comments(3)).entries[0].content == "Changed."

    await game.delete_comment(VISITOR, answer.id)
    assert (await game.list_comments(3)).entries[0].children == ()


@pytest.mark.parametrize("content", ["", "   ", "x" * 5001])
async def test_a_refused_text_names_the_field(game: GameClient, content: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await game.create_comment(NEWCOMER, 3, content)

    assert caught.value.errors["content"]
    assert caught.value.message


async def test_what_is_not_there_is_not_found(game: GameClient) -> None:
    nowhere = 2**40
    for asking in (
        lambda: game.list_comments(nowhere),
        lambda: game.create_comment(NEWCOMER, nowhere, "Hello?"),
        lambda: game.update_comment(NEWCOMER, nowhere, "Hello?"),
        lambda: game.delete_comment(NEWCOMER, nowhere),
        lambda: game.list_items(NEWCOMER, nowhere),
        lambda: game.purchase(NEWCOMER, nowhere),
        lambda: game.redeem(NEWCOMER, nowhere),
    ):
        with pytest.raises(errors.NotFound):
            await asking()


async def test_an_unknown_token_is_refused_everywhere_it_is_sent(game: GameClient) -> None:
    for asking in (
        lambda: game.create_comment(STRANGER, 1, "Hello?"),
        lambda: game.update_comment(STRANGER, 1, "Hello?"),
        lambda: game.delete_comment(STRANGER, 1),
        lambda: game.list_items(STRANGER, 1),
        lambda: game.purchase(STRANGER, 1),
        lambda: game.redeem(STRANGER, 1),
    ):
        with pytest.raises(errors.Unauthorized):
            await asking()


async def test_an_item_is_bought_once_and_then_owned(game: GameClient) -> None:
    items = await every_item(game, SUBSCRIBER)
    item = min((item for item in items if not item.has_purchased), key=lambda item: item.cost)

    bought = await game.purchase(SUBSCRIBER, item.id)
    with pytest.raises(errors.Conflict):
        await game.purchase(SUBSCRIBER, item.id)

    assert (bought.id, bought.name, bought.cost) == (item.id, item.name, item.cost)
    assert bought.currency.singular_name == item.currency.singular_name
    owned = {item.id for item in await every_item(game, SUBSCRIBER) if item.has_purchased}
    assert item.id in owned
    assert item.id not in {
        item.id for item in await every_item(game, NEWCOMER) if item.has_purchased
    }


async def test_an_item_at_the_park_is_redeemed_once(game: GameClient) -> None:
    redeemed: list[int] = []
    refused = 0
    for item in await every_item(game, SUBSCRIBER):
        try:
            redeemed.append((await game.redeem(SUBSCRIBER, item.id)).id)
        except errors.Refused:
            refused += 1

    assert redeemed
    assert refused
    with pytest.raises(errors.Conflict):
        await game.redeem(SUBSCRIBER, redeemed[0])
