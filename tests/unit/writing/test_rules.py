"""What comes of a write, which comment a text has become, and when to look again: tables."""

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from bot.errors import LinkExpired
from bot.features.writing import writing_errors
from bot.features.writing.outcomes import (
    Failure,
    Outcome,
    Reason,
    Result,
    failure,
    is_open,
    known_at,
    look_for,
    may_be_sent_again,
    next_look,
    settled_by,
)
from bot.game import game_errors
from bot.game.models import Comment, Player
from storage.storage_errors import StatementFailed
from storage.writes import CHANGES, ORDERS, TEXTS, Order, Text, Write, WriteKind, WriteState
from tests.support.orders import STRAW_HAT

KEPT, SENT, DONE = WriteState.KEPT, WriteState.SENT, WriteState.DONE
UNKNOWN, REFUSED = WriteState.UNKNOWN, WriteState.REFUSED
POST, REPLY, EDIT, DELETE = TEXTS
PURCHASE, REDEEM = ORDERS
NEW = (POST, REPLY)
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
CREATED = datetime(2026, 5, 1, tzinfo=UTC)
ASKED = CREATED + 8 * SECOND
# After this no look is left.
LAST = ASKED + 15 * MINUTE
FIRST_LOOK, SECOND_LOOK = ASKED + 35 * SECOND, ASKED + 5 * MINUTE
UNANSWERED, GIVEN_UP = (UNKNOWN, "unanswered"), (UNKNOWN, "given_up")


def a_write(kind: WriteKind, state: WriteState = SENT, reason: str | None = None) -> Text | Order:
    if kind in ORDERS:
        new = replace(STRAW_HAT, kind=kind, created_at=CREATED)
    else:
        new = Text(1, 5, kind, 7, target_id=8, created_at=CREATED)
    return replace(new, state=state, reason=reason, asked_at=ASKED)


BY_ERRORS = (Result.NO, Result.OBSTACLE, Result.NOT_SENT, Result.WITHHELD)
# What was asked, its result, and what that comes to: its state and reason.
Cases = list[tuple[tuple[WriteKind, ...], Result, tuple[WriteState, str | None]]]
ASKING: Cases = [
    ((*TEXTS, *ORDERS), Result.YES, (DONE, None)),
    ((*TEXTS, *ORDERS), Result.NO_ANSWER, UNANSWERED),
    (TEXTS, Result.WITHHELD, (REFUSED, "why")),
    ((*NEW, EDIT), Result.NO, (KEPT, "why")),
    ((*NEW, EDIT), Result.OBSTACLE, (KEPT, "why")),
    ((*NEW, EDIT, DELETE), Result.NOT_SENT, (KEPT, "why")),
    ((DELETE, *ORDERS), Result.NO, (REFUSED, "why")),
    ((DELETE, *ORDERS), Result.OBSTACLE, (REFUSED, "why")),
    (ORDERS, Result.NOT_SENT, (REFUSED, "why")),
    # Most of what lost its answer is there already.
    ((*NEW, PURCHASE), Result.FOUND, (DONE, None)),
    (NEW, Result.DOUBTFUL, GIVEN_UP),
]
# What was sent before may have arrived, whatever kept it from being sent again.
AGAIN: Cases = [
    (TEXTS, Result.YES, (DONE, None)),
    (NEW, Result.NO, UNANSWERED),
    ((EDIT,), Result.NO, (KEPT, "why")),
    ((DELETE,), Result.NO, (REFUSED, "why")),
    (TEXTS, Result.OBSTACLE, UNANSWERED),
    (TEXTS, Result.NOT_SENT, UNANSWERED),
    (TEXTS, Result.NO_ANSWER, UNANSWERED),
]
LOOKING: Cases = [
    ((*NEW, PURCHASE), Result.FOUND, (DONE, None)),
    (NEW, Result.DOUBTFUL, GIVEN_UP),
    ((*NEW, PURCHASE), Result.MISSING, UNANSWERED),
    ((*NEW, PURCHASE), Result.UNSEEN, UNANSWERED),
    ((PURCHASE,), Result.OTHER_ACCOUNT, UNANSWERED),
    ((REDEEM,), Result.UNSEEN, UNANSWERED),
]
LOOKING_LAST: Cases = [
    (NEW, Result.MISSING, (KEPT, "not_arrived")),
    (NEW, Result.UNSEEN, GIVEN_UP),
    ((PURCHASE,), Result.MISSING, (REFUSED, Reason.NOT_THERE)),
    ((PURCHASE,), Result.UNSEEN, (UNKNOWN, Reason.NEVER_SEEN)),
    ((PURCHASE,), Result.OTHER_ACCOUNT, (UNKNOWN, Reason.ACCOUNT_CHANGED)),
    ((REDEEM,), Result.UNSEEN, UNANSWERED),
]


