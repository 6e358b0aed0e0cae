"""The card of a screen: a thread's name, five comments, and the ways on."""

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from bot.features.forum.screens import Screen
from bot.features.names import Place
from bot.game.models import Sort
from bot.i18n import nt, number, t
from bot.ui import theme
from bot.ui.actions import ActionButton
from bot.ui.cards import MOST_COMPONENTS, Card
from bot.ui.text import excerpt
from cogs.forum.actions import (
    OpenWriteForm,
    Refresh,
    ShowComment,
    ShowScreen,
)
from cogs.forum.views.parts import (
    SORT_NAMES,
    byline,
    is_by,
    own_buttons,
    replies_label,
    step_button,
    title_of,
    with_avatar,
)

_EXCERPT_ROOM = 480
_EXCERPT_LINES = 8
# What stands on the card besides comments: frame, title, end, and a row of five buttons.
_FRAME_COMPONENTS = 9
# A comment: section, text, picture, row, button.
_COMMENT_COMPONENTS = 5
# Besides, on the reader's own comments: edit and delete.
_OWN_COMPONENTS = 2


def screen_card(screen: Screen, place: Place, *, player_id: int | None) -> Card:
    """Return a screen's card; `player_id` is its reader, None where anybody reads."""
    key, comments = screen.address.key, screen.comments
    position = [t(SORT_NAMES[key.sort])]
    if comments:
        first, last = number(screen.first), number(screen.first + len(comments) - 1)
        position.append(t("comments %(first)s to %(last)s", first=first, last=last))
    if key.page > 1:
        position.append(t("page %(number)s", number=number(key.page)))
    card = Card(theme.FORUM)
    card.say(f"## {title_of(place)}\n-# {' · '.join(position)}")
    _add_comments(card, screen, player_id)
    if screen.unreadable:
        card.say(
            nt(
                "-# ⚠️ %(count)s comment of this page can't be shown.",
                "-# ⚠️ %(count)s comments of this page can't be shown.",
                screen.unreadable,
            )
        )
    if not comments and screen.previous is None:
        card.say(t("Nobody has written here yet. Be the first!"))
    elif not comments:
        card.say(t("The thread ends before this page."))
    elif screen.next is None:
        card.say(t("-# You have reached the end of the thread."))
    card.buttons(*_ways_on(screen))
    return card


def _add_comments(card: Card, screen: Screen, player_id: int | None) -> None:
    own = sum(is_by(comment, player_id) for comment in screen.comments)
    spare = MOST_COMPONENTS - _FRAME_COMPONENTS - own * _OWN_COMPONENTS
    spare -= len(screen.comments) * _COMMENT_COMPONENTS + (screen.unreadable > 0)
    shown: set[int] = set()
    for comment in screen.comments:
        if spare >= len(screen.comments):
            card.divide()
        is_own = is_by(comment, player_id)
        text, is_cut = excerpt(comment.content, _EXCERPT_ROOM, lines=_EXCERPT_LINES)
        text = f"{byline(comment)}\n{text or t('*(no text)*')}"
        # On a card full of the reader's own comments, their own picture makes room for buttons.
        if not is_own or spare >= 0:
            card.frame.add_item(with_avatar(text, comment.player))
        else:
            card.say(text)
        # A button may stand on a card once, and nobody keeps the game from repeating an id.
        if comment.id not in shown:
            key = screen.address.key
            spot = (key.thread_id, key.sort, key.page, comment.id)
            labels = [t("Read more")] if is_cut else []
            if comment.children_count:
                labels.append(replies_label(comment))
            label = " · ".join(labels) or t("Open")
            own_ones = own_buttons(spot) if is_own else ()
            card.buttons(ActionButton(ShowComment(*spot), label, emoji="💬"), *own_ones)
        shown.add(comment.id)
    if spare > len(screen.comments):
        card.divide()


def _ways_on(screen: Screen) -> Sequence[ui.Button[Any]]:
    key = screen.address.key
    other = Sort.HOTTEST if key.sort is Sort.LATEST else Sort.LATEST
    write = ActionButton(
        OpenWriteForm(key.thread_id), t("Write"), style=discord.ButtonStyle.primary, emoji="✏️"
    )
    refresh = ActionButton(Refresh.at(screen.address), t("Refresh"), emoji="🔄")
    if not screen.comments and screen.previous is None:
        return [write, refresh]
    back, on = (each and ShowScreen.at(each) for each in (screen.previous, screen.next))
    return [
        step_button(back, t("Previous"), "◀️", name="previous"),
        step_button(on, t("Next"), "▶️", name="next"),
        ActionButton(
            ShowScreen(key.thread_id, other, 1, 0),
            t(SORT_NAMES[other]),
            emoji="🔥" if other is Sort.HOTTEST else "🕒",
        ),
        refresh,
        write,
    ]
