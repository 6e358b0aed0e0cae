"""The rules of writes, without clock, game or storage: when to look or send, and what is found."""

from collections.abc import Container, Sequence
from datetime import datetime, timedelta
from operator import attrgetter

from msgspec import Struct

from bot.errors import KioskError
from bot.game.errors import GameError, Unreachable
from bot.game.models import Comment
from storage.errors import StatementFailed
from storage.writes import CHANGES, UNLISTED, Write, WriteKind, WriteState

# A write goes out within the first of these, and what went out may arrive for the second: when its
# lease is over, whoever claimed it is gone, and the game has it or never will.
SENDING = timedelta(seconds=10)
ARRIVING = timedelta(seconds=35)
LEASE = SENDING + ARRIVING
# After a lost answer, since the game was asked.
LOOKS = (ARRIVING, timedelta(minutes=5), timedelta(minutes=15))
# A text of which nothing was ever sent is sent by itself, so long after it was written.
TRIES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15), timedelta(minutes=60))
# So long after the game was asked, what was bought here counts as bought: some games show it late.
COUNTS_FOR = timedelta(minutes=15)
# So far two clocks of one game may be apart.
_CLOCKS_AGREE = timedelta(minutes=1)
UNREACHABLE = Unreachable.code
# The reason of what is looked for still.
NO_ANSWER = "unanswered"
Failure = KioskError | GameError | StatementFailed


class Outcome(Struct, frozen=True):
    """The outcome of asking or looking; `cause` has the words for it, where it isn't done.

    `reason` names it for good. `result_id` is the comment that a text has become, and `comment`
    what the game shows of it; `cost` is what was paid.
    """

    state: WriteState
    cause: KioskError | GameError | None = None
    reason: str | None = None
    result_id: int | None = None
    comment: Comment | None = None
    cost: int | None = None


def is_open(order: Write) -> bool:
    """Return whether an order keeps the account from another one for the same item."""
    if order.state is WriteState.UNKNOWN:
        return order.kind is WriteKind.PURCHASE and order.reason == NO_ANSWER
    # Somebody is about to ask the game, or asks it, or has died over it.
    is_new = order.state is WriteState.KEPT and order.item is not None
    return is_new or order.state is WriteState.SENT


class WriteResult(Struct, frozen=True):
    write: Write
    cause: KioskError | GameError | None = None
    comment: Comment | None = None


def next_due(write: Write, now: datetime) -> datetime | None:
    """Return when Kiosk looks at a write by itself, or sends it; None for never again."""
    begun, pauses = write.created_at, LOOKS
    if write.state is WriteState.UNKNOWN and write.kind not in UNLISTED:
        # A change is made once more each time.
        if write.kind not in CHANGES:
            begun = write.asked_at or begun
    elif (
        write.kind in (WriteKind.POST, WriteKind.REPLY)
        and write.state is WriteState.KEPT
        and write.reason == UNREACHABLE
    ):
        pauses = TRIES
    else:
        return None
    return next((begun + pause for pause in pauses if begun + pause > now), None)


def may_be_sent_again(write: Write, now: datetime) -> bool:
    return write.asked_at is None or now >= write.asked_at + ARRIVING


def known_at(write: Write) -> datetime | None:
    return write.asked_at and write.asked_at + LOOKS[-1]


def was_there(sent: Write, comment_id: int) -> bool:
    return sent.newest_before is not None and comment_id <= sent.newest_before


def is_newer(sent: Write, comment: Comment) -> bool | None:
    """Return whether a comment came after a text; None where its time denies what its id says."""
    sent_at = sent.sent_at or sent.created_at
    is_in_time = comment.created_at >= sent_at - _CLOCKS_AGREE
    if sent.newest_before is None:
        return is_in_time
    if was_there(sent, comment.id):
        return False
    return is_in_time or None


def find(
    sent: Write, comments: Sequence[Comment], known: Container[int]
) -> tuple[Comment | None, bool]:
    """Return the comment that a text has become, and whether that is certain.

    `known` are those that are none. Of several that may be it, the oldest is returned, as doubtful.
    """
    words = sent.body.casefold().split()
    fitting = [
        one
        for one in comments
        if one.id not in known
        and (sent.player_id is None or one.player.id in (None, sent.player_id))
        and is_newer(sent, one) is not False
        and one.content.casefold().split() == words
    ]
    found = min(fitting, key=attrgetter("id"), default=None)
    if found is None or len(fitting) > 1:
        return found, False
    is_theirs = sent.player_id is not None and sent.player_id == found.player.id
    return found, is_theirs and is_newer(sent, found) is True
