"""Actions, forms and cards of removals and mutes, and the texts that cards of cases share."""

from collections import abc
from datetime import datetime

import msgspec
from discord import ui

from bot.features.directory import Place
from bot.features.moderation import RemovalStatus
from bot.game.models import Comment
from bot.i18n import N_, nt, number, t
from bot.ui import comments, custom_ids, drawing, fields, forms, markdown, shared_actions, theme
from bot.ui.here import Here
from storage import moderation, removals, subscriptions
from storage.cases import CaseKind
from storage.held_back import MAX_HELD_BACK
from storage.shown import Progress

# How much a form shows of a comment, and of its writer's name.
_QUOTE_ROOM = 300
_QUOTE_LINES = 4
_NAME_ROOM = 60
_LABEL_ROOM = 30
# The fields of the forms.
USUAL = fields.Listed("usual")
UNTIL = fields.TextInput("until", longest=40, is_line=True)
MUTE = fields.TextInput("mute", longest=40, is_line=True)
# The choice for another reason. It adds nothing to the reason.
_ANOTHER = "…"

_TEXT_ROOM = 1200
_REASON_ROOM = 300
_UNREACHED_SHOWN = 3
# As many buttons as fit in one row.
_MAX_POSTED_AGAIN = 5
_CHANNEL_ROOM = 30

# By Discord's code.
_REASONS = {
    "50083": N_("%(where)s is in an archived and locked thread"),
    "50001": N_("Kiosk can't see %(where)s"),
} | dict.fromkeys(("10003", "10004", "50013", "160005"), N_("Kiosk can't delete %(where)s"))
_FAILED = N_("Discord didn't delete %(where)s")
_LOST = N_("Kiosk lost track of a message in %(where)s")


class InQueue(custom_ids.Action):
    """A case of the queue, and the filter of the cases around it."""

    case_id: int
    only: CaseKind = CaseKind.ALL
    player_id: int = shared_actions.NO_ID


class ShowCase(InQueue, kind="moderate.next"):
    """Show a case, or the next open one that fits the filter."""


class OfRemoval(custom_ids.Action):
    removal_id: int


class Restore(OfRemoval, kind="moderate.restore"):
    """Undo a removal."""


class PostAgain(OfRemoval, kind="moderate.post"):
    """Post a restored comment again in a channel that follows its thread."""

    subscription_id: int


class TryDeleteAgain(OfRemoval, kind="moderate.again"):
    """Try again to delete messages that could not be deleted."""


class MutePlayer(custom_ids.Action, kind="moderate.mute_form"):
    """A form that asks how long to mute a player.

    In the queue, its fields say which case it is and which cases follow, as in `RemoveComment`.
    """

    player_id: int
    case_id: int = 0
    only: CaseKind = CaseKind.NONE
    is_of_player: bool = False


class ConfirmMute(custom_ids.Action, kind="moderate.mute_now"):
    """Mute a player after the question. Earlier posts are deleted if it `deletes`."""

    player_id: int
    asked_id: int
    deletes: bool
    case_id: int = 0
    only: CaseKind = CaseKind.NONE
    is_of_player: bool = False


def place_of(action: MutePlayer | ConfirmMute) -> ShowCase | None:
    """Return the place in the queue from which a player is muted, None outside the queue."""
    if not action.only:
        return None
    player_id = action.player_id if action.is_of_player else shared_actions.NO_ID
    return ShowCase(action.case_id, action.only, player_id)


def _fields_of(place: ShowCase | None) -> tuple[int, CaseKind, bool]:
    if place is None:
        return 0, CaseKind.NONE, False
    return place.case_id, place.only, place.player_id != shared_actions.NO_ID


def remove_form(
    action: shared_actions.RemoveComment,
    subject: moderation.Subject,
    settings: moderation.ServerSettings,
    *,
    is_told: bool,
) -> forms.ActionForm:
    title = t("Remove comment #%(id)s", id=action.comment_id)
    form = forms.ActionForm(action, title=title)
    add_quote(form, subject)
    _ask_reason(form, settings, is_told=is_told)
    hint = t("A date or length, for example 2030-12-31 or 7d. Leave empty for no mute.")
    MUTE.ask(form, t("Also mute the author until"), hint)
    return form


def mute_form(
    action: MutePlayer, name: str, settings: moderation.ServerSettings
) -> forms.ActionForm:
    title = markdown.one_line(t("Mute %(name)s", name=name), forms.MAX_TITLE_LENGTH, plain=True)
    form = forms.ActionForm(action, title=title)
    hint = t("For example, 2030-12-31 or 7d. Leave empty for a permanent mute.")
    UNTIL.ask(form, t("Mute until"), hint)
    _ask_reason(form, settings)
    return form


