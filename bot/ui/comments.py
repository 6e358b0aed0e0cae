"""Where comments stand on a card: to find them in a message, and to take them out of it."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import discord

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.ui.actions import split_custom_id

# Components as Discord gives and takes them.
Raw = Mapping[str, Any]

_ROW, _BUTTON, _SECTION, _TEXT, _CONTAINER = 1, 2, 9, 10, 17
# The second line of every comment on a card; the first is its writer's name, which is one line.
_SMALL_PRINT = re.compile(r"[^\n]*\n(?:> )?-# <t:-?\d+:R> · #(\d+)(?:\n|$)")


# For as long as a form may be open, in seconds.
_REMEMBERED = 15 * 60.0


class SeenTexts:
    """What messages showed of comments, until a form is filled that asks about one of them."""

    def __init__(self, tasks: BackgroundTasks) -> None:
        self._texts = TtlCache[int, str](tasks, lifetime=_REMEMBERED, size=len)

    def remember(self, comments: Mapping[int, str]) -> None:
        """Remember texts by the numbers of their comments."""
        for comment_id, text in comments.items():
            self._texts.put(comment_id, text)

    def find(self, comment_id: int) -> str | None:
        """Return a comment's text, None where none was remembered lately."""
        return self._texts.known(comment_id)


def small_print_of(created_at: datetime, comment_id: int) -> str:
    """Return the line of a comment that says when it was written, and its number."""
    return f"-# {discord.utils.format_dt(created_at, 'R')} · #{comment_id}"


def comments_in(components: Sequence[Raw]) -> dict[int, str]:
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


def without_comments(
    components: Sequence[Raw], hidden: Collection[int], instead: str
) -> list[dict[str, Any]]:
    """Return a card's components with a line in the place of each hidden comment.

    Its text goes, its picture, and the buttons below that lead to it.
    """
    kept: list[dict[str, Any]] = []
    removed: int | None = None
    for component in components:
        comment_id = _comment_of(component)
        if comment_id in hidden:
            removed = comment_id
            kept.append({"type": _TEXT, "content": instead})
        elif removed is not None and _leads_to(component, removed):
            removed = None
        else:
            removed = None
            kept.append(_taken_back(component, lambda p: without_comments(p, hidden, instead)))
    return kept


def _taken_back(
    component: Raw, inner: Callable[[Sequence[Raw]], list[dict[str, Any]]]
) -> dict[str, Any]:
    """Return a component as Discord takes it: of pictures the address alone."""
    taken = dict(component)
    if component.get("type") == _CONTAINER:
        taken["components"] = inner(component["components"])
    if isinstance(component.get("accessory"), Mapping):
        taken["accessory"] = _taken_back(component["accessory"], inner)
    if isinstance(component.get("media"), Mapping):
        taken["media"] = {"url": component["media"]["url"]}
    return taken


def _comment_of(component: Raw) -> int | None:
    if component.get("type") not in (_SECTION, _TEXT):
        return None
    match = _SMALL_PRINT.match(_text_of(component))
    return int(match.group(1)) if match else None


def _text_of(component: Raw) -> str:
    if component.get("type") == _TEXT:
        return str(component.get("content", ""))
    return "\n".join(_text_of(part) for part in component.get("components", ()))


def _leads_to(component: Raw, comment_id: int) -> bool:
    if component.get("type") != _ROW:
        return False
    return any(
        str(comment_id) in split_custom_id(str(button.get("custom_id", "")))[1]
        for button in component.get("components", ())
        if button.get("type") == _BUTTON
    )
