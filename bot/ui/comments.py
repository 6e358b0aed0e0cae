"""Comments on cards: draw them, find them in a message, and take them out of it."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import discord

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.features.names import Place
from bot.features.reading.trees import Tree
from bot.game.models import Comment, Player
from bot.i18n import nt, t
from bot.ui.actions import LONGEST_CHOICE, MOST_CHOICES, Action, action_select
from bot.ui.cards import (
    CONTAINER,
    ROW,
    SECTION,
    SELECT,
    TEXT,
    Button,
    Card,
    Component,
    option,
    paragraph,
    parts_of,
)
from bot.ui.pictures import thumbnail
from bot.ui.text import excerpt, one_line, unescape
from storage.shown import BLOCK, ShownComment

# In a block, the ids of the buttons that lead to its comment begin here.
_BUTTONS = 10

# How every comment on a card begins: its writer's name, when it was written, and its number.
_BYLINE = re.compile(r"[^\n]* · <t:-?\d+:R> · #(\d+)(?:\n|$)")
_WHEN = re.compile(r" · <t:-?\d+:R> · #\d+")

NAME_ROOM, SHORT_NAME_ROOM, _TITLE_ROOM = 60, 24, 120
_EXCERPT_ROOM, _EXCERPT_LINES = 360, 6
# Below a comment that is not opened.
_SHORT_REPLIES, _SHORT_ROOM = 2, 60
# Deeper replies carry no more arrows.
MOST_ARROWS = 4
# Of a name no more is looked at.
_LONGEST_NAME = 500
SUBSCRIBER, VERIFIED = "⭐", "☑️"
# With what looks like them: no name may fake one.
_MARKS = re.compile("[⭐★🌟🌠⭑✪✭✮✯☑✅✔✓🗸🗹]\ufe0f?")

# For as long as a form may be open, in seconds.
_REMEMBERED = 15 * 60.0


def remember_texts(tasks: BackgroundTasks) -> TtlCache[int, str]:
    """Return what keeps the texts of comments until a form is filled that asks about one."""
    return TtlCache(tasks, lifetime=_REMEMBERED, size=len)


def name_of(player: Player, room: int = NAME_ROOM, *, plain: bool = False) -> str:
    """Return a player's name, escaped or `plain`, without what only the game gives."""
    name = _MARKS.sub("", player.screen_name[:_LONGEST_NAME])
    return one_line(name, room, plain=plain, is_name=True) or t("Nameless")


def byline(comment: Comment, *, spells_marks: bool = False) -> str:
    """Return who wrote a comment and when, and its number; marks may be spelled out."""
    player = comment.player
    marks = ""
    if player.is_subscribed:
        marks += f" {SUBSCRIBER} {t('subscriber')}" if spells_marks else f" {SUBSCRIBER}"
    if player.verified_at:
        marks += f" {VERIFIED} {t('verified')}" if spells_marks else f" {VERIFIED}"
    return f"**{name_of(player)}**{marks} · {written_at_of(comment)}"


def written_at_of(comment: Comment) -> str:
    """Return what says when a comment was written, and its number; it ends its first line."""
    return f"<t:{int(comment.created_at.timestamp())}:R> · #{comment.id}"


def replies_label(count: int) -> str:
    return nt("%(count)s reply", "%(count)s replies", count) if count else ""


def comments_in(components: Sequence[Component]) -> dict[int, str]:
    """Return the texts of the comments on a card by their numbers, as they stand there."""
    found: dict[int, str] = {}
    for component in components:
        is_section = component.get("type") == SECTION
        text = _text_of(component["components"][0] if is_section else component)
        if match := _BYLINE.match(text):
            found.setdefault(int(match[1]), text[match.end() :])
        else:
            found.update(comments_in(component.get("components", ())))
    return found


def thread_title(place: Place) -> str:
    if place.name is None:
        return t("Thread %(id)s", id=place.game_id)
    return one_line(place.name, _TITLE_ROOM)


def comment_label(comment: Comment) -> str:
    """Name a comment in a list: plain text, since lists show no markdown."""
    name = name_of(comment.player, plain=True)
    return one_line(f"{name}: {comment.content}", LONGEST_CHOICE, plain=True)


def add_comments(card: Card, trees: Sequence[Tree]) -> None:
    """Add each comment, its first replies in a line each, then how many more there are."""
    for nth, (comment, replies, count) in enumerate(trees, 1):
        card.gap()
        text, _ = excerpt(comment.content, _EXCERPT_ROOM, lines=_EXCERPT_LINES)
        said = f"{byline(comment)}\n{text or t('*(no text)*')}"
        more = count - len(replies[:_SHORT_REPLIES])
        lines: list[str] = []
        for reply in replies[:_SHORT_REPLIES]:
            name = name_of(reply.comment.player, SHORT_NAME_ROOM)
            text, _ = excerpt(reply.comment.content, _SHORT_ROOM, lines=1)
            arrows = "↳" * min(reply.level, MOST_ARROWS)
            lines.append(f"-# {arrows} **{name}**: {text or t('*(no text)*')}")
        if replies and more > 0:
            further = nt("and %(count)s more reply", "and %(count)s more replies", more)
            lines.append(f"-# {further}")
        elif more > 0:
            lines.append(f"-# {replies_label(more)}")
        below = [{**paragraph("\n".join(lines)), "id": nth * BLOCK + 1}] if lines else []
        card.say(said, thumbnail(comment.player.avatar_url), part=nth * BLOCK, below=below)


