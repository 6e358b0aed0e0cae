"""What the game says about a refusal, without whatever repeats a member's token."""

import html
import unicodedata
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from string import ascii_lowercase, ascii_uppercase
from typing import cast
from urllib.parse import quote

from bot.game.bodies import parsed
from bot.game.errors import MalformedResponse

# A sentence or two; it is quoted within one Discord message.
MAX_MESSAGE = 300
MAX_FIELDS = 10
# Of a message from outside no more is looked at.
_LONGEST_READ = 2000
# So many characters in a row of a token are no coincidence.
_TELLING = 6
# With something between the letters of a secret, they may be those of a few words.
_TELLING_SPELLED_OUT = 8
_BLANK = "•••"
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def read_complaint(body: bytes, secret: str) -> tuple[str | None, Mapping[str, tuple[str, ...]]]:
    """Return an error body's message and its texts by field, as far as it has them.

    The interface shows no error body, so anything else than these two counts as silence. The
    secret is blanked out: some games repeat a wrong token.
    """
    try:
        tree = parsed(body)
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
    text = " ".join(_without(secret, text[:_LONGEST_READ]).split())
    if _is_spelled_out(secret, text):
        # It can't be told where it ends.
        return _BLANK
    return (text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 1]}…") or None


def _without(secret: str, text: str) -> str:
    """Blank whatever repeats a part of a secret, in any case, percent-encoded or in base64."""
    if not secret:
        return text
    # What surrounds the secret decides how base64 cuts it into threes.
    encoded = [b64encode(b"?" * before + secret.encode())[before * 2 :] for before in range(3)]
    shapes = [secret, quote(secret, safe=""), *(shape.decode("ascii") for shape in encoded)]
    size = min(_TELLING, len(secret))
    telling = {
        shape.lower()[start : start + size]
        for shape in shapes
        for start in range(len(shape) - size + 1)
    }
    lower = text.translate(_LOWER)
    hidden = [False] * len(text)
    for start in range(len(text) - size + 1):
        if lower[start : start + size] in telling:
            hidden[start : start + size] = [True] * size
    parts = groupby(zip(text, hidden, strict=True), key=itemgetter(1))
    return "".join(_BLANK if blank else "".join(c for c, _ in run) for blank, run in parts)


def _is_spelled_out(secret: str, text: str) -> bool:
    """Return whether a text holds a part of a secret in other letters, apart, or in numbers."""
    # It fails at numbers of thousands of digits.
    with suppress(ValueError):
        text = html.unescape(text)
    letters, size = _bare(text), _TELLING_SPELLED_OUT
    # What `%74`, `\x74` and `\u0074` have in common.
    numbers = letters.replace("u00", "").replace("x", "")
    return _shares(_bare(secret), letters, size) or _shares(
        secret.encode().hex(), numbers, 2 * size
    )


def _shares(secret: str, text: str, size: int) -> bool:
    return any(secret[at : at + size] in text for at in range(len(secret) - size + 1))


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text).casefold()))
