"""Orders of a process that was killed: what the next one finds out about them."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from bot.features.writing.errors import WriteBusy
from bot.features.writing.orders import Reason
from bot.features.writing.rules import LEASE, is_open
from storage.writes import OrderedItem, Write, WriteKind, WriteState
from tests.support.gates import PATIENCE
from tests.support.rogue_game import RogueShop, lose_the_request
from tests.support.till import MEMBER, Till, open_till
from tests.unit.shop.conftest import LONG, WISH, found

# In seconds, since the game was asked: when the last look is over.
QUARTER = 900.0


async def leave_behind(
    till: Till, item_id: int, kind: WriteKind = WriteKind.PURCHASE, *, sent: bool
) -> Write:
    """Write an order as a process does that is killed then."""
    link = await till.accounts.require(MEMBER)
    item = OrderedItem(1, f"Hat number {item_id}", 10 * item_id, "Acorns", "Acorn")
    new = Write(1, MEMBER, kind, 1, item_id, locale="en-US", card_id=99, item=item)
    now = till.clock()
    order = await till.writes.keep_order(
        replace(new, token_key=link.token_key), now=now, until=now + LEASE, since=now
    )
    if sent and order is not None:
        order = await till.writes.save(replace(order, state=WriteState.SENT, asked_at=now))
    assert order is not None
    return order


async def test_the_next_process_tells_of_it(tmp_path: Path, shop: RogueShop, till: Till) -> None:
    order = await leave_behind(till, 3, sent=True)
    shop.owned.add(3)
    till.clock.advance(LONG)
    shop.gate = asyncio.Event()
    settling = asyncio.create_task(till.settle())
    await shop.arrived.wait()
    settling.cancel()
    shop.gate.set()
    async with asyncio.timeout(PATIENCE):
        while (await found(till, order)).state is not WriteState.DONE:
            pass
    till.clock.advance(LONG)

    async with open_till(tmp_path, shop.base_url, name="two", clock=till.clock) as other:
        (told,) = await other.settle()
    assert told.state is WriteState.DONE


async def test_whoever_is_told_early_stops_no_look(shop: RogueShop, till: Till) -> None:
    shop.outcomes.append(lose_the_request)
    order = await till.order_and_tell(3)
    till.clock.advance(QUARTER)
    shop.gate = asyncio.Event()
    shop.arrived.clear()
    settling = asyncio.create_task(till.settle())
    await shop.arrived.wait()
    # As the card of "Ask now" says it.
    await till.ledger.save_told(await found(till, order))
    shop.gate.set()

    (told,) = await settling
    assert told.state is (await found(till, order)).state is WriteState.REFUSED


@pytest.mark.parametrize("is_settled", [True, False])
async def test_an_order_that_was_taken_over_is_not_sent_any_more(
    tmp_path: Path, shop: RogueShop, till: Till, is_settled: bool
) -> None:
    async with open_till(tmp_path, shop.base_url, name="two", clock=till.clock) as other:

        async def stand_still() -> bool:
            till.clock.advance(LONG)
            (order,) = await other.writes.due(till.clock(), 9)
            if is_settled:
                await other.settle()
            else:
                # And killed then.
                await other.ledger.claim(order)
            return True

        with suppress(WriteBusy):
            await till.service.confirm(WISH, stand_still)

    till.clock.advance(LONG)
    await till.settle()
    assert not shop.orders
    assert (await till.order(3, card=2)).state is WriteState.DONE


@pytest.mark.parametrize(
    ("relink", "reason"), [(True, Reason.ACCOUNT_CHANGED), (False, Reason.NEVER_SEEN)]
)
async def test_after_another_account_was_linked_or_none_for_long_nobody_can_say(
    shop: RogueShop, till: Till, relink: bool, reason: Reason
) -> None:
    await leave_behind(till, 3, sent=True)
    await till.accounts.unlink(MEMBER)
    if relink:
        await till.accounts.link(MEMBER, SecretStr("another"), [1])
    shop.owned.add(3)
    till.clock.advance(QUARTER)

    (told,) = await till.settle()

    assert (told.state, told.reason) == (WriteState.UNKNOWN, reason)
    assert not is_open(told)


async def test_news_comes_however_long_another_catalog_takes(shop: RogueShop, till: Till) -> None:
    for item_id in (3, 4):
        shop.outcomes.append(lose_the_request)
        await till.order_and_tell(item_id, card=item_id)
    shop.owned.add(4)
    shop.stock(3000)
    del shop.items[2]
    shop.gate, shop.held_from = asyncio.Event(), 2
    till.clock.advance(LONG)
    is_told = asyncio.Event()

    async def note(_: Write) -> bool:
        is_told.set()
        return False

    till.ledger.observers.append(note)
    settling = asyncio.create_task(till.settle())
    await is_told.wait()

    assert [(each.target_id, each.state) for each in till.told] == [(4, WriteState.DONE)]
    assert not settling.done()
    settling.cancel()
    shop.gate.set()
    await asyncio.wait([settling])
