"""What an order has come to, and when to look at it again, case by case."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bot.domain.orders import Order, OrderKind, OrderState, Settlement
from bot.errors import LinkExpired
from bot.features.orders.rules import (
    Reason,
    Sight,
    Timings,
    may_own_all_the_same,
    needs_look,
    next_look,
    refusal,
    verdict,
    verdict_unseen,
)
from bot.game import errors as game
from tests.support.orders import STARTED, STRAW_HAT

SENT = STRAW_HAT.linked_at
NO_ANSWER = Settlement(OrderState.REFUSED, is_open=False, reason=Reason.NO_ANSWER)
STILL_LOOKING = Settlement(OrderState.UNKNOWN, is_open=True)
OWNED = Settlement(OrderState.DONE, is_open=False)
OTHER_ACCOUNT = Settlement(OrderState.UNKNOWN, is_open=False, reason=Reason.ACCOUNT_CHANGED)
UNKNOWN = replace(STARTED, state=OrderState.UNKNOWN)
GIVEN_UP = replace(STARTED, state=OrderState.REFUSED, is_open=False, reason=Reason.NO_ANSWER)
SAID_NO = replace(GIVEN_UP, reason="Conflict")
BOUGHT = replace(STARTED, state=OrderState.DONE, is_open=False)


def after(**time: float) -> datetime:
    return SENT + timedelta(**time)


@pytest.mark.parametrize(
    ("order", "needed"),
    [
        (STARTED, True),
        (UNKNOWN, True),
        (GIVEN_UP, True),
        (SAID_NO, False),
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
    ("order", "sight", "same_account", "seconds", "found"),
    [
        (STARTED, Sight.OWNED, True, 0, OWNED),
        (GIVEN_UP, Sight.OWNED, True, 0, OWNED),
        # Whoever owns it: no other purchase of it is under way.
        (STARTED, Sight.OWNED, False, 0, OWNED),
        (STARTED, Sight.NOT_OWNED, True, 9, STILL_LOOKING),
        (STARTED, Sight.NOT_OWNED, True, 10, NO_ANSWER),
        (UNKNOWN, Sight.NOT_OWNED, True, 11, NO_ANSWER),
        (STARTED, Sight.NOT_OWNED, False, 11, OTHER_ACCOUNT),
        (STARTED, Sight.UNSEEN, False, 11, OTHER_ACCOUNT),
        (STARTED, Sight.UNSEEN, True, 11, STILL_LOOKING),
        (GIVEN_UP, Sight.UNSEEN, True, 11, NO_ANSWER),
        (GIVEN_UP, Sight.NOT_OWNED, True, 9, NO_ANSWER),
        (
            SAID_NO,
            Sight.UNSEEN,
            True,
            11,
            Settlement(OrderState.REFUSED, is_open=False, reason="Conflict"),
        ),
    ],
)
def test_what_the_catalog_shows_decides(
    order: Order, sight: Sight, same_account: bool, seconds: int, found: Settlement
) -> None:
    now, believable = after(seconds=seconds), after(seconds=10)

    judged = verdict(order, sight, same_account=same_account, now=now, believable=believable)

    assert judged == found


@pytest.mark.parametrize(
    ("order", "now", "moment"),
    [
        (BOUGHT, after(seconds=1), None),
        (SAID_NO, after(seconds=1), None),
        # While the request may still arrive: when it no longer can.
        (UNKNOWN, after(seconds=1), after(seconds=35)),
        # Then after as long again as it has waited, within bounds.
        (UNKNOWN, after(seconds=35), after(seconds=70)),
        (UNKNOWN, after(minutes=9), after(minutes=18)),
        (UNKNOWN, after(minutes=30), after(minutes=40)),
        # What was given up is watched at fixed moments.
        (GIVEN_UP, after(seconds=59), after(minutes=1)),
        (GIVEN_UP, after(minutes=1), after(minutes=5)),
        (GIVEN_UP, after(minutes=5), after(minutes=15)),
        (GIVEN_UP, after(minutes=15), None),
    ],
)
def test_the_next_look(order: Order, now: datetime, moment: datetime | None) -> None:
    assert next_look(order, now, Timings()) == moment


def test_looks_are_never_closer_than_the_shortest_pause() -> None:
    timings = Timings(arrival=timedelta(seconds=1))

    assert next_look(UNKNOWN, after(seconds=2), timings) == after(seconds=12)


@pytest.mark.parametrize(
    ("error", "reason", "may_own"),
    [
        (LinkExpired(), "AccountError", False),
        (game.Conflict(), "Conflict", True),
        (game.Forbidden(), "Forbidden", True),
        (game.NotFound(), "NotFound", True),
        (game.RateLimited(), "RateLimited", False),
        (game.Unreachable(), "Unavailable", False),
        (game.ServerFault(), "Unavailable", True),
        (game.Invalid(), "Refused", True),
    ],
)
def test_an_error_is_the_reason_of_a_refusal(error: Exception, reason: str, may_own: bool) -> None:
    assert refusal(error) == Settlement(OrderState.REFUSED, is_open=False, reason=reason)
    assert may_own_all_the_same(STARTED, error) is may_own
    assert not may_own_all_the_same(replace(STARTED, kind=OrderKind.REDEEM), error)


def test_a_refusal_keeps_the_games_words() -> None:
    assert refusal(game.Conflict(message="Not enough acorns")).game_words == "Not enough acorns"
