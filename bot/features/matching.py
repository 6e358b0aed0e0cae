"""Find what people mean by the part of a name that they typed, with one typing error at most."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from storage.names import name_key

T = TypeVar("T")

# In shorter texts, one letter makes another word.
_SHORTEST_WITH_SLIP = 4
# Of a name, no more is looked through than a list shows.
_LONGEST_NAME = 100


def find_by_name(text: str, things: Iterable[T], name_of: Callable[[T], str]) -> list[T]:
    """Return the things that are called so, else those that `holding` finds."""
    things, key = list(things), name_key(text)
    return [each for each in things if name_key(name_of(each)) == key] or holding(
        text, things, name_of
    )


def holding(text: str, things: Iterable[T], name_of: Callable[[T], str]) -> list[T]:
    """Return the things with this in their names, else those but for one typing error."""
    key = name_key(text)
    keyed = [(name_key(name_of(each)[:_LONGEST_NAME]), each) for each in things]
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
