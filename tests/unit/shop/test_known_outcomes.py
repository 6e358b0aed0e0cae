"""What is known of an order though the database fails."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from bot.features.writing.errors import AnswerNotTaken
from bot.features.writing.orders import Reason
from cogs.shop.order_cards import outcome
from storage.errors import CommitUnknown, StatementFailed
from storage.writes import Write, WriteKind, WriteState
from tests.support.database_proxy import DatabaseProxy, open_database_proxy
from tests.support.databases import address_at, run_beside
from tests.support.full_disk import bring_orders_back, fill_up, make_room, take_orders_away
from tests.support.gates import PATIENCE
from tests.support.rogue_game import (
    Answer,
    RogueShop,
    honest,
    lose_the_answer,
    lose_the_request,
    refuse,
)
from tests.support.till import Till, open_till
from tests.unit.shop.conftest import LONG, WISH, found

# For item 3: what was confirmed, and what the game took.
SHOWN, CHARGED = 30, 25
AWAY, BACK = "ALTER TABLE links RENAME TO away", "ALTER TABLE away RENAME TO links"


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
        (WriteKind.PURCHASE, honest, WriteState.DONE, CHARGED),
        (WriteKind.REDEEM, honest, WriteState.DONE, SHOWN),
        (WriteKind.PURCHASE, refuse(403), WriteState.REFUSED, SHOWN),
    ],
)
async def test_an_outcome_that_cant_be_written_is_told_all_the_same(
    tmp_path: Path,
    shop: RogueShop,
    till: Till,
    kind: WriteKind,
    answer: Answer,
    state: WriteState,
    cost: int,
) -> None:
    shop.outcomes.append(answer)
    async with full_from_the_order_on(tmp_path, shop):
        order = await till.order(3, kind)
        assert (order.state, order.ordered.cost) == (state, cost)
        await till.ledger.save_told(order)
        assert (await found(till, order)).state is WriteState.SENT


async def test_an_outcome_is_written_late_and_told_once(tmp_path: Path, shop: RogueShop) -> None:
    address = address_at(tmp_path / "kiosk.db")
    asked = asyncio.Event()

    async def fail() -> None:
        await take_orders_away(address)
        asked.set()

    shop.before_order = fail
    async with open_till(tmp_path, shop.base_url, pause=0.1) as till:
        buying = asyncio.create_task(till.order_and_tell(3))
        await asked.wait()
        await bring_orders_back(address)
        order = await buying
        assert order.state is WriteState.DONE

        kept = await found(till, order)
        assert (kept.state, kept.is_told) == (WriteState.DONE, True)
        till.clock.advance(LONG)
        assert await till.settle() == []


@pytest.mark.parametrize(
    ("answer", "state", "words"),
    [(refuse(409, "No."), WriteState.REFUSED, "No."), (lose_the_answer, WriteState.UNKNOWN, None)],
)
async def test_what_the_game_said_is_told_though_the_database_cant_say_who_is_linked(
    tmp_path: Path,
    shop: RogueShop,
    till: Till,
    answer: Answer,
    state: WriteState,
    words: str | None,
) -> None:
    address = address_at(tmp_path / "kiosk.db")
    shop.before_order = lambda: void(run_beside(address, AWAY))
    shop.outcomes.append(answer)

    order = await till.order(3)

    assert (order.state, order.game_words) == (state, words)
    run_beside(address, BACK)
    assert (await found(till, order)).state is state


def void(_: object) -> None:
    """Give nothing to wait for."""


async def test_a_doubt_overwrites_no_outcome(tmp_path: Path, shop: RogueShop, till: Till) -> None:
    shop.outcomes.append(lose_the_request)
    async with full_from_the_order_on(tmp_path, shop):
        order = await till.order(3)
        assert order.state is WriteState.UNKNOWN
    till.clock.advance(1000)
    async with open_till(tmp_path, shop.base_url, name="two", clock=till.clock) as other:
        (told,) = await other.settle()
    await till.ledger.save_told(order)
    await till.settle()

    assert told.state is (await found(till, order)).state is WriteState.REFUSED


async def test_a_stuck_order_is_not_asked_for(tmp_path: Path, shop: RogueShop, till: Till) -> None:
    address = address_at(tmp_path / "kiosk.db")

    async def find_it_answered() -> bool:
        await take_orders_away(address)
        return False

    with pytest.raises(AnswerNotTaken):
        await till.service.confirm(WISH, find_it_answered)

    await bring_orders_back(address)
    till.clock.advance(LONG)
    (order,) = await till.settle()
    assert (order.state, order.reason) == (WriteState.REFUSED, Reason.NOT_SENT)
    assert shop.orders[3] == 0


async def test_trouble_before_asking_refuses(tmp_path: Path, shop: RogueShop, till: Till) -> None:
    address = address_at(tmp_path / "kiosk.db")

    async def get_into_trouble() -> bool:
        run_beside(address, AWAY)
        return True

    with pytest.raises(StatementFailed):
        await till.service.confirm(WISH, get_into_trouble)
    run_beside(address, BACK)
    till.clock.advance(LONG)

    await till.settle()

    again = await till.order(3, card=2)
    assert (again.state, shop.orders[3]) == (WriteState.DONE, 1)


ITEM, CARD, OTHER_CARD = 3, 1, 2


@pytest.fixture
async def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[DatabaseProxy]:
    monkeypatch.setenv("DATABASE", "postgresql")
    async with open_database_proxy(address_at(tmp_path / "kiosk.db")) as opened:
        yield opened


async def settled(till: Till) -> list[Write]:
    """Look after what is due, as soon as the database answers; gives what somebody was told."""
    till.clock.advance(LONG)
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(StatementFailed):
                await till.writes.due(till.clock(), 1)
                return await till.settle()


@pytest.mark.parametrize("words", [b"INSERT INTO writes", b"COMMIT"])
async def test_a_server_that_breaks_off_before_an_order_is_kept_leaves_nothing_bought(
    shop: RogueShop, tmp_path: Path, proxy: DatabaseProxy, words: bytes
) -> None:
    async with open_till(tmp_path, shop.base_url, address=proxy.address) as till:
        proxy.unanswered.add(words)

        with pytest.raises(StatementFailed) as failed:
            await till.order(ITEM, card=CARD)

        assert isinstance(failed.value, CommitUnknown) == (words == b"COMMIT")
        assert not shop.orders
        await settled(till)
        bought = await till.order(ITEM, card=OTHER_CARD)
        assert (bought.state, shop.charged[ITEM]) == (WriteState.DONE, 1)


async def test_a_server_that_breaks_off_before_the_game_is_asked_leaves_nothing_bought(
    shop: RogueShop, tmp_path: Path, proxy: DatabaseProxy
) -> None:
    async with open_till(tmp_path, shop.base_url, address=proxy.address) as till:
        proxy.unanswered.add(b"UPDATE writes")

        order = await till.order(ITEM, card=CARD)

        assert order.state is WriteState.REFUSED
        assert "You were not charged" in outcome(order).body
        assert not shop.orders
        await settled(till)
        bought = await till.order(ITEM, card=OTHER_CARD)
        assert (bought.state, shop.charged[ITEM]) == (WriteState.DONE, 1)
