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
from bot.ui.cards import Button, Card, Component, notice
from bot.ui.text import and_more, one_line
from cogs.moderate.actions import NONE, OpenNoteForm, Restore, ShowLog, ShowRemoval, TryAgain
from cogs.moderate.report_cards import (
    About,
    comment_words,
    member,
    mute_button,
    quote,
    subject_name,
)
from storage.removals import GameAnswer, Removal
from storage.shown import GONE, LOST, Progress

_TEXT_ROOM, _NOTE_ROOM = 1200, 300
# Five of these, with all that is noted on them, stay below Discord's 4,000 characters.
_PAGE_TEXT_ROOM, _PAGE_NOTE_ROOM = 120, 100
_NOTES_SHOWN, _UNREACHED_SHOWN = 5, 3
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
    GONE: N_("%(where)s was gone already"),
    LOST: N_("one in %(where)s was never found"),
    "50083": N_("%(where)s is archived and locked"),
    "50001": N_("Kiosk may not see %(where)s"),
} | dict.fromkeys(("10003", "10004", "50013", "160005"), N_("Kiosk may not change %(where)s"))
_FAILED = N_("Discord did not take %(where)s")


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
        card.buttons(*first, _restore_button(removal), _note_button(removal), *_again(status))
    return card


def log_card(status: RemovalStatus, reports: int, about: About) -> Card:
    """Return the card of the log channel: who, when, why, what it said, and what came of it."""
    removal = status.removal
    card = Card(theme.GOOD if removal.ended_at is None else theme.CALM)
    add_record(card, status, text_room=_TEXT_ROOM, beside=about.avatar)
    if reports:
        told = nt(
            "%(count)s member had reported it.", "%(count)s members had reported it.", reports
        )
        card.say(f"-# {told}")
    if removal.ended_at is None:
        buttons = [_restore_button(removal), _note_button(removal), *_again(status)]
        if removal.subject.comment_id is not None:
            buttons[1:1] = mute_button(removal.subject)
        card.buttons(*buttons)
    else:
        card.buttons(_note_button(removal))
    return card


def _again(status: RemovalStatus) -> Sequence[Button]:
    count = status.progress.refused
    if not count:
        return []
    label = t("Try the last one again") if count == 1 else t("Try again")
    return [action_button(TryAgain(status.removal.id), label)]


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
    card: Card,
    status: RemovalStatus,
    *,
    text_room: int,
    note_room: int = _NOTE_ROOM,
    beside: Component | None = None,
) -> None:
    """Add all that is kept of a removal; reasons and notes have as much room each."""
    removal = status.removal
    reason = one_line(removal.reason, note_room)
    who = " · ".join(filter(None, [_who_and_when(removal), reason]))
    lines = [f"### {_title(removal)}", who]
    if removal.until is not None and removal.ended_at is None:
        lines.append(_end_to_come(removal.until))
    if removal.subject.comment_id is not None:
        lines.append(quote(removal.subject, text_room))
    if removal.game_answer is not None:
        lines.append(t(_ANSWERS[removal.game_answer]))
    if status.progress.total:
        lines.append(_count(status))
    if removal.ended_at is not None:
        lines.append(_end(removal, removal.ended_at))
    for note in status.notes[-_NOTES_SHOWN:]:
        shown = one_line(note.text, note_room)
        lines.append(f"-# {member(note.moderator_id)}: {shown}")
    card.say("\n".join(lines), beside)


def _title(removal: Removal) -> str:
    subject, is_over = removal.subject, removal.ended_at is not None
    if subject.comment_id is None:
        muted = N_("%(name)s was muted here") if is_over else N_("%(name)s is muted here")
        return t(muted, name=subject_name(subject))
    removed = N_("No longer removed: %(comment)s") if is_over else N_("Removed: %(comment)s")
    return t(removed, comment=comment_words(subject))


