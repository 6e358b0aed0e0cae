"""The cards of what members reported and what is held back, for the log channel."""

from collections import Counter
from collections.abc import Iterator, Sequence

import discord
from msgspec import Struct

from bot.features.names import Place
from bot.game.models import Comment
from bot.i18n import listed, nt, number, pt, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import BLUE, RED, Button, Card, Component, notice, page_button, paragraph
from bot.ui.comments import thread_title
from bot.ui.pictures import thumbnail
from bot.ui.shared_actions import OpenComment, OpenRemoveForm, setup_button
from bot.ui.text import excerpt, one_line
from cogs.moderate.actions import NONE, Dismiss, OpenMuteForm, PostMore, ShowHeldBack
from storage.moderation import Subject
from storage.removals import Removal, Reported

_NAME_ROOM, _LABEL_ROOM = 60, 30
_REPORTED_ROOM, _REASON_ROOM = 1500, 120
WORD_ROOM = 60
_REASONS_SHOWN = 6
# Cards that one press posts.
MOST_POSTED = 5


class About(Struct, frozen=True):
    """What is at hand of a comment: itself, its thread, and a message of Kiosk's that shows it.

    `mute` is what hides an open case's comment with all that its writer wrote.
    """

    comment: Comment | None = None
    thread: Place | None = None
    message: tuple[int, int] | None = None
    mute: Removal | None = None

    @property
    def avatar(self) -> Component | None:
        return self.comment and thumbnail(self.comment.player.avatar_url)


def closed_card(channel_id: int) -> Card:
    told = t(
        "Kiosk can't post in %(channel)s: reports and removals wait until it can, or until "
        "`/setup show` names another channel.",
        channel=f"<#{channel_id}>",
    )
    buttons = (setup_button(style=BLUE),)
    return notice(t("Reports are posted nowhere"), told, colour=theme.PROBLEM, buttons=buttons)


def mute_button(subject: Subject) -> Sequence[Button]:
    if subject.player_id is None:
        return []
    name = one_line(subject.player_name, _LABEL_ROOM, plain=True, is_name=True)
    label = t("Mute %(name)s…", name=name or subject.player_id)
    return [action_button(OpenMuteForm(subject.player_id), label)]


def subject_name(subject: Subject) -> str:
    name = one_line(subject.player_name, _NAME_ROOM, is_name=True)
    return name or t("Player %(id)s", id=subject.player_id)


def member(member_id: int | None) -> str:
    """Mention a member, who is not notified; one that was erased has no name."""
    return t("someone") if member_id is None else f"<@{member_id}>"


def comment_words(subject: Subject) -> str:
    if subject.comment_id is None:
        return subject_name(subject)
    if not subject.player_name:
        return t("comment #%(id)s", id=subject.comment_id)
    name = subject_name(subject)
    return t("comment #%(id)s by %(name)s", id=subject.comment_id, name=name)


def say_about(
    card: Card,
    head: Sequence[str],
    subject: Subject,
    room: int,
    others: Sequence[str],
    beside: Component | None,
) -> None:
    quoted = "" if subject.comment_id is None else _quote(subject, room)
    below = [paragraph(text) for text in (quoted, "\n".join(others)) if text]
    card.say("\n".join(head), beside, below=below)


def _quote(subject: Subject, room: int) -> str:
    if subject.text is None:
        return f"*({t('what it said is not known')})*"
    shown, _ = excerpt(subject.text, room, lines=12)
    return "\n".join(f"> {line}" for line in (shown or t("*(no text)*")).split("\n"))


def reported_card(case: Reported, about: About) -> Card:
    is_open = case.is_open and about.mute is None
    card = Card(theme.PROBLEM if is_open else theme.CALM)
    subject = case.subject
    where = [f"**{subject_name(subject)}**"] if subject.player_name else []
    if about.thread is not None:
        where.append(thread_title(about.thread))
    number_of = subject.player_id if subject.comment_id is None else f"#{subject.comment_id}"
    where.append(str(number_of))
    if about.comment is not None:
        where.append(discord.utils.format_dt(about.comment.created_at, "R"))
    head = [f"### {_case_title(case, about)}", " · ".join(where)]
    if case.word:
        word = one_line(case.word, WORD_ROOM)
        head.append(t("Watched word: %(word)s", word=word))
    counted = Counter(one_line(reason, _REASON_ROOM) for reason in case.reasons)
    most_common = counted.most_common(_REASONS_SHOWN)
    reasons = listed([f"{why} ({number(n)})" for why, n in most_common if why])
    lines = [reasons] if reasons else []
    if case.first_at is not None and case.reported_at is not None:
        moments = case.first_at, case.reported_at
        first, last = (discord.utils.format_dt(moment, "R") for moment in moments)
        when = t("First %(first)s, last %(last)s", first=first, last=last)
        lines.append(f"-# {when if case.count > 1 else last}")
    lines.extend(_decided(case, about))
    say_about(card, head, subject, _REPORTED_ROOM, lines, about.avatar)
    card.buttons(*_case_buttons(case, about))
    return card


def _decided(case: Reported, about: About) -> Iterator[str]:
    if case.is_cleaned:
        yield t("Its writer has changed it.")
    elif case.dismissed_at is not None:
        when = discord.utils.format_dt(case.dismissed_at, "R")
        yield f"{member(case.dismissed_by)} · {when}"
    if case.is_released:
        yield t("%(member)s let it be shown.", member=member(case.released_by))
    if about.mute is not None and about.mute.created_at is not None:
        when = discord.utils.format_dt(about.mute.created_at, "R")
        yield t("Muted by %(member)s, %(when)s.", member=member(about.mute.moderator_id), when=when)


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
    return action_button(PostMore(), t("Post the next ones"), style=BLUE)


def _case_title(case: Reported, about: About) -> str:
    if about.mute is not None or case.is_cleaned:
        return t("Closed: %(comment)s", comment=comment_words(case.subject))
    if case.dismissed_at is not None:
        return t("Dismissed: %(comment)s", comment=comment_words(case.subject))
    if case.is_held_back:
        is_name = case.subject.comment_id is None
        return t("Held back: a player's name") if is_name else t("Held back: watched word")
    if case.count:
        return nt("A member reported a comment", "%(count)s members reported a comment", case.count)
    if case.is_released:
        return t("Shown: %(comment)s", comment=comment_words(case.subject))
    # 1.0.0 told of some that it showed.
    return t("A comment may need a look")


def _case_buttons(case: Reported, about: About) -> Sequence[Button]:
    subject = case.subject
    comment_id = subject.comment_id or 0
    thread_id = NONE if subject.thread_id is None else subject.thread_id
    removing = OpenRemoveForm(thread_id, comment_id)
    remove = action_button(removing, t("Remove…"), style=RED, emoji="🚫")
    releasing = action_button(ShowHeldBack(case.case_id), pt("a comment", "Show"))
    show = [releasing] if case.is_held_back else []
    if subject.comment_id is None:
        return [*mute_button(subject), *show]
    if about.mute is not None:
        return [remove]
    if case.dismissed_at is not None:
        return [remove, *show]
    buttons = [remove, *mute_button(subject), *show]
    if case.count and not case.is_held_back:
        buttons.append(action_button(Dismiss(case.case_id), t("Dismiss")))
    if thread_id != NONE:
        buttons.append(action_button(OpenComment(thread_id, comment_id), t("Open")))
    if about.message is not None:
        channel_id, message_id = about.message
        url = f"https://discord.com/channels/{case.guild_id}/{channel_id}/{message_id}"
        buttons.append(page_button(url, t("Message")))
    return buttons
