"""The demo's world, as the first visitor meets it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp

from game_service import admin
from game_service.app import KIOSK_TOKEN, MIGRATIONS, open_service
from storage.database import open_database
from tests.service.conftest import NEWCOMER, SUBSCRIBER, VISITOR, Api
from tests.support.databases import game_address_at


def below(comment: Any) -> Iterator[Any]:
    for child in comment["children"]:
        yield child
        yield from below(child)


async def balances(folder: Path, name: str = "game.db") -> list[int]:
    async with open_database(game_address_at(folder / name), MIGRATIONS) as database:
        rows = await database.fetch("SELECT amount FROM balances ORDER BY amount")
        return [row["amount"] for row in rows]


async def test_the_first_thread_is_long_deep_and_tries_every_renderer(api: Api) -> None:
    comments = await api.walk("/threads/1/comments")
    assert len(comments) >= 50
    assert max(comment["children_count"] for comment in comments) == 20
    everything = [*comments, *(child for comment in comments for child in below(comment))]
    assert {comment["depth"] for comment in everything} == {1, 2, 3}
    texts = [comment["content"] for comment in everything]
    assert max(map(len, texts)) == 5_000
    for sample in (
        "**",
        "@everyone",
        "<@80351110224678912>",
        "```python\n",
        "שלום",
        "👩🏽‍🌾",
        "https://",
    ):
        assert any(sample in text for text in texts), sample


async def test_the_first_catalog_has_something_of_everything(api: Api) -> None:
    items = await api.walk("/catalogs/1/items", SUBSCRIBER)
    assert len(items) >= 40
    assert len({item["item_type"]["name"] for item in items}) >= 6
    assert {item["currency"]["name"] for item in items} == {"Acorns", "Gems"}
    for flag in ("is_clearance", "is_member_item", "is_coin_code_item"):
        assert {item[flag] for item in items} == {True, False}
    assert len(await api.walk("/catalogs/2/items", SUBSCRIBER)) < 15
    assert await api.walk("/catalogs/3/items", SUBSCRIBER) == []


async def test_every_picture_is_served(api: Api, session: aiohttp.ClientSession) -> None:
    addresses: set[str] = set()
    for catalog in (1, 2):
        for item in await api.walk(f"/catalogs/{catalog}/items", SUBSCRIBER):
            addresses |= {item["icon_url"], item["paper_url"], item["no_eye_url"]}
            addresses |= {item["currency"]["icon_url"], item["item_type"]["image_url"]}
    for comment in await api.walk("/threads/1/comments"):
        addresses.add(comment["player"]["avatar_url"])
    for address in filter(None, addresses):
        async with session.get(address) as response:
            assert (response.status, response.content_type) == (200, "image/png"), address
            assert "max-age" in response.headers["Cache-Control"]
            content = await response.read()
            assert content.startswith(b"\x89PNG")
            assert len(content) < 6_500, address


async def test_pictures_that_are_not_there_are_not_found(api: Api) -> None:
    assets = api.base_url.replace("/api/v1", "/assets")
    for path in ("items/nothing.png", "items/", "%2e%2e/app.py", "..%2fapp.py"):
        answer = await api.get(f"{assets}/{path}")
        assert (answer.status, answer.code) in {(404, "not_found"), (404, "picture_not_found")}


async def test_what_is_added_without_a_picture_has_a_plain_one(
    api: Api, session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    async with open_service(game_address_at(tmp_path / "bare.db")) as bare:
        catalog = await admin.add_catalog(bare.database, "Bare")
        await admin.add_item(bare.database, catalog, name="Thing", cost=1)
        player = await admin.add_player(bare.database, screen_name="Wren")
        token = await admin.create_token(bare.database, player)
        thread = await admin.add_thread(bare.database, "Bare")
        api = Api(session, bare.base_url)
        await api.write(thread=thread, token=token)
        (item,) = await api.walk(f"/catalogs/{catalog}/items", token)
        (comment,) = await api.walk(f"/threads/{thread}/comments")
        for address in (
            item["icon_url"],
            item["currency"]["icon_url"],
            item["item_type"]["image_url"],
            comment["player"]["avatar_url"],
        ):
            async with session.get(address) as response:
                assert response.status == 200, address


async def test_the_three_players_are_who_the_readme_says(api: Api) -> None:
    items = {item["name"]: item["id"] for item in await api.walk("/catalogs/1/items", VISITOR)}

    async def statuses(name: str, action: str) -> list[int]:
        return [
            (await api.post(f"/items/{items[name]}/{action}", token)).status
            for token in (SUBSCRIBER, VISITOR, NEWCOMER)
        ]

    assert await statuses("Top Hat", "purchase") == [200, 403, 403]
    assert await statuses("Moss Rucksack", "purchase") == [200, 409, 200]
    assert await statuses("Acorn Cap", "purchase") == [200, 200, 200]
    assert await statuses("Flower Wreath", "redeem") == [200, 409, 200]
    assert await statuses("Harbour Scarf", "redeem") == [409, 200, 409]


async def test_only_an_empty_database_is_filled(tmp_path: Path) -> None:
    url = game_address_at(tmp_path / "game.db")
    async with open_service(url, demo=True):
        pass
    first = await balances(tmp_path)
    async with open_service(url, demo=True):
        pass
    assert await balances(tmp_path) == first != []

    async with open_database(game_address_at(tmp_path / "own.db"), MIGRATIONS) as database:
        await admin.add_thread(database, "Mine")
    async with open_service(game_address_at(tmp_path / "own.db"), demo=True) as own:
        assert await own.database.fetch("SELECT * FROM players") == []
    assert await balances(tmp_path, "own.db") == []


async def test_kiosk_gets_an_account_in_a_demo_that_had_none(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    url = game_address_at(tmp_path / "game.db")
    players = "SELECT id FROM players WHERE screen_name = 'Kiosk'"
    # As an earlier version has filled it.
    async with open_service(url, demo=True) as game:
        await game.database.execute(f"DELETE FROM tokens WHERE player_id IN ({players})")
        await game.database.execute("DELETE FROM players WHERE screen_name = 'Kiosk'")

    for _ in range(2):
        async with open_service(url, demo=True) as game:
            items = await Api(session, game.base_url).walk("/catalogs/1/items", KIOSK_TOKEN)
            assert len(items) >= 40
            assert not any(item["has_purchased"] for item in items)
            assert len(await game.database.fetch(players)) == 1
