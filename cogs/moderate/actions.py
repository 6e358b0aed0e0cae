"""Actions and forms of moderation; absent ids are NONE."""

from collections.abc import Mapping

from discord import ui
from msgspec.structs import astuple

from bot.i18n import t
from bot.ui.actions import Action
from bot.ui.forms import LONGEST_TITLE, ActionForm, FormOption
from bot.ui.shared_actions import NONE, AboutComment
from bot.ui.text import excerpt, one_line
from storage.moderation import ServerSettings, Subject
from storage.removals import LONGEST_REASON

# How much a form shows of a comment, and of its writer's name, in characters.
_QUOTE_ROOM = 300
_QUOTE_LINES = 4
_NAME_ROOM = 60
# Of the log, in days.
LONGEST_LOOK = 3650

# What the fields of the forms are called.
_USUAL, _REASON = "usual", "reason"
UNTIL = "until"


# One of several comments was chosen to be removed; the value is its id.
PickToRemove = Action.of_kind("moderate.pick")
SendRemoval = AboutComment.of_kind("moderate.remove")


class OfRemoval(Action):
    removal_id: int


Restore = OfRemoval.of_kind("moderate.restore")
TryAgain = OfRemoval.of_kind("moderate.again")
# One of several comments was chosen to be reported; the value is its id.
PickToReport = Action.of_kind("moderate.report_pick")
SendReport = AboutComment.of_kind("moderate.report")


class OfPlayer(Action):
    player_id: int


OpenMuteForm = OfPlayer.of_kind("moderate.mute_form")
SendMute = OfPlayer.of_kind("moderate.mute")


class OfCase(Action):
    case_id: int


Dismiss = OfCase.of_kind("moderate.dismiss")
ShowHeldBack = OfCase.of_kind("moderate.release")
PostMore = Action.of_kind("moderate.more")


class ShowLog(Action, kind="moderate.log"):
    """Show a page of the log: what is older than `before_id`."""

    days: int
    moderator_id: int = 0
    player_id: int = NONE
    before_id: int = NONE


def remove_form(action: AboutComment, subject: Subject, settings: ServerSettings) -> ActionForm:
    title = t("Remove comment #%(id)s", id=action.comment_id)
    form = ActionForm(SendRemoval(*astuple(action)), title=title)
    _quote(form, subject)
    _ask_reason(form, settings)
    return form


def mute_form(action: OfPlayer, name: str, settings: ServerSettings) -> ActionForm:
    title = t("Mute %(name)s", name=name)
    form = ActionForm(SendMute(action.player_id), title=one_line(title, LONGEST_TITLE, plain=True))
    hint = t("A day such as 2026-12-31, or a length such as 7d. Empty: for good.")
    form.ask_line(t("Until"), UNTIL, hint, longest=40)
    _ask_reason(form, settings)
    return form


def _quote(form: ActionForm, subject: Subject) -> None:
    """Show whose comment it is and how it begins, where that is known."""
    shown, _ = excerpt(subject.text or "", _QUOTE_ROOM, lines=_QUOTE_LINES)
    lines = [f"> {line}" for line in shown.split("\n") if line]
    if subject.player_name:
        lines.insert(0, f"**{one_line(subject.player_name, _NAME_ROOM, is_name=True)}**")
    if lines:
        form.add_item(ui.TextDisplay("\n".join(lines)))


def _ask_reason(form: ActionForm, settings: ServerSettings) -> None:
    if settings.reasons:
        other = [t("Another reason")] if settings.needs_reason else []
        options = [FormOption(reason, reason) for reason in (*settings.reasons, *other)]
        form.ask_from(t("Reason"), _USUAL, options, is_required=settings.needs_reason)
    hint = t("Moderators see it in the log; the writer is not told.")
    if settings.needs_reason:
        hint = t("A reason is required. Moderators see it, the writer is not told.")
    form.ask_text(
        t("In your own words") if settings.reasons else t("Reason"),
        _REASON,
        longest=LONGEST_REASON,
        is_required=settings.needs_reason and not settings.reasons,
        description=hint,
    )


def reason_of(texts: Mapping[str, str]) -> str:
    return ": ".join(filter(None, [texts.get(_USUAL, ""), texts.get(_REASON, "").strip()]))


def report_form(action: AboutComment, subject: Subject, settings: ServerSettings) -> ActionForm:
    title = t("Report comment #%(id)s", id=action.comment_id)
    form = ActionForm(SendReport(*astuple(action)), title=title)
    _quote(form, subject)
    if settings.reasons:
        usual = [FormOption(each, each) for each in settings.reasons]
        form.ask_from(t("What is wrong with it?"), _USUAL, usual)
    form.ask_text(
        t("In your own words") if settings.reasons else t("What is wrong with it?"),
        _REASON,
        longest=LONGEST_REASON,
        description=t("This server's moderators read it. They are not told who you are."),
        is_required=not settings.reasons,
    )
    return form
