"""Buying while the database can't be written."""

import sqlite3
from contextlib import closing

from storage.database import database_path
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.rogue_shop import RogueShop
from tests.support.shopping import let_the_bot_look, orders
from tests.support.world import World


async def test_an_outcome_that_cant_be_written_is_told_all_the_same(
    rogue_world: World, shop: RogueShop
) -> None:
    path = database_path(rogue_world.settings.database_url)

    def fill_up() -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(
                "CREATE TRIGGER full BEFORE UPDATE ON orders BEGIN SELECT RAISE(ABORT, 'full'); END"
            )

    shop.before_order = fill_up
    card = answer_of(await rogue_world.slash("shop buy", item="3", catalog="1"))
    item = answer_of(await rogue_world.slash("shop item", item="3", catalog="1"))
    await rogue_world.member.click(card, label="Buy it")

    assert "Hat number 3 is yours" in text_of(card)
    assert "Buy anyway…" not in buttons_of(item)
    assert buttons_of(item)["Buy"]["disabled"]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER full")
    await let_the_bot_look(rogue_world)
    assert "bought for" in await orders(rogue_world)
