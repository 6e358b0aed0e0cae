"""Buying while PostgreSQL dies, comes back, answers late or breaks off: nothing is bought twice."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path

import pytest

from cogs.shop.order_cards import outcome
from storage.errors import CommitUnknown, StatementFailed
from storage.writes import Write, WriteState
from tests.support.database_proxy import DatabaseProxy, open_database_proxy
from tests.support.databases import address_at
from tests.support.postgres import run_restarted_postgres
from tests.support.rogue_shop import RogueShop, refuse
from tests.support.till import Till, open_till
from tests.unit.shop.conftest import LONG, found

ITEM, CARD, OTHER_CARD = 3, 1, 2
# In seconds.
SHORT = 1.0


@pytest.fixture
async def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[DatabaseProxy]:
    monkeypatch.setenv("DATABASE", "postgresql")
    async with open_database_proxy(address_at(tmp_path / "kiosk.db")) as opened:
        yield opened


async def settled(till: Till) -> list[Write]:
    """Look after what is due, as soon as the database answers; gives what somebody was told."""
    till.clock.advance(LONG)
    async with asyncio.timeout(30):
        while True:
            with suppress(StatementFailed):
                await till.writes.due(till.clock(), 1)
                return await till.settle()


async def test_a_server_killed_while_the_game_is_asked_learns_of_the_purchase_when_it_is_back(
    tmp_path: Path, shop: RogueShop
) -> None:
    with run_restarted_postgres() as server:
        async with open_till(
            tmp_path, shop.base_url, address=server.address, patience=SHORT
        ) as till:
            shop.before_order = server.kill

            order = await till.order(ITEM, card=CARD)

            assert order.state is WriteState.DONE
            server.start()
            await settled(till)
            assert (await found(till, order)).state is WriteState.DONE
            # The press that was repeated for want of an answer.
            again = await till.order(ITEM, card=CARD)
            assert (again.id, shop.charged[ITEM]) == (order.id, 1)


async def test_another_process_settles_what_one_bought_while_the_server_was_dead(
    shop: RogueShop, tmp_path: Path, proxy: DatabaseProxy
) -> None:
    def fail() -> None:
        proxy.is_down = True
        proxy.cut()

    shop.before_order = fail
    async with open_till(tmp_path, shop.base_url, address=proxy.address, patience=SHORT) as till:
        order = await till.order(ITEM)
        assert order.state is WriteState.DONE
        clock = till.clock
    proxy.is_down = False
    async with open_till(tmp_path, shop.base_url, address=proxy.address, clock=clock) as other:
        assert (await found(other, order)).state is WriteState.SENT
        await settled(other)

        assert (await found(other, order)).state is WriteState.DONE
    assert shop.orders[ITEM] == 1


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


async def test_a_member_is_told_in_time_that_a_server_answers_late_however_much_is_asked_of_it(
    shop: RogueShop, tmp_path: Path, proxy: DatabaseProxy
) -> None:
    async with open_till(tmp_path, shop.base_url, address=proxy.address, patience=SHORT) as till:
        async with proxy.answering.closed(lambda _: True):
            # Of all that a purchase asks, the first that fails ends it.
            with pytest.raises(StatementFailed):
                await till.order(ITEM)
        assert not shop.orders

        await settled(till)
        assert (await till.order(ITEM)).state is WriteState.DONE


async def test_a_refusal_is_told_though_the_database_is_gone_by_then(
    shop: RogueShop, tmp_path: Path, proxy: DatabaseProxy
) -> None:
    shop.answers.append(refuse(403))
    async with open_till(tmp_path, shop.base_url, address=proxy.address, patience=SHORT) as till:
        order = await till.order(ITEM)
        proxy.is_down = True
        proxy.cut()
        await till.ledger.save_told(order)
        proxy.is_down = False
        (told,) = await settled(till)

        assert (told.id, told.state) == (order.id, WriteState.REFUSED)


async def test_a_failover_in_the_middle_of_a_purchase_is_not_noticed(
    shop: RogueShop, tmp_path: Path, proxy: DatabaseProxy
) -> None:
    shop.before_order = proxy.cut
    async with open_till(tmp_path, shop.base_url, address=proxy.address) as till:
        order = await till.order(ITEM)

        assert order.state is (await found(till, order)).state is WriteState.DONE
