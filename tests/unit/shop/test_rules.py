"""What an order has come to, and when to look at it again, case by case."""

import dataclasses
from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from bot.domain.orders import Order, OrderKind, OrderState, Settlement
from bot.features.orders.rules import (
    Reason,
    Sight,
    may_arrive_until,
    may_be_repeated,
    needs_look,
    next_look,
    verdict,
    verdict_unseen,
)
from bot.features.orders.timings import Timings
from bot.features.shop.item_filter import CatalogItem
from bot.game.models import Currency, Item, ItemType
from storage.links import Link
from tests.support.orders import ORDERED_AT, STARTED

SENT = ORDERED_AT
NO_ANSWER = Settlement(OrderState.REFUSED, is_open=False, reason=Reason.NO_ANSWER)
STILL_LOOKING = Settlement(OrderState.UNKNOWN, is_open=True)
OWNED = Settlement(OrderState.DONE, is_open=False)
OTHER_ACCOUNT = Settlement(OrderState.UNKNOWN, is_open=False, reason=Reason.ACCOUNT_CHANGED)
UNKNOWN = replace(STARTED, state=OrderState.UNKNOWN)
NEVER_SEEN = Settlement(OrderState.UNKNOWN, is_open=False, reason=Reason.NEVER_SEEN)
GIVEN_UP = replace(STARTED, state=OrderState.REFUSED, is_open=False, reason=Reason.NO_ANSWER)
SAID_NO = replace(GIVEN_UP, reason="Conflict", game_words="No.")
NOT_ASKED = replace(GIVEN_UP, reason=Reason.NOT_SENT)
BOUGHT = replace(STARTED, state=OrderState.DONE, is_open=False, settled_at=SENT)
REDEEMED = replace(BOUGHT, kind=OrderKind.REDEEM)
LOST = replace(UNKNOWN, is_open=False)
LOST_REDEMPTION = replace(LOST, kind=OrderKind.REDEEM)
HAT = CatalogItem(
    1,
    1,
    Item(
        id=3,
        name="Straw hat",
        cost=30,
        currency=Currency(id=1, name="Acorns", singular_name="Acorn", icon_url=None),
        item_type=ItemType(id=1, name="Hat", image_url=None),
        icon_url=None,
        paper_url=None,
        no_eye_url=None,
        is_clearance=False,
        is_coin_code_item=False,
        is_member_item=False,
        has_purchased=False,
    ),
)
OWNED_HAT = replace(HAT, item=dataclasses.replace(HAT.item, has_purchased=True))
LINK = Link(
    member_id=1,
    token=SecretStr("a-token"),
    is_refused=False,
    linked_at=SENT,
    player_id=7,
    player_name="Ada",
    token_key="key",
    sealed=b"",
)


def after(**time: float) -> datetime:
    return SENT + timedelta(**time)


@pytest.mark.parametrize(
    ("order", "needed"),
    [
        (STARTED, True),
        (UNKNOWN, True),
        (GIVEN_UP, True),
        (SAID_NO, False),
        (NOT_ASKED, False),
        (BOUGHT, False),
        (replace(UNKNOWN, is_open=False), False),
        (replace(STARTED, sent_at=None), False),
        (replace(GIVEN_UP, sent_at=None), False),
        (replace(STARTED, kind=OrderKind.REDEEM), False),
        (replace(GIVEN_UP, kind=OrderKind.REDEEM), False),
    ],
)
def test_only_what_the_catalog_can_decide_is_looked_at(order: Order, needed: bool) -> None:
    assert needs_look(order) is needed


@pytest.mark.parametrize(
    ("order", "found"),
    [
        (
            replace(STARTED, sent_at=None),
            Settlement(OrderState.REFUSED, is_open=False, reason=Reason.NOT_SENT),
        ),
        (STARTED, Settlement(OrderState.UNKNOWN, is_open=False)),
    ],
)
def test_an_interrupted_order_that_nothing_shows(order: Order, found: Settlement) -> None:
    assert verdict_unseen(order) == found