def player_label(player: tuple[int, str]) -> str:
    return f"{player[1]} ({player[0]})"


def mute_entry(player: tuple[int, str]) -> drawing.Entry:
    return drawing.Entry(player_label(player), MutePlayer(player[0]))


def add_quote(form: forms.ActionForm, subject: moderation.Subject) -> None:
    """Add a comment's writer and the start of its text, as far as they are known."""
    shown, _ = markdown.excerpt(subject.text or "", _QUOTE_ROOM, lines=_QUOTE_LINES)
    lines = [f"> {line}" for line in shown.split("\n") if line]
    if subject.player_name:
        lines.insert(0, f"**{markdown.one_line(subject.player_name, _NAME_ROOM, is_name=True)}**")
    if lines:
        form.add_item(ui.TextDisplay("\n".join(lines)))


def _ask_reason(
    form: forms.ActionForm, settings: moderation.ServerSettings, *, is_told: bool = False
) -> None:
    if settings.reasons:
        choices = [fields.Choice(reason, reason) for reason in settings.reasons]
        if settings.needs_reason:
            choices.append(fields.Choice(_ANOTHER, t("Other reason")))
        USUAL.ask(form, t("Reason"), choices, is_required=settings.needs_reason)
    hint = t("Moderators see it in the log. The player doesn't.")
    if is_told:
        hint = t("Moderators see it in the log. The author gets it too, if they turned that on.")
    elif settings.needs_reason:
        hint = t("A reason is required. Moderators see it in the log. The player doesn't.")
    is_required = settings.needs_reason and not settings.reasons
    label = t("In your own words") if settings.reasons else t("Reason")
    own_reason(is_required=is_required).ask(form, label, hint)


def own_reason(*, is_required: bool = False) -> fields.TextInput:
    return fields.TextInput("reason", removals.MAX_REASON_LENGTH, is_required=is_required)


def read_reason(here: Here) -> str:
    usual = USUAL.read_one(here)
    own = own_reason().read(here).strip()
    return ": ".join(filter(None, ["" if usual == _ANOTHER else usual, own]))


class About(msgspec.Struct, frozen=True):
    """A comment as it is loaded, with its thread and a message of Kiosk that shows it.

    `mute` is the mute that hides an open case's comment with all others of its writer.
    """

    comment: Comment | None = None
    thread: Place | None = None
    message: tuple[int, int] | None = None
    mute: removals.Removal | None = None

    @property
    def avatar(self) -> drawing.Component | None:
        return self.comment and comments.avatar(self.comment.player)


def remove_button(thread_id: int, comment_id: int, place: ShowCase | None = None) -> drawing.Button:
    _, *filtered = _fields_of(place)
    near = shared_actions.AboutComment(thread_id, comment_id)
    removing = shared_actions.RemoveComment(*msgspec.structs.astuple(near), *filtered)
    return drawing.button(removing, t("Remove comment…"), style=drawing.RED, emoji="🚫")


def mute_button(
    subject: moderation.Subject, place: ShowCase | None = None
) -> abc.Sequence[drawing.Button]:
    if subject.player_id is None:
        return []
    name = markdown.one_line(subject.player_name, _LABEL_ROOM, plain=True, is_name=True)
    label = t("Mute %(name)s…", name=name or subject.player_id)
    return [drawing.button(MutePlayer(subject.player_id, *_fields_of(place)), label)]


def subject_name(subject: moderation.Subject) -> str:
    name = markdown.one_line(subject.player_name, _NAME_ROOM, is_name=True)
    return name or t("Player %(id)s", id=subject.player_id)


def member(member_id: int | None) -> str:
    """Mention a member without notifying them. An erased member has no name."""
    return t("someone") if member_id is None else f"<@{member_id}>"


def comment_words(subject: moderation.Subject) -> str:
    if subject.comment_id is None:
        return subject_name(subject)
    if not subject.player_name:
        return t("comment #%(id)s", id=subject.comment_id)
    name = subject_name(subject)
    return t("comment #%(id)s by %(name)s", id=subject.comment_id, name=name)


def say_about(
    card: drawing.Card,
    head: abc.Sequence[str],
    subject: moderation.Subject,
    room: int,
    others: abc.Sequence[str],
    beside: drawing.Component | None,
) -> None:
    quoted = "" if subject.comment_id is None else _quote(subject, room)
    below = [drawing.paragraph(text) for text in (quoted, "\n".join(others)) if text]
    card.say("\n".join(head), beside, below=below)


def _quote(subject: moderation.Subject, room: int) -> str:
    if subject.text is None:
        unknown = t("Kiosk doesn't know its text")
        return f"*({unknown})*"
    shown, _ = markdown.excerpt(subject.text, room, lines=12)
    return "\n".join(f"> {line}" for line in (shown or t("*(no text)*")).split("\n"))


