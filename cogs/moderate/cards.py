"""The cards of cases: a moderator's own, those in the log channel, and the pages of the log."""

from collections.abc import Sequence
from datetime import datetime

import discord
from msgspec.structs import replace

from bot.features.moderation import RemovalStatus
from bot.features.moderation.times import seconds_left
from bot.i18n import N_, nt, number, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import Button, Card, notice
from bot.ui.shared_actions import OpenRemoveForm
from bot.ui.text import excerpt, one_line
from cogs.moderate.actions import (
    NONE,
    Dismiss,
    OpenNoteForm,
    PostMore,
    Restore,
    ShowHeldBack,
    ShowLog,
    ShowRemoval,
)
from storage.moderation import Subject
from storage.removals import REASONS_SHOWN, GameAnswer, Removal, Reported
from storage.shown import GONE, LOST, Progress
from storage.vetting import Hit

_NAME_ROOM, _TEXT_ROOM, _NOTE_ROOM = 60, 1200, 300
_REPORTED_ROOM, _REASON_ROOM, _WORD_ROOM = 1500, 200, 60
# Five of these, with all that is noted on them, stay below Discord's 4,000 characters.
_PAGE_TEXT_ROOM, _PAGE_NOTE_ROOM = 120, 100
_NOTES_SHOWN = 5
# Cards that one press posts.
MOST_POSTED = 5
_MINUTE, _HOUR = 60, 3600

_ANSWERS = {
    GameAnswer.ASKED: N_("The game is asked to delete it; its answer has not come yet."),
    GameAnswer.DELETED: N_("The game deleted it."),
    GameAnswer.NOT_ALLOWED: N_("The game did not allow it to be deleted."),
    GameAnswer.NOT_THERE: N_("The game no longer has it."),
    GameAnswer.NOT_LINKED: N_("The game was not asked: no game account is linked."),
    GameAnswer.NO_ANSWER: N_("The game was asked to delete it, but did not answer."),
}
# By ours, or by Discord's code.
_REASONS = {
    GONE: N_("the message is gone"),
    LOST: N_("the message was never found"),
    "50083": N_("the post is archived and locked"),
} | dict.fromkeys(
    ("10003", "10004", "50001", "50013", "160005"), N_("the channel is closed to Kiosk")
)
_FAILED = N_("Discord did not take it")


def removal_card(status: RemovalStatus, *, is_new: bool = True, is_followed: bool = True) -> Card:
    """Return the moderator's own card: what is hidden, how far the public messages are.

    One that is not `is_followed` stays as it is until its button is pressed.
    """
    removal = status.removal
    card = Card(theme.GOOD if removal.ended_at is None else theme.CALM)
    card.say("\n".join(_heading(removal, is_new=is_new)))
    card.say("\n".join(_about_messages(status)))
    if status.progress.left and not is_followed:
        card.say(f"-# {t('This card no longer follows along: press “Look again”.')}")
    if removal.game_answer is not None:
        card.say(t(_ANSWERS[removal.game_answer]))
    if status.closed_log_id is not None:
        told = t(
            "Kiosk can't post in the log channel, %(channel)s: let it see the channel and send "
            "messages there, or name another one on `/setup show`.",
            channel=f"<#{status.closed_log_id}>",
        )
        card.say(f"⚠️ {told}")
    if removal.ended_at is None:
        look = action_button(ShowRemoval(removal.id), t("Look again"), emoji="🔄")
        first = [look] if status.progress.left else []
        card.buttons(*first, _restore_button(removal), _note_button(removal))
    return card


def log_card(status: RemovalStatus) -> Card:
    """Return the card of the log channel: who, when, why, what it said, and what came of it."""
    removal = status.removal
    card = Card(theme.PROBLEM if removal.ended_at is None else theme.CALM)
    add_record(card, status, text_room=_TEXT_ROOM)
    if removal.ended_at is None:
        card.buttons(_restore_button(removal), _note_button(removal))
    else:
        card.buttons(_note_button(removal))
    return card


def restored_card(removal: Removal, progress: Progress) -> Card:
    card = Card(theme.GOOD)
    if removal.subject.comment_id is None:
        title = t("%(name)s is no longer muted here", name=subject_name(removal.subject))
        told = t("What this player writes in the game is shown in this server again.")
    else:
        title = t("Comment #%(id)s is back", id=removal.subject.comment_id)
        told = t("It is shown again in this server, wherever the game has it.")
    lines = [f"### {title}", told]
    if progress.done:
        lines.append(
            nt(
                "%(count)s public message stays deleted or edited: share it again if you like.",
                "%(count)s public messages stay deleted or edited: share it again if you like.",
                progress.done,
            )
        )
    if removal.game_answer is GameAnswer.DELETED:
        lines.append(t("The game has deleted it, and can't bring it back."))
    card.say("\n".join(lines))
    return card