@pytest.mark.parametrize(
    ("order", "sight", "age", "found"),
    [
        (STARTED, Sight.OWNED, {"seconds": 0}, OWNED),
        (GIVEN_UP, Sight.OWNED, {"minutes": 15}, OWNED),
        # Another account's belongings say nothing of this one's.
        (UNKNOWN, Sight.NOT_THEIRS, {"seconds": 36}, OTHER_ACCOUNT),
        # As long as it may still arrive, that it isn't there proves nothing.
        (STARTED, Sight.NOT_OWNED, {"seconds": 34}, STILL_LOOKING),
        (STARTED, Sight.NOT_OWNED, {"seconds": 35}, NO_ANSWER),
        (UNKNOWN, Sight.NOT_OWNED, {"seconds": 36}, NO_ANSWER),
        # What can't be seen is looked for, but not for ever.
        (STARTED, Sight.UNSEEN, {"seconds": 36}, STILL_LOOKING),
        (UNKNOWN, Sight.UNSEEN, {"hours": 23}, STILL_LOOKING),
        (UNKNOWN, Sight.UNSEEN, {"days": 1}, NEVER_SEEN),
        # What was seen to be missing is, until it is seen.
        (GIVEN_UP, Sight.UNSEEN, {"minutes": 5}, NO_ANSWER),
        (GIVEN_UP, Sight.NOT_OWNED, {"minutes": 1}, NO_ANSWER),
        (GIVEN_UP, Sight.NOT_THEIRS, {"minutes": 15}, NO_ANSWER),
    ],
)
def test_what_the_catalog_shows_decides(
    order: Order, sight: Sight, age: dict[str, float], found: Settlement
) -> None:
    assert verdict(order, sight, after(**age), Timings()) == found


@pytest.mark.parametrize(
    ("order", "age", "until"),
    [
        (UNKNOWN, {"minutes": 14}, after(minutes=15)),
        (GIVEN_UP, {"minutes": 14}, after(minutes=15)),
        (GIVEN_UP, {"minutes": 15}, None),
        (LOST_REDEMPTION, {"minutes": 14}, after(minutes=15)),
        (LOST_REDEMPTION, {"minutes": 15}, None),
        (SAID_NO, {"minutes": 1}, None),
        (NOT_ASKED, {"minutes": 1}, None),
        (BOUGHT, {"minutes": 1}, None),
    ],
)
def test_until_when_it_may_arrive(
    order: Order, age: dict[str, float], until: datetime | None
) -> None:
    assert may_arrive_until(order, after(**age)) == until


@pytest.mark.parametrize(
    ("order", "age", "may"),
    [
        (STARTED, {"hours": 1}, False),
        (UNKNOWN, {"hours": 1}, False),
        (LOST, {"minutes": 14}, False),
        (LOST, {"minutes": 15}, True),
        (GIVEN_UP, {"minutes": 14}, False),
        (GIVEN_UP, {"minutes": 15}, True),
        (SAID_NO, {"minutes": 1}, True),
        (BOUGHT, {"days": 9}, False),
        (LOST_REDEMPTION, {"minutes": 1}, True),
        (REDEEMED, {"days": 1}, False),
    ],
)
def test_what_came_to_nothing_may_be_ordered_again(
    order: Order, age: dict[str, float], may: bool
) -> None:
    assert may_be_repeated(order, after(**age)) is may


@pytest.mark.parametrize(
    ("order", "now", "moment"),
    [
        (BOUGHT, after(seconds=1), None),
        (NOT_ASKED, after(seconds=1), None),
        # While the request may still arrive: when it no longer can.
        (UNKNOWN, after(seconds=1), after(seconds=35)),
        # Then after as long again as it has waited, within bounds.
        (UNKNOWN, after(seconds=35), after(seconds=70)),
        (UNKNOWN, after(minutes=9), after(minutes=18)),
        (UNKNOWN, after(minutes=30), after(minutes=60)),
        (UNKNOWN, after(hours=3), after(hours=4)),
        # The last one when patience is over.
        (UNKNOWN, after(hours=23, minutes=40), after(days=1)),
        # What was given up is watched at fixed moments.
        (GIVEN_UP, after(seconds=59), after(minutes=1)),
        (GIVEN_UP, after(minutes=1), after(minutes=5)),
        (GIVEN_UP, after(minutes=5), after(minutes=15)),
        (GIVEN_UP, after(minutes=15), None),
        # What the game has said holds.
        (SAID_NO, after(seconds=1), None),
    ],
)
def test_the_next_look(order: Order, now: datetime, moment: datetime | None) -> None:
    assert next_look(order, now, Timings()) == moment


def test_looks_are_never_closer_than_the_shortest_pause() -> None:
    timings = Timings(arrival=timedelta(seconds=1))

    assert next_look(UNKNOWN, after(seconds=2), timings) == after(seconds=12)
