"""The card of a screen: a thread's name, five comments, and the ways on."""

from collections.abc import Iterator, Sequence

import discord

from bot.domain.shown import ShownComment
from bot.features.forum.threads import Screen
from bot.features.names import Place
from bot.game.models import Sort
from bot.i18n import nt, number, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import Button, Card
from bot.ui.pictures import beside
from bot.ui.text import excerpt
from cogs.forum.actions import (
    NONE,
    OpenWriteForm,
    Refresh,
    ShowScreen,
)
from cogs.forum.views.choosing import add_open_or_reply
from cogs.forum.views.parts import (
    SORT_NAMES,
    SUBSCRIBER,
    VERIFIED,
    byline,
    step_button,
    title_of,
)
from cogs.forum.views.replies import short_lines, short_replies

_EXCERPT_ROOM = 360
_EXCERPT_LINES = 8


def screen_card(screen: Screen, place: Place) -> Card:
    """Return a screen's card."""
    key, comments = screen.address.key, screen.comments
    position = [t(SORT_NAMES[key.sort])]
    if comments:
        first, last = number(screen.first), number(screen.first + len(comments) - 1)
        position.append(t("comments %(first)s to %(last)s", first=first, last=last))
    if key.page > 1:
        position.append(t("page %(number)s", number=number(key.page)))
    card = Card(theme.FORUM)
    card.say(f"## {title_of(place)}\n-# {' · '.join(position)}")
    _add_comments(card, screen)
    remarks = "\n".join(_remarks(screen))
    if remarks:
        card.say(remarks)
    add_open_or_reply(card, key, comments)
    card.buttons(*_ways_on(screen))
    return card


def _remarks(screen: Screen) -> Iterator[str]:
    players = [comment.player for comment in screen.comments]
    marks: list[str] = []
    if any(player.is_subscribed for player in players):
        marks.append(f"{SUBSCRIBER} {t('subscriber')}")
    if any(player.verified_at for player in players):
        marks.append(f"{VERIFIED} {t('verified')}")
    if marks:
        yield f"-# {' · '.join(marks)}"
    if screen.unreadable:
        yield nt(
            "-# ⚠️ %(count)s comment of this page can't be shown.",
            "-# ⚠️ %(count)s comments of this page can't be shown.",
            screen.unreadable,
        )
    if not screen.comments and screen.previous is None:
        yield t("Nobody has written here yet. Be the first!")
    elif not screen.comments:
        yield t("The thread ends before this page.")
    elif screen.next is None:
        yield t("-# You have reached the end of the thread.")


def comments_shown(screen: Screen) -> Sequence[ShownComment]:
    """Return all comments that a screen's card shows something of, and where."""
    shown: list[ShownComment] = []
    for comment in screen.comments:
        shown.append(ShownComment(comment.id, comment.player.id))
        replies = [reply.comment for reply in short_replies(comment)]
        shown += [
            ShownComment(reply.id, reply.player.id, comment.id, line)
            for line, reply in enumerate(replies)
        ]
    return shown


def _add_comments(card: Card, screen: Screen) -> None:
    for comment in screen.comments:
        card.divide()
        text, _ = excerpt(comment.content, _EXCERPT_ROOM, lines=_EXCERPT_LINES)
        text = f"{byline(comment)}\n{text or t('*(no text)*')}"
        card.add(beside(text, comment.player.avatar_url, comment.player.screen_name))
        below = "\n".join(short_lines(comment))
        if below:
            card.say(below)
    if screen.comments:
        card.divide()


def _ways_on(screen: Screen) -> Sequence[Button]:
    key = screen.address.key
    other = Sort.HOTTEST if key.sort is Sort.LATEST else Sort.LATEST
    form = OpenWriteForm(key.thread_id, NONE, key.sort, key.page)
    write = action_button(form, t("Write"), style=discord.ButtonStyle.primary, emoji="✏️")
    refresh = action_button(Refresh.at(screen.address), t("Refresh"), emoji="🔄")
    if not screen.comments and screen.previous is None:
        return [write, refresh]
    back, on = (each and ShowScreen.at(each) for each in (screen.previous, screen.next))
    return [
        step_button(back, t("Previous"), "◀️", name="previous"),
        step_button(on, t("Next"), "▶️", name="next"),
        action_button(
            ShowScreen(key.thread_id, other, 1, 0),
            t(SORT_NAMES[other]),
            emoji="🔥" if other is Sort.HOTTEST else "🕒",
        ),
        refresh,
        write,
    ]