def add_record(
    card: Card, status: RemovalStatus, *, text_room: int, note_room: int = _NOTE_ROOM
) -> None:
    """Add all that is kept of a removal; reasons and notes have as much room each."""
    removal = status.removal
    lines = [f"### {_title(removal)}", _who_and_when(removal)]
    if removal.until is not None and removal.ended_at is None:
        lines.append(_end_to_come(removal.until))
    if removal.reason:
        lines.append(t("**Reason:** %(reason)s", reason=one_line(removal.reason, note_room)))
    if removal.subject.comment_id is not None:
        lines.append(what_it_said(removal.subject, text_room))
    if removal.game_answer is not None:
        lines.append(t(_ANSWERS[removal.game_answer]))
    if status.progress.total:
        lines.append(_count(status.progress))
    if removal.ended_at is not None:
        lines.append(_end(removal, removal.ended_at))
    for note in status.notes[-_NOTES_SHOWN:]:
        shown = one_line(note.text, note_room)
        lines.append(f"📝 {member(note.moderator_id)}: {shown}")
    card.say("\n".join(lines))


def subject_name(subject: Subject) -> str:
    name = one_line(subject.player_name, _NAME_ROOM, is_name=True)
    return name or t("Player %(id)s", id=subject.player_id)


def member(member_id: int | None) -> str:
    """Mention a member, who is not notified; one that was erased has no name."""
    return t("someone") if member_id is None else f"<@{member_id}>"


def _title(removal: Removal) -> str:
    subject, is_over = removal.subject, removal.ended_at is not None
    if subject.comment_id is None:
        muted = N_("%(name)s was muted here") if is_over else N_("%(name)s is muted here")
        return t(muted, name=subject_name(subject))
    removed = N_("Comment #%(id)s was removed here")
    return t(removed if is_over else N_("Comment #%(id)s is removed here"), id=subject.comment_id)


def _heading(removal: Removal, *, is_new: bool) -> Sequence[str]:
    lines = [f"### {_title(removal)}"]
    if removal.subject.player_name and removal.subject.comment_id is not None:
        lines.append(f"-# {t('by %(name)s', name=subject_name(removal.subject))}")
    if not is_new:
        lines.append(_who_and_when(removal))
    if removal.ended_at is not None:
        return [*lines, _end(removal, removal.ended_at)]
    if removal.subject.comment_id is None:
        lines.append(t("Nobody in this server sees what this player writes in the game."))
    else:
        lines.append(t("Nobody in this server sees it any more."))
    if removal.until is not None:
        lines.append(_end_to_come(removal.until))
    return lines


def _end_to_come(until: datetime) -> str:
    return t("That ends %(when)s.", when=discord.utils.format_dt(until, "f"))


def _about_messages(status: RemovalStatus) -> Sequence[str]:
    progress = status.progress
    if not progress.total:
        return [t("No public message of Kiosk's had to change.")]
    lines = [_count(progress)]
    if progress.left and status.removal.ended_at is None:
        left = seconds_left(progress.waiting)
        lines.append(t("Discord is slow with this. Time left: %(time)s.", time=_duration(left)))
    for one in status.unreached:
        where = f"<#{one.channel_id}>"
        if one.message_id is not None:
            place = f"{status.removal.guild_id}/{one.channel_id}/{one.message_id}"
            where = f"https://discord.com/channels/{place}"
        lines.append(f"- {where}: {t(_REASONS.get(one.reason.partition(' ')[0], _FAILED))}")
    lines.append("-# " + t("Copies that members forwarded stay: Kiosk can't reach them."))
    return lines


def _count(progress: Progress) -> str:
    done, count = number(progress.done), number(progress.total)
    return t("Public messages taken care of: %(done)s of %(count)s", done=done, count=count)


def _duration(seconds: float) -> str:
    if seconds < _MINUTE:
        return nt("about %(count)s second", "about %(count)s seconds", max(round(seconds), 1))
    if seconds < _HOUR:
        return nt("about %(count)s minute", "about %(count)s minutes", round(seconds / _MINUTE))
    return nt("about %(count)s hour", "about %(count)s hours", round(seconds / _HOUR))


def _who_and_when(removal: Removal) -> str:
    when = removal.created_at and discord.utils.format_dt(removal.created_at, "R")
    return f"-# {t('by %(member)s, %(when)s', member=member(removal.moderator_id), when=when)}"


def what_it_said(subject: Subject, room: int) -> str:
    """Quote a comment with its writer's name, as far as both are known."""
    name = f"**{subject_name(subject)}**" if subject.player_name else ""
    if subject.text is None:
        return " ".join(filter(None, [name, f"*({t('what it said is not known')})*"]))
    shown, _ = excerpt(subject.text, room, lines=12)
    quoted = "\n".join(f"> {line}" for line in (shown or t("*(no text)*")).split("\n"))
    # An empty line ends the quote for every reader.
    return "\n".join([*filter(None, [name, quoted]), ""])


def _end(removal: Removal, ended_at: datetime) -> str:
    when = discord.utils.format_dt(ended_at, "R")
    if removal.until is not None and removal.ended_by is None:
        return t("It ended %(when)s.", when=when)
    return t("Undone by %(member)s, %(when)s.", member=member(removal.ended_by), when=when)


