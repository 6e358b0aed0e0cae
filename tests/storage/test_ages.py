"""What is under way is as old as it is, however the clock is set between two starts."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from bot.domain.drafts import KEPT, DraftState, Outcome
from storage.ages import Ages
from storage.orders import Orders
from tests.storage.conftest import MEMBER, Kept
from tests.storage.ordering import LATER, NOW, OTHERS, REFUSED, settle, started

DAY = timedelta(days=1)


async def test_an_order_from_before_the_clock_was_set_back_is_due_and_sent_now(
    orders: Orders, ages: Ages
) -> None:
    order, other = await started(orders), await started(orders, OTHERS[1])
    await orders.mark_sent(order, now=NOW, due_at=LATER)
    await settle(orders, order, REFUSED)
    await orders.mark_told(await settle(orders, other, REFUSED), due_at=None)
    settled = await orders.find(other.id)
    await ages.go_on(NOW - timedelta(seconds=59), "", unknown)
    assert await orders.due(NOW, 9) == []

    earlier = NOW - DAY
    assert not await ages.go_on(earlier, "", unknown)

    (due,) = await orders.due(earlier, 9)
    assert (due.id, due.sent_at, due.settled_at, due.created_at) == (order.id, *[earlier] * 3)
    assert await orders.find(other.id) == settled


async def test_an_order_of_a_process_that_ran_on_by_the_clock_as_it_was_is_due(
    orders: Orders, ages: Ages
) -> None:
    earlier = NOW - DAY
    await ages.go_on(earlier, "start", unknown)
    order = await started(orders)

    await ages.go_on(earlier, "again", {"start": timedelta()}.get)

    assert [due.id for due in await orders.due(earlier, 9)] == [order.id]


async def test_all_orders_are_moved_however_many_there_are(
    orders: Orders, ages: Ages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.ages._MOVED_AT_ONCE", 1)
    await ages.go_on(NOW, "start", unknown)
    made = [await started(orders), await started(orders, OTHERS[1])]

    await ages.go_on(NOW + DAY, "again", {"start": timedelta()}.get)

    moved = [await orders.find(order.id) for order in made]
    assert [order and order.created_at for order in moved] == [NOW + DAY] * 2


@pytest.mark.parametrize("by", [DAY, timedelta(hours=-1)])
async def test_an_order_under_way_is_as_old_as_it_is_however_the_clock_was_set(
    orders: Orders, ages: Ages, by: timedelta
) -> None:
    passed = timedelta(seconds=5)
    await ages.go_on(NOW, "start", unknown)
    order, other = await started(orders), await started(orders, OTHERS[1])
    sent = await orders.mark_sent(order, now=NOW, due_at=LATER)
    await orders.mark_told(await settle(orders, other, REFUSED), due_at=None)
    settled = await orders.find(other.id)

    assert await ages.go_on(NOW + by + passed, "again", {"start": passed}.get) == by
    assert sent is not None
    moved = await orders.find(order.id)
    assert moved == replace(sent, created_at=NOW + by, sent_at=NOW + by, due_at=LATER + by)
    assert await orders.find(other.id) == settled
    # Once, and not for what the clocks of two processes may differ by.
    soon = NOW + by + passed + timedelta(seconds=59)
    assert not await ages.go_on(soon, "", {"again": timedelta()}.get)
    assert await orders.find(order.id) == moved


def unknown(_: str) -> None:
    """Say of no moment how long ago it was, as after the machine has started anew."""


@pytest.mark.parametrize("by", [DAY, -DAY, timedelta(hours=1), timedelta(hours=-1)])
async def test_a_text_is_kept_and_can_be_taken_however_the_clock_was_set(
    kept: Kept, by: timedelta
) -> None:
    ages = Ages(kept.database)
    await ages.go_on(NOW, "start", unknown)
    draft, hour = await kept.add(), timedelta(hours=1)
    await kept.drafts.release(draft, DraftState.UNKNOWN, due_at=NOW + hour)
    told = await kept.add("Told")
    await kept.drafts.settle(told, None, Outcome(told.id, told.kind, 7, 8, NOW))

    now = NOW + hour + by
    await ages.go_on(now, "again", {"start": hour}.get)

    (moved,) = await kept.drafts.of_member(MEMBER, oldest=now - KEPT)
    assert (moved.created_at, moved.due_at, moved.sent_at) == (NOW + by, now, draft.sent_at)
    assert moved.arrives_until == draft.due_at + by
    assert [one.id for one in await kept.untold.outcomes(MEMBER, oldest=now - KEPT)] == [told.id]
    assert await kept.drafts.take(moved, text="Again", now=now, until=now + hour)


async def test_a_text_from_the_future_can_be_taken_now(kept: Kept) -> None:
    ages = Ages(kept.database)
    draft = await kept.add()
    await kept.drafts.release(draft, DraftState.UNKNOWN, due_at=NOW)
    now = NOW - DAY

    await ages.go_on(now, "", unknown)

    (back,) = await kept.drafts.of_member(MEMBER, oldest=now - KEPT)
    assert (back.created_at, back.due_at) == (now, now)
    assert back.arrives_until == now + timedelta(minutes=1)
