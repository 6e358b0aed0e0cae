"""Turn the bytes of an answer into what they hold, in a time that their number decides."""

import json
import re
from typing import cast

from pydantic_core import from_json

from bot.game.errors import NotJson, TooDeep, TooLarge

_Container = dict[str, object] | list[object]
_CONTAINERS = frozenset({dict, list})

MAX_BODY = 2 * 1024 * 1024
MAX_NESTING = 64
# More than the comments or items have that fit into a body. Making even more of them at once, in
# whatever thread, would let everybody wait.
_MOST_CONTAINERS, _MOST_FIELDS, _MOST_QUOTES = 60_000, 120_000, 250_000
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Whatever is no text, in a group of its own.
_OUTSIDE_OF_TEXTS = re.compile(rb'([^"]+)|"(?:[^"\\]+|\\.)*+"?', re.DOTALL)
# Half of a surrogate pair, as JSON escapes it and then as it is.
_HALF_ESCAPED = re.compile(rb"\\u[dD][89a-fA-F]")
_HALVES = re.compile("[\ud800-\udfff]")


def parsed(body: bytes) -> object:
    """Return what a body holds. Raises MalformedResponse where it is no JSON, or too large."""
    if len(body) > MAX_BODY:
        raise TooLarge(f"the answer has more than {MAX_BODY} bytes")
    if _has_too_many_parts(body) and (
        body.count(b'"') > _MOST_QUOTES
        # Only now, because it takes a while: what stands in texts makes none.
        or _has_too_many_parts(b"".join(m[1] or b"" for m in _OUTSIDE_OF_TEXTS.finditer(body)))
    ):
        raise TooLarge("the answer has too many parts")
    body = body.removeprefix(_BYTE_ORDER_MARK)
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError as error:
        return _mended_tree(body, error)


def tree_of(body: bytes) -> object:
    """Return the same without what is null. Raises MalformedResponse."""
    tree = parsed(body)
    _drop_nulls(tree)
    return tree


def _has_too_many_parts(body: bytes) -> bool:
    containers = body.count(b"{") + body.count(b"[")
    fields = max(body.count(b":"), body.count(b","))
    return containers > _MOST_CONTAINERS or fields > _MOST_FIELDS


def _mended_tree(body: bytes, error: ValueError) -> object:
    """Parse again with half surrogate pairs replaced: one such text must not hide a page."""
    if "recursion" in str(error):
        raise TooDeep(f"the answer is nested deeper than {MAX_NESTING}")
    if _HALF_ESCAPED.search(body) is None:
        raise NotJson("the answer is not JSON")
    try:
        # Other than from_json, it takes a half for a letter.
        mended = json.dumps(json.loads(body.decode()), ensure_ascii=False)
        return from_json(_HALVES.sub("\ufffd", mended).encode(), allow_inf_nan=False)
    except RecursionError:
        raise TooDeep(f"the answer is nested deeper than {MAX_NESTING}") from None
    except ValueError:
        raise NotJson("the answer is not JSON") from None


def _drop_nulls(tree: object) -> None:
    """Take fields that are null out of every object, since null counts as absent.

    Raises TooDeep: going through all of it shows how deep it is.
    """
    level: list[_Container] = [tree] if isinstance(tree, dict | list) else []
    for _ in range(MAX_NESTING):
        for outer in level:
            if isinstance(outer, dict) and None in outer.values():
                for name in [name for name, value in outer.items() if value is None]:
                    del outer[name]
        inner = [
            value
            for outer in level
            for value in (outer.values() if isinstance(outer, dict) else outer)
            # Quicker than isinstance, and a page has a thousand values.
            if type(value) in _CONTAINERS
        ]
        level = cast("list[_Container]", inner)
        if not level:
            return
    raise TooDeep(f"the answer is nested deeper than {MAX_NESTING}")