def _restore_button(removal: Removal) -> Button:
    label = t("Unmute") if removal.subject.comment_id is None else t("Restore")
    return action_button(Restore(removal.id), label, emoji="↩️")


def _note_button(removal: Removal) -> Button:
    return action_button(OpenNoteForm(removal.id), t("Note"), emoji="📝")


def log_page(statuses: Sequence[RemovalStatus], action: ShowLog, *, has_more: bool) -> Card:
    days = nt("the last %(count)s day", "the last %(count)s days", action.days)
    title = t("Removed in this server, %(days)s", days=days)
    if not statuses:
        return notice(title, t("There is nothing here."))
    card = Card(theme.CALM)
    card.say(f"## {title}")
    for status in statuses:
        card.divide()
        shown = replace(status, notes=status.notes[-1:])
        add_record(card, shown, text_room=_PAGE_TEXT_ROOM, note_room=_PAGE_NOTE_ROOM)
    buttons: list[Button] = []
    if action.before_id != NONE:
        buttons.append(action_button(replace(action, before_id=NONE), t("Newest"), emoji="⏮️"))
    if has_more:
        older = replace(action, before_id=statuses[-1].removal.id)
        buttons.append(action_button(older, t("Older"), emoji="▶️"))
    if buttons:
        card.buttons(*buttons)
    return card


def reported_card(case: Reported) -> Card:
    """Return the card of a comment that was reported or held back, for the log channel."""
    card = Card(theme.PROBLEM if case.is_open else theme.CALM)
    lines = [f"### {_case_title(case)}"]
    if case.count:
        lines.append(
            f"-# {nt('%(count)s member reported it', '%(count)s members reported it', case.count)}"
        )
    if case.hit is not None:
        lines.append(hit_line(case.hit))
    lines.append(what_it_said(case.subject, _REPORTED_ROOM))
    lines += [f"🚩 {one_line(reason, _REASON_ROOM)}" for reason in case.reasons[:REASONS_SHOWN]]
    if case.dismissed_at is not None:
        when = discord.utils.format_dt(case.dismissed_at, "R")
        who = member(case.dismissed_by)
        lines.append(t("%(member)s let it stay, %(when)s.", member=who, when=when))
    if case.is_released:
        lines.append(t("%(member)s let it be shown.", member=member(case.released_by)))
    card.say("\n".join(lines))
    card.buttons(*_case_buttons(case))
    return card


def more_card(count: int) -> Card:
    title = nt(
        "%(count)s more comment is held back", "%(count)s more comments are held back", count
    )
    told = t("So many came at once that they have no card here yet.")
    return notice(title, told, colour=theme.PROBLEM, buttons=(_more_button(),))


def posting_more_card(waiting: int) -> Card:
    if not waiting:
        return notice(t("All of them have a card by now"))
    title = nt(
        "%(count)s card is on its way to the log channel",
        "%(count)s cards are on their way to the log channel",
        min(waiting, MOST_POSTED),
    )
    left = waiting - MOST_POSTED
    if left <= 0:
        return notice(title, colour=theme.GOOD)
    told = nt("%(count)s more is waiting.", "%(count)s more are waiting.", left)
    return notice(title, told, colour=theme.GOOD, buttons=(_more_button(),))


def _more_button() -> Button:
    return action_button(PostMore(), t("Post the next ones"), emoji="📥")


def hit_line(hit: Hit) -> str:
    """Say what a text holds, and whether that hides it."""
    if hit.rule:
        found = t("AutoMod rule: %(rule)s", rule=one_line(hit.rule, _WORD_ROOM))
    else:
        found = t("Watched word: %(word)s", word=one_line(hit.word, _WORD_ROOM))
    if hit.is_alert and not hit.rule:
        return f"{found}\n-# {t('Shown: the word only appears when spaces are left out.')}"
    if hit.is_alert:
        return f"{found}\n-# {t('Shown: this rule only alerts.')}"
    return found


def _case_title(case: Reported) -> str:
    comment_id = case.subject.comment_id
    if case.is_held_back:
        return t("Comment #%(id)s is held back here", id=comment_id)
    if case.count or case.hit is None:
        return t("Comment #%(id)s was reported", id=comment_id)
    if case.is_released:
        return t("Comment #%(id)s is shown here", id=comment_id)
    return t("Comment #%(id)s may need a look", id=comment_id)


def _case_buttons(case: Reported) -> Sequence[Button]:
    subject = case.subject
    thread_id = NONE if subject.thread_id is None else subject.thread_id
    buttons = [
        action_button(
            OpenRemoveForm(thread_id, subject.comment_id or 0),
            t("Remove"),
            style=discord.ButtonStyle.danger,
            emoji="🚫",
        )
    ]
    if case.is_held_back:
        buttons.append(action_button(ShowHeldBack(case.case_id), t("Show"), emoji="👁️"))
    is_alert = case.hit is not None and case.hit.is_alert
    if case.dismissed_at is None and (case.count or is_alert):
        buttons.append(action_button(Dismiss(case.case_id), t("Dismiss"), emoji="✔️"))
    return buttons
