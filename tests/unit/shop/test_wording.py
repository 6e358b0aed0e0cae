"""The words for what orders came to."""

import pytest
from msgspec.structs import replace

from bot.features.writing.orders import Reason
from bot.features.writing.rules import NO_ANSWER
from cogs.shop.order_cards import outcome
from storage.writes import ORDERS, Write, WriteKind, WriteState
from tests.support.orders import ORDERED_AT, REFUSED, SENT

REASONS = [
    *("AccountError", "AccountChanged", "Conflict", "Forbidden", "NotFound", "RateLimited"),
    *("Unavailable", "Refused"),
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
    other, any_other = [refused(WriteKind.PURCHASE, reason) for reason in ("Other", "Refused")]

    assert outcome(other) == outcome(any_other)


def test_what_was_refused_says_what_the_game_said_and_that_nothing_was_charged() -> None:
    order = replace(refused(WriteKind.PURCHASE, "Conflict"), game_words="Not *enough* acorns.")
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
