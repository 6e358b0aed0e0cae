"""What an order has come to, and when to look at it again, case by case."""

from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from bot.domain.links import Link
from bot.domain.orders import Order, OrderKind, OrderState, Settlement
from bot.features.orders.rules import (
    Reason,
    Sight,
    is_same_account,
    may_arrive_until,
    may_insist,
    needs_look,
    next_look,
    verdict,
    verdict_unseen,
)
from bot.features.orders.timings import Timings
from bot.features.shop.item_filter import CatalogItem
from bot.game.models import Currency, Item, ItemType
from tests.support.orders import STARTED, STRAW_HAT

SENT = STRAW_HAT.linked_at
NO_ANSWER = Settlement(OrderState.REFUSED, is_open=False, reason=Reason.NO_ANSWER)
STILL_LOOKING = Settlement(OrderState.UNKNOWN, is_open=True)
OWNED = Settlement(OrderState.DONE, is_open=False)
OTHER_ACCOUNT = Settlement(OrderState.UNKNOWN, is_open=False, reason=Reason.ACCOUNT_CHANGED)
UNKNOWN = replace(STARTED, state=OrderState.UNKNOWN)
NEVER_SEEN = Settlement(OrderState.UNKNOWN, is_open=False, reason=Reason.NEVER_SEEN)
GIVEN_UP = replace(STARTED, state=OrderState.REFUSED, is_open=False, reason=Reason.NO_ANSWER)
SEEN_MISSING = replace(GIVEN_UP, settled_at=SENT + timedelta(minutes=15))
SAID_NO = replace(GIVEN_UP, reason="Conflict", game_words="No.")
SAYS_NO = Settlement(OrderState.REFUSED, is_open=False, reason="Conflict", game_words="No.")
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
OWNED_HAT = replace(HAT, item=replace(HAT.item, has_purchased=True))
DISOWNED_HAT = replace(OWNED_HAT, is_disowned=True)
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
        (SAID_NO, True),
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
    ("order", "sight", "same_account", "age", "found"),
    [
        (STARTED, Sight.OWNED, True, {"seconds": 0}, OWNED),
        (GIVEN_UP, Sight.OWNED, True, {"hours": 1}, OWNED),
        (SAID_NO, Sight.OWNED, True, {"hours": 1}, OWNED),
        # Another account's belongings say nothing of this one's.
        (STARTED, Sight.OWNED, False, {"seconds": 0}, OTHER_ACCOUNT),
        (UNKNOWN, Sight.NOT_OWNED, False, {"seconds": 36}, OTHER_ACCOUNT),
        (UNKNOWN, Sight.UNSEEN, False, {"seconds": 36}, OTHER_ACCOUNT),
        # What arrived late can't be seen there: it was refused only if it was seen to be missing.
        (GIVEN_UP, Sight.UNSEEN, False, {"minutes": 14}, NO_ANSWER),
        (GIVEN_UP, Sight.UNSEEN, False, {"minutes": 15}, OTHER_ACCOUNT),
        (GIVEN_UP, Sight.OWNED, False, {"hours": 1}, OTHER_ACCOUNT),
        (SEEN_MISSING, Sight.OWNED, False, {"hours": 1}, NO_ANSWER),
        (SAID_NO, Sight.UNSEEN, False, {"hours": 1}, SAYS_NO),
        (GIVEN_UP, Sight.UNSEEN, True, {"hours": 23}, NO_ANSWER),
        (GIVEN_UP, Sight.UNSEEN, True, {"days": 1}, NEVER_SEEN),
        (GIVEN_UP, Sight.NOT_OWNED, True, {"days": 1}, NO_ANSWER),
        (SEEN_MISSING, Sight.UNSEEN, True, {"days": 1}, NO_ANSWER),
        (SAID_NO, Sight.UNSEEN, True, {"days": 1}, SAYS_NO),
        # As long as it may still arrive, that it isn't there proves nothing.
        (STARTED, Sight.NOT_OWNED, True, {"seconds": 34}, STILL_LOOKING),
        (STARTED, Sight.NOT_OWNED, True, {"seconds": 35}, NO_ANSWER),
        (UNKNOWN, Sight.NOT_OWNED, True, {"seconds": 36}, NO_ANSWER),
        # What can't be seen is looked for, but not for ever.
        (STARTED, Sight.UNSEEN, True, {"seconds": 36}, STILL_LOOKING),
        (UNKNOWN, Sight.UNSEEN, True, {"hours": 23}, STILL_LOOKING),
        (UNKNOWN, Sight.UNSEEN, True, {"days": 1}, NEVER_SEEN),
        # A refusal stands until something else is seen, in the game's words.
        (GIVEN_UP, Sight.UNSEEN, True, {"minutes": 5}, NO_ANSWER),
        (GIVEN_UP, Sight.NOT_OWNED, True, {"minutes": 1}, NO_ANSWER),
        (SAID_NO, Sight.NOT_OWNED, True, {"days": 1}, SAYS_NO),
    ],
)
def test_what_the_catalog_shows_decides(
    order: Order, sight: Sight, same_account: bool, age: dict[str, float], found: Settlement
) -> None:
    judged = verdict(order, sight, same_account=same_account, now=after(**age), timings=Timings())

    assert judged == found


