"""Threads whose comments are posted in channels, and how their comments were seen."""

from dataclasses import dataclass
from datetime import datetime

from bot.domain.outbox import EntryState


@dataclass(frozen=True)
class NewFollow:
    """Where a server wants to read a thread's new comments.

    `channel_kind` is Discord's number for the kind of channel, `tag_id` what posts there are filed
    under.
    """

    guild_id: int
    channel_id: int
    channel_kind: int
    thread_id: int
    locale: str
    created_by: int
    tag_id: int | None = None
    channel_name: str = ""


@dataclass(frozen=True, kw_only=True)
class Follow(NewFollow):
    """One that is kept; `pause_reason` is Discord's code for what was refused while paused."""

    id: int
    created_at: datetime
    paused_at: datetime | None = None
    pause_reason: int | None = None


@dataclass(frozen=True)
class FollowedThread:
    """A thread that is polled.

    Comments are new that were written after `since`, by the game's clock. `version` counts what
    was written about them, 0 before there was anything to compare with.
    """

    thread_id: int
    version: int
    since: datetime
    read_at: datetime | None = None
    failing_since: datetime | None = None
    failures: int = 0
    failure: str | None = None


@dataclass(frozen=True)
class SeenComment:
    """A comment as it was seen last; `digest` tells texts apart, `revision` counts changes.

    `root_id` is the comment at the top of those that it answers: itself, where it answers none.
    """

    comment_id: int
    root_id: int
    page: int
    digest: str
    written_at: datetime
    revision: int = 0
    is_gone: bool = False


@dataclass(frozen=True)
class FollowPost:
    """What has become of a comment in a channel; `is_alone` where no other shares its message."""

    comment_id: int
    delivery: str
    is_alone: bool
    state: EntryState
    channel_id: int | None
    message_id: int | None
