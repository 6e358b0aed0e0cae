"""Every guard in the SQL of orders: what stands in the way of which, and who may change one."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.messages import Messages, NewMessage, Priority
from storage.vault import Vault
from storage.writes import ORDERS, Order, WriteKind, Writes, WriteState
from tests.storage.conftest import LATER, MEMBER, NOW, STRANGER, Kept
from tests.support.clock import utc_now
from tests.support.databases import address_at
from tests.support.gates import PATIENCE_SECONDS
from tests.support.orders import STRAW_HAT

HAT = STRAW_HAT
LONG_AGO = NOW - timedelta(days=1)
A_MINUTE = timedelta(minutes=1)
REDEEMING = replace(HAT, kind=WriteKind.REDEEM)
# Another member's with the same account, as far as that is known.
SHARED = replace(HAT, id=201, card_id=101, member_id=STRANGER)
# The member's own, after another link.
RELINKED = replace(HAT, id=201, card_id=101, token_key="another")
AGAIN = replace(HAT, id=201, card_id=101)
# What is another order: another account's, another item's, of another kind.
OTHERS = [
    replace(SHARED, token_key="another"),
    replace(AGAIN, item_id=4),
    replace(AGAIN, kind=WriteKind.REDEEM),
]
NEWS = NewMessage("order", "order 200", Priority.DIRECT_MESSAGE, member_id=MEMBER)


@dataclass(frozen=True)
class Found:
    """What an order came to."""

    state: WriteState
    reason: str | None = None


DONE, REFUSED = Found(WriteState.DONE), Found(WriteState.REFUSED, "conflict")
UNANSWERED = Found(WriteState.UNKNOWN, "unanswered")
NEVER_SEEN = Found(WriteState.UNKNOWN, "never seen")


async def keep(writes: Writes, new: Order = HAT, *, since: timedelta | None = None) -> Order | None:
    """Keep an order, unless one stands in the way that the game was asked for `since` then."""
    after = LONG_AGO if since is None else NOW - since
    kept = await writes.keep_order(new, now=NOW, since=after)
    return kept if kept and kept.holder else None


async def keep_surely(kept: Kept, new: Order = HAT) -> Order:
    order = await keep(kept.writes, new)
    assert order is not None
    return order


async def came_to(kept: Kept, found: Found, new: Order = HAT) -> Order:
    """Give an order that was sent and settled, and that no one holds any more."""
    order = await kept.mark_sent(await keep_surely(kept, new))
    assert order is not None
    order = await kept.settle(order, found.state, reason=found.reason)
    await kept.writes.release_write(order, due_in=None)
    return await kept.found(order)


async def standing(kept: Kept, wanted: Order, *, since: timedelta | None = None) -> Order | None:
    after = LONG_AGO if since is None else NOW - since
    whose = (wanted.member_id, wanted.token_key, wanted.kind, wanted.item_id)
    return await kept.writes.find_blocking(*whose, card_id=wanted.card_id, since=after)


def unheld(order: Order) -> Order:
    return replace(order, holder="")


@pytest.mark.parametrize("other", OTHERS)
async def test_an_order_stands_in_the_way_of_no_other(kept: Kept, other: Order) -> None:
    await came_to(kept, DONE)
    await keep_surely(kept, replace(HAT, id=202, card_id=102, item_id=5))

    assert await standing(kept, other) is None
    assert await keep(kept.writes, other)


@pytest.mark.parametrize("other", [AGAIN, SHARED, RELINKED])
@pytest.mark.parametrize("found", [None, DONE, UNANSWERED])
async def test_a_purchase_counts_for_all(kept: Kept, other: Order, found: Found | None) -> None:
    order = await came_to(kept, found) if found else await keep_surely(kept)

    assert await keep(kept.writes, other) is None
    in_the_way = await standing(kept, other)
    assert in_the_way is not None
    assert unheld(in_the_way) == unheld(order)
    assert await kept.writes.find_write(other.id) is None
    bought = frozenset({HAT.item_id}) if found is DONE else frozenset[int]()
    assert await kept.writes.bought(HAT.token_key, LONG_AGO) == bought


async def test_what_was_bought_counts_for_a_while(kept: Kept) -> None:
    order = await came_to(kept, DONE)
    just_before, now = timedelta(microseconds=1), timedelta(0)

    assert await standing(kept, AGAIN, since=just_before) == order
    assert await keep(kept.writes, AGAIN, since=just_before) is None
    assert await standing(kept, AGAIN, since=now) is None
    assert await keep(kept.writes, AGAIN, since=now)
    assert await kept.writes.bought(HAT.token_key, NOW) == frozenset()


async def test_what_is_looked_for_stands_in_the_way_however_long(kept: Kept) -> None:
    order = await came_to(kept, UNANSWERED)
    assert await standing(kept, AGAIN, since=timedelta(0)) == order
    assert await keep(kept.writes, AGAIN, since=timedelta(0)) is None


@pytest.mark.parametrize("found", [REFUSED, NEVER_SEEN])
async def test_what_was_refused_stands_in_nobodys_way(kept: Kept, found: Found) -> None:
    await came_to(kept, found)
    assert await standing(kept, AGAIN) is None
    assert await keep(kept.writes, AGAIN)


@pytest.mark.parametrize("found", [DONE, UNANSWERED])
async def test_a_redemption_blocks_the_cards_before_it(kept: Kept, found: Found) -> None:
    order = await came_to(kept, found, REDEEMING)
    older, newer = [
        replace(REDEEMING, id=300, card_id=order.id + by, token_key="key") for by in (-1, 1)
    ]

    assert await standing(kept, older) == order
    assert await keep(kept.writes, older) is None
    assert await standing(kept, newer) is None
    assert await keep(kept.writes, newer)


async def test_a_redemption_is_no_purchase(kept: Kept) -> None:
    await came_to(kept, DONE, REDEEMING)
    assert await kept.writes.bought(HAT.token_key, LONG_AGO) == frozenset()
    assert await keep(kept.writes, AGAIN)


async def test_a_card_is_confirmed_once_and_by_its_member(kept: Kept) -> None:
    order = await came_to(kept, REFUSED)
    second_press = replace(HAT, id=201)

    assert await keep(kept.writes, second_press) is None
    assert await standing(kept, second_press) == order
    assert await standing(kept, replace(second_press, item_id=4)) == order
    assert await standing(kept, replace(OTHERS[0], card_id=HAT.card_id)) is None


async def test_a_press_that_is_heard_twice_is_one_order_even_on_another_card(kept: Kept) -> None:
    await came_to(kept, REFUSED)
    assert await keep(kept.writes, replace(HAT, card_id=101)) is None


async def test_the_cards_own_order_stands_before_the_open_one(kept: Kept) -> None:
    own = await came_to(kept, REFUSED)
    await keep_surely(kept, AGAIN)
    assert await standing(kept, replace(HAT, id=202)) == own


async def test_only_an_order_that_was_not_sent_is_withdrawn(kept: Kept) -> None:
    order, sent = [await keep_surely(kept, new) for new in (HAT, OTHERS[1])]
    refused = await came_to(kept, REFUSED, replace(HAT, id=202, card_id=102, item_id=5))
    await kept.mark_sent(sent)
    for each in (order, sent, refused):
        await kept.writes.withdraw_order(each)

    assert await kept.writes.find_write(order.id) is None
    for each in (sent, refused):
        assert await kept.writes.find_write(each.id)


async def test_an_order_is_not_discarded_as_a_text_is(kept: Kept) -> None:
    order = await came_to(kept, UNANSWERED)
    assert not await kept.writes.discard_text(order.id, MEMBER, now=LATER)
    assert await keep(kept.writes, AGAIN) is None


async def test_an_order_is_sent_as_the_item_was_read_again(kept: Kept) -> None:
    order = await keep_surely(kept)
    item = replace(HAT.item, page=2, name="Straw hat, large", cost=31)

    sent = await kept.mark_sent(replace(order, item=item))

    assert sent is not None
    assert (sent.state, sent.item) == (WriteState.SENT, item)
    assert unheld(sent) == unheld(await kept.found(order))


async def test_orders_are_due_from_their_moment_on_the_longest_first(kept: Kept) -> None:
    order, other = [await keep_surely(kept, new) for new in (HAT, OTHERS[1])]
    await kept.let_pass(A_MINUTE / 2)
    # Its lease begins again.
    await kept.mark_sent(order)

    assert await kept.writes.due_writes(9) == []
    await kept.let_pass(A_MINUTE / 2)
    assert [due.id for due in await kept.writes.due_writes(9)] == [other.id]
    await kept.let_pass(A_MINUTE / 2)
    assert [due.id for due in await kept.writes.due_writes(9)] == [other.id, order.id]
    assert [due.id for due in await kept.writes.due_writes(1)] == [other.id]


@pytest.mark.parametrize("kind", ORDERS)
async def test_orders_are_listed_the_open_ones_first(kept: Kept, kind: WriteKind) -> None:
    new = replace(HAT, kind=kind)
    order = await keep_surely(kept, new)
    done = [
        await came_to(kept, found, replace(new, id=number, card_id=number, item_id=number))
        for number, found in ((210, DONE), (220, NEVER_SEEN))
    ]
    refused = await came_to(kept, REFUSED, replace(new, id=230, card_id=230, item_id=230))
    with_another = replace(new, id=240, card_id=240, item_id=240, token_key="another")
    await came_to(kept, DONE, with_another)
    unknown = replace(with_another, id=245, card_id=245, item_id=245)
    await came_to(kept, NEVER_SEEN, unknown)
    await keep_surely(kept, replace(OTHERS[0], id=250, token_key="key", item_id=250))

    async def listed(since: datetime) -> list[int]:
        found = await kept.writes.orders_of(MEMBER, "key", refused_since=since)
        return [each.id for each in found]

    ended = [done[1].id, done[0].id]
    assert await listed(LONG_AGO) == [order.id, unknown.id, refused.id, *ended]
    assert await listed(LATER) == [order.id, unknown.id, *ended]


async def test_texts_are_no_orders(kept: Kept) -> None:
    text = await kept.mark_sent(replace(await kept.add(), token_key="key"))
    assert text is not None
    await kept.settle(text, WriteState.DONE)

    found = await kept.writes.orders_of(MEMBER, "key", refused_since=LONG_AGO)
    assert found == []


async def until_somebody_waits(database: Database) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await database.fetch("SELECT 1 FROM pg_locks WHERE NOT granted"):
            pass


@pytest.mark.parametrize(("found", "may_begin"), [(DONE, 0), (UNANSWERED, 0), (REFUSED, 1)])
async def test_what_ends_while_another_is_confirmed_stands_in_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vault: Vault, found: Found, may_begin: int
) -> None:
    monkeypatch.setenv("DATABASE", "postgresql")
    address = address_at(tmp_path / "kiosk.db")
    async with (
        open_database(address, MIGRATIONS) as database,
        open_database(address, MIGRATIONS) as elsewhere,
    ):
        writes = Writes(database, vault, Messages(database, utc_now))
        first = await keep(writes)
        assert first is not None
        await writes.save_write(replace(first, state=WriteState.SENT, asked_at=NOW))
        async with elsewhere.transaction() as ending:
            await ending.execute(
                "UPDATE writes SET state = :state, reason = :reason WHERE id = :id",
                state=found.state,
                reason=found.reason,
                id=first.id,
            )
            # The other one is still under way for anyone who looks now.
            second = asyncio.create_task(keep(writes, AGAIN))
            await until_somebody_waits(database)

        assert (await second is not None) == may_begin
        assert (await writes.find_write(AGAIN.id) is not None) == may_begin


async def listed(kept: Kept, *, not_redeemed: bool = False) -> list[int]:
    found = await kept.writes.orders_of(
        MEMBER, HAT.token_key, refused_since=LONG_AGO, not_redeemed=not_redeemed
    )
    return [order.id for order in found]


async def test_what_is_bought_and_not_redeemed_is_found(kept: Kept) -> None:
    await came_to(kept, DONE)
    assert await listed(kept, not_redeemed=True) == [HAT.id]

    # None of these is a redemption of it with this account.
    redeeming = replace(REDEEMING, id=201, card_id=101)
    await came_to(kept, DONE, replace(redeeming, item_id=4))
    await came_to(kept, DONE, replace(redeeming, id=202, card_id=102, token_key="another"))
    await came_to(kept, REFUSED, replace(redeeming, id=203, card_id=202))
    await came_to(kept, UNANSWERED, replace(redeeming, id=205, card_id=204))
    await keep_surely(kept, replace(HAT, id=206, card_id=106, item_id=5))
    assert await listed(kept, not_redeemed=True) == [HAT.id]
    assert len(await listed(kept)) == 5

    others = replace(redeeming, id=306, card_id=300, member_id=STRANGER)
    await came_to(kept, DONE, others)
    assert await listed(kept, not_redeemed=True) == []


async def test_purchases_are_found_as_they_were_bought(kept: Kept) -> None:
    await came_to(kept, DONE)
    await came_to(kept, DONE, replace(HAT, id=201, card_id=101, item_id=4))
    for number, other in enumerate(
        (
            replace(REDEEMING, item_id=6),
            replace(HAT, item_id=7, token_key="another"),
            replace(HAT, item_id=8, member_id=STRANGER),
        )
    ):
        await came_to(kept, DONE, replace(other, id=210 + number, card_id=110 + number))
    await came_to(kept, REFUSED, replace(HAT, id=202, card_id=102, item_id=5))
    assert await kept.writes.purchases_of(MEMBER, HAT.token_key) == [HAT.item, HAT.item]