def removal_card(status: RemovalStatus) -> drawing.Card:
    return _record_card(status, "\n".join(_consequences(status)))


def done_words(status: RemovalStatus) -> str:
    """Return the text about a removal or mute, above the next case of the queue."""
    return "\n".join([f"**{_title(status.removal)}**", *_end(status), *_consequences(status)])


def log_card(status: RemovalStatus, reports: int, about: About) -> drawing.Card:
    told = nt("%(count)s member reported it.", "%(count)s members reported it.", reports)
    return _record_card(status, f"-# {told}" if reports else "", about.avatar)


def _record_card(
    status: RemovalStatus, below: str, beside: drawing.Component | None = None
) -> drawing.Card:
    card = drawing.Card(theme.GOOD if status.removal.ended_at is None else theme.CALM)
    add_record(card, status, text_room=_TEXT_ROOM, beside=beside)
    if below:
        card.say(below)
    card.buttons(*_buttons(status))
    return card


def _consequences(status: RemovalStatus) -> abc.Iterator[str]:
    removal = status.removal
    progress = status.progress
    if removal.ended_at is None:
        is_gone = progress.done == progress.total and not status.staying
        if is_gone and removal.subject.comment_id is None:
            yield t("This server no longer shows this player's comments.")
        elif is_gone:
            yield t("This server no longer shows the comment.")
        if removal.subject.text is None and not removal.subject.player_name:
            yield t("⚠️ Kiosk hasn't seen this number before. Is it right?")
    yield from _messages_words(status)
    if status.closed_log_id is not None:
        told = t(
            "Kiosk can't post in %(channel)s, the log channel. Allow View Channel, Send Messages"
            " and Embed Links there, or choose another channel in `/setup show`.",
            channel=f"<#{status.closed_log_id}>",
        )
        yield f"⚠️ {told}"


def _messages_words(status: RemovalStatus) -> abc.Iterator[str]:
    progress = status.progress
    if progress.left and status.has_log:
        yield nt(
            "%(count)s public message isn't deleted yet. The log channel says when it is.",
            "%(count)s public messages aren't deleted yet. The log channel says when they are.",
            progress.left,
        )
    elif progress.left:
        yield nt(
            "%(count)s public message isn't deleted yet. `/moderate log` says when it is.",
            "%(count)s public messages aren't deleted yet. `/moderate log` says when they are.",
            progress.left,
        )
    if status.staying:
        yield nt(
            "%(count)s earlier public message stays.",
            "%(count)s earlier public messages stay.",
            status.staying,
        )
    elif progress.total:
        yield "-# " + t("Kiosk can't delete copies that members forwarded.")
    else:
        yield t("There were no public messages to delete.")


def _buttons(status: RemovalStatus) -> abc.Sequence[drawing.Button]:
    removal = status.removal
    count = status.progress.refused
    if removal.ended_at is not None:
        return []
    buttons = [undo_button(removal)]
    if removal.subject.comment_id is not None:
        buttons.extend(mute_button(removal.subject))
    if count:
        label = t("Try last message again") if count == 1 else t("Try again")
        buttons.append(drawing.button(TryDeleteAgain(removal.id), label, style=drawing.BLUE))
    return buttons


def undo_button(removal: removals.Removal) -> drawing.Button:
    label = t("Unmute") if removal.subject.comment_id is None else t("Restore")
    return drawing.button(Restore(removal.id), label)


def mute_question(
    new: removals.Removal, count: int, asked_id: int, place: ShowCase | None = None
) -> drawing.Card:
    title = t("Mute %(name)s?", name=subject_name(new.subject))
    body = nt(
        "%(count)s message shows this player's comments. You can delete it permanently, or leave"
        " it there.",
        "%(count)s messages show this player's comments. You can delete them permanently, or"
        " leave them there.",
        count,
    )
    player_id = new.subject.player_id or 0
    deleting, keeping = (
        ConfirmMute(player_id, asked_id, deletes, *_fields_of(place)) for deletes in (True, False)
    )
    label = nt("Mute, delete %(count)s message", "Mute, delete %(count)s messages", count)
    buttons = [
        drawing.button(deleting, label, style=drawing.RED),
        drawing.button(keeping, t("Mute from now on")),
    ]
    if place is not None:
        buttons.append(drawing.button(place, t("Back")))
    return drawing.notice(title, body, colour=theme.PROBLEM, buttons=tuple(buttons))


