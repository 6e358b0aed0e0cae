"""The card of a screen, and replies below comments: those to replies are told by their depth."""

from collections.abc import Iterator, Sequence

import discord

from bot.features.forum.threads import Screen
from bot.features.forum.trees import Reply, Tree, tree_of
from bot.features.names import Place
from bot.game.models import PageKey, Sort
from bot.i18n import nt, number, t
from bot.ui import theme
from bot.ui.actions import action_button, step_button
from bot.ui.cards import Button, Card
from bot.ui.comments import SUBSCRIBER, VERIFIED, byline, name_of, replies_label, written_at_of
from bot.ui.pictures import thumbnail
from bot.ui.text import excerpt
from cogs.forum.actions import NONE, OpenWriteForm, Refresh, ShowScreen
from cogs.forum.views.parts import OPEN, SORT_NAMES, add_open_or_reply, title_of
from storage.shown import BLOCK, ShownComment

_EXCERPT_ROOM = 360
_EXCERPT_LINES = 8

# Below a comment that is not opened.
SHORT_REPLIES = 2
_SHORT_NAME, _SHORT_ROOM = 24, 60

REPLIES_SHOWN = 10
_NAME_ROOM = 24
_REPLY_ROOM, _REPLY_LINES = 240, 5
# Deeper replies carry a number instead of ever more arrows.
_MOST_ARROWS = 4


def screen_card(screen: Screen, place: Place) -> Card:
    """Return a screen's card."""
    key = screen.key
    position = [t(SORT_NAMES[key.sort])]
    if screen.trees:
        first, last = number(screen.first), number(screen.first + len(screen.trees) - 1)
        position.append(t("comments %(first)s to %(last)s", first=first, last=last))
    if key.page > 1:
        position.append(t("page %(number)s", number=number(key.page)))
    card = Card(theme.FORUM)
    card.say(f"## {title_of(place)}\n-# {' · '.join(position)}")
    _add_comments(card, screen.trees)
    if remarks := "\n".join(_remarks(screen)):
        card.say(remarks)
    add_open_or_reply(card, key, screen.trees)
    card.buttons(*_ways_on(screen))
    return card


def _remarks(screen: Screen) -> Iterator[str]:
    players = [tree.comment.player for tree in screen.trees]
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
    if not screen.trees and screen.previous is None:
        yield t("Nobody has written here yet. Be the first!")
    elif not screen.trees:
        yield t("The thread ends before this page.")
    elif screen.next is None:
        yield t("-# You have reached the end of the thread.")


def comments_shown(screen: Screen) -> Sequence[ShownComment]:
    """Return all comments that a screen's card shows something of, and where."""
    shown: list[ShownComment] = []
    for nth, (comment, replies, _) in enumerate(screen.trees, 1):
        shown.append(ShownComment(comment.id, comment.player.id, nth * BLOCK))
        shown += [
            ShownComment(reply.comment.id, reply.comment.player.id, nth * BLOCK + 1, line)
            for line, reply in enumerate(replies[:SHORT_REPLIES])
        ]
    return shown


def _add_comments(card: Card, trees: Sequence[Tree]) -> None:
    """Add each comment, its first replies in a line each, then how many more there are."""
    for nth, (comment, replies, count) in enumerate(trees, 1):
        card.divide()
        text, _ = excerpt(comment.content, _EXCERPT_ROOM, lines=_EXCERPT_LINES)
        text = f"{byline(comment)}\n{text or t('*(no text)*')}"
        picture = thumbnail(comment.player.avatar_url, comment.player.screen_name)
        card.say(text, picture, part=nth * BLOCK)
        more = count - len(replies[:SHORT_REPLIES])
        lines: list[str] = []
        for reply in replies[:SHORT_REPLIES]:
            name = name_of(reply.comment.player, _SHORT_NAME)
            text, _ = excerpt(reply.comment.content, _SHORT_ROOM, lines=1)
            arrows = "↳" * min(reply.level, _MOST_ARROWS)
            lines.append(f"-# {arrows} **{name}**: {text or t('*(no text)*')}")
        if replies and more > 0:
            lines.append(f"-# {OPEN} " + nt("%(count)s more reply", "%(count)s more replies", more))
        elif more > 0:
            lines.append(f"-# {OPEN} {replies_label(more)}")
        if lines:
            card.say("\n".join(lines), part=nth * BLOCK + 1)
    if trees:
        card.divide()


def _ways_on(screen: Screen) -> Sequence[Button]:
    key = screen.key
    other = Sort.HOTTEST if key.sort is Sort.LATEST else Sort.LATEST
    form = OpenWriteForm(key.thread_id, NONE, key.sort, key.page)
    write = action_button(form, t("Write"), style=discord.ButtonStyle.primary, emoji="✏️")
    refresh = action_button(Refresh(*key, screen.offset), t("Refresh"), emoji="🔄")
    if not screen.trees and screen.previous is None:
        return [write, refresh]
    back, on = (
        each and ShowScreen(key.thread_id, key.sort, *each)
        for each in (screen.previous, screen.next)
    )
    emoji = "🔥" if other is Sort.HOTTEST else "🕒"
    return [
        step_button(back, t("Previous"), "◀️", name="previous"),
        step_button(on, t("Next"), "▶️", name="next"),
        action_button(ShowScreen(key.thread_id, other, 1, 0), t(SORT_NAMES[other]), emoji=emoji),
        refresh,
        write,
    ]


def add_replies(
    card: Card, key: PageKey, replies: Sequence[Reply], count: int, offset: int
) -> None:
    """Add a screen of the replies below an opened comment, `count` in the game."""
    if not count:
        return
    card.divide()
    heading = _replies_heading(count, len(replies), offset)
    room = card.room - len(heading)
    card.say(heading)
    screen = replies[offset : offset + REPLIES_SHOWN]
    for left, reply in zip(range(len(screen), 0, -1), screen, strict=True):
        text = _reply_text(reply, room // left)
        room -= len(text)
        card.say(text)
    add_open_or_reply(card, key, [tree_of(reply.comment) for reply in screen])


def _replies_heading(count: int, shown: int, offset: int) -> str:
    lines = [f"**{replies_label(count)}**"]
    if shown > REPLIES_SHOWN:
        lines.append(
            "-# "
            + t(
                "%(first)s to %(last)s of %(count)s",
                first=number(offset + 1),
                last=number(min(offset + REPLIES_SHOWN, shown)),
                count=number(shown),
            )
        )
    missing = count - shown
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


def _reply_text(reply: Reply, room: int) -> str:
    comment = reply.comment
    before = "> " if reply.level > 1 else ""
    head = f"{before}-# {_reply_head(reply)} · {written_at_of(comment.created_at, comment.id)}"
    # Each line of the text is quoted as the head is.
    room = min(_REPLY_ROOM, room - len(head) - (len(before) + 1) * (_REPLY_LINES + 1))
    shown, _ = excerpt(comment.content, room, lines=_REPLY_LINES)
    return f"\n{before}".join([head, *(shown or t("*(no text)*")).split("\n")])


def _reply_head(reply: Reply) -> str:
    name = f"**{name_of(reply.comment.player, _NAME_ROOM)}**"
    if reply.level == 1:
        return name
    steps = reply.level - 1
    arrows = "↳" * steps if steps <= _MOST_ARROWS else f"↳{number(steps)}"
    other = name_of(reply.parent.player, _NAME_ROOM)
    return f"{arrows} {t('%(name)s replied to %(other)s', name=name, other=other)}"
