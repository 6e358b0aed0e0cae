"""The replies below a comment, those to replies told apart by their depth."""

from collections.abc import Iterator, Sequence
from itertools import islice

from bot.features.forum.threads import Found
from bot.features.forum.trees import Reply, count_replies, replies_below
from bot.game.models import Comment
from bot.i18n import nt, number, t
from bot.ui.cards import Card
from bot.ui.comments import written_at_of
from bot.ui.text import excerpt
from cogs.forum.views.choosing import add_open_or_reply
from cogs.forum.views.parts import OPEN, name_of, replies_label

# Below a comment that is not opened.
SHORT_REPLIES = 2
_SHORT_NAME, _SHORT_ROOM = 24, 60

REPLIES_SHOWN = 10
_NAME_ROOM = 24
_REPLY_ROOM, _REPLY_LINES = 240, 5
# Deeper replies carry a number instead of ever more arrows.
_MOST_ARROWS = 4


def short_replies(comment: Comment) -> Sequence[Reply]:
    """Return the replies that stand below a comment while it is not opened."""
    return list(islice(replies_below(comment), SHORT_REPLIES))


def short_lines(comment: Comment) -> Iterator[str]:
    """Yield the first replies of a comment in a line each, then how many more there are."""
    shown = short_replies(comment)
    for reply in shown:
        name = name_of(reply.comment.player, _SHORT_NAME)
        text, _ = excerpt(reply.comment.content, _SHORT_ROOM, lines=1)
        yield f"-# {'↳' * min(reply.level, _MOST_ARROWS)} **{name}**: {text or t('*(no text)*')}"
    more = count_replies(comment) - len(shown)
    if shown and more > 0:
        yield f"-# {OPEN} " + nt("%(count)s more reply", "%(count)s more replies", more)
    elif more > 0:
        yield f"-# {OPEN} {replies_label(comment)}"


def reply_offset(asked: int, count: int) -> int:
    """Return where a screen of replies starts; beyond the end it is the last one."""
    last = max(count - 1, 0) // REPLIES_SHOWN * REPLIES_SHOWN
    return min(max(asked, 0), last)


def add_replies(
    card: Card, found: Found, replies: Sequence[Reply], offset: int, *, room: int
) -> None:
    """Add a screen of the replies below an opened comment, in at most `room` characters."""
    if not found.comment.children_count and not replies:
        return
    card.divide()
    heading = _replies_heading(found.comment, len(replies), offset)
    card.say(heading)
    room -= len(heading)
    screen = replies[offset : offset + REPLIES_SHOWN]
    for left, reply in zip(range(len(screen), 0, -1), screen, strict=True):
        text = _reply_text(reply, room // left)
        room -= len(text)
        card.say(text)
    add_open_or_reply(card, found.key, [reply.comment for reply in screen])


def _replies_heading(comment: Comment, count: int, offset: int) -> str:
    lines = [f"**{replies_label(comment)}**"]
    if count > REPLIES_SHOWN:
        lines.append(
            "-# "
            + t(
                "%(first)s to %(last)s of %(count)s",
                first=number(offset + 1),
                last=number(min(offset + REPLIES_SHOWN, count)),
                count=number(count),
            )
        )
    missing = count_replies(comment) - count
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
