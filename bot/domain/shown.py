"""Who is shown what of the forum, and what becomes of public messages that show it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Protocol

from msgspec import Struct, field

from bot.domain.moderation import Subject

# Discord edits what is older slowly.
OLD = timedelta(hours=1)
# In the place of a line.
QUOTED = -1


class Hidden:
    """What a server hides of the game's forum: comments, and all that some players write.

    It is as things are now: it changes while a viewer has it.
    """

    def __init__(self, comments: Iterable[int] = (), players: Iterable[int] = ()) -> None:
        self.comments = frozenset(comments)
        self.players = frozenset(players)

    def hides(self, comment_id: int, player_id: int | None) -> bool:
        """Return whether a comment, of this player, is not to be seen."""
        return comment_id in self.comments or player_id in self.players


class Vet(Protocol):
    """What a server watches for, in one of its channels."""

    async def look_through(self, texts: Sequence[str]) -> None:
        """Look through texts before anybody asks about them: many, or long ones, take a while."""
        ...

    def holds_back(self, subject: Subject) -> bool:
        """Return whether a comment's text is not to be shown; moderators learn of it."""
        ...


class Viewer(Struct, frozen=True):
    """A member looking at a screen in one place; ids are Discord's, but for the player's.

    `guild_id` is None outside a server, `player_id` where Kiosk doesn't know who the member is in
    the game; `locale` is the Discord locale of what they read. Of what is `hidden` in this server
    nothing is shown; `vet` is None where nothing is watched for.
    """

    member_id: int
    guild_id: int | None
    channel_id: int | None
    locale: str
    player_id: int | None
    hidden: Hidden = field(default_factory=Hidden)
    vet: Vet | None = None


class ShownComment(Struct, frozen=True):
    """A comment that a message shows, and where.

    One that has no place of its own is a `line` of what stands `below` another, counted from 0, or
    is QUOTED by that other, in the last line of what stands above it.
    """

    comment_id: int
    player_id: int | None = None
    below: int | None = None
    line: int | None = None


class PublicMessage(Struct, frozen=True):
    """A public message, and the comments that it was posted with."""

    guild_id: int
    channel_id: int
    message_id: int
    comments: Sequence[ShownComment]


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


class RemovedMessage(Struct, frozen=True):
    """A public message that shows what was removed; its id is None where a crash lost it."""

    removal_id: int
    shown_id: int
    channel_id: int
    message_id: int | None
    outcome: MessageFate | None
    locale: str
    is_restored: bool
    guild_id: int


class Unreached(Struct, frozen=True):
    """A public message that could not be taken care of."""

    channel_id: int
    message_id: int | None
    outcome: MessageFate


class WaitingEdits(Struct, frozen=True):
    """How many public messages of a channel wait, and how many of them are OLD."""

    channel_id: int
    messages: int
    old: int


class Progress(Struct, frozen=True):
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
