"""What an error says of an order that was refused."""

import time

import pytest

from bot.errors import KioskError, LinkExpired
from bot.features.errors import AccountChanged, NotKept
from bot.features.writing.orders import OrderDoing, Reason
from bot.game import errors as game
from bot.game.errors import GameError
from storage.writes import WriteKind, WriteState
from tests.support.orders import STRAW_HAT
from tests.support.rogue_shop import RogueShop
from tests.support.till import Till


@pytest.fixture
def doing(till: Till) -> OrderDoing:
    found = till.ledger._doings[WriteKind.PURCHASE]  # pyright: ignore[reportPrivateUsage]
    assert isinstance(found, OrderDoing)
    return found


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
        # Of these two, the game has said nothing.
        (AccountChanged(), "AccountChanged"),
        (NotKept(), Reason.NOT_SENT),
    ],
)
def test_an_error_is_the_reason_of_a_refusal(
    doing: OrderDoing, error: KioskError | GameError, reason: str
) -> None:
    outcome = doing.failed(STRAW_HAT, error)

    assert (outcome.state, outcome.reason) == (WriteState.REFUSED, reason)
    assert outcome.cause is error
