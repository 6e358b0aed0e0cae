"""What a public message shows of the forum."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ShownComment:
    """A comment that a message shows, and where.

    One that has no place of its own is a `line` of what stands `below` another, counted from 0.
    """

    comment_id: int
    player_id: int | None = None
    below: int | None = None
    line: int | None = None


@dataclass(frozen=True)
class PublicMessage:
    """A public message, and the comments that it was posted with."""

    guild_id: int
    channel_id: int
    message_id: int
    comments: Sequence[ShownComment]