@pytest.mark.parametrize(
    ("cases", "was_sent", "now"),
    [
        (ASKING, False, ASKED),
        (AGAIN, True, ASKED),
        (LOOKING, True, ASKED),
        (LOOKING_LAST, True, LAST),
    ],
)
def test_what_came_of_a_write_is_its_state_and_the_reason(
    cases: Cases, was_sent: bool, now: datetime
) -> None:
    for kinds, result, expected in cases:
        for kind in kinds:
            reason = (
                "why"
                if result in (Result.NO, Result.OBSTACLE, Result.NOT_SENT, Result.WITHHELD)
                else None
            )
            held = a_write(kind)
            settled = settled_by(
                held, Outcome(result, reason=reason), may_be_there=was_sent, now=now
            )
            assert (settled.state, settled.reason) == expected, (kind, result)


@pytest.mark.parametrize(
    ("kinds", "state", "reason", "looks"),
    [
        ((*NEW, PURCHASE), *UNANSWERED, [FIRST_LOOK, SECOND_LOOK, LAST]),
        # A change is made once more each time.
        (
            CHANGES,
            *UNANSWERED,
            [CREATED + 35 * SECOND, CREATED + 5 * MINUTE, CREATED + 15 * MINUTE],
        ),
        # Never sent, it is sent by itself.
        (NEW, KEPT, "unreachable", [CREATED + MINUTE * n for n in (1, 5, 15, 60)]),
        ((EDIT,), KEPT, "unreachable", []),
        (NEW, KEPT, "forbidden", []),
        (NEW, SENT, "unreachable", []),
        (NEW, *GIVEN_UP, []),
        ((PURCHASE,), UNKNOWN, Reason.NEVER_SEEN, []),
        ((REDEEM,), *UNANSWERED, []),
        ((POST, PURCHASE), DONE, None, []),
        (ORDERS, REFUSED, "conflict", []),
    ],
)
def test_what_is_in_doubt_is_looked_at_thrice_and_nothing_else(
    kinds: tuple[WriteKind, ...], state: WriteState, reason: str | None, looks: list[datetime]
) -> None:
    for kind in kinds:
        write = a_write(kind, state, reason)
        seen = list[datetime]()
        now = CREATED
        while (now := next_look(write, now)) is not None:
            seen.append(now)
        assert seen == looks, kind


@pytest.mark.parametrize(
    ("order", "is_so"),
    [
        (a_write(PURCHASE, KEPT), True),
        (a_write(REDEEM, SENT), True),
        (a_write(PURCHASE, *UNANSWERED), True),
        # A redemption can't be looked up, so that no one waits to know.
        (a_write(REDEEM, *UNANSWERED), False),
        (a_write(PURCHASE, UNKNOWN, Reason.NEVER_SEEN), False),
        (a_write(PURCHASE, REFUSED), False),
        (a_write(PURCHASE, DONE), False),
    ],
)
def test_an_order_is_open_until_it_is_known_or_never_will_be(order: Order, is_so: bool) -> None:
    assert is_open(order) is is_so


