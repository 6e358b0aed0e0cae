"""What is said of an order that the game was not asked for, or refused."""

import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from bot.background import utc_now
from bot.errors import KioskError, LinkExpired
from bot.features.reading.catalogs import Catalogs
from bot.features.writing.errors import AccountChanged
from bot.features.writing.orders import OrderDoing, Reason
from bot.game import errors as game
from bot.game.errors import GameError
from storage.writes import ORDERS, WriteKind, WriteState
from tests.support.orders import STRAW_HAT
from tests.support.rogue_shop import RogueShop
from tests.support.wiring import open_wiring


@pytest.fixture
async def doing(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[OrderDoing]:
    """What orders know of a game; member 1 is linked."""
    async with open_wiring(tmp_path, shop.base_url) as wired:
        await wired.links.save(STRAW_HAT.member_id, SecretStr("a-token"))
        catalogs = Catalogs(wired.client, wired.tasks)
        yield OrderDoing(wired.client, wired.accounts, catalogs, utc_now)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (LinkExpired(), "AccountError"),
        (AccountChanged(), "AccountChanged"),
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
def test_an_error_is_the_reason_of_a_refusal(
    doing: OrderDoing, error: KioskError | GameError, reason: str
) -> None:
    outcome = doing.failed(STRAW_HAT, error)

    assert (outcome.state, outcome.reason) == (WriteState.REFUSED, reason)


@pytest.mark.parametrize("kind", ORDERS)
async def test_a_process_that_stood_still_asks_for_nothing(
    shop: RogueShop, doing: OrderDoing, kind: WriteKind
) -> None:
    order = replace(STRAW_HAT, kind=kind)

    with pytest.raises(game.TooLate) as caught:
        await doing.ask(order, send_before=time.monotonic() - 1)
    outcome = doing.failed(order, caught.value)

    assert (outcome.state, outcome.reason) == (WriteState.REFUSED, Reason.NOT_SENT)
    assert not shop.orders
