"""What the buttons, selects and forms of moderation mean. Absent ids are NONE."""

from bot.game.models import Sort
from bot.ui.actions import Action

NONE = -1


class PickToRemove(Action, kind="moderate.pick"):
    """One of several comments was chosen to be removed; the value is its id."""


class SendRemoval(Action, kind="moderate.remove"):
    """The form that removes a comment was filled."""

    thread_id: int
    comment_id: int
    sort: Sort
    page: int


class _RemovalAction(Action):
    removal_id: int


class ShowRemoval(_RemovalAction, kind="moderate.show"):
    """Show how a removal stands."""


class Restore(_RemovalAction, kind="moderate.restore"):
    """Undo a removal or a mute."""


class OpenNoteForm(_RemovalAction, kind="moderate.note_form"):
    """Open the form for a note on a removal."""


class SendNote(_RemovalAction, kind="moderate.note"):
    """A note was typed."""


class PickToReport(Action, kind="moderate.report_pick"):
    """One of several comments was chosen to be reported; the value is its id."""


class SendReport(Action, kind="moderate.report"):
    """The form that reports a comment was filled."""

    thread_id: int
    comment_id: int
    sort: Sort
    page: int


class Dismiss(Action, kind="moderate.dismiss"):
    """Leave a reported comment as it is."""

    case_id: int


class ShowHeldBack(Action, kind="moderate.release"):
    """Let a comment be shown that was held back."""

    case_id: int


class PostMore(Action, kind="moderate.more"):
    """Post the next cards of what was held back and has none."""


class LookThrough(Action, kind="moderate.look"):
    """Hold back what stands in the channels and holds what is watched for."""


class ShowLog(Action, kind="moderate.log"):
    """Show a page of the log: what is older than `before_id`."""

    days: int
    moderator_id: int = 0
    player_id: int = NONE
    before_id: int = NONE
