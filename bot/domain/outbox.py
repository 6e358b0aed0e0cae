"""What Kiosk owes to Discord outside an interaction: a message, an edit, a deletion."""

from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

from msgspec import Struct, field

# What the reason of an entry begins with that Discord refused for good, but only once so far.
REFUSED_ONCE = "refused once"
# The same of one that could not be sent for lack of a connection.
NO_CONNECTION = "no connection"
# The same of one that something else has to come before.
NOT_YET = "not yet"


class Priority(IntEnum):
    """What goes first; within one, the channel that was served longest ago does."""

    REMOVAL = 0
    LIVE_POST = 1
    ANNOUNCEMENT = 2
    DIRECT_MESSAGE = 3
    # A direct message that may wait for an hour, and lets the others to that member go first.
    WATCH = 4


class EntryState(StrEnum):
    """What has become of what was owed."""

    OWED = "owed"
    SENT = "sent"
    # Discord will never take it.
    REFUSED = "refused"
    # It may have been sent, and nobody can find out any more.
    UNKNOWN = "unknown"
    # It was no longer owed when its turn came.
    DROPPED = "dropped"


class Owed(Struct, frozen=True):
    """Something to be owed: to a channel, or to a member directly.

    `key` names it among all that is owed: what is owed twice is owed once. `payload` is what the
    kind needs to draw it, as JSON has it; whatever may change until it is sent is read then. It is
    not sealed, so that it holds numbers and codes, and nothing that anybody typed.
    """

    kind: str
    key: str
    priority: Priority
    channel_id: int | None = None
    member_id: int | None = None
    payload: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Entry(Owed, frozen=True, kw_only=True):
    """What is owed, and how often it was tried.

    `attempted_at` is the first try of those whose answer never came, None when none may have got
    through. Whoever holds an entry holds it by `attempts`, the number of its try.
    """

    id: int
    created_at: datetime
    due_at: datetime | None
    attempts: int
    attempted_at: datetime | None
    state: EntryState
    message_id: int | None
    reason: str | None

    @property
    def lane(self) -> int:
        """The channel or member that it goes to: one request is in flight for each."""
        return self.channel_id or self.member_id or 0