def test_what_is_in_doubt_may_be_sent_again_once_it_would_have_arrived() -> None:
    lost = Text(1, 5, POST, 7, state=UNKNOWN, asked_at=ASKED)
    assert not may_be_sent_again(lost, ASKED + 34 * SECOND)
    assert may_be_sent_again(lost, ASKED + 35 * SECOND)
    assert may_be_sent_again(replace(lost, asked_at=None), CREATED)


def test_a_purchase_is_known_after_the_last_look() -> None:
    assert known_at(replace(STRAW_HAT, asked_at=ASKED)) == LAST
    assert known_at(STRAW_HAT) is None


# An error, what it means, and the reason of a text and of an order.
FAILURES: list[tuple[Failure, Result, str, str]] = [
    (LinkExpired(), Result.OBSTACLE, "link_expired", "account"),
    (writing_errors.AccountChanged(), Result.OBSTACLE, "other_account", "other_account"),
    (
        writing_errors.TextReturned("", writing_errors.TokenInText()),
        Result.WITHHELD,
        "given_back",
        "refused_by_game",
    ),
    (writing_errors.Interrupted(), Result.NOT_SENT, "interrupted", Reason.NOT_SENT),
    (StatementFailed(), Result.NOT_SENT, "not_kept", Reason.NOT_SENT),
    (game_errors.UnknownOutcome(), Result.NO_ANSWER, "unknown_outcome", "refused_by_game"),
    (game_errors.TooLate(), Result.NOT_SENT, "too_late", Reason.NOT_SENT),
    (game_errors.Unreachable(), Result.NOT_SENT, "unreachable", "unavailable"),
    (game_errors.RateLimited(), Result.OBSTACLE, "rate_limited", Reason.NO_TURN),
    (game_errors.TooManyAtOnce(), Result.OBSTACLE, "too_many_at_once", Reason.NO_TURN),
    (game_errors.RateLimited(status=429), Result.OBSTACLE, "rate_limited", "rate_limited"),
    (game_errors.Conflict(status=409), Result.NO, "conflict", "conflict"),
    (game_errors.Forbidden(status=403), Result.NO, "forbidden", "forbidden"),
    (game_errors.NotFound(status=404), Result.NO, "not_found", "not_found"),
    (game_errors.Invalid(status=422), Result.NO, "invalid", "refused_by_game"),
    (game_errors.Refused(status=418), Result.NO, "refused_by_game", "refused_by_game"),
]


@pytest.mark.parametrize(("error", "result", "of_text", "of_order"), FAILURES)
def test_an_error_says_what_came_of_a_write(
    error: Failure, result: Result, of_text: str, of_order: str
) -> None:
    for kind, reason in ((POST, of_text), (PURCHASE, of_order)):
        answer = failure(kind, error)
        assert (answer.result, answer.reason) == (result, reason)


NOW = datetime(2026, 5, 1, 12, 0, 0, 500_000, tzinfo=UTC)
US, STRANGER = 7, 8
SENT_TEXT = Text(*(1, 2, POST, 3), body="Hello there", player_id=US, sent_at=NOW, newest_before=100)
OURS = Comment(
    id=101,
    player=Player(id=US, screen_name="Juniper"),
    content="Hello there",
    created_at=NOW + SECOND,
    children_count=0,
)
BY_SOMEBODY = replace(SENT_TEXT, player_id=None)
LIST_UNKNOWN = replace(SENT_TEXT, newest_before=None)


def comment(text: str = "Hello there", **fields: object) -> Comment:
    return dataclasses.replace(OURS, content=text, **fields)


def by(player_id: int | None) -> Comment:
    return dataclasses.replace(OURS, player=Player(id=player_id, screen_name="Juniper"))


