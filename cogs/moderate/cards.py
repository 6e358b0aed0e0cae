"""The cards of cases: a moderator's own, those in the log channel, and the pages of the log."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import discord
from msgspec.structs import replace

from bot.features.moderation import RemovalStatus
from bot.i18n import N_, nt, number, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import BLUE, Button, Card, Component, notice
from bot.ui.text import one_line, some_of
from cogs.moderate.actions import NONE, Restore, ShowLog, TryAgain
from cogs.moderate.report_cards import (
    About,
    comment_words,
    member,
    mute_button,
    say_about,
    subject_name,
)
from storage.removals import Removal
from storage.shown import LOST, Progress

_TEXT_ROOM, _REASON_ROOM = 1200, 300
# Five of these stay below Discord's 4,000 characters.
_PAGE_TEXT_ROOM, _PAGE_REASON_ROOM = 120, 100
_UNREACHED_SHOWN = 3

# By ours, or by Discord's code.
_REASONS = {
    LOST: N_("one in %(where)s was never found"),
    "50083": N_("%(where)s is archived and locked"),
    "50001": N_("Kiosk may not see %(where)s"),
} | dict.fromkeys(("10003", "10004", "50013", "160005"), N_("Kiosk may not change %(where)s"))
_FAILED = N_("Discord did not take %(where)s")


def removal_card(status: RemovalStatus) -> Card:
    return _record_card(status, "\n".join(_what_follows(status)))


def log_card(status: RemovalStatus, reports: int, about: About) -> Card:
    told = nt("%(count)s member had reported it.", "%(count)s members had reported it.", reports)
    return _record_card(status, f"-# {told}" if reports else "", about.avatar)


def _record_card(status: RemovalStatus, below: str, beside: Component | None = None) -> Card:
    card = Card(theme.GOOD if status.removal.ended_at is None else theme.CALM)
    _add_record(card, status, text_room=_TEXT_ROOM, beside=beside)
    if below:
        card.say(below)
    card.buttons(*_buttons(status))
    return card


def _what_follows(status: RemovalStatus) -> Iterator[str]:
    removal, progress = status.removal, status.progress
    if removal.ended_at is None:
        if progress.done == progress.total and removal.subject.comment_id is None:
            yield t("Nobody in this server sees what this player writes in the game.")
        elif progress.done == progress.total:
            yield t("Nobody in this server sees it any more.")
        if removal.subject.text is None and not removal.subject.player_name:
            yield t("⚠️ Kiosk has never seen this number: is it the right one?")
    if progress.left and status.has_log:
        yield nt(
            "%(count)s public message still shows it. The log channel says once it is gone.",
            "%(count)s public messages still show it. The log channel says once all are gone.",
            progress.left,
        )
    elif progress.left:
        yield nt(
            "%(count)s public message still shows it. `/moderate log` says once it is gone.",
            "%(count)s public messages still show it. `/moderate log` says once all are gone.",
            progress.left,
        )
    forwarded = "-# " + t("Copies that members forwarded stay: Kiosk can't reach them.")
    yield forwarded if progress.total else t("No public message of Kiosk's had to change.")
    if status.closed_log_id is not None:
        told = t(
            "Kiosk can't post in the log channel, %(channel)s: let it see the channel and send "
            "messages there, or name another one on `/setup show`.",
            channel=f"<#{status.closed_log_id}>",
        )
        yield f"⚠️ {told}"


def _buttons(status: RemovalStatus) -> Sequence[Button]:
    removal, count = status.removal, status.progress.refused
    if removal.ended_at is not None:
        return []
    is_mute = removal.subject.comment_id is None
    restore = action_button(Restore(removal.id), t("Unmute") if is_mute else t("Restore"))
    buttons = [restore] if is_mute else [restore, *mute_button(removal.subject)]
    if count:
        label = t("Try the last one again") if count == 1 else t("Try again")
        buttons.append(action_button(TryAgain(removal.id), label, style=BLUE))
    return buttons


def restored_card(removal: Removal, progress: Progress) -> Card:
    if removal.subject.comment_id is None:
        title = t("%(name)s is no longer muted here", name=subject_name(removal.subject))
        told = t("What this player writes in the game is shown in this server again.")
    else:
        title = t("Comment #%(id)s is back", id=removal.subject.comment_id)
        told = t("It is shown again in this server, wherever the game has it.")
    if progress.done:
        told += "\n" + nt(
            "%(count)s public message stays deleted or edited: share it again if you like.",
            "%(count)s public messages stay deleted or edited: share it again if you like.",
            progress.done,
        )
    return notice(title, told, colour=theme.GOOD)


def _add_record(
    card: Card,
    status: RemovalStatus,
    *,
    text_room: int,
    reason_room: int = _REASON_ROOM,
    beside: Component | None = None,
) -> None:
    removal = status.removal
    when = removal.created_at and discord.utils.format_dt(removal.created_at, "R")
    facts = [member(removal.moderator_id), when, one_line(removal.reason, reason_room)]
    head = [f"### {_title(removal)}", " · ".join(filter(None, facts))]
    if removal.until is not None and removal.ended_at is None:
        head.append(t("That ends %(when)s.", when=discord.utils.format_dt(removal.until, "f")))
    came_of_it = [_count(status)] if status.progress.total else []
    if removal.ended_at is not None:
        came_of_it.append(_end(removal, removal.ended_at))
    say_about(card, head, removal.subject, text_room, came_of_it, beside)


def _title(removal: Removal) -> str:
    subject, is_over = removal.subject, removal.ended_at is not None
    if subject.comment_id is None:
        muted = N_("%(name)s was muted here") if is_over else N_("%(name)s is muted here")
        return t(muted, name=subject_name(subject))
    removed = N_("No longer removed: %(comment)s") if is_over else N_("Removed: %(comment)s")
    return t(removed, comment=comment_words(subject))


def _count(status: RemovalStatus) -> str:
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
        why=some_of(why, len(status.unreached)),
    )
    return f"⚠️ {told}"


def _end(removal: Removal, ended_at: datetime) -> str:
    when = discord.utils.format_dt(ended_at, "R")
    if removal.until is not None and removal.ended_by is None:
        return t("It ended %(when)s.", when=when)
    return t("Undone by %(member)s, %(when)s.", member=member(removal.ended_by), when=when)


def log_page(statuses: Sequence[RemovalStatus], action: ShowLog, *, has_more: bool) -> Card:
    days = nt("the last %(count)s day", "the last %(count)s days", action.days)
    title = t("Removed in this server, %(days)s", days=days)
    if not statuses:
        return notice(title, t("There is nothing here."))
    card = Card(theme.CALM)
    card.say(f"## {title}")
    for status in statuses:
        card.divide()
        shown = replace(status, unreached=status.unreached[:1])
        _add_record(card, shown, text_room=_PAGE_TEXT_ROOM, reason_room=_PAGE_REASON_ROOM)
    buttons: list[Button] = []
    if action.before_id != NONE:
        buttons.append(action_button(replace(action, before_id=NONE), t("Newest")))
    if has_more:
        older = replace(action, before_id=statuses[-1].removal.id)
        buttons.append(action_button(older, t("Older")))
    card.buttons(*buttons)
    return card