def _heading(removal: Removal, *, is_new: bool) -> Sequence[str]:
    lines = [f"### {_title(removal)}"]
    if not is_new:
        lines.append(_who_and_when(removal))
    if removal.ended_at is not None:
        return [*lines, _end(removal, removal.ended_at)]
    if removal.subject.comment_id is None:
        lines.append(t("Nobody in this server sees what this player writes in the game."))
    else:
        lines.append(t("Nobody in this server sees it any more."))
        if removal.subject.text is None and not removal.subject.player_name:
            lines.append(t("⚠️ Kiosk has never seen this number: is it the right one?"))
    if removal.until is not None:
        lines.append(_end_to_come(removal.until))
    return lines


def _end_to_come(until: datetime) -> str:
    return t("That ends %(when)s.", when=discord.utils.format_dt(until, "f"))


def _about_messages(status: RemovalStatus) -> Sequence[str]:
    progress = status.progress
    if not progress.total:
        return [t("No public message of Kiosk's had to change.")]
    lines = [_count(status)]
    if progress.left and status.removal.ended_at is None:
        left = seconds_left(progress.waiting)
        lines.append(t("Discord is slow with this. Time left: %(time)s.", time=_duration(left)))
    lines.append("-# " + t("Copies that members forwarded stay: Kiosk can't reach them."))
    return lines


def _count(status: RemovalStatus) -> str:
    """Say how many messages no longer show it, and which still do and why."""
    done, count = status.progress.done, number(status.progress.total)
    if not status.unreached:
        return t("%(done)s of %(count)s messages are gone.", done=number(done), count=count)
    why: list[str] = []
    for one in status.unreached[:_UNREACHED_SHOWN]:
        where = f"<#{one.channel_id}>"
        if one.message_id is not None:
            place = f"{status.removal.guild_id}/{one.channel_id}/{one.message_id}"
            where = f"https://discord.com/channels/{place}"
        why.append(t(_REASONS.get(one.reason.partition(" ")[0], _FAILED), where=where))
    told = t(
        "%(done)s of %(count)s messages are gone: %(why)s.",
        done=number(done),
        count=count,
        why="; ".join(and_more(why, len(status.unreached))),
    )
    return f"⚠️ {told}"


def _duration(seconds: float) -> str:
    if seconds < _MINUTE:
        return nt("about %(count)s second", "about %(count)s seconds", max(round(seconds), 1))
    if seconds < _HOUR:
        return nt("about %(count)s minute", "about %(count)s minutes", round(seconds / _MINUTE))
    return nt("about %(count)s hour", "about %(count)s hours", round(seconds / _HOUR))


def _who_and_when(removal: Removal) -> str:
    when = removal.created_at and discord.utils.format_dt(removal.created_at, "R")
    return f"{member(removal.moderator_id)}, {when}"


def _end(removal: Removal, ended_at: datetime) -> str:
    when = discord.utils.format_dt(ended_at, "R")
    if removal.until is not None and removal.ended_by is None:
        return t("It ended %(when)s.", when=when)
    return t("Undone by %(member)s, %(when)s.", member=member(removal.ended_by), when=when)


def _restore_button(removal: Removal) -> Button:
    label = t("Unmute") if removal.subject.comment_id is None else t("Restore")
    return action_button(Restore(removal.id), label)


def _note_button(removal: Removal) -> Button:
    return action_button(OpenNoteForm(removal.id), t("Note"))


def log_page(statuses: Sequence[RemovalStatus], action: ShowLog, *, has_more: bool) -> Card:
    days = nt("the last %(count)s day", "the last %(count)s days", action.days)
    title = t("Removed in this server, %(days)s", days=days)
    if not statuses:
        return notice(title, t("There is nothing here."))
    card = Card(theme.CALM)
    card.say(f"## {title}")
    for status in statuses:
        card.divide()
        shown = replace(status, notes=status.notes[-1:], unreached=status.unreached[:1])
        add_record(card, shown, text_room=_PAGE_TEXT_ROOM, note_room=_PAGE_NOTE_ROOM)
    buttons: list[Button] = []
    if action.before_id != NONE:
        buttons.append(action_button(replace(action, before_id=NONE), t("Newest")))
    if has_more:
        older = replace(action, before_id=statuses[-1].removal.id)
        buttons.append(action_button(older, t("Older")))
    if buttons:
        card.buttons(*buttons)
    return card
