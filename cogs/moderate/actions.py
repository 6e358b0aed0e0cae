"""What the buttons, selects and forms of moderation mean. Absent ids are NONE."""

from dataclasses import dataclass
from typing import ClassVar

from bot.game.models import Sort
from bot.ui.actions import Action

NONE = -1


@dataclass(frozen=True)
class PickToRemove(Action):
    """One of several comments was chosen to be removed; the value is its id."""

    kind: ClassVar[str] = "moderate.pick"


@dataclass(frozen=True)
class SendRemoval(Action):
    """The form that removes a comment was filled."""

    kind: ClassVar[str] = "moderate.remove"
    thread_id: int
    comment_id: int
    sort: Sort
    page: int


@dataclass(frozen=True)
class _RemovalAction(Action):
    removal_id: int


@dataclass(frozen=True)
class ShowRemoval(_RemovalAction):
    """Show how a removal stands."""

    kind: ClassVar[str] = "moderate.show"


@dataclass(frozen=True)
class Restore(_RemovalAction):
    """Undo a removal or a mute."""

    kind: ClassVar[str] = "moderate.restore"


@dataclass(frozen=True)
class OpenNoteForm(_RemovalAction):
    """Open the form for a note on a removal."""

    kind: ClassVar[str] = "moderate.note_form"


@dataclass(frozen=True)
class SendNote(_RemovalAction):
    """A note was typed."""

    kind: ClassVar[str] = "moderate.note"


@dataclass(frozen=True)
class PickToReport(Action):
    """One of several comments was chosen to be reported; the value is its id."""

    kind: ClassVar[str] = "moderate.report_pick"


@dataclass(frozen=True)
class SendReport(Action):
    """The form that reports a comment was filled."""

    kind: ClassVar[str] = "moderate.report"
    thread_id: int
    comment_id: int
    sort: Sort
    page: int


@dataclass(frozen=True)
class Dismiss(Action):
    """Leave a reported comment as it is."""

    kind: ClassVar[str] = "moderate.dismiss"
    case_id: int


@dataclass(frozen=True)
class ShowHeldBack(Action):
    """Let a comment be shown that was held back."""

    kind: ClassVar[str] = "moderate.release"
    case_id: int


@dataclass(frozen=True)
class PostMore(Action):
    """Post the next cards of what was held back and has none."""

    kind: ClassVar[str] = "moderate.more"


@dataclass(frozen=True)
class LookThrough(Action):
    """Hold back what stands in the channels and holds what is watched for."""

    kind: ClassVar[str] = "moderate.look"


@dataclass(frozen=True)
class ShowLog(Action):
    """Show a page of the log: what is older than `before_id`."""

    kind: ClassVar[str] = "moderate.log"
    days: int
    moderator_id: int = 0
    player_id: int = NONE
    before_id: int = NONE
