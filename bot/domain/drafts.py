"""A text on its way to the game, and the comment it became."""

from collections.abc import Set
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

# How long an unsent text is kept, and how many of a member's.
KEPT = timedelta(hours=24)
MOST_KEPT = 20
# What the game's service takes; a game that takes less says so itself.
LONGEST_COMMENT = 5000


class DraftKind(StrEnum):
    """What the text is to become, or the deletion of a comment, which has no text."""

    POST = "post"
    REPLY = "reply"
    EDIT = "edit"
    DELETE = "delete"


# What changes a comment that stands; made twice, it does no harm.
CHANGES = (DraftKind.EDIT, DraftKind.DELETE)


class DraftState(StrEnum):
    """How a text stands with the game."""

    # The game does not have it.
    OPEN = "open"
    # The game may have it.
    UNKNOWN = "unknown"


class NewDraft(Struct, frozen=True):
    """A text to be sent; `comment_id` is the comment replied to, edited or deleted.

    `locale` is the language to tell its writer in, where nobody waits for the answer any more.
    """

    member_id: int
    kind: DraftKind
    thread_id: int
    comment_id: int | None
    text: str
    locale: str | None = None

    def __repr__(self) -> str:
        # What members write is not for logs.
        return f"<{type(self).__name__} {self.kind} {self.comment_id} in {self.thread_id}>"


class Draft(NewDraft, frozen=True, kw_only=True):
    """A text that is kept; whoever is `claimed_by` alone may send it, until `due_at`.

    Once it may have arrived: it was sent at `sent_at` by the game's own clock where that is known,
    as the player of `player_id`, when `newest_before` was the newest comment at hand; until
    `arrives_until` the game may still take it. Its writer has said that it became none of the
    comments `ruled_out`. A text that is not `is_readable` was sealed with a key that is gone.
    """

    id: int
    state: DraftState
    claimed_by: str
    due_at: datetime
    created_at: datetime
    sent_at: datetime | None = None
    arrives_until: datetime | None = None
    newest_before: int | None = None
    player_id: int | None = None
    ruled_out: Set[int] = frozenset()
    is_told: bool = False
    is_readable: bool = True


class Outcome(Struct, frozen=True):
    """What a draft came to, for a member who has not been told; `id` is the draft's."""

    id: int
    kind: DraftKind
    thread_id: int
    created_at: datetime


class Authored(Struct, frozen=True):
    """A comment a member wrote, with the start of its text."""

    member_id: int
    comment_id: int
    thread_id: int
    excerpt: str
    created_at: datetime
