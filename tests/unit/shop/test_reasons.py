"""What an error says of an order that was refused."""

import pytest

from bot.domain.orders import OrderState, Settlement
from bot.errors import LinkExpired
from bot.features.orders.rules import (
    Reason,
    is_certain,
    refusal,
)
from bot.game import errors as game


@pytest.mark.parametrize(
    ("error", "reason", "certain"),
    [
        (LinkExpired(), "AccountError", True),
        (game.TooLate(), Reason.NOT_SENT, True),
        (game.Unreachable(), "Unavailable", True),
        (game.RateLimited(), Reason.NO_TURN, True),
        (game.TooManyAtOnce(), Reason.NO_TURN, True),
        # All these a game may say to a request that came twice, the first time with success.
        (game.Conflict(status=409), "Conflict", False),
        (game.Forbidden(status=403), "Forbidden", False),
        (game.NotFound(status=404), "NotFound", False),
        (game.RateLimited(status=429), "RateLimited", False),
        (game.Invalid(status=422), "Refused", False),
        (game.Refused(status=418), "Refused", False),
    ],
)
def test_an_error_is_the_reason_of_a_refusal(error: Exception, reason: str, certain: bool) -> None:
    found = refusal(error)

    assert found == Settlement(OrderState.REFUSED, is_open=False, reason=reason)
    assert is_certain(found) is certain


def test_a_refusal_keeps_the_games_words() -> None:
    assert refusal(game.Conflict(message="Not enough acorns")).game_words == "Not enough acorns"
