"""The rules of writes, without clock, game or storage: their results, and when to look."""

import datetime as dt
import enum
import typing
from collections import abc
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from bot import errors
from bot.features.writing import writing_errors
from bot.game import game_errors
from bot.game.models import Comment
from storage import writes
from storage.storage_errors import StatementFailed

# A write is sent within the first time, and may arrive within the second. When its lease is over,
# its holder is gone, and the game has it or never will.
SENDING = dt.timedelta(seconds=10)
ARRIVING = writes.LEASE - SENDING
# The moments to look after a lost answer, since the game was asked.
LOOKS = (ARRIVING, dt.timedelta(minutes=5), dt.timedelta(minutes=15))
# How long after it was written a text is sent by itself, if nothing of it was ever sent.
TRIES = (
    dt.timedelta(minutes=1),
    dt.timedelta(minutes=5),
    dt.timedelta(minutes=15),
    dt.timedelta(minutes=60),
)
# How long after the request an item counts as bought: some games show it late.
COUNTS_FOR = dt.timedelta(minutes=15)
# How far apart two clocks of one game may be.
_CLOCKS_AGREE = dt.timedelta(minutes=1)
UNREACHABLE = game_errors.Unreachable.code
# The reasons of a write that Kiosk still looks for, and of one it can't say more about.
LOOKED_FOR = "unanswered"
GIVEN_UP = "given_up"
Failure = errors.KioskError | game_errors.GameError | StatementFailed


class Reason(enum.StrEnum):
    """Why an order came to nothing if no error says so. Else its reason is an error's code."""

    # The game never answered, and the catalog shows that nothing was bought.
    NOT_THERE = "not there"
    # Kiosk was interrupted before it asked the game.
    NOT_SENT = "not sent"
    # It would have had to wait for too long before it was sent.
    NO_TURN = "no turn"
    # Another account is linked now, so that nothing can be looked up.
    ACCOUNT_CHANGED = "account changed"
    # The catalog could not be read or did not have the item.
    NEVER_SEEN = "never seen"


# The errors whose codes are reasons of orders: of any error, the first that fits, else Refused.
_REASONS = (
    writing_errors.AccountChanged,
    errors.AccountError,
    game_errors.Conflict,
    game_errors.Forbidden,
    game_errors.NotFound,
    game_errors.RateLimited,
    game_errors.Unavailable,
)


class Result(enum.Enum):
    """The ways in which asking the game for a write, or looking for it, can end."""

    YES = enum.auto()
    NO = enum.auto()
    # Nothing was sent: someone has to do something about it.
    OBSTACLE = enum.auto()
    # Nothing was sent, which is only a matter of time.
    NOT_SENT = enum.auto()
    # Nothing was sent, nor ever will be.
    WITHHELD = enum.auto()
    # It was sent, and the game did not answer.
    NO_ANSWER = enum.auto()
    # It was looked for, and is there.
    FOUND = enum.auto()
    # Something that was found may be it.
    DOUBTFUL = enum.auto()
    # There is no such thing.
    MISSING = enum.auto()
    # It can't be seen whether it is there.
    UNSEEN = enum.auto()
    # It can't be seen with the account that is linked now.
    OTHER_ACCOUNT = enum.auto()


class Outcome(Struct, frozen=True):
    """How asking the game or looking ended.

    `cause` has the words for it, and `reason` is its permanent name. `comment` is what the game
    shows of a text, or what may be it. `cost` is what was paid.
    """

    result: Result
    cause: errors.KioskError | game_errors.GameError | None = None
    reason: str | None = None
    comment: Comment | None = None
    cost: int | None = None


class WriteNow(Struct, typing.Generic[writes.W], frozen=True):
    """A write as it is now, and what Kiosk has just learned of it, if anything (`Outcome`)."""

    write: writes.W
    cause: errors.KioskError | game_errors.GameError | None = None
    comment: Comment | None = None


class EndState(typing.NamedTuple):
    """The state in which a write ends, and why. Without a reason, the outcome's counts."""

    state: writes.WriteState
    reason: str | None = None


