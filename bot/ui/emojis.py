"""The game's pictures in the text of cards, as emojis of the application.

A word stands beside each, so that nothing is lost where an emoji isn't there, or isn't seen.
"""

import re
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, cast

import discord

_shown: ContextVar[Mapping[str, str] | None] = ContextVar("emojis", default=None)
_EMOJI = re.compile(r"<a?:\w{2,32}:\d{1,20}> ?")
_INVALID_FORM = 50035


def show_emojis(shown: Mapping[str, str]) -> None:
    """Use these emojis from here on, by what they picture."""
    _shown.set(shown)


def pictured(kind: str, number: int, words: str) -> str:
    """Return words with the picture of what they name before them, once there is one."""
    emoji = (_shown.get() or {}).get(f"{kind} {number}")
    return words if emoji is None else f"{emoji} {words}"


def are_refused(error: discord.HTTPException) -> bool:
    """Return whether Discord has refused a message for an emoji: it has refused good ones."""
    return error.code == _INVALID_FORM and "emoji" in error.text.lower()


def without_emojis(payload: Any) -> Any:
    """Return a message as Discord takes it, or a part of it, without emojis in its text."""
    if isinstance(payload, list):
        return [without_emojis(part) for part in cast("list[Any]", payload)]
    if not isinstance(payload, dict):
        return payload
    parts = cast("dict[str, Any]", payload)
    return {
        key: _EMOJI.sub("", part)
        if key == "content" and isinstance(part, str)
        else without_emojis(part)
        for key, part in parts.items()
    }
