"""Find what people mean by the part of a name that they typed, with one typing error at most."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from bot.visible import name_key, visible

T = TypeVar("T")

# In shorter texts, one letter makes another word.
_SHORTEST_WITH_SLIP = 4
# Of a name, no more is looked through than a list shows.
_LONGEST_NAME = 100
# Between a name and what an entry's label says of it, and where a label is cut.
LABEL_SEPARATOR, _CUT = " · ", "…"
_QUOTES = (
    "\"'`\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a\u300c\u300d\u300e\u300f\uff02"
)


def find_by_name(text: str, things: Iterable[T], name_of: Callable[[T], str]) -> list[T]:
    """Return the things that are called so, else those that `holding` finds."""
    things = list(things)
    return called(text, things, name_of) or holding(text, things, name_of)


def called(text: str, things: Iterable[T], name_of: Callable[[T], str]) -> list[T]:
    """Return the things whose whole name this is, however it is spelled."""
    keyed = [(_shown_key(name_of(thing)), thing) for thing in things]
    for spelling in spellings(text):
        key = _shown_key(spelling)
        if found := [thing for name, thing in keyed if name == key]:
            return found
    return []


def holding(text: str, things: Iterable[T], name_of: Callable[[T], str]) -> list[T]:
    """Return the things with this in their names, else those but for one typing error."""
    keyed = [(_shown_key(name_of(thing)[:_LONGEST_NAME]), thing) for thing in things]
    for spelling in spellings(text):
        if found := _holding(_shown_key(spelling), keyed):
            return found
    return []


def spellings(text: str) -> list[str]:
    """Return a text, and the names that may be meant: in quotes, or by an entry's label."""
    bare = text.strip()
    spellings = [bare]
    if bare[1:-1] and bare[0] in _QUOTES and bare[-1] in _QUOTES:
        bare = bare[1:-1].strip()
        spellings.append(bare)
    if whole := bare.removesuffix(_CUT):
        spellings.append(whole)
    if name := bare.rpartition(LABEL_SEPARATOR)[0].strip():
        spellings.append(name)
    return list(dict.fromkeys(spellings))


def _shown_key(name: str) -> str:
    return name_key(visible(name))


def _holding(key: str, keyed: Sequence[tuple[str, T]]) -> list[T]:
    found = [(name, each) for name, each in keyed if key in name]
    if found:
        # Stable: within each group, the order stays.
        return [each for _, each in sorted(found, key=lambda pair: not pair[0].startswith(key))]
    if len(key) < _SHORTEST_WITH_SLIP:
        return []
    return [each for name, each in keyed if _holds_nearly(name, key)]


def _holds_nearly(name: str, key: str) -> bool:
    """Return whether a name has this from the start of a word on, but for one typing error."""
    return _starts_nearly(name, key) or any(
        _starts_nearly(name[at + 1 :], key) for at, letter in enumerate(name) if letter == " "
    )


def _starts_nearly(name: str, key: str) -> bool:
    """Return whether a letter, never a digit, was left out, added, replaced, or swapped."""
    same = 0
    while same < min(len(name), len(key)) and name[same] == key[same]:
        same += 1
    name, key = name[same:], key[same:]
    ways = (
        (name[1:].startswith(key), name[:1]),
        (name.startswith(key[1:]), key[:1]),
        (name[1:].startswith(key[1:]), key[:1] + name[:1]),
        (len(key) > 1 and name.startswith(key[1] + key[0] + key[2:]), key[:2]),
    )
    return any(is_so and not any(map(str.isdigit, changed)) for is_so, changed in ways)
