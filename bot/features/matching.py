"""Find what people mean by the part of a name that they typed, with one typing error at most."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from storage.names import name_key

T = TypeVar("T")

# In shorter texts, one letter makes another word.
_SHORTEST_WITH_SLIP = 4
# Of a name, no more is looked through than a list shows.
_LONGEST_NAME = 100


def meant(text: str, things: Iterable[T], name_of: Callable[[T], str]) -> list[T]:
    """Return the things that are called so, else those that `holding` finds."""
    things, key = list(things), name_key(text)
    return [each for each in things if name_key(name_of(each)) == key] or holding(
        text, things, name_of
    )


def holding(text: str, things: Iterable[T], name_of: Callable[[T], str]) -> list[T]:
    """Return the things with this in their names, those that start with it first.

    Where there are none, those are returned that would be but for one typing error.
    """
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
    third, size = len(key) // 3, len(key)
    first, middle, last = key[:third], key[third : 2 * third], key[2 * third :]
    start = 0
    while start < len(name):
        part = name[start : start + size + 1]
        # One slip leaves one of three parts as it is, where it is, but for one letter. That is
        # looked for first, because most names have none of them.
        may_fit = (
            part.startswith(first)
            or middle in part[third - 1 : 2 * third + 1]
            or last in part[2 * third - 1 :]
        )
        if may_fit and any(_is_one_slip(key, part[:end]) for end in (size, size + 1, size - 1)):
            return True
        start = name.find(" ", start) + 1 or len(name)
    return False


def _is_one_slip(typed: str, name: str) -> bool:
    """Return whether a letter was left out, added, replaced, or swapped with the next.

    Never a digit: a name with another number is that of something else.
    """
    same = 0
    for one, other in zip(typed, name, strict=False):
        if one != other:
            break
        same += 1
    typed, name = typed[same:], name[same:]
    ways = (
        (typed[1:] == name, typed[:1]),
        (typed == name[1:], name[:1]),
        (typed[1:] == name[1:], typed[:1] + name[:1]),
        (typed[1::-1] + typed[2:] == name, typed[:2]),
    )
    return any(is_so and not any(map(str.isdigit, changed)) for is_so, changed in ways)