def restored_card(
    removal: removals.Removal,
    progress: Progress,
    taken: abc.Sequence[subscriptions.Subscription] = (),
    posted: str = "",
) -> drawing.Card:
    """Say what is shown again, with a button for each following channel that lost it."""
    if removal.subject.comment_id is None:
        title = t("%(name)s is no longer muted here", name=subject_name(removal.subject))
        told = t("This server shows this player's comments again.")
    else:
        title = t("Comment #%(id)s restored", id=removal.subject.comment_id)
        told = t(
            "This server shows the comment again if it's still in the game. It stays hidden if it's"
            " held back or its author is muted."
        )
    if posted:
        told += f"\n**{posted}**"
    # Messages that can be posted again come back by their button.
    if (gone := progress.total - progress.refused - len(taken)) > 0:
        told += "\n" + nt(
            "%(count)s deleted message doesn't come back. You can share it again.",
            "%(count)s deleted messages don't come back. You can share them again.",
            gone,
        )
    buttons = tuple(
        drawing.button(PostAgain(removal.id, subscription.id), _post_again_words(subscription))
        for subscription in taken[:_MAX_POSTED_AGAIN]
    )
    return drawing.notice(title, told, colour=theme.GOOD, buttons=buttons)


def _post_again_words(subscription: subscriptions.Subscription) -> str:
    channel = markdown.one_line(subscription.channel_name, _CHANNEL_ROOM, plain=True)
    return t("Post again in #%(channel)s", channel=channel) if channel else t("Post again")


def add_record(
    card: drawing.Card,
    status: RemovalStatus,
    *,
    text_room: int,
    reason_room: int = _REASON_ROOM,
    beside: drawing.Component | None = None,
) -> None:
    removal = status.removal
    head = [f"### {_title(removal)}", facts_words(removal, reason_room), *_end(status)]
    progress = status.progress
    # There is no count before the first message was tried.
    came_of_it = [_count(status)] if progress.done or status.unreached else []
    if removal.ended_at is not None:
        came_of_it.append(end_words(removal, removal.ended_at))
    say_about(card, head, removal.subject, text_room, came_of_it, beside)


def _end(status: RemovalStatus) -> abc.Iterator[str]:
    """Yield when an active mute ends, if it has an end."""
    removal = status.removal
    if removal.until is not None and removal.ended_at is None:
        yield t("The mute ends %(when)s.", when=markdown.moment(removal.until))


def facts_words(removal: removals.Removal, reason_room: int) -> str:
    """Say who removed or muted, when and why."""
    when = removal.created_at and markdown.relative_time(removal.created_at)
    who = member(removal.moderator_id)
    reason = markdown.one_line(removal.reason, reason_room)
    if removal.is_by_rule:
        who = t("A rule of this server")
        reason = nt(
            "%(count)s comment held back within an hour",
            "%(count)s comments held back within an hour",
            MAX_HELD_BACK,
        )
    return " · ".join(filter(None, [who, when, reason]))


def muted_words(mute: removals.Removal) -> str:
    """Say how long a player is muted."""
    name = f"**{subject_name(mute.subject)}**"
    if mute.until is None:
        return t("%(name)s is muted permanently.", name=name)
    return t("%(name)s is muted until %(when)s.", name=name, when=markdown.moment(mute.until))


def _title(removal: removals.Removal) -> str:
    subject = removal.subject
    is_over = removal.ended_at is not None
    if subject.comment_id is None:
        muted = N_("%(name)s was muted here") if is_over else N_("%(name)s is muted here")
        return t(muted, name=subject_name(subject))
    removed = N_("Restored: %(comment)s") if is_over else N_("Removed: %(comment)s")
    return t(removed, comment=comment_words(subject))


def _count(status: RemovalStatus) -> str:
    progress = status.progress
    if progress.done == progress.total:
        return nt("%(count)s message deleted.", "%(count)s messages deleted.", progress.total)
    deleted = nt(
        "%(done)s of %(count)s message deleted.",
        "%(done)s of %(count)s messages deleted.",
        progress.total,
        done=number(progress.done),
    )
    mark = "⚠️ " if status.unreached else ""
    why: list[str] = []
    for message in status.unreached[:_UNREACHED_SHOWN]:
        where = f"<#{message.channel_id}>"
        reason = _LOST
        if message.message_id is not None:
            place = f"{status.removal.guild_id}/{message.channel_id}/{message.message_id}"
            where = f"https://discord.com/channels/{place}"
            reason = _REASONS.get(message.reason.partition(" ")[0], _FAILED)
        why.append(f"- {t(reason, where=where)}")
    return "\n".join([mark + deleted, *markdown.and_more(why, len(status.unreached))])


def end_words(removal: removals.Removal, ended_at: datetime) -> str:
    when = markdown.relative_time(ended_at)
    if removal.until is not None and removal.ended_by is None:
        name = subject_name(removal.subject)
        return t("The mute of %(name)s ended %(when)s.", name=name, when=when)
    return t("Undone by %(member)s %(when)s.", member=member(removal.ended_by), when=when)