@pytest.mark.parametrize(
    ("sent", "seen", "result"),
    [
        (SENT_TEXT, OURS, Result.FOUND),
        (replace(SENT_TEXT, body="Hello\n there"), comment("hello THERE "), Result.FOUND),
        (LIST_UNKNOWN, OURS, Result.FOUND),
        (SENT_TEXT, comment(created_at=NOW.replace(microsecond=0)), Result.FOUND),
        # By a clock that is seconds behind, a minute at most.
        (LIST_UNKNOWN, comment(created_at=NOW - 9 * SECOND), Result.FOUND),
        (LIST_UNKNOWN, comment(created_at=NOW - MINUTE), Result.FOUND),
        (LIST_UNKNOWN, comment(created_at=NOW - MINUTE - SECOND), Result.MISSING),
        (SENT_TEXT, comment(created_at=NOW - MINUTE), Result.FOUND),
        (SENT_TEXT, comment(created_at=NOW - MINUTE - SECOND), Result.DOUBTFUL),
        # Its time denies what its number says.
        (SENT_TEXT, comment(created_at=NOW - 9 * HOUR), Result.DOUBTFUL),
        (BY_SOMEBODY, OURS, Result.DOUBTFUL),
        (SENT_TEXT, by(None), Result.DOUBTFUL),
        (SENT_TEXT, by(STRANGER), Result.MISSING),
        # In the list before.
        (SENT_TEXT, comment(id=100), Result.MISSING),
        (LIST_UNKNOWN, comment(created_at=NOW - HOUR), Result.MISSING),
        (SENT_TEXT, comment("Goodbye"), Result.MISSING),
        (SENT_TEXT, comment("Hello there!"), Result.MISSING),
        (BY_SOMEBODY, comment("Goodbye"), Result.MISSING),
        (replace(SENT_TEXT, body="😀"), comment("👍"), Result.MISSING),
    ],
)
def test_a_newer_comment_of_the_same_player_and_words_is_the_text(
    sent: Text, seen: Comment, result: Result
) -> None:
    answer = look_for(sent, [seen], known=())
    assert answer.result is result
    assert answer.comment == (None if result is Result.MISSING else seen)


def test_of_several_that_may_be_it_the_oldest_is_that_is_no_other_text() -> None:
    seen = [comment("Goodbye", id=105), comment(id=104), comment(id=103)]

    assert look_for(SENT_TEXT, seen, known=()) == Outcome(Result.FOUND, comment=seen[2])
    assert look_for(SENT_TEXT, seen, known={103}) == Outcome(Result.FOUND, comment=seen[1])
    assert look_for(BY_SOMEBODY, seen, known=()) == Outcome(Result.DOUBTFUL, comment=seen[2])
    assert look_for(SENT_TEXT, seen, known={103, 104}).result is Result.MISSING


def test_a_write_takes_what_the_game_said_with_it() -> None:
    paid = settled_by(STRAW_HAT, Outcome(Result.YES, cost=25), may_be_there=False, now=NOW)
    assert paid.item == replace(STRAW_HAT.item, cost=25)
    posted = settled_by(SENT_TEXT, Outcome(Result.FOUND, comment=OURS), may_be_there=True, now=NOW)
    assert posted.result_id == OURS.id
    edited: Write = settled_by(
        replace(SENT_TEXT, kind=EDIT),
        Outcome(Result.YES, comment=OURS),
        may_be_there=False,
        now=NOW,
    )
    assert isinstance(edited, Text)
    assert edited.result_id is None
    said = Outcome(Result.NO, game_errors.Forbidden(message="No."), "forbidden")
    assert settled_by(SENT_TEXT, said, may_be_there=False, now=NOW).game_words == "No."
    before = replace(SENT_TEXT, game_words="Wait.")
    assert (
        settled_by(before, Outcome(Result.NO_ANSWER), may_be_there=True, now=NOW).game_words
        == "Wait."
    )
