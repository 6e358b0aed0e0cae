"""Orders of a process that was killed, or whose database fails: what comes of them."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from bot.features.writing.outcomes import Reason, is_open
from bot.features.writing.writing_errors import DiscordMissedAnswer
from storage.storage_errors import CommitUnknown, StatementFailed
from storage.writes import Order, WriteState
from tests.support.clock import ManualClock
from tests.support.database_proxy import DatabaseProxy, open_database_proxy
from tests.support.databases import address_at, run_beside
from tests.support.full_disk import bring_orders_back, fill_up, make_room, take_orders_away
from tests.support.gates import PATIENCE_SECONDS
from tests.support.rogue_game import RogueShop, lose_the_request, refuse
from tests.support.till import HAT, MEMBER, Till, open_till

# In seconds: longer than an order is held by one process, and shorter than the second look; and
# when the last look is over, since the game was asked.
LONG = 100.0
QUARTER = 900.0
AWAY, BACK = "ALTER TABLE links RENAME TO away", "ALTER TABLE away RENAME TO links"
# The same item on another card.
AGAIN = replace(HAT, id=8, card_id=2)
THIRD = replace(HAT, id=9, card_id=3, item_id=4)


async def leave_behind(till: Till) -> Order:
    """Write an order as a process does that is killed once it has asked the game."""
    link = await till.accounts.require(MEMBER)
    now = till.clock()
    new = replace(HAT, token_key=link.token_key)
    order = await till.writes.keep_order(new, now=now, since=now)
    assert order is not None
    sent = await till.writes.save_write(replace(order, state=WriteState.SENT, asked_at=now))
    assert sent is not None
    return sent


async def settle(till: Till, seconds: float) -> Order:
    """Look after what is due when time has passed. Gives what happened to the first order."""
    await till.let_pass(seconds)
    await till.settle_due()
    return await till.found(HAT)


async def test_the_next_process_tells_of_it(tmp_path: Path, shop: RogueShop, till: Till) -> None:
    order = await leave_behind(till)
    shop.owned.add(3)
    await till.let_pass(LONG)
    shop.gate = asyncio.Event()
    settling = asyncio.create_task(till.settle_due())
    await shop.arrived.wait()
    settling.cancel()
    shop.gate.set()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await till.found(order)).state is not WriteState.DONE:
            pass

    async with open_till(tmp_path, shop.base_url, clock=till.clock) as other:
        assert (await settle(other, LONG)).holder == ""
    owed = run_beside(address_at(tmp_path / "kiosk.db"), "SELECT key FROM messages")
    assert owed == [("order 7 done ",)]


@pytest.mark.parametrize("is_settled", [True, False])
async def test_an_order_that_was_taken_over_is_not_sent_any_more(
    tmp_path: Path, shop: RogueShop, till: Till, is_settled: bool
) -> None:
    async with open_till(tmp_path, shop.base_url, clock=till.clock) as other:

        async def stand_still() -> bool:
            await till.let_pass(LONG)
            if is_settled:
                await other.settle_due()
            else:
                # And killed then.
                await other.writes.hold_write(HAT)
            return True

        assert not (await till.order(tell=stand_still)).holder

    await settle(till, LONG)
    assert not shop.orders
    assert (await till.order(AGAIN)).state is WriteState.DONE


@pytest.mark.usefixtures("on_both_engines")
@pytest.mark.parametrize("seconds", [300.0, -300.0])
async def test_a_process_with_another_clock_leaves_what_is_held_alone_and_takes_over_the_rest(
    tmp_path: Path, shop: RogueShop, seconds: float
) -> None:
    async with open_till(tmp_path, shop.base_url) as till:
        clock = ManualClock(till.clock() + timedelta(seconds=seconds))
        async with open_till(tmp_path, shop.base_url, clock=clock) as other:

            async def let_the_other_look() -> bool:
                await other.settle_due()
                return True

            assert (await till.order(tell=let_the_other_look)).state is WriteState.DONE
            assert (await other.found(HAT)).told == "done "

            await till.writes.keep_order(THIRD, now=till.clock(), since=till.clock())
            await other.let_pass(LONG)
            await other.settle_due()
            assert (await till.found(THIRD)).state is WriteState.REFUSED
    assert shop.orders[3] == 1


@pytest.mark.usefixtures("on_both_engines")
@pytest.mark.parametrize("is_bought", [True, False])
async def test_what_one_process_was_told_holds_over_the_doubt_of_another(
    tmp_path: Path, shop: RogueShop, *, is_bought: bool
) -> None:
    address = address_at(tmp_path / "kiosk.db")
    shop.before_order = lambda: fill_up(address, where="NEW.state IN ('done', 'refused')")
    if not is_bought:
        shop.outcomes.append(refuse(409, "No."))
    expected = WriteState.DONE if is_bought else WriteState.REFUSED
    async with open_till(tmp_path, shop.base_url) as till:
        assert (await till.order()).state is expected
        async with open_till(tmp_path, shop.base_url, clock=till.clock) as other:
            await other.accounts.unlink(MEMBER)
            doubted = await settle(other, QUARTER)
            assert (doubted.state, doubted.reason) == (WriteState.UNKNOWN, Reason.NEVER_SEEN)
            assert (await till.found(HAT)).state is expected

            await make_room(address)
            async with asyncio.timeout(PATIENCE_SECONDS):
                while (known := await other.found(HAT)).holder or not known.is_old_news:
                    pass
            assert known.state is expected
    assert shop.orders[3] == 1


@pytest.mark.parametrize(
    ("relink", "reason"), [(True, Reason.ACCOUNT_CHANGED), (False, Reason.NEVER_SEEN)]
)
async def test_after_another_account_was_linked_or_none_for_long_nobody_can_say(
    shop: RogueShop, till: Till, relink: bool, reason: Reason
) -> None:
    await leave_behind(till)
    await till.accounts.unlink(MEMBER)
    if relink:
        await till.accounts.link(MEMBER, SecretStr("another"), [1])
    shop.owned.add(3)

    order = await settle(till, QUARTER)

    assert (order.state, order.reason) == (WriteState.UNKNOWN, reason)
    assert not is_open(order)


async def test_news_comes_however_long_another_catalog_takes(shop: RogueShop, till: Till) -> None:
    for item_id in (3, 4):
        shop.outcomes.append(lose_the_request)
        await till.order_item(item_id)
    shop.owned.add(4)
    shop.stock(3000)
    del shop.items[2]
    shop.gate, shop.held_from = asyncio.Event(), 2
    await till.let_pass(LONG)

    settling = asyncio.create_task(till.settle_due())
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await till.found(replace(HAT, id=4))).state is not WriteState.DONE:
            pass

    assert not settling.done()
    settling.cancel()
    shop.gate.set()
    await asyncio.wait([settling])


async def test_what_the_game_said_is_told_though_the_database_cant_say_who_is_linked(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    address = address_at(tmp_path / "kiosk.db")

    def lose_the_links() -> None:
        run_beside(address, AWAY)

    shop.before_order = lose_the_links
    shop.outcomes.append(refuse(409, "No."))

    order = await till.order()

    assert (order.state, order.game_words) == (WriteState.REFUSED, "No.")
    run_beside(address, BACK)
    assert (await till.found(order)).state is WriteState.REFUSED


async def test_a_stuck_order_is_not_asked_for(tmp_path: Path, shop: RogueShop, till: Till) -> None:
    address = address_at(tmp_path / "kiosk.db")

    async def find_it_answered() -> bool:
        await take_orders_away(address)
        return False

    with pytest.raises(DiscordMissedAnswer):
        await till.order(tell=find_it_answered)

    await bring_orders_back(address)
    order = await settle(till, LONG)
    assert (order.state, order.reason) == (WriteState.REFUSED, Reason.NOT_SENT)
    assert shop.orders[3] == 0


async def test_trouble_before_asking_refuses(tmp_path: Path, shop: RogueShop, till: Till) -> None:
    address = address_at(tmp_path / "kiosk.db")

    async def get_into_trouble() -> bool:
        run_beside(address, AWAY)
        return True

    order = await till.order(tell=get_into_trouble)
    run_beside(address, BACK)

    assert (order.state, order.reason) == (WriteState.REFUSED, Reason.NOT_SENT)
    again = await till.order(AGAIN)
    assert (again.state, shop.orders[3]) == (WriteState.DONE, 1)


@pytest.fixture
async def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[DatabaseProxy]:
    monkeypatch.setenv("DATABASE", "postgresql")
    async with open_database_proxy(address_at(tmp_path / "kiosk.db")) as opened:
        yield opened


async def buy_once(till: Till, shop: RogueShop) -> None:
    """Buy the item after all, once the database answers."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                await till.let_pass(LONG)
                await till.settle_due()
                bought = await till.order(AGAIN)
            except StatementFailed:
                continue
            break
    assert (bought.state, shop.charged[3]) == (WriteState.DONE, 1)


@pytest.mark.parametrize("words", [b"INSERT INTO writes", b"COMMIT"])
async def test_a_server_that_breaks_off_before_an_order_is_kept_leaves_nothing_bought(
    shop: RogueShop, tmp_path: Path, proxy: DatabaseProxy, words: bytes
) -> None:
    async with open_till(tmp_path, shop.base_url, address=proxy.address) as till:
        proxy.unanswered.add(words)

        with pytest.raises(StatementFailed) as failed:
            await till.order()

        assert isinstance(failed.value, CommitUnknown) == (words == b"COMMIT")
        assert not shop.orders
        await buy_once(till, shop)


async def test_a_server_that_breaks_off_before_the_game_is_asked_leaves_nothing_bought(
    shop: RogueShop, tmp_path: Path, proxy: DatabaseProxy
) -> None:
    async with open_till(tmp_path, shop.base_url, address=proxy.address) as till:
        proxy.unanswered.add(b"UPDATE writes")

        assert (await till.order()).state is WriteState.REFUSED
        assert not shop.orders
        await buy_once(till, shop)
