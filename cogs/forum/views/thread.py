"""The card of a screen: a thread's name, five comments, and the ways on."""

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from bot.features.forum.screens import PageKey, Screen
from bot.features.names import Place
from bot.game.models import Comment, Sort
from bot.i18n import number, t
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
    byline,
    own_buttons,
    replies_label,
    sort_name,
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

_OTHER_SORT = {Sort.LATEST: Sort.HOTTEST, Sort.HOTTEST: Sort.LATEST}


def screen_card(screen: Screen, place: Place, *, player_id: int | None) -> Card:
    """Show a screen; `player_id` is its reader, None where anybody reads."""
    card = Card(theme.FORUM)
    card.say(f"## {title_of(place)}\n-# {_position(screen)}")
    _add_comments(card, screen, player_id)
    remark = _remark(screen)
    if remark:
        card.say(remark)
    card.buttons(*_ways_on(screen))
    return card


def _add_comments(card: Card, screen: Screen, player_id: int | None) -> None:
    own = sum(comment.player.id == player_id for comment in screen.comments)
    spare = MOST_COMPONENTS - _FRAME_COMPONENTS - own * _OWN_COMPONENTS
    spare -= len(screen.comments) * _COMMENT_COMPONENTS
    shown: set[int] = set()
    for comment in screen.comments:
        if spare >= len(screen.comments):
            card.divide()
        is_own = comment.player.id == player_id
        text, is_cut = excerpt(comment.content, _EXCERPT_ROOM, lines=_EXCERPT_LINES)
        text = f"{byline(comment)}\n{text or t('*(no text)*')}"
        # On a card full of the reader's own comments, their own picture makes room for buttons.
        has_picture = not is_own or spare >= 0
        if has_picture:
            card.frame.add_item(with_avatar(text, comment.player))
        else:
            card.say(text)
        # A button may stand on a card once, and nobody keeps the game from repeating an id.
        if comment.id not in shown:
            label = _open_label(comment, is_cut=is_cut)
            card.buttons(*_comment_buttons(comment, screen.address.key, label, is_own=is_own))
        shown.add(comment.id)
    if spare > len(screen.comments):
        card.divide()


def _position(screen: Screen) -> str:
    parts = [sort_name(screen.address.key.sort)]
    if screen.comments:
        last = screen.first + len(screen.comments) - 1
        parts.append(
            t("comments %(first)s to %(last)s", first=number(screen.first), last=number(last))
        )
    if screen.address.key.page > 1:
        parts.append(t("page %(number)s", number=number(screen.address.key.page)))
    return " · ".join(parts)


def _remark(screen: Screen) -> str:
    if screen.is_thread_empty:
        return t("Nobody has written here yet. Be the first!")
    if not screen.comments:
        return t("The thread ends before this page.")
    return "" if screen.next else t("-# You have reached the end of the thread.")


def _open_label(comment: Comment, *, is_cut: bool) -> str:
    labels = [t("Read more")] if is_cut else []
    if comment.children_count:
        labels.append(replies_label(comment))
    return " · ".join(labels) or t("Open")


def _comment_buttons(
    comment: Comment, key: PageKey, label: str, *, is_own: bool
) -> Sequence[ui.Button[Any]]:
    place = (key.thread_id, key.sort, key.page, comment.id)
    buttons: list[ui.Button[Any]] = [ActionButton(ShowComment(*place), label, emoji="💬")]
    if is_own:
        buttons += own_buttons(place)
    return buttons


def _ways_on(screen: Screen) -> Sequence[ui.Button[Any]]:
    key = screen.address.key
    other = _OTHER_SORT[key.sort]
    write = ActionButton(
        OpenWriteForm(key.thread_id), t("Write"), style=discord.ButtonStyle.primary, emoji="✏️"
    )
    if screen.is_thread_empty:
        return [write, ActionButton(Refresh.at(screen.address), t("Refresh"), emoji="🔄")]
    return [
        step_button(
            screen.previous and ShowScreen.at(screen.previous), t("Previous"), "◀️", name="previous"
        ),
        step_button(screen.next and ShowScreen.at(screen.next), t("Next"), "▶️", name="next"),
        ActionButton(
            ShowScreen(key.thread_id, other, 1, 0),
            sort_name(other),
            emoji="🔥" if other is Sort.HOTTEST else "🕒",
        ),
        ActionButton(Refresh.at(screen.address), t("Refresh"), emoji="🔄"),
        write,
    ]
