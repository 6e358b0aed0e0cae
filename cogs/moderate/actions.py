"""What the buttons, lists and forms of moderation mean, and the forms. Absent ids are NONE."""

from collections.abc import Mapping
from typing import Any

import discord
from discord import ui

from bot.game.models import PageKey, Sort
from bot.i18n import t
from bot.ui.actions import Action, ActionForm
from bot.ui.shared_actions import OpenRemoveForm, OpenReportForm
from storage.moderation import Rules
from storage.removals import LONGEST_NOTE, LONGEST_REASON

NONE = -1
# Of the log, in days.
LONGEST_LOOK = 3650

# What the fields of the forms are called.
_USUAL, _REASON = "usual", "reason"
IN_GAME, NOTE = "in_game", "note"


class PickToRemove(Action, kind="moderate.pick"):
    """One of several comments was chosen to be removed; the value is its id."""


class _OfComment(Action):
    thread_id: int
    comment_id: int
    sort: Sort
    page: int

    @property
    def near(self) -> PageKey | None:
        """The page where the comment was seen, None where nobody knows."""
        return None if self.thread_id == NONE else PageKey(self.thread_id, self.sort, self.page)


class SendRemoval(_OfComment, kind="moderate.remove"):
    """The form that removes a comment was filled."""


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


class SendReport(_OfComment, kind="moderate.report"):
    """The form that reports a comment was filled."""


class _OfCase(Action):
    case_id: int


class Dismiss(_OfCase, kind="moderate.dismiss"):
    """Leave a reported comment as it is."""


class ShowHeldBack(_OfCase, kind="moderate.release"):
    """Let a comment be shown that was held back."""


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


def remove_form(action: OpenRemoveForm, rules: Rules) -> ActionForm:
    """Ask why a comment is removed, and whether the game is to be asked as well."""
    form = ActionForm(
        SendRemoval(action.thread_id, action.comment_id, action.sort, action.page),
        title=t("Remove comment #%(id)s", id=action.comment_id),
    )
    has_usual = bool(rules.reasons)
    if has_usual:
        usual = ui.Select[Any](
            custom_id=_USUAL,
            options=[discord.SelectOption(label=reason) for reason in rules.reasons],
            placeholder=t("The usual reasons here"),
            required=False,
            min_values=0,
        )
        form.ask(t("Reason"), usual)
    form.ask_text(
        t("In your own words") if has_usual else t("Reason"),
        _REASON,
        longest=LONGEST_REASON,
        is_required=rules.needs_reason and not has_usual,
        description=t("Moderators see it in the log; the writer is not told."),
    )
    form.ask(
        t("Also try to delete it in the game"),
        ui.Checkbox(custom_id=IN_GAME),
        description=t("As your own player. The game lets only its author delete a comment."),
    )
    return form


def reason_of(texts: Mapping[str, str]) -> str:
    """Return the reason that was chosen and typed into a form."""
    return ": ".join(filter(None, [texts.get(_USUAL, ""), texts.get(_REASON, "").strip()]))


def note_form(action: OpenNoteForm) -> ActionForm:
    """Ask for a note."""
    form = ActionForm(SendNote(action.removal_id), title=t("Note for the log"))
    told = t("All moderators of this server can read it.")
    form.ask_text(t("Note"), NOTE, longest=LONGEST_NOTE, description=told)
    return form


def report_form(action: OpenReportForm) -> ActionForm:
    """Ask what is wrong with a comment."""
    form = ActionForm(
        SendReport(action.thread_id, action.comment_id, action.sort, action.page),
        title=t("Report comment #%(id)s", id=action.comment_id),
    )
    told = t("This server's moderators read it. They are not told who you are.")
    form.ask_text(t("What is wrong with it?"), _REASON, longest=LONGEST_REASON, description=told)
    return form
