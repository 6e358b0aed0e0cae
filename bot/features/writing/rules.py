"""The rules of writes alone, without clock, game or storage: when to look, and when to send."""

from datetime import datetime, timedelta

from msgspec import Struct

from bot.errors import KioskError
from bot.game.errors import GameError, Unreachable
from bot.game.models import Comment
from storage.writes import CHANGES, Write, WriteKind, WriteState

# A write goes out within the first of these, and what went out may arrive for the second: whoever
# held it for longer is gone, and the game has it or never will.
SENDING = timedelta(seconds=10)
ARRIVING = timedelta(seconds=35)
LEASE = SENDING + ARRIVING
# After a lost answer, since the game was asked.
LOOKS = (ARRIVING, timedelta(minutes=5), timedelta(minutes=15))
# A text of which nothing was ever sent is sent by itself, so long after it was written.
TRIES = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=15),
    timedelta(minutes=60),
)
# For so long after the game was asked, what was bought here counts as bought: some games show it
# late. Then the game's word counts.
COUNTS_FOR = timedelta(minutes=15)
UNREACHABLE = Unreachable.__name__
# The reason of what is looked for still.
NO_ANSWER = "unanswered"


class Outcome(Struct, frozen=True):
    """What asking or looking came to; `cause` has the words for it, where it isn't done.

    `reason` names it for good. `result_id` is the comment that a text has become, and `comment`
    what the game shows of it; `cost` is what was paid.
    """

    state: WriteState
    cause: KioskError | GameError | None = None
    reason: str | None = None
    result_id: int | None = None
    comment: Comment | None = None
    cost: int | None = None


def is_under_way(write: Write) -> bool:
    """Return whether somebody is about to ask the game, or asks it, or has died over it."""
    is_new_order = write.state is WriteState.KEPT and write.item is not None
    return is_new_order or write.state is WriteState.SENT


def is_open(order: Write) -> bool:
    """Return whether an order keeps the account from another one for the same item."""
    if order.state is WriteState.UNKNOWN:
        return order.kind is WriteKind.PURCHASE and order.reason == NO_ANSWER
    return is_under_way(order)


class WriteResult(Struct, frozen=True):
    """A write as it stands now, and what was found out about it just now."""

    write: Write
    cause: KioskError | GameError | None = None
    comment: Comment | None = None


def next_look(write: Write, now: datetime) -> datetime | None:
    """Return when Kiosk looks at a write by itself, or sends it; None for never again."""
    is_new_text = write.kind in (WriteKind.POST, WriteKind.REPLY)
    if write.state is WriteState.UNKNOWN and write.kind in CHANGES:
        # It is made once more each time.
        begun, pauses = write.created_at, LOOKS
    elif write.state is WriteState.UNKNOWN and write.kind is not WriteKind.REDEEM:
        begun, pauses = write.asked_at or write.created_at, LOOKS
    elif is_new_text and write.state is WriteState.KEPT and write.reason == UNREACHABLE:
        begun, pauses = write.created_at, TRIES
    else:
        return None
    return next((begun + pause for pause in pauses if begun + pause > now), None)


def may_be_sent_again(write: Write, now: datetime) -> bool:
    """Return whether what is in doubt may be sent once more, where it isn't there."""
    return write.asked_at is None or now >= write.asked_at + ARRIVING


def known_at(write: Write) -> datetime | None:
    """Return when it will be known what became of a write, None where it was never sent."""
    return write.asked_at and write.asked_at + LOOKS[-1]
