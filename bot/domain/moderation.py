"""What moderators do with the game's comments in their server, and what is kept of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.vetting import Hit

LONGEST_REASON = 300
LONGEST_NOTE = 1000
# For how many days what a removed comment said is kept, unless a server says otherwise.
USUAL_DAYS = 90


@dataclass(frozen=True)
class Rules:
    """How a server is moderated; `reasons` are its usual ones.

    `log_is_closed` says that the log channel did not take what was last posted there.
    """

    moderator_role_id: int | None = None
    log_channel_id: int | None = None
    reasons: Sequence[str] = ()
    needs_reason: bool = False
    kept_days: int = USUAL_DAYS
    log_is_closed: bool = False


@dataclass(frozen=True)
class Subject:
    """A comment, with what is known of it; or a player, where `comment_id` is None.

    `text` is what the comment said, None where nobody knows, or no longer.
    """

    comment_id: int | None
    thread_id: int | None = None
    player_id: int | None = None
    player_name: str = ""
    text: str | None = None


class GameAnswer(StrEnum):
    """What the game said when it was asked to delete a removed comment."""

    # Asked, or about to be; after a crash nobody can say.
    ASKED = "asked"
    DELETED = "deleted"
    NOT_ALLOWED = "not allowed"
    NOT_THERE = "not there"
    NOT_LINKED = "not linked"
    NO_ANSWER = "no answer"


class MessageFate(StrEnum):
    """What became of a public message that shows what was removed."""

    DELETED = "deleted"
    EDITED = "edited"
    # It was no longer there, or a crash lost it before Discord told its id.
    GONE = "gone"
    LOST = "lost"
    CLOSED = "closed"
    ARCHIVED = "archived"
    FAILED = "failed"
    # The removal was undone before its turn came.
    DROPPED = "dropped"


@dataclass(frozen=True)
class NewRemoval:
    """A comment to be removed from a server's chat, or a player to be muted there.

    `locale` is the server's language; `until` ends a mute by itself.
    """

    guild_id: int
    subject: Subject
    moderator_id: int
    reason: str
    locale: str
    asks_game: bool = False
    until: datetime | None = None


@dataclass(frozen=True)
class Removal:
    """A removal as it is kept; `moderator_id` is None once its data was erased."""

    id: int
    case_id: int
    guild_id: int
    subject: Subject
    moderator_id: int | None
    reason: str
    locale: str
    game_answer: GameAnswer | None
    created_at: datetime
    until: datetime | None
    ended_at: datetime | None
    ended_by: int | None


@dataclass(frozen=True)
class Reported:
    """A comment that members reported, or that holds a watched word.

    How many reported it, and why; who they are stays with us. `hit` is what its text holds, and
    `is_released` says that a moderator has let that text be shown.
    """

    case_id: int
    guild_id: int
    subject: Subject
    locale: str
    count: int
    reasons: Sequence[str]
    dismissed_at: datetime | None
    dismissed_by: int | None
    hit: Hit | None = None
    is_released: bool = False
    released_by: int | None = None

    @property
    def is_held_back(self) -> bool:
        """Whether its text is not shown."""
        return self.hit is not None and not self.hit.is_alert and not self.is_released


@dataclass(frozen=True)
class Note:
    """What a moderator noted on a case."""

    moderator_id: int | None
    text: str
    created_at: datetime


@dataclass(frozen=True)
class RemovedMessage:
    """A public message that shows what was removed; its id is None where a crash lost it.

    `locale` is its server's language; `is_restored` says that the removal was undone.
    """

    removal_id: int
    shown_id: int
    channel_id: int
    message_id: int | None
    outcome: MessageFate | None
    locale: str
    is_restored: bool
    guild_id: int


@dataclass(frozen=True)
class Unreached:
    """A public message that could not be taken care of."""

    channel_id: int
    message_id: int | None
    outcome: MessageFate


@dataclass(frozen=True)
class WaitingEdits:
    """How many public messages of a channel wait, and how many of them are older than an hour."""

    channel_id: int
    messages: int
    old: int


@dataclass(frozen=True)
class Progress:
    """How far a removal has come with the public messages: what is done, and what waits."""

    outcomes: Mapping[MessageFate, int]
    waiting: Sequence[WaitingEdits]
    left: int

    @property
    def done(self) -> int:
        """How many messages show it no longer."""
        return self.outcomes.get(MessageFate.DELETED, 0) + self.outcomes.get(MessageFate.EDITED, 0)

    @property
    def total(self) -> int:
        """How many messages there are or were."""
        return self.left + sum(self.outcomes.values())
