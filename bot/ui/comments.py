"""Comments on cards: their bylines, lists of them, and a choice among them."""

import re
from collections import abc

import discord

from bot.features.directory import Place
from bot.features.moderation.policy import Viewer
from bot.features.reading.threads import ThreadService
from bot.features.reading.trees import Tree
from bot.game import models
from bot.i18n import nt, t
from bot.ui import custom_ids, drawing, markdown
from bot.visible import is_visible
from storage.shown import ShownComment

NAME_ROOM = 60
SHORT_NAME_ROOM = 24
_TITLE_ROOM = 120
_EXCERPT_ROOM = 360
_EXCERPT_LINES = 6
# How many replies to show below a comment that isn't opened.
_SHORT_REPLIES = 2
_SHORT_ROOM = 60
# Deeper replies have no more arrows.
MAX_ARROWS = 4
# How many characters of a name are read.
_MAX_NAME_LENGTH = 500
SUBSCRIBER = "⭐"
VERIFIED = "☑️"
# Marks comments that are new to a member since their last visit.
NEW = "🔹"
# The marks and characters that look like them: no name may fake one.
_MARKS = re.compile("[⭐★🌟🌠⭑✪✭✮✯☑✅✔✓🗸🗹🔹]\ufe0f?")


def name_of(player: models.Player, room: int = NAME_ROOM, *, plain: bool = False) -> str:
    """Return a player's name, escaped or `plain`, without marks that only the game gives."""
    name = _MARKS.sub("", player.screen_name[:_MAX_NAME_LENGTH])
    return markdown.one_line(name, room, plain=plain, is_name=True) or t("Nameless")


def avatar(player: models.Player) -> drawing.Component | None:
    """Return a player's picture, to show beside a comment."""
    words = t("Avatar of %(name)s", name=name_of(player, plain=True))
    return drawing.thumbnail(player.avatar_url, words)


def byline(comment: models.Comment, *, spells_marks: bool = False) -> str:
    """Return a comment's writer, time and number. Marks may be spelled out."""
    player = comment.player
    marks = ""
    if player.is_subscribed:
        marks += f" {SUBSCRIBER} {t('subscriber')}" if spells_marks else f" {SUBSCRIBER}"
    if player.verified_at:
        marks += f" {VERIFIED} {t('verified')}" if spells_marks else f" {VERIFIED}"
    return f"**{name_of(player)}**{marks} · {written_at_of(comment)}"


def written_at_of(comment: models.Comment) -> str:
    """Return a comment's time and number, for the end of its first line."""
    return f"<t:{int(comment.created_at.timestamp())}:R> · #{comment.id}"


def replies_label(count: int) -> str:
    return nt("%(count)s reply", "%(count)s replies", count) if count else ""


def thread_title(place: Place) -> str:
    if place.name is None:
        return t("Thread %(id)s", id=place.game_id)
    return markdown.one_line(place.name, _TITLE_ROOM)


def comment_label(comment: models.Comment) -> str:
    """Name a comment in a list: plain text, since lists show no markdown."""
    name = name_of(comment.player, plain=True)
    text = f"{name}: {entry_text(comment.content)}"
    return markdown.one_line(text, drawing.MAX_CHOICE_LENGTH, plain=True)


def entry_text(text: str) -> str:
    """Return a comment's text for a list, which shows the text as one plain line."""
    return text if is_visible(text) else t("(no text)")


def add_comments(
    card: drawing.Card, trees: abc.Sequence[Tree], new_ids: abc.Set[int] = frozenset()
) -> None:
    """Add each comment, its first replies in a line each, then how many more there are.

    New comments have a dot. If a reply that isn't shown is new, the number of replies has a dot.
    """

    def dot(*comments: models.Comment) -> str:
        return f"{NEW} " if any(comment.id in new_ids for comment in comments) else ""

    for comment, replies, count in trees:
        card.gap()
        text, _ = markdown.excerpt(comment.content, _EXCERPT_ROOM, lines=_EXCERPT_LINES)
        said = f"{dot(comment)}{byline(comment)}\n{text or t('*(no text)*')}"
        more = count - len(replies[:_SHORT_REPLIES])
        lines: list[str] = []
        for reply in replies[:_SHORT_REPLIES]:
            name = name_of(reply.comment.player, SHORT_NAME_ROOM)
            text, _ = markdown.excerpt(reply.comment.content, _SHORT_ROOM, lines=1)
            arrows = "↳" * min(reply.level, MAX_ARROWS)
            lines.append(f"-# {arrows} {dot(reply.comment)}**{name}**: {text or t('*(no text)*')}")
        if replies and more > 0:
            further = nt("and %(count)s more reply", "and %(count)s more replies", more)
            unshown = (reply.comment for reply in replies[_SHORT_REPLIES:])
            lines.append(f"-# {dot(*unshown)}{further}")
        elif more > 0:
            lines.append(f"-# {replies_label(more)}")
        card.say("\n".join([said, *lines]), avatar(comment.player))


def comments_shown(thread_id: int, trees: abc.Sequence[Tree]) -> abc.Sequence[ShownComment]:
    """Return the comments that `add_comments` shows, even in part."""
    return [
        ShownComment(shown.id, shown.player.id, thread_id)
        for comment, replies, _ in trees
        for shown in (comment, *(reply.comment for reply in replies[:_SHORT_REPLIES]))
    ]


async def choose_card(
    threads: ThreadService,
    viewer: Viewer,
    actions: abc.Mapping[int, custom_ids.Action],
    question: str,
    colour: discord.Colour,
) -> drawing.Card:
    """Ask which comment is meant. A comment that isn't loaded is listed by its number."""
    entries: list[drawing.Entry] = []
    for comment_id, action in actions.items():
        found = await threads.known_comment(viewer, None, comment_id)
        unknown = t("Comment #%(id)s", id=comment_id)
        entries.append(drawing.Entry(comment_label(found.comment) if found else unknown, action))
    card = drawing.Card(colour)
    card.say(f"### {question}")
    card.choose(entries, t("Choose a comment"))
    return card