def comments_shown(trees: Sequence[Tree]) -> Sequence[ShownComment]:
    """Return all comments that `add_comments` shows something of, and where."""
    shown: list[ShownComment] = []
    for nth, (comment, replies, _) in enumerate(trees, 1):
        shown.append(ShownComment(comment.id, comment.player.id, nth * BLOCK))
        shown += [
            ShownComment(reply.comment.id, reply.comment.player.id, nth * BLOCK + 1, line)
            for line, reply in enumerate(replies[:_SHORT_REPLIES])
        ]
    return shown


def choose_card(
    action: Action, question: str, labels: Mapping[int, str], colour: discord.Colour
) -> Card:
    options = [
        option(one_line(label, LONGEST_CHOICE, plain=True), str(comment_id))
        for comment_id, label in list(labels.items())[:MOST_CHOICES]
    ]
    card = Card(colour)
    card.say(f"### {question}")
    card.choose(action_select(action, options, placeholder=t("Choose a comment")))
    return card


def texts_in(components: Sequence[Component], shown: Iterable[ShownComment]) -> dict[int, str]:
    """Return the texts of the comments on a card as they were written, of some only the start."""
    texts = comments_in(components)
    parts = {part.get("id"): part for part in parts_of(components)}
    for comment in shown:
        if not comment.is_whole and comment.part in parts:
            rows = _text_of(parts[comment.part]).split("\n")
            texts[comment.comment_id] = rows[comment.line].partition("**: ")[2]
    return {comment_id: unescape(text) for comment_id, text in texts.items()}


def labels_in(components: Sequence[Component], shown: Iterable[ShownComment]) -> dict[int, str]:
    """Return what stands on a card of each comment, in a line: its writer and its text."""
    labels: dict[int, str] = {}
    parts = {part.get("id"): part for part in parts_of(components)}
    for comment in shown:
        part = parts.get(comment.part, {})
        # Of a section the first text is the comment, and the second its replies.
        first = part["components"][0] if part.get("type") == SECTION else part
        rows = _text_of(first).split("\n")
        row = " ".join(rows) if comment.is_whole else rows[comment.line]
        row = _WHEN.sub(":", row).replace("**", "").removeprefix("-# ").lstrip("↳ ")
        labels[comment.comment_id] = unescape(row)
    return labels


def in_block(block: int, *buttons: Button) -> Sequence[Button]:
    """Let buttons go with a block where it is taken out of a card."""
    return [Button({**each, "id": block + _BUTTONS + n}) for n, each in enumerate(buttons)]


def without_comments(
    components: Sequence[Component], hidden: Collection[ShownComment], instead: str
) -> list[Component]:
    """Return components with a line for each hidden block, and no list entries that lead there."""
    whole = {each.part: str(each.comment_id) for each in hidden if each.is_whole}
    kept: list[Component] = []
    for component in components:
        part = component.get("id", 0)
        if part in whole:
            kept.append({**paragraph(instead), "id": part})
        elif part - part % BLOCK not in whole:
            kept += _left_of(component, hidden, instead, whole.values())
    return kept


def _left_of(
    component: Component, hidden: Collection[ShownComment], instead: str, numbers: Collection[str]
) -> Sequence[Component]:
    left = _taken_back(component)
    if component.get("type") in (CONTAINER, ROW, SECTION):
        left["components"] = without_comments(component["components"], hidden, instead)
    elif component.get("type") == SELECT:
        entries = [(each, str(each["value"]).rpartition(".")[2]) for each in component["options"]]
        left["options"] = [each for each, number in entries if number not in numbers]
    elif component.get("type") == TEXT:
        rows = _text_of(component).split("\n")
        for each in hidden:
            if each.part == component.get("id"):
                rows[each.line] = instead
        left["content"] = "\n".join(rows)
    # Discord takes no empty row, and no empty list.
    return [] if [] in (left.get("components"), left.get("options")) else [left]


def _taken_back(component: Component) -> dict[str, Any]:
    """Return a component as Discord takes it: of pictures the address alone."""
    taken = dict(component)
    if isinstance(component.get("accessory"), Mapping):
        taken["accessory"] = _taken_back(component["accessory"])
    if isinstance(component.get("media"), Mapping):
        taken["media"] = {"url": component["media"]["url"]}
    return taken


def _text_of(component: Component) -> str:
    if component.get("type") == TEXT:
        return str(component.get("content", ""))
    return "\n".join(_text_of(part) for part in component.get("components", ()))