_KEPT = EndState(writes.WriteState.KEPT)
_REFUSED = EndState(writes.WriteState.REFUSED)
_LOOK_AGAIN = EndState(writes.WriteState.UNKNOWN, LOOKED_FOR)
_GIVEN_UP = EndState(writes.WriteState.UNKNOWN, GIVEN_UP)
_ANY = {
    Result.YES: EndState(writes.WriteState.DONE),
    Result.FOUND: EndState(writes.WriteState.DONE),
    Result.WITHHELD: _REFUSED,
    Result.NO_ANSWER: _LOOK_AGAIN,
}
_CHANGE = _ANY | {Result.NO: _KEPT, Result.OBSTACLE: _KEPT, Result.NOT_SENT: _KEPT}
_COMMENT = _CHANGE | {
    Result.DOUBTFUL: _GIVEN_UP,
    Result.MISSING: EndState(writes.WriteState.KEPT, writing_errors.NotArrived.code),
    Result.UNSEEN: _GIVEN_UP,
}
_ORDER = _ANY | {Result.NO: _REFUSED, Result.OBSTACLE: _REFUSED, Result.NOT_SENT: _REFUSED}
END_STATES: abc.Mapping[writes.WriteKind, abc.Mapping[Result, EndState]] = {
    writes.WriteKind.POST: _COMMENT,
    writes.WriteKind.REPLY: _COMMENT,
    writes.WriteKind.EDIT: _CHANGE,
    # Of a deletion, there is nothing to keep except that it was asked for.
    writes.WriteKind.DELETE: _CHANGE | {Result.NO: _REFUSED, Result.OBSTACLE: _REFUSED},
    writes.WriteKind.PURCHASE: _ORDER
    | {
        Result.MISSING: EndState(writes.WriteState.REFUSED, Reason.NOT_THERE),
        Result.UNSEEN: EndState(writes.WriteState.UNKNOWN, Reason.NEVER_SEEN),
        Result.OTHER_ACCOUNT: EndState(writes.WriteState.UNKNOWN, Reason.ACCOUNT_CHANGED),
    },
    writes.WriteKind.REDEEM: _ORDER | {Result.UNSEEN: _LOOK_AGAIN},
}
# A text that was sent before may have arrived, whatever kept it from being sent once more.
_SAYS_NOTHING_OF_BEFORE = (Result.NO, Result.OBSTACLE, Result.NOT_SENT)
_UNTIL_THE_LAST_LOOK = (Result.MISSING, Result.UNSEEN, Result.OTHER_ACCOUNT)


def settled_by(
    held: writes.W, outcome: Outcome, *, may_be_there: bool, now: dt.datetime
) -> writes.W:
    """Return a write as its outcome makes it, still held until its member knows.

    It `may_be_there` because of an earlier sending than the outcome's.
    """
    result = outcome.result
    # The game's answer to a change made again is one to the change.
    is_answered = result is Result.NO and held.kind in writes.CHANGES
    says_nothing = may_be_there and result in _SAYS_NOTHING_OF_BEFORE and not is_answered
    # As long as a look is left, it stays in doubt.
    in_doubt = replace(held, state=writes.WriteState.UNKNOWN, reason=LOOKED_FOR)
    is_early = result in _UNTIL_THE_LAST_LOOK and next_look(in_doubt, now) is not None
    state, reason = _LOOK_AGAIN if says_nothing or is_early else END_STATES[held.kind][result]
    said = outcome.cause.message if isinstance(outcome.cause, game_errors.GameError) else None
    # One in doubt keeps what the game said before.
    said = said or (held.game_words if state is writes.WriteState.UNKNOWN else None)
    reason = reason or outcome.reason
    settled = replace(held, state=state, reason=reason, game_words=said)
    if state is not writes.WriteState.DONE:
        return settled
    if (
        isinstance(settled, writes.Text)
        and settled.kind not in writes.CHANGES
        and outcome.comment is not None
    ):
        return replace(settled, result_id=outcome.comment.id)
    if isinstance(settled, writes.Order) and outcome.cost is not None:
        return replace(settled, item=replace(settled.item, cost=outcome.cost))
    return settled


