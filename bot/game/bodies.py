"""Turn the bytes of an answer into what they hold."""

import json
import re
from typing import NoReturn

from bot.game.errors import NotJson, TooDeep, TooLarge

MAX_BODY = 2 * 1024 * 1024
_HALVES = re.compile("[\ud800-\udfff]")


def parsed(body: bytes, *, keep_nulls: bool = False) -> object:
    """Return what a body holds; null counts as absent, unless it is kept.

    Its texts may hold halves of surrogate pairs: see `mended`. Raises MalformedResponse.
    """
    if len(body) > MAX_BODY:
        raise TooLarge(f"the answer has more than {MAX_BODY} bytes")
    try:
        text = body.decode("utf-8-sig")
        hook = None if keep_nulls else _without_nulls
        return json.loads(text, object_pairs_hook=hook, parse_constant=_refuse)
    except RecursionError:
        raise TooDeep("the answer is nested too deep") from None
    except ValueError:
        raise NotJson("the answer is not JSON") from None


def mended(text: str) -> str:
    """Return a text that can be encoded: one half of a letter must not hide a page."""
    return _HALVES.sub("\ufffd", text)


def _without_nulls(pairs: list[tuple[str, object]]) -> dict[str, object]:
    return {name: value for name, value in pairs if value is not None}


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
