"""Find what people mean by a number, a name or a part of one, with one typing error at most."""

import typing
from collections import abc

from bot import errors
from bot.visible import is_visible, name_key, plain, search_key, visible

T = typing.TypeVar("T")

# In shorter texts, one letter changes the word.
_MIN_WITH_SLIP_LENGTH = 4
# How many letters of a name are searched: as many as a list shows.
_MAX_NAME_LENGTH = 100
# Both keys of a name, the stricter one first.
_KEYS = (name_key, search_key)
# Ids are kept in, and travel as, signed 64-bit numbers.
MAX_ID = 2**63 - 1
# Before an id.
NUMBER_SIGN = "#"
# Between a name and what an entry's label says of it.
LABEL_SEPARATOR = " · "
# The end of a label that was cut.
_CUT = "…"
_QUOTES = (
    "\"'`\u00ab\u00b4\u00bb\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2039\u203a"
    "\u300a\u300b\u300c\u300d\u300e\u300f\u301d\u301e\u301f\uff02\uff07\uff62\uff63"
)


def resolve(
    text: str,
    things: abc.Iterable[T],
    *,
    name_of: abc.Callable[[T], str],
    number_of: abc.Callable[[T], typing.Any],
    unknown: type[errors.KioskError],
    label_of: abc.Callable[[T], str] | None = None,
    takes_part: bool = True,
    offers_all: bool = True,
) -> T:
    """Return the one thing that `find` finds.

    An empty text means the only thing. Raises ChoiceNeeded, SeveralFit (with labels that differ) or
    `unknown`. If none fits, `offers_all` offers all things.
    """
    things = list(things)
    fitting = find(
        text, things, name_of=name_of, number_of=number_of, label_of=label_of, takes_part=takes_part
    )
    if len({number_of(thing) for thing in fitting}) == 1:
        return fitting[0]
    candidates = fitting or (things if offers_all else [])
    by_number = {number_of(thing): thing for thing in reversed(candidates)}
    known = list(dict.fromkeys(map(label_of or name_of, candidates))) or ["-"]
    error = errors.SeveralFit if fitting else unknown
    if not is_visible(text):
        error = errors.ChoiceNeeded
    raise error(name=text, known=known, candidates=list(by_number.values())[::-1])


def find(
    text: str,
    things: abc.Iterable[T],
    *,
    name_of: abc.Callable[[T], str],
    number_of: abc.Callable[[T], typing.Any],
    label_of: abc.Callable[[T], str] | None = None,
    takes_part: bool = True,
) -> list[T]:
    """Return the things with this number, else this whole name or label, else this part."""
    things = list(things)
    number = read_id(text)
    numbered = [thing for thing in things if number is not None and number_of(thing) == number]
    if numbered:
        return numbered
    for of in filter(None, (name_of, label_of)):
        names = [visible(of(thing)) for thing in things]
        # The stricter keys first: names may differ only by their accents or quotes.
        keyed = [(key_of, list(map(key_of, names))) for key_of in _KEYS]
        for spelling in spellings(text):
            for key_of, keys in keyed:
                key = key_of(visible(spelling))
                if called := [
                    thing for name, thing in zip(keys, things, strict=True) if name == key
                ]:
                    return called
    return holding(text, things, name_of) if takes_part else []


def holding(text: str, things: abc.Iterable[T], name_of: abc.Callable[[T], str]) -> list[T]:
    """Return the things with this text in their names, else with one typing error in it."""
    keyed = [(search_key(name_of(thing)[:_MAX_NAME_LENGTH]), thing) for thing in things]
    for spelling in spellings(text):
        if fitting := _holding(search_key(spelling), keyed):
            return fitting
    return []


def spellings(text: str) -> list[str]:
    """Return a text, and the names that may be meant: in quotes, or by an entry's label."""
    bare = text.strip()
    spellings = [bare]
    if bare[1:-1] and bare[0] in _QUOTES and bare[-1] in _QUOTES:
        bare = bare[1:-1].strip()
        spellings.append(bare)
    # A label may be cut anywhere, and the text behind a name may have a separator of its own.
    bare = bare.removesuffix(_CUT).rstrip(LABEL_SEPARATOR)
    while bare:
        spellings.append(bare)
        bare = bare.rpartition(LABEL_SEPARATOR)[0].rstrip()
    return list(dict.fromkeys(spellings))


def _holding(key: str, keyed: abc.Sequence[tuple[str, T]]) -> list[T]:
    fitting = [(name, thing) for name, thing in keyed if key in name]
    if fitting:
        # Stable: within each group, the order stays.
        fitting.sort(key=lambda pair: not pair[0].startswith(key))
        return [thing for _, thing in fitting]
    if len(key) < _MIN_WITH_SLIP_LENGTH:
        return []
    return [thing for name, thing in keyed if _holds_nearly(name, key)]


def _holds_nearly(name: str, key: str) -> bool:
    """Return whether a name has this text at a word's start, except for one typing error."""
    return _starts_nearly(name, key) or any(
        _starts_nearly(name[at + 1 :], key) for at, letter in enumerate(name) if letter == " "
    )


def _starts_nearly(name: str, key: str) -> bool:
    """Return whether a letter, never a digit, was left out, added, replaced, or swapped."""
    same = 0
    while same < min(len(name), len(key)) and name[same] == key[same]:
        same += 1
    name = name[same:]
    key = key[same:]
    ways = (
        (name[1:].startswith(key), name[:1]),
        (name.startswith(key[1:]), key[:1]),
        (name[1:].startswith(key[1:]), key[:1] + name[:1]),
        (len(key) > 1 and name.startswith(key[1] + key[0] + key[2:]), key[:2]),
    )
    return any(is_so and not any(map(str.isdigit, changed)) for is_so, changed in ways)


def read_id(text: str) -> int | None:
    """Read a bare id such as `12` or `#12`, in the digits of any script. Else return None."""
    digits = plain(text).strip().removeprefix(NUMBER_SIGN)
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= len(str(MAX_ID))):
        return None
    number = int(digits)
    return number if number <= MAX_ID else None
