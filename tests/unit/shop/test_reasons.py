"""What an error says of an order that was refused."""

import pytest

from bot.domain.orders import OrderState, Settlement
from bot.errors import LinkExpired
from bot.features.orders.rules import Reason, refusal
from bot.game import errors as game


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (LinkExpired(), "AccountError"),
        (game.TooLate(), Reason.NOT_SENT),
        (game.Unreachable(), "Unavailable"),
        (game.RateLimited(), Reason.NO_TURN),
        (game.TooManyAtOnce(), Reason.NO_TURN),
        (game.Conflict(status=409), "Conflict"),
        (game.Forbidden(status=403), "Forbidden"),
        (game.NotFound(status=404), "NotFound"),
        (game.RateLimited(status=429), "RateLimited"),
        (game.Invalid(status=422), "Refused"),
        (game.Refused(status=418), "Refused"),
    ],
)
def test_an_error_is_the_reason_of_a_refusal(error: Exception, reason: str) -> None:
    expected = Settlement(OrderState.REFUSED, is_open=False, reason=reason)

    assert refusal(error) == expected


def test_a_refusal_keeps_the_games_words() -> None:
    assert refusal(game.Conflict(message="Not enough acorns")).game_words == "Not enough acorns"
