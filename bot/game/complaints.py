"""What the game says about a refusal, without whatever repeats a member's token."""

import re
from collections.abc import Mapping
from typing import cast

from bot.game.bodies import mended, parsed
from bot.game.errors import MalformedResponse

# A sentence or two; it is quoted within one Discord message.
MAX_MESSAGE = 300
MAX_FIELDS = 10
# Of a message from outside no more is looked at.
_LONGEST_READ = 2000
_BLANK = "•••"


def read_complaint(body: bytes, secret: str) -> tuple[str | None, Mapping[str, tuple[str, ...]]]:
    """Return an error body's message and its texts by field, as far as it has them.

    The interface shows no error body, so anything else than these two counts as silence. The
    secret is blanked out, plain and percent-encoded: some games repeat a wrong token.
    """
    try:
        tree = parsed(body, keep_nulls=True)
    except MalformedResponse:
        return None, {}
    if not isinstance(tree, dict):
        return None, {}
    fields = cast("dict[str, object]", tree)
    errors = fields.get("errors")
    return _plain(fields.get("message"), secret), _by_field(errors, secret)


def _by_field(errors: object, secret: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(errors, dict):
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for field, texts in list(cast("dict[str, object]", errors).items())[:MAX_FIELDS]:
        each = cast("list[object]", texts) if isinstance(texts, list) else [texts]
        plain = [text for text in (_plain(text, secret) for text in each[:MAX_FIELDS]) if text]
        found[_plain(field, secret) or ""] = tuple(plain)
    return found


def _plain(text: object, secret: str) -> str | None:
    if not isinstance(text, str):
        return None
    text = " ".join(mended(text).split())[:_LONGEST_READ]
    if secret:
        letters = (f"(?:{re.escape(letter)}|%{ord(letter):x})" for letter in secret)
        text = re.sub("".join(letters), _BLANK, text, flags=re.IGNORECASE)
    return (text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 1]}…") or None
