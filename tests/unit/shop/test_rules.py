"""Which orders stand in the way of another, and when they are looked at, case by case."""

from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from bot.features.writing.orders import Reason
from bot.features.writing.rules import NO_ANSWER, is_open, known_at, next_look
from storage.writes import Write, WriteKind, WriteState
from tests.support.orders import ORDERED_AT, REFUSED, SENT, STRAW_HAT

UNKNOWN = replace(SENT, state=WriteState.UNKNOWN, reason=NO_ANSWER)
NEVER_SEEN = replace(UNKNOWN, reason=Reason.NEVER_SEEN)
OTHER_ACCOUNT = replace(UNKNOWN, reason=Reason.ACCOUNT_CHANGED)
BOUGHT = replace(SENT, state=WriteState.DONE)


def redemption(order: Write) -> Write:
    return replace(order, kind=WriteKind.REDEEM)


def after(**time: float) -> datetime:
    return ORDERED_AT + timedelta(**time)


@pytest.mark.parametrize(
    ("order", "is_so"),
    [
        (STRAW_HAT, True),
        (SENT, True),
        (UNKNOWN, True),
        (redemption(SENT), True),
        # A redemption can't be looked up, so that nobody waits to know.
        (redemption(UNKNOWN), False),
        (NEVER_SEEN, False),
        (OTHER_ACCOUNT, False),
        (REFUSED, False),
        (BOUGHT, False),
    ],
)
def test_an_order_is_open_until_it_is_known_or_never_will_be(order: Write, is_so: bool) -> None:
    assert is_open(order) is is_so


@pytest.mark.parametrize(
    ("order", "now", "moment"),
    [
        (UNKNOWN, after(), after(seconds=35)),
        (UNKNOWN, after(seconds=35), after(minutes=5)),
        (UNKNOWN, after(minutes=5), after(minutes=15)),
        (UNKNOWN, after(minutes=14), after(minutes=15)),
        (UNKNOWN, after(minutes=15), None),
        (redemption(UNKNOWN), after(), None),
        (REFUSED, after(), None),
        (BOUGHT, after(), None),
    ],
)
def test_what_is_in_doubt_is_looked_at_three_times(
    order: Write, now: datetime, moment: datetime | None
) -> None:
    assert next_look(order, now) == moment


def test_a_purchase_is_known_after_the_last_look() -> None:
    assert known_at(UNKNOWN) == after(minutes=15)
    assert known_at(STRAW_HAT) is None
