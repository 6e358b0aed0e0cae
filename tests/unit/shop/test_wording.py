"""The words for what orders came to."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from bot.domain.orders import OrderKind, OrderState
from bot.features.orders.rules import Reason, refusal
from bot.game import errors as game
from cogs.shop.views.wording import outcome
from tests.support.orders import REFUSED

LONG_AFTER = REFUSED.created_at + timedelta(days=30)


def body(kind: OrderKind, reason: str) -> str:
    return outcome(replace(REFUSED, kind=kind, reason=reason), LONG_AFTER).body


@pytest.mark.parametrize("kind", OrderKind)
def test_every_reason_has_words_of_its_own(kind: OrderKind) -> None:
    errors = [
        game.Conflict(),
        game.Forbidden(),
        game.NotFound(),
        game.RateLimited(status=429),
        game.Unavailable(),
        game.Refused(),
    ]
    reasons = ["AccountError", *Reason, *(refusal(error).reason or "" for error in errors)]

    assert len({body(kind, reason) for reason in reasons}) == len(reasons)


def test_a_reason_that_is_not_known_reads_like_any_refusal() -> None:
    assert body(OrderKind.PURCHASE, "Other") == body(OrderKind.PURCHASE, "Refused")


@pytest.mark.parametrize("is_open", [True, False])
def test_an_unknown_purchase_says_whether_kiosk_keeps_looking(is_open: bool) -> None:
    order = replace(REFUSED, state=OrderState.UNKNOWN, is_open=is_open, reason=None)

    assert ("keeps looking" in outcome(order, LONG_AFTER).body) is is_open


def test_what_is_not_seen_yet_is_not_called_free_of_charge_while_it_may_arrive() -> None:
    order = replace(REFUSED, reason=Reason.NO_ANSWER)
    told = outcome(order, REFUSED.created_at + timedelta(minutes=14))

    assert "so far" in told.title
    assert "It may still arrive until <t:" in told.body
    assert "not charged" not in told.body
    assert told.state == "Not bought so far"
    assert "not charged" in outcome(order, REFUSED.created_at + timedelta(minutes=15)).body
