"""Change the words of sentences everywhere: in the sources, the catalogs, the tests and documents.

A list of them is a JSON file of old sentences and new ones. A translation stays with its sentence.
"""

import ast
import json
import tokenize
from collections.abc import Collection, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, cast

from babel.messages.catalog import Catalog, Message

_WIDTH = 100
_INDENT = 4
# Shorter texts are labels in one place and something else in another: these are changed by hand.
_MIN_LENGTH = 6

Renamed = Mapping[str, str]


class _Literal(NamedTuple):
    """A text in a source: its value, and where its tokens begin and end, in lines and bytes."""

    value: str
    begin: tuple[int, int]
    end: tuple[int, int]
    in_brackets: bool


def read_renamed(path: Path) -> Renamed:
    """Read a list of old sentences and new ones."""
    renamed: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return {old: new for old, new in renamed.items() if old != new}


def rename_in_source(source: str, renamed: Renamed, marks: Collection[str] = ()) -> str:
    """Change each text of a source that, as a whole, is one of the old sentences.

    If there are `marks`, such as `t`, only a text that stands in a call of one of them.
    """
    lines = source.encode().splitlines(keepends=True)
    found = [literal for literal in _literals(source, marks) if literal.value in renamed]
    for literal in sorted(found, key=lambda literal: literal.begin, reverse=True):
        (first, column), (last, end) = literal.begin, literal.end
        before = lines[first - 1][:column]
        after = lines[last - 1][end:]
        written = _written(renamed[literal.value], before, after, literal)
        lines[first - 1 : last] = [before + written.encode() + after]
    return b"".join(lines).decode()


def rename_in_catalog(catalog: Catalog, renamed: Renamed) -> None:
    """Give the messages of a catalog their new sentences, with the translations that they have."""
    changed = [message for message in catalog if message.id and _new_id(message, renamed)]
    for message in changed:
        catalog.delete(message.id, message.context)
    for message in changed:
        new_id = _new_id(message, renamed)
        if new_id and catalog.get(new_id, message.context) is None:
            catalog.add(new_id, message.string, context=message.context, flags=message.flags)


def rename_in_document(text: str, renamed: Renamed) -> str:
    """Change the labels that a document names in bold, such as **Try again**."""
    for old, new in renamed.items():
        if "\n" not in old:
            text = text.replace(f"**{old}**", f"**{new}**")
    return text


def _new_id(message: Message, renamed: Renamed) -> str | tuple[str, ...] | None:
    forms = cast("Sequence[str]", message.id if isinstance(message.id, tuple) else (message.id,))
    if not any(form in renamed for form in forms):
        return None
    new = tuple(renamed.get(form, form) for form in forms)
    return new if isinstance(message.id, tuple) else new[0]


def _literals(source: str, marks: Collection[str]) -> Iterator[_Literal]:
    """Yield the texts of a source. A text that is written in several parts is one."""
    strings = _string_tokens(source)
    tree = ast.parse(source)
    inner = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    }
    marked = {
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in marks
        for argument in node.args
    }
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() as text) if id(node) not in inner:
                if marks and id(node) not in marked:
                    continue
                begin = (node.lineno, node.col_offset)
                end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
                if begin in strings and len(text) >= _MIN_LENGTH:
                    yield _Literal(text, begin, end, strings[begin])
            case _:
                pass


def _string_tokens(source: str) -> Mapping[tuple[int, int], bool]:
    """Return where string tokens begin, in lines and bytes, and whether brackets are around."""
    found: dict[tuple[int, int], bool] = {}
    depth = 0
    lines = source.splitlines()
    for token in tokenize.tokenize(BytesIO(source.encode()).readline):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        elif token.type == tokenize.STRING:
            line, column = token.start
            found[line, len(lines[line - 1][:column].encode())] = depth > 0
    return found


def _written(text: str, before: bytes, after: bytes, literal: _Literal) -> str:
    """Return a text as a literal, on several lines if one is too short for it."""
    whole = _quoted(text)
    tail = after.decode().rstrip("\n")
    if len(before.decode()) + len(whole) + len(tail) <= _WIDTH or " " not in text:
        return whole
    margin = len(before) - len(before.lstrip())
    alone = not before.strip()
    indent = " " * (margin if alone else margin + _INDENT)
    parts = [_quoted(part) for part in _wrapped(text, _WIDTH - len(indent) - len('""') - 1)]
    if not literal.in_brackets:
        return f"(\n{indent}" + f"\n{indent}".join(parts) + f"\n{' ' * margin})"
    body = f"\n{indent}".join(parts)
    return body if alone else f"\n{indent}{body}\n{' ' * margin}"


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Yield parts of a text, each of which begins with the space before its first word."""
    part = ""
    for word in text.replace(" ", "\0 ").split("\0"):
        if part and len(_quoted(part + word)) > width:
            yield part
            part = ""
        part += word
    yield part


def _quoted(text: str) -> str:
    """Return a text in double quotes, with what Python escapes and no more."""
    inner = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    if '"' in inner and "'" not in inner:
        return f"'{inner}'"
    inner = inner.replace('"', '\\"')
    return f'"{inner}"'