def failure(kind: writes.WriteKind, error: Failure) -> Outcome:
    """Return what an error means for a write of this kind."""
    cause = writing_errors.NotKept() if isinstance(error, StatementFailed) else error
    result = Result.OBSTACLE
    if isinstance(cause, game_errors.UnknownOutcome):
        result = Result.NO_ANSWER
    elif isinstance(cause, writing_errors.TextReturned):
        result = Result.WITHHELD
    elif isinstance(cause, game_errors.Refused) and not isinstance(cause, game_errors.RateLimited):
        result = Result.NO
    elif isinstance(
        cause, game_errors.Unavailable | writing_errors.NotKept | writing_errors.Interrupted
    ):
        result = Result.NOT_SENT
    reason = cause.code
    if kind in writes.ORDERS:
        fitting = (error.code for error in _REASONS if isinstance(cause, error))
        reason = next(fitting, game_errors.Refused.code)
        if isinstance(
            cause, game_errors.TooLate | writing_errors.NotKept | writing_errors.Interrupted
        ):
            reason = Reason.NOT_SENT
        elif isinstance(cause, game_errors.RateLimited) and cause.status is None:
            reason = Reason.NO_TURN
    return Outcome(result, cause, reason)


def is_open(order: writes.Order) -> bool:
    """Return whether an order keeps the account from another one for the same item."""
    if order.state is writes.WriteState.UNKNOWN:
        return order.kind is writes.WriteKind.PURCHASE and order.reason == LOOKED_FOR
    # A process is about to ask the game, or asks it, or has died over it.
    return order.state in (writes.WriteState.KEPT, writes.WriteState.SENT)


def next_look(write: writes.Write, now: dt.datetime) -> dt.datetime | None:
    """Return when Kiosk next looks for a write by itself, or sends it, or None for never."""
    is_looked_for = write.reason == LOOKED_FOR and write.kind not in writes.UNLISTED
    is_sent_later = write.reason == UNREACHABLE and write.kind in (
        writes.WriteKind.POST,
        writes.WriteKind.REPLY,
    )
    begun = write.created_at
    if write.state is writes.WriteState.UNKNOWN and is_looked_for:
        pauses = LOOKS
        # A change is made once more each time.
        if write.kind not in writes.CHANGES:
            begun = write.asked_at or begun
    elif write.state is writes.WriteState.KEPT and is_sent_later:
        pauses = TRIES
    else:
        return None
    return next((begun + pause for pause in pauses if begun + pause > now), None)


def may_be_sent_again(text: writes.Text, now: dt.datetime) -> bool:
    return text.asked_at is None or now >= text.asked_at + ARRIVING


def known_at(order: writes.Order) -> dt.datetime | None:
    return order.asked_at and order.asked_at + LOOKS[-1]


def was_there(sent: writes.Text, comment_id: int) -> bool:
    return sent.newest_before is not None and comment_id <= sent.newest_before


def is_newer(sent: writes.Text, comment: Comment) -> bool | None:
    """Return whether a comment came after a text, or None if its time contradicts its id."""
    sent_at = sent.sent_at or sent.created_at
    is_in_time = comment.created_at >= sent_at - _CLOCKS_AGREE
    if sent.newest_before is None:
        return is_in_time
    if was_there(sent, comment.id):
        return False
    return is_in_time or None


def look_for(
    sent: writes.Text, comments: abc.Sequence[Comment], known: abc.Container[int]
) -> Outcome:
    """Look for the comment that a text has become. `known` are those of other texts.

    If several may be it, it is the oldest.
    """
    words = sent.body.casefold().split()
    fitting = [
        comment
        for comment in comments
        if comment.id not in known
        and (sent.player_id is None or comment.player.id in (None, sent.player_id))
        and is_newer(sent, comment) is not False
        and comment.content.casefold().split() == words
    ]
    theirs = [
        comment
        for comment in fitting
        if sent.player_id is not None
        and comment.player.id == sent.player_id
        and is_newer(sent, comment)
    ]
    if not fitting:
        return Outcome(Result.MISSING, writing_errors.NotArrived())
    result = Result.FOUND if theirs else Result.DOUBTFUL
    return Outcome(result, comment=min(theirs or fitting, key=attrgetter("id")))
