"""Listing, buying and redeeming items (docs/connect-your-game.md#items)."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from game_service import admin
from game_service.app import Service
from tests.service.conftest import NEWCOMER, SUBSCRIBER, VISITOR, Api

ITEMS = "/catalogs/1/items"


async def item_named(api: Api, name: str, token: str = SUBSCRIBER) -> Any:
    items = await api.walk(ITEMS, token)
    return next(item for item in items if item["name"] == name)


async def buy(api: Api, name: str, token: str = SUBSCRIBER, **how: Any) -> Any:
    item = await item_named(api, name)
    return await api.post(f"/items/{item['id']}/purchase", token, **how)


async def redeem(api: Api, name: str, token: str = SUBSCRIBER, **how: Any) -> Any:
    item = await item_named(api, name)
    return await api.post(f"/items/{item['id']}/redeem", token, **how)


async def total(game: Service, sql: str) -> int:
    (row,) = await game.database.fetch(sql)
    return next(iter(dict(row).values())) or 0


async def test_a_listed_item_has_every_field_and_both_spellings_of_the_flag(api: Api) -> None:
    item = (await api.get(ITEMS, SUBSCRIBER)).data[0]
    assert item.keys() == {
        "id",
        "currency",
        "item_type",
        "name",
        "cost",
        "icon_url",
        "paper_url",
        "no_eye_url",
        "is_clearance",
        "is_coin_code_item",
        "is_member_item",
        "has_purchasd",
        "has_purchased",
    }
    assert item["currency"].keys() == {"id", "name", "singular_name", "icon_url"}
    assert item["item_type"].keys() == {"id", "name", "image_url"}
    assert (item["has_purchasd"], item["has_purchased"]) == (False, False)


async def test_a_catalog_is_listed_in_its_own_order_page_by_page(api: Api, game: Service) -> None:
    items = await api.walk(ITEMS, SUBSCRIBER)
    assert [item["id"] for item in items] == sorted({item["id"] for item in items})
    first = await api.get(ITEMS, SUBSCRIBER)
    assert len(first.data) == 15
    assert first.body["links"]["next"] == f"{game.base_url}{ITEMS}?page=2"
    assert first.body["meta"]["path"] == f"{game.base_url}{ITEMS}"


async def test_an_item_that_is_gone_is_neither_listed_nor_sold(api: Api, game: Service) -> None:
    item = await item_named(api, "Blue Balloon")
    await admin.set_item(game.database, item["id"], is_gone=True)
    assert "Blue Balloon" not in {each["name"] for each in await api.walk(ITEMS, SUBSCRIBER)}
    for action in ("purchase", "redeem"):
        answer = await api.post(f"/items/{item['id']}/{action}", SUBSCRIBER)
        assert (answer.status, answer.code) == (404, "item_not_found")


async def test_a_purchase_answers_its_shape_without_the_currencys_icon(api: Api) -> None:
    item = await item_named(api, "Straw Hat")
    answer = await api.post(f"/items/{item['id']}/purchase", SUBSCRIBER)
    assert answer.status == 200
    currency = {key: item["currency"][key] for key in ("id", "name", "singular_name")}
    assert currency["name"] == "Acorns"
    assert currency["singular_name"] == "Acorn"
    assert answer.data == {
        "id": item["id"],
        "currency": currency,
        "name": "Straw Hat",
        "cost": item["cost"],
    }


async def test_who_bought_an_item_sees_so_and_nobody_else_does(api: Api) -> None:
    assert (await buy(api, "Straw Hat", SUBSCRIBER)).status == 200
    again = await buy(api, "Straw Hat", SUBSCRIBER)
    assert (again.status, again.code) == (409, "already_owned")
    mine = await item_named(api, "Straw Hat", SUBSCRIBER)
    assert (mine["has_purchasd"], mine["has_purchased"]) == (True, True)
    theirs = await item_named(api, "Straw Hat", VISITOR)
    assert (theirs["has_purchasd"], theirs["has_purchased"]) == (False, False)


async def test_the_price_is_what_the_item_costs_now(api: Api, game: Service) -> None:
    item = await item_named(api, "Straw Hat")
    await admin.set_item(game.database, item["id"], cost=7)
    assert (await buy(api, "Straw Hat")).data["cost"] == 7


# Sprig has hundreds of acorns, but only a dozen gems, which the second one costs.
@pytest.mark.parametrize("name", ["First Snow", "Teapot Hat"])
async def test_who_can_not_pay_gets_nothing(api: Api, game: Service, name: str) -> None:
    before = await total(game, "SELECT sum(amount) FROM balances")
    answer = await buy(api, name, NEWCOMER)
    assert (answer.status, answer.code) == (409, "not_enough_currency")
    assert not (await item_named(api, name, NEWCOMER))["has_purchased"]
    assert await total(game, "SELECT sum(amount) FROM balances") == before


@pytest.mark.parametrize("action", ["purchase", "redeem"])
async def test_member_items_are_for_subscribers(api: Api, action: str) -> None:
    item = await item_named(api, "Cloud Balloon")
    assert item["is_member_item"]
    refused = await api.post(f"/items/{item['id']}/{action}", NEWCOMER)
    assert (refused.status, refused.code) == (403, "members_only")
    assert (await api.post(f"/items/{item['id']}/{action}", SUBSCRIBER)).status == 200


async def test_an_item_is_redeemed_at_the_players_own_park_once(api: Api) -> None:
    item = await item_named(api, "Fish Balloon")
    answer = await redeem(api, "Fish Balloon", NEWCOMER)
    assert (answer.status, answer.data) == (200, {"id": item["id"], "name": "Fish Balloon"})
    again = await redeem(api, "Fish Balloon", NEWCOMER)
    assert (again.status, again.code) == (409, "already_redeemed")
    elsewhere = await redeem(api, "Fish Balloon", VISITOR)
    assert (elsewhere.status, elsewhere.code) == (409, "not_at_park")
    nowhere = await redeem(api, "Blue Balloon", NEWCOMER)
    assert (nowhere.status, nowhere.code) == (409, "not_at_park")


async def test_of_a_hundred_purchases_one_is_paid(api: Api, game: Service) -> None:
    database = game.database
    player = await admin.add_player(database, screen_name="Wren", balances={"Acorns": 100})
    token = await admin.create_token(database, player)
    items = [
        await admin.add_item(database, 3, name=f"Ticket {number}", cost=100)
        for number in range(100)
    ]
    worth = (
        "SELECT (SELECT sum(amount) FROM balances) + coalesce((SELECT sum(cost) FROM purchases), 0)"
    )
    before = await total(game, worth)
    answers = await asyncio.gather(*(api.post(f"/items/{item}/purchase", token) for item in items))
    assert Counter(answer.status for answer in answers) == {200: 1, 409: 99}
    owned = [item for item in await api.walk("/catalogs/3/items", token) if item["has_purchased"]]
    assert len(owned) == 1
    assert await total(game, worth) == before
