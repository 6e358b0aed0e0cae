"""What is known of an order though the database can't be written."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.domain.orders import OrderKind, OrderState
from bot.features.errors import AnswerNotTaken
from bot.features.orders.rules import Reason, Wish
from bot.features.shop.item_filter import CatalogItem
from storage.names import ItemRef
from tests.support.databases import address_at, run_beside
from tests.support.full_disk import bring_orders_back, fill_up, make_room, take_orders_away
from tests.support.rogue_shop import (
    Answer,
    RogueShop,
    honest,
    lose_the_answer,
    lose_the_request,
    refuse,
)
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
async def test_an_outcome_that_cant_be_written_is_told_all_the_same(
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
        await till.service.note_told(order)
        assert (await till.state_of(3)).state is OrderState.STARTED


async def test_an_outcome_is_written_as_soon_as_it_can_be_and_told_once(
    tmp_path: Path, shop: RogueShop
) -> None:
    address = address_at(tmp_path / "kiosk.db")
    asked = asyncio.Event()

    async def fail() -> None:
        await fill_up(address)
        asked.set()

    shop.before_order = fail
    async with open_till(tmp_path, shop.base_url, pause=0.1) as till:
        order = asyncio.create_task(till.order_and_tell(3))
        await asked.wait()
        await make_room(address)
        assert (await order).state is OrderState.DONE

        kept = await till.state_of(3)
        assert (kept.state, kept.told_state) == (OrderState.DONE, OrderState.DONE)
        till.clock.advance(LONG)
        assert await till.settle() == []


async def test_an_outcome_that_could_not_be_written_is_settled_as_after_a_crash(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    async with full_from_the_order_on(tmp_path, shop):
        await till.order_and_tell(3)

    till.clock.advance(LONG)
    (told,) = await till.settle()
    assert told.state is (await till.state_of(3)).state is OrderState.DONE
    assert shop.orders[3] == 1


@pytest.mark.parametrize(
    ("answer", "state", "words"),
    [(refuse(409, "No."), OrderState.REFUSED, "No."), (lose_the_answer, OrderState.UNKNOWN, None)],
)
async def test_what_the_game_said_is_told_though_the_database_cant_say_who_is_linked(
    tmp_path: Path,
    shop: RogueShop,
    till: Till,
    answer: Answer,
    state: OrderState,
    words: str | None,
) -> None:
    address = address_at(tmp_path / "kiosk.db")
    shop.before_order = lambda: void(run_beside(address, "ALTER TABLE links RENAME TO away"))
    shop.answers.append(answer)

    order = await till.order(3)

    assert (order.state, order.game_words) == (state, words)
    run_beside(address, "ALTER TABLE away RENAME TO links")
    assert (await till.state_of(3)).state is state


def void(_: object) -> None:
    """Give nothing to wait for."""


async def test_what_nobody_could_say_is_not_written_over_what_another_process_has_found(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_request)
    async with full_from_the_order_on(tmp_path, shop):
        assert (await till.order(3)).state is OrderState.UNKNOWN
    till.clock.advance(LONG)
    async with open_till(tmp_path, shop.base_url, name="two", clock=till.clock) as other:
        (found,) = await other.settle()
    await till.settle()

    assert found.state is (await till.state_of(3)).state is OrderState.REFUSED


async def test_an_order_that_cant_be_withdrawn_is_not_asked_for_either(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    address = address_at(tmp_path / "kiosk.db")

    async def find_it_answered() -> bool:
        await take_orders_away(address)
        return False

    wish = Wish(MEMBER, OrderKind.PURCHASE, ItemRef(1, 1, 3), 30, 1, "en-US")
    with pytest.raises(AnswerNotTaken):
        await till.service.confirm(wish, find_it_answered)

    await bring_orders_back(address)
    till.clock.advance(LONG)
    (order,) = await till.settle()
    assert (order.state, order.reason) == (OrderState.REFUSED, Reason.NOT_SENT)
    assert shop.orders[3] == 0


async def test_what_is_not_as_it_was_confirmed_leaves_no_order(shop: RogueShop, till: Till) -> None:
    shop.items[2]["cost"] = 99
    wish = Wish(MEMBER, OrderKind.PURCHASE, ItemRef(1, 1, 3), 30, 1, "en-US")

    assert isinstance(await till.service.confirm(wish, till.say_asking), CatalogItem)
    assert await till.orders.history(MEMBER, most=1, offset=0) == []


async def test_a_press_whose_order_is_settled_does_not_say_that_the_game_is_asked(
    till: Till,
) -> None:
    order = await till.order(3)
    said: list[bool] = []

    async def say_asking() -> bool:
        said.append(True)
        return True

    wish = Wish(MEMBER, OrderKind.PURCHASE, ItemRef(1, 1, 3), 30, 1, "en-US")
    found = await till.service.confirm(wish, say_asking)

    assert (found, said) == (await till.orders.find(order.id), [])
