"""What orders are, what stands in their way, and the words for what they came to."""

import dataclasses
import time
from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from bot.background import utc_now
from bot.errors import KioskError, LinkExpired
from bot.features.reading.catalogs import CatalogItem, Catalogs
from bot.features.writing.errors import AccountChanged
from bot.features.writing.orders import OrderDoing, Reason, Wish, as_confirmed, currency_digits
from bot.features.writing.rules import NO_ANSWER, is_open, known_at, next_due
from bot.game import errors as game
from bot.game.errors import GameError
from bot.game.models import Currency, Item, ItemType
from cogs.shop.order_cards import outcome
from storage.links import Link
from storage.writes import ORDERS, Write, WriteKind, WriteState
from tests.support.orders import ORDERED_AT, REFUSED, SENT, STRAW_HAT
from tests.support.rogue_game import RogueShop
from tests.support.wiring import open_wiring

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
def test_a_doubt_is_looked_at_thrice(order: Write, now: datetime, moment: datetime | None) -> None:
    assert next_due(order, now) == moment


def test_a_purchase_is_known_after_the_last_look() -> None:
    assert known_at(UNKNOWN) == after(minutes=15)
    assert known_at(STRAW_HAT) is None


HAT = CatalogItem(
    1,
    1,
    Item(
        id=3,
        name="Straw hat",
        cost=30,
        currency=Currency(id=1, name="Acorns", singular_name="Acorn", icon_url=None),
        item_type=ItemType(id=1, name="Hat"),
        icon_url="https://game.example/hat.png",
        paper_url=None,
        no_eye_url=None,
        is_clearance=False,
        is_coin_code_item=False,
        is_member_item=False,
        has_purchased=False,
    ),
)
OWNED_HAT = replace(HAT, item=dataclasses.replace(HAT.item, has_purchased=True))
HAT_FOR_GEMS = replace(
    HAT,
    item=dataclasses.replace(HAT.item, currency=Currency(id=2, name="Gems", singular_name="Gem")),
)
LINK = Link(
    member_id=1,
    token=SecretStr("a-token"),
    is_refused=False,
    linked_at=ORDERED_AT,
    player_id=7,
    player_name="Ada",
    token_key="key",
    sealed=b"",
    used_at=ORDERED_AT,
)
WISH = Wish(1, WriteKind.PURCHASE, HAT.ref, 30, card_id=5, locale="de", press_id=6)


@pytest.mark.parametrize(
    ("wish", "entry", "is_too_late"),
    [
        (WISH, HAT, False),
        (WISH, OWNED_HAT, True),
        (replace(WISH, cost=29), HAT, True),
        (replace(WISH, currency=currency_digits(HAT.item)), HAT, False),
        (replace(WISH, currency=currency_digits(HAT.item)), HAT_FOR_GEMS, True),
        (replace(WISH, kind=WriteKind.REDEEM, cost=None), OWNED_HAT, False),
    ],
)
def test_only_what_was_confirmed_is_sold(wish: Wish, entry: CatalogItem, is_too_late: bool) -> None:
    assert (as_confirmed(STRAW_HAT, wish, entry) is None) is is_too_late


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
        (LinkExpired(), "account"),
        (AccountChanged(), "other_account"),
        (game.TooLate(), Reason.NOT_SENT),
        (game.Unreachable(), "unavailable"),
        (game.RateLimited(), Reason.NO_TURN),
        (game.TooManyAtOnce(), Reason.NO_TURN),
        (game.Conflict(status=409), "conflict"),
        (game.Forbidden(status=403), "forbidden"),
        (game.NotFound(status=404), "not_found"),
        (game.RateLimited(status=429), "rate_limited"),
        (game.Invalid(status=422), "refused_by_game"),
        (game.Refused(status=418), "refused_by_game"),
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


REASONS = [
    *("account", "other_account", "conflict", "forbidden", "not_found", "rate_limited"),
    *("unavailable", "refused_by_game"),
    *Reason,
]
UNANSWERED = replace(SENT, state=WriteState.UNKNOWN, reason=NO_ANSWER)


def refused(kind: WriteKind, reason: str) -> Write:
    return replace(REFUSED, kind=kind, reason=reason)


@pytest.mark.parametrize("kind", ORDERS)
def test_every_reason_has_words_of_its_own(kind: WriteKind) -> None:
    bodies = {outcome(refused(kind, reason)).body for reason in REASONS}
    assert len(bodies) == len(REASONS)


def test_a_reason_that_is_not_known_reads_like_any_refusal() -> None:
    reasons = ("of_another_version", "refused_by_game")
    other, any_other = [refused(WriteKind.PURCHASE, reason) for reason in reasons]
    assert outcome(other) == outcome(any_other)


def test_what_was_refused_says_what_the_game_said_and_that_nothing_was_charged() -> None:
    order = replace(refused(WriteKind.PURCHASE, "conflict"), game_words="Not *enough* acorns.")
    words = outcome(order)

    assert words.title == "Not bought: Straw hat"
    assert words.body == "You were not charged.\nThe game says: “Not \\*enough\\* acorns.”"


def test_a_purchase_that_is_looked_for_says_until_when_it_can_go_through() -> None:
    words = outcome(UNANSWERED)

    assert words.title == "Not confirmed yet: Straw hat"
    assert "The game broke off before it answered." in words.body
    assert f"Until <t:{int(ORDERED_AT.timestamp()) + 15 * 60}:t>" in words.body
    assert "charged" not in words.body


@pytest.mark.parametrize(
    "order",
    [
        replace(UNANSWERED, reason=Reason.NEVER_SEEN),
        replace(UNANSWERED, reason=Reason.ACCOUNT_CHANGED),
        replace(UNANSWERED, kind=WriteKind.REDEEM),
    ],
)
def test_what_nobody_can_know_says_where_to_look(order: Write) -> None:
    words = outcome(order)

    assert words.title == "Straw hat: outcome unknown"
    assert "in the game" in words.body or "Open the game" in words.body
    assert "keeps asking" not in words.body
