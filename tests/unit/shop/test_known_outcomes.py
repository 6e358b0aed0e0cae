"""What is known of an order though the database can't be written, or its process stood still."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.domain.names import ItemRef
from bot.domain.orders import OrderKind, OrderState
from bot.features.orders.rules import Reason, Wish
from bot.features.shop.item_filter import CatalogItem
from tests.support.databases import address_at
from tests.support.full_disk import bring_orders_back, fill_up, make_room, take_orders_away
from tests.support.rogue_shop import Answer, RogueShop, honest, refuse
from tests.support.till import MEMBER, Till, open_till

LONG = 100.0
# For item 3: what was confirmed, and what the game took.
SHOWN, CHARGED = 30, 25


@asynccontextmanager
async def full_from_the_order_on(folder: Path, shop: RogueShop) -> AsyncGenerator[None]:
    """Let no order be written any more once the game is asked, and the price be another."""
    address = address_at(folder / "kiosk.db")

    async def fail() -> None:
        shop.items[2]["cost"] = CHARGED
        await fill_up(address)

    shop.before_order = fail
    yield
    await make_room(address)


@pytest.mark.parametrize(
    ("kind", "answer", "state", "cost"),
    [
        (OrderKind.PURCHASE, honest, OrderState.DONE, CHARGED),
        (OrderKind.REDEEM, honest, OrderState.DONE, SHOWN),
        (OrderKind.PURCHASE, refuse(403), OrderState.REFUSED, SHOWN),
    ],
)
async def test_an_outcome_that_cant_be_written_is_told_now_and_written_later(
    tmp_path: Path,
    shop: RogueShop,
    till: Till,
    kind: OrderKind,
    answer: Answer,
    state: OrderState,
    cost: int,
) -> None:
    shop.answers.append(answer)
    async with full_from_the_order_on(tmp_path, shop):
        order = await till.order(3, kind)
        assert (order.state, order.cost) == (state, cost)
        await till.service.settling.note_told(order)
        standing = await till.order(3, kind)
        assert standing.state is state
        assert (await till.state_of(3)).state is OrderState.STARTED

    assert await till.settle() == []
    written = await till.state_of(3)
    assert (written.state, written.cost) == (state, cost)
    till.clock.advance(LONG)
    assert await till.settle() == []
    assert (await till.state_of(3)).told_state is state
    assert shop.orders[3] == 1


async def test_an_outcome_that_is_written_later_outranks_what_another_process_made_of_it(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    async with full_from_the_order_on(tmp_path, shop):
        order = await till.order(3)
        shop.owned.clear()
    till.clock.advance(LONG)
    async with open_till(tmp_path, shop.base_url, name="two", clock=till.clock) as other:
        (found,) = await other.settle()
        assert found.state is OrderState.REFUSED
    await till.settle()

    assert order.state is (await till.state_of(3)).state is OrderState.DONE


async def test_what_is_known_outranks_the_catalog_though_only_looks_can_be_written(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    address = address_at(tmp_path / "kiosk.db")
    await fill_up(address, where="NEW.state = 'done'")
    order = await till.order(3)
    shop.owned.clear()
    till.clock.advance(LONG)
    await till.settle()
    assert (await till.order(3, card=2)).state is OrderState.DONE

    await make_room(address)
    till.clock.advance(LONG)
    await till.settle()
    assert (order.state, (await till.state_of(3)).state) == (OrderState.DONE,) * 2
    assert shop.orders[3] == 1


async def test_a_press_that_another_bot_answers_is_left_to_it_though_the_database_fails(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    address = address_at(tmp_path / "kiosk.db")

    async def find_it_answered() -> bool:
        await take_orders_away(address)
        return False

    wish = Wish(MEMBER, OrderKind.PURCHASE, ItemRef(1, 1, 3), 30, 1, "en-US")
    assert await till.service.confirm(wish, find_it_answered) is None

    await bring_orders_back(address)
    till.clock.advance(LONG)
    (order,) = await till.settle()
    assert (order.state, order.reason) == (OrderState.REFUSED, Reason.NOT_SENT)
    assert shop.orders[3] == 0


async def test_what_is_not_as_it_was_confirmed_leaves_no_order(shop: RogueShop, till: Till) -> None:
    shop.items[2]["cost"] = 99
    wish = Wish(MEMBER, OrderKind.PURCHASE, ItemRef(1, 1, 3), 30, 1, "en-US")

    assert isinstance(await till.service.confirm(wish, till.say_written), CatalogItem)
    assert await till.orders.history(MEMBER, most=1, offset=0) == []


async def test_a_press_whose_order_is_settled_does_not_say_that_the_game_is_asked(
    till: Till,
) -> None:
    order = await till.order(3)
    said: list[bool] = []

    async def say_written() -> bool:
        said.append(True)
        return True

    wish = Wish(MEMBER, OrderKind.PURCHASE, ItemRef(1, 1, 3), 30, 1, "en-US")
    found = await till.service.confirm(wish, say_written)

    assert (found, said) == (await till.orders.find(order.id), [])
