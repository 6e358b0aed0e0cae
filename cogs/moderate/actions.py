"""Actions and forms of moderation; absent ids are NONE."""

from collections.abc import Mapping
from typing import Any

import discord
from discord import ui

from bot.i18n import t
from bot.ui.actions import Action, ActionForm
from bot.ui.shared_actions import NONE, AboutComment
from storage.moderation import Rules
from storage.removals import LONGEST_NOTE, LONGEST_REASON

# Of the log, in days.
LONGEST_LOOK = 3650

# What the fields of the forms are called.
_USUAL, _REASON = "usual", "reason"
IN_GAME, NOTE = "in_game", "note"


# One of several comments was chosen to be removed; the value is its id.
PickToRemove = Action.of_kind("moderate.pick")
SendRemoval = AboutComment.of_kind("moderate.remove")


class OfRemoval(Action):
    removal_id: int


ShowRemoval = OfRemoval.of_kind("moderate.show")
Restore = OfRemoval.of_kind("moderate.restore")
OpenNoteForm = OfRemoval.of_kind("moderate.note_form")
SendNote = OfRemoval.of_kind("moderate.note")
# One of several comments was chosen to be reported; the value is its id.
PickToReport = Action.of_kind("moderate.report_pick")
SendReport = AboutComment.of_kind("moderate.report")


class OfCase(Action):
    case_id: int


Dismiss = OfCase.of_kind("moderate.dismiss")
ShowHeldBack = OfCase.of_kind("moderate.release")
PostMore = Action.of_kind("moderate.more")
LookThrough = Action.of_kind("moderate.look")


class ShowLog(Action, kind="moderate.log"):
    """Show a page of the log: what is older than `before_id`."""

    days: int
    moderator_id: int = 0
    player_id: int = NONE
    before_id: int = NONE


def remove_form(action: AboutComment, rules: Rules, *, is_own: bool = False) -> ActionForm:
    """Ask for a reason, and of what `is_own`, whether it is deleted in the game, too."""
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
    if is_own:
        # The game lets only its author delete a comment.
        form.ask(
            t("Also try to delete it in the game"),
            ui.Checkbox(custom_id=IN_GAME),
            description=t("As your own player: you wrote it."),
        )
    return form


def reason_of(texts: Mapping[str, str]) -> str:
    return ": ".join(filter(None, [texts.get(_USUAL, ""), texts.get(_REASON, "").strip()]))


def note_form(action: OfRemoval) -> ActionForm:
    form = ActionForm(SendNote(action.removal_id), title=t("Note for the log"))
    told = t("All moderators of this server can read it.")
    form.ask_text(t("Note"), NOTE, longest=LONGEST_NOTE, description=told)
    return form


def report_form(action: AboutComment) -> ActionForm:
    form = ActionForm(
        SendReport(action.thread_id, action.comment_id, action.sort, action.page),
        title=t("Report comment #%(id)s", id=action.comment_id),
    )
    told = t("This server's moderators read it. They are not told who you are.")
    form.ask_text(t("What is wrong with it?"), _REASON, longest=LONGEST_REASON, description=told)
    return form
