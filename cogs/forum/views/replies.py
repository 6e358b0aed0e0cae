"""The replies below an opened comment, those to replies told apart by their depth."""

from collections.abc import Sequence

from discord import ui

from bot.features.forum.threads import Found
from bot.features.forum.trees import Reply
from bot.game.models import Comment
from bot.i18n import nt, number, t
from bot.ui.actions import ActionButton
from bot.ui.cards import Card
from bot.ui.text import excerpt
from cogs.forum.actions import ShowComment
from cogs.forum.views.parts import (
    is_by,
    name_of,
    own_buttons,
    replies_label,
    small_print,
    spot,
)

REPLIES_SHOWN = 4
_REPLY_ROOM = 240
_REPLY_LINES = 5
# Deeper replies carry a number instead of ever more arrows.
_MOST_ARROWS = 4


def reply_offset(asked: int, count: int) -> int:
    """Return where a screen of replies starts; beyond the end it is the last one."""
    last = max(count - 1, 0) // REPLIES_SHOWN * REPLIES_SHOWN
    return min(max(asked, 0), last)


def add_replies(
    card: Card, found: Found, replies: Sequence[Reply], offset: int, player_id: int | None
) -> None:
    """Add a screen of the replies below an opened comment; `player_id` is the reader."""
    if found.comment.children_count or replies:
        card.divide()
        card.say(_replies_heading(found.comment, len(replies), offset))
    # A button may stand on a card once, and nobody keeps the game from repeating an id.
    opened = {found.comment.id, *(ancestor.id for ancestor in found.branch.ancestors)}
    for reply in replies[offset : offset + REPLIES_SHOWN]:
        text = _reply_text(reply)
        comment = reply.comment
        if comment.id in opened:
            card.say(text)
        elif is_by(comment, player_id):
            card.say(text)
            card.buttons(_open_button(found, comment), *own_buttons(spot(found, comment)))
        else:
            button = _open_button(found, comment)
            card.frame.add_item(ui.Section(ui.TextDisplay(text), accessory=button))
        opened.add(comment.id)


def _replies_heading(comment: Comment, count: int, offset: int) -> str:
    lines = [f"**{replies_label(comment)}**"]
    if count > REPLIES_SHOWN:
        lines.append(
            "-# "
            + t(
                "%(first)s to %(last)s of %(count)s, with the answers to them",
                first=number(offset + 1),
                last=number(min(offset + REPLIES_SHOWN, count)),
                count=number(count),
            )
        )
    missing = comment.children_count - len(comment.children)
    if missing > 0:
        lines.append(
            "-# "
            + nt(
                "The game doesn't show %(count)s of them here.",
                "The game doesn't show %(count)s of them here.",
                missing,
            )
        )
    return "\n".join(lines)


def _reply_text(reply: Reply) -> str:
    comment = reply.comment
    shown, _ = _shown(comment)
    lines = [_reply_head(reply), small_print(comment), *(shown or t("*(no text)*")).split("\n")]
    if reply.level > 1:
        lines = [f"> {line}" for line in lines]
    return "\n".join(lines)


def _open_button(found: Found, comment: Comment) -> ActionButton:
    _, is_cut = _shown(comment)
    label = t("More") if is_cut else t("Open")
    if comment.children_count:
        label = f"💬 {number(comment.children_count)}"
    return ActionButton(ShowComment(*spot(found, comment)), label)


def _shown(comment: Comment) -> tuple[str, bool]:
    return excerpt(comment.content, _REPLY_ROOM, lines=_REPLY_LINES)


def _reply_head(reply: Reply) -> str:
    name = f"**{name_of(reply.comment.player)}**"
    if reply.level == 1:
        return name
    steps = reply.level - 1
    arrows = "↳" * steps if steps <= _MOST_ARROWS else f"↳{number(steps)}"
    answer = t("%(name)s answers %(other)s", name=name, other=name_of(reply.parent.player))
    return f"{arrows} {answer}"
