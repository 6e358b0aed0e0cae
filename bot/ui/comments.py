"""How comments stand on a card: their heads, to find them in a message, and to take them out."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import discord

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.game.models import Comment, Player
from bot.i18n import nt, t
from bot.ui.actions import LONGEST_CHOICE, MOST_CHOICES, Action, action_select, split_custom_id
from bot.ui.cards import CONTAINER, ROW, SECTION, SELECT, TEXT, Card, Component, option, paragraph
from bot.ui.text import one_line, unescape
from storage.shown import QUOTED, ShownComment

# The buttons that lead to a comment, and which of their fields is its number.
_COMMENT_FIELDS = {"forum.comment": 3, "forum.write_form": 1}

# The second line of every comment on a card; the first is its writer's name, which is one line.
_SMALL_PRINT = re.compile(r"[^\n]*\n(?:> )?-# <t:-?\d+:R> · #(\d+)(?:\n|$)")

NAME_ROOM = 60
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
    """Return a player's name, without what only the game gives.

    It is escaped, or `plain` for where Discord formats nothing.
    """
    name = _MARKS.sub("", player.screen_name[:_LONGEST_NAME])
    return one_line(name, room, plain=plain, is_name=True) or t("Nameless")


def byline(comment: Comment, *, spells_marks: bool = False) -> str:
    """Return who wrote a comment and when, in two lines; marks spelled out where there is room."""
    player = comment.player
    marks = ""
    if player.is_subscribed:
        marks += f" {SUBSCRIBER} {t('subscriber')}" if spells_marks else f" {SUBSCRIBER}"
    if player.verified_at:
        marks += f" {VERIFIED} {t('verified')}" if spells_marks else f" {VERIFIED}"
    return f"**{name_of(player)}**{marks}\n-# {written_at_of(comment.created_at, comment.id)}"


def written_at_of(created_at: datetime, comment_id: int) -> str:
    """Return what says when a comment was written, and its number; it ends its second line."""
    return f"<t:{int(created_at.timestamp())}:R> · #{comment_id}"


def replies_label(count: int) -> str:
    """Return how many replies a comment has; "" where it has none."""
    return nt("%(count)s reply", "%(count)s replies", count) if count else ""


def comments_in(components: Sequence[Component]) -> dict[int, str]:
    """Return the texts of the comments on a card by their numbers, as they stand there."""
    found: dict[int, str] = {}
    for component in components:
        comment_id = _comment_of(component)
        if comment_id is None:
            found.update(comments_in(component.get("components", ())))
        else:
            text = _text_of(component)
            match = _SMALL_PRINT.match(text)
            found.setdefault(comment_id, text[match.end() :] if match else "")
    return found


def choose_card(
    action: Action, question: str, labels: Mapping[int, str], colour: discord.Colour
) -> Card:
    """Ask which comment of a message is meant; what is chosen is its number."""
    options = [
        option(one_line(label, LONGEST_CHOICE, plain=True), str(comment_id))
        for comment_id, label in list(labels.items())[:MOST_CHOICES]
    ]
    card = Card(colour)
    card.say(f"### {question}")
    card.choose(action_select(action, options, placeholder=t("Choose a comment")))
    return card


def texts_in(components: Sequence[Component], shown: Iterable[ShownComment]) -> dict[int, str]:
    """Return what a card says of the comments that it shows, as they were written.

    Of some it may be only the start.
    """
    texts, lines = comments_in(components), _lines_beside(components)
    for comment in shown:
        row = lines.get((comment.below, comment.line))
        if row is not None:
            # After the writer's name.
            texts[comment.comment_id] = row.partition("**: ")[2]
    return {comment_id: unescape(text) for comment_id, text in texts.items()}


def without_comments(
    components: Sequence[Component], hidden: Collection[ShownComment], instead: str
) -> list[Component]:
    """Return a card's components with a line in the place of each hidden comment.

    With its text go its picture, what stands below it, and all that leads to it.
    """
    ids = {comment.comment_id for comment in hidden}
    kept: list[Component] = []
    above: int | None = None
    for component in components:
        comment_id = _comment_of(component)
        if comment_id is not None:
            above = comment_id
            is_shown = comment_id not in ids
            if kept and any((each.below, each.line) == (comment_id, QUOTED) for each in hidden):
                before, _, _ = str(kept[-1].get("content", "")).rpartition("\n")
                kept[-1] = {**kept[-1], "content": f"{before}\n{instead}"}
            kept.append(_taken_back(component) if is_shown else paragraph(instead))
        elif component.get("type") == CONTAINER:
            inner = without_comments(component["components"], hidden, instead)
            kept.append(_taken_back(component) | {"components": inner})
        elif component.get("type") == ROW:
            kept += _row_without(component, ids)
        elif component.get("type") == TEXT and above is not None:
            lines = {each.line for each in hidden if each.below == above}
            if above not in ids:
                rows = enumerate(_text_of(component).split("\n"))
                shown = [instead if number in lines else row for number, row in rows]
                kept.append({**_taken_back(component), "content": "\n".join(shown)})
            above = None
        else:
            above = None
            kept.append(_taken_back(component))
    return kept


def _lines_beside(components: Sequence[Component]) -> dict[tuple[int | None, int | None], str]:
    """Return the lines of the text right below each comment, and the last of what is above it."""
    found: dict[tuple[int | None, int | None], str] = {}
    above: int | None = None
    rows: Sequence[str] = ()
    for component in components:
        comment_id = _comment_of(component)
        if component.get("type") == CONTAINER:
            found |= _lines_beside(component["components"])
        if comment_id is not None and rows:
            found[comment_id, QUOTED] = rows[-1]
        rows = _text_of(component).split("\n") if component.get("type") == TEXT else ()
        if comment_id is None and above is not None:
            found |= {(above, number): row for number, row in enumerate(rows)}
        above = comment_id
    return found


def _row_without(row: Component, ids: Collection[int]) -> list[dict[str, Any]]:
    """Return a row without what leads to these comments, nothing where that is all of it."""
    numbers = {str(each) for each in ids}
    parts: list[dict[str, Any]] = []
    for part in row.get("components", ()):
        if part.get("type") == SELECT:
            values = ((each, str(each["value"])) for each in part["options"])
            options = [each for each, value in values if value.rpartition(".")[2] not in numbers]
            parts += [{**part, "options": options}] if options else []
            continue
        kind, fields = split_custom_id(str(part.get("custom_id", "")))
        place = _COMMENT_FIELDS.get(kind or "", len(fields))
        if numbers.isdisjoint(fields[place : place + 1]):
            parts.append(dict(part))
    return [{**row, "components": parts}] if parts else []


def _taken_back(component: Component) -> dict[str, Any]:
    """Return a component as Discord takes it: of pictures the address alone."""
    taken = dict(component)
    if isinstance(component.get("accessory"), Mapping):
        taken["accessory"] = _taken_back(component["accessory"])
    if isinstance(component.get("media"), Mapping):
        taken["media"] = {"url": component["media"]["url"]}
    return taken


def _comment_of(component: Component) -> int | None:
    if component.get("type") not in (SECTION, TEXT):
        return None
    match = _SMALL_PRINT.match(_text_of(component))
    return int(match.group(1)) if match else None


def _text_of(component: Component) -> str:
    if component.get("type") == TEXT:
        return str(component.get("content", ""))
    return "\n".join(_text_of(part) for part in component.get("components", ()))