@pytest.mark.parametrize(
    ("order", "is_same"),
    [
        (STARTED, True),
        (replace(STARTED, member_id=2), False),
        (replace(STARTED, linked_at=after(seconds=1)), False),
        (replace(STARTED, linked_at=after(seconds=1), token_key="key"), True),
        (replace(STARTED, member_id=2, token_key="key", player_id=8), True),
        (replace(STARTED, member_id=2, token_key="another", player_id=7), True),
        (replace(STARTED, member_id=2, token_key="another", player_id=8), False),
    ],
)
def test_an_account_is_known_by_its_link_its_token_or_its_player(
    order: Order, is_same: bool
) -> None:
    assert is_same_account(order, LINK) is is_same


def test_an_account_whose_player_is_not_known_is_no_other_such() -> None:
    order = replace(STARTED, member_id=2, token_key="another")

    assert not is_same_account(order, replace(LINK, player_id=None))


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
    ("order", "entry", "age", "may"),
    [
        (STARTED, HAT, {"hours": 1}, False),
        (UNKNOWN, HAT, {"hours": 1}, False),
        (LOST, HAT, {"days": 9}, True),
        (LOST, OWNED_HAT, {"days": 9}, False),
        (LOST_REDEMPTION, OWNED_HAT, {"days": 9}, True),
        (GIVEN_UP, HAT, {"minutes": 14}, True),
        (GIVEN_UP, None, {"minutes": 14}, True),
        (BOUGHT, OWNED_HAT, {"days": 9}, False),
        (BOUGHT, None, {"days": 9}, False),
        (BOUGHT, DISOWNED_HAT, {"hours": 23}, False),
        (BOUGHT, DISOWNED_HAT, {"days": 1}, True),
        (REDEEMED, HAT, {"hours": 23}, False),
        (REDEEMED, HAT, {"days": 1}, True),
    ],
)
def test_what_may_be_ordered_all_the_same(
    order: Order, entry: CatalogItem | None, age: dict[str, float], may: bool
) -> None:
    assert may_insist(order, after(**age), entry) is may


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
        (GIVEN_UP, after(minutes=15), after(hours=1)),
        (GIVEN_UP, after(hours=1), after(days=1)),
        (GIVEN_UP, after(days=1), None),
        # A refusal may be the answer to a repeated request.
        (SAID_NO, after(seconds=1), after(minutes=1)),
    ],
)
def test_the_next_look(order: Order, now: datetime, moment: datetime | None) -> None:
    assert next_look(order, now, Timings()) == moment


def test_looks_are_never_closer_than_the_shortest_pause() -> None:
    timings = Timings(arrival=timedelta(seconds=1))

    assert next_look(UNKNOWN, after(seconds=2), timings) == after(seconds=12)
