"""The largest cards of moderators stay within what Discord takes of one message."""

from collections.abc import Iterator
from datetime import UTC, datetime

from bot.features.moderation import RemovalStatus
from bot.ui.cards import Card
from cogs.moderate import words
from cogs.moderate.actions import ShowLog
from cogs.moderate.cards import log_card, log_page, removal_card, reported_card
from cogs.moderate.words import automod_card
from storage.messages import MessageState
from storage.moderation import Subject
from storage.removals import LONGEST_NOTE, LONGEST_REASON, GameAnswer, Note, Removal, Reported
from storage.shown import Progress, Unreached, WaitingEdits
from storage.vetting import Automod, AutomodTrouble, Hit, TextRule
from tests.support.discord_limits import card_faults

NOW, LARGEST_ID = datetime(2026, 5, 1, tzinfo=UTC), 2**63 - 1
# Each letter takes two once it is escaped.
LETTERS = "*"
SUBJECT = Subject(LARGEST_ID, LARGEST_ID, LARGEST_ID, LETTERS * 500, f"{LETTERS * 300}\n" * 40)


def removal(removal_id: int = LARGEST_ID, *, ended: bool = False) -> Removal:
    return Removal(
        LARGEST_ID,
        SUBJECT,
        LARGEST_ID,
        LETTERS * LONGEST_REASON,
        "en-GB",
        GameAnswer.NO_ANSWER,
        until=NOW,
        id=removal_id,
        case_id=LARGEST_ID,
        created_at=NOW,
        ended_at=NOW if ended else None,
        ended_by=LARGEST_ID,
    )


def status(removed: Removal) -> RemovalStatus:
    return RemovalStatus(
        removed,
        Progress(dict.fromkeys(MessageState, 10**6), [WaitingEdits(LARGEST_ID, 10**6, 10**6)]),
        [Unreached(LARGEST_ID, LARGEST_ID, "50013 missing permissions")] * 10,
        [Note(LARGEST_ID, LETTERS * LONGEST_NOTE, NOW)] * 10,
        LARGEST_ID,
    )


def cards() -> Iterator[Card]:
    here, undone = status(removal()), status(removal(ended=True))
    yield removal_card(here, is_new=False, is_followed=False)
    yield from (log_card(here), log_card(undone))
    yield log_page([undone] * 5, ShowLog(3650, LARGEST_ID, LARGEST_ID, LARGEST_ID), has_more=True)
    reasons = [LETTERS * LONGEST_REASON] * 20
    hit = Hit(LETTERS * 60, LETTERS * 100, is_alert=True)
    case = (LARGEST_ID, LARGEST_ID, SUBJECT, "de", 10**6, reasons, NOW, LARGEST_ID, hit)
    yield from (reported_card(Reported(*case)), reported_card(Reported(*case, True, LARGEST_ID)))
    rule = TextRule(LETTERS * 100, ("a",) * 1000, ("b",) * 10, only_alerts=True)
    patterns = (LETTERS * 260,) * 60
    yield automod_card(Automod((rule,) * 6, patterns, tuple(range(20)), AutomodTrouble.CLOSED, NOW))
    yield words.list_card([LETTERS * 60] * 1000)
    yield words.test_card(LETTERS * 4000, [hit] * 7)


async def test_a_card_with_the_most_that_can_stand_on_it_is_taken() -> None:
    assert {number: card_faults(card.to_components()) for number, card in enumerate(cards())} == {
        number: [] for number in range(9)
    }
