"""The words for what orders came to."""

from dataclasses import replace

import pytest

from bot.domain.orders import OrderKind, OrderState
from bot.features.orders.rules import Reason, refusal
from bot.game import errors as game
from cogs.shop.views.wording import outcome
from tests.support.orders import REFUSED


def body(kind: OrderKind, reason: str) -> str:
    _, body, _ = outcome(replace(REFUSED, kind=kind, reason=reason))
    return body


@pytest.mark.parametrize("kind", OrderKind)
@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        ("conflict", "Conflict"),
        ("forbidden", "Forbidden"),
        ("gone", "NotFound"),
        ("rejected", "Refused"),
        ("busy", "RateLimited"),
        ("unreachable", "Unavailable"),
        ("link", "AccountError"),
    ],
)
def test_orders_from_before_reasons_were_names_of_errors_read_the_same(
    kind: OrderKind, kept: str, reason: str
) -> None:
    assert body(kind, kept) == body(kind, reason)


@pytest.mark.parametrize("kind", OrderKind)
def test_every_reason_has_words_of_its_own(kind: OrderKind) -> None:
    errors = [
        game.Conflict(),
        game.Forbidden(),
        game.NotFound(),
        game.RateLimited(),
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

    assert ("keeps looking" in outcome(order)[1]) is is_open
