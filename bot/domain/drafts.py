"""A text on its way to the game, and the comment it became."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

# How long an unsent text is kept.
KEPT = timedelta(hours=24)
# What the game's service takes; a game that takes less says so itself.
LONGEST_COMMENT = 5000


class DraftKind(StrEnum):
    """What the text is to become."""

    POST = "post"
    REPLY = "reply"
    EDIT = "edit"


class DraftState(StrEnum):
    """How a text stands with the game."""

    # The game does not have it.
    OPEN = "open"
    # The game may have it.
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class NewDraft:
    """A text to be sent; `comment_id` is the comment replied to or edited."""

    member_id: int
    kind: DraftKind
    thread_id: int | None
    comment_id: int | None
    text: str = field(repr=False)


@dataclass(frozen=True)
class Draft(NewDraft):
    """A text that is kept; whoever is `claimed_by` alone may send it, until `due_at`.

    `sent` is what the game was last sent, if anything was.
    """

    sent: str = field(repr=False)
    id: int
    state: DraftState
    claimed_by: str
    due_at: datetime
    created_at: datetime


@dataclass(frozen=True)
class Authored:
    """A comment a member wrote, with the start of its text."""

    member_id: int
    comment_id: int
    thread_id: int
    excerpt: str
    created_at: datetime
