"""Bring texts that look the same to the same letters, so that no disguise hides a word."""

import functools
import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from bot.visible import is_visible

# Unicode's table of look-alike letters, as tools/confusables.py writes it.
LOOK_ALIKES = Path(__file__).with_name("look_alikes.json")
_MARKS = frozenset({"Mn", "Me"})
# Blank, though Unicode calls them a letter and a symbol.
_WIDE_BLANKS = "\u1160\u2800"
_KEPT = "\n\t "
# Most of what people write is made of fewer different characters.
_REMEMBERED = 16384


def plain(text: str) -> str:
    """Return a text in small letters, without marks and without what can't be seen."""
    return _small(text).translate(_Table({}))


def fold(text: str) -> str:
    """Return the small letters that a text looks to be made of.

    NFKC, case, marks, invisible characters, then Unicode's look-alikes.
    """
    return unicodedata.normalize("NFC", _small(text).translate(_tables()[0]))


def readings(text: str) -> tuple[str, ...]:
    """Return a text folded, and once more where big letters look like others than small ones do.

    A big I is read as an I and as a small L.
    """
    small, big = fold(text), fold(unicodedata.normalize("NFKD", text).translate(_tables()[1]))
    return (small,) if small == big else (small, big)


def _small(text: str) -> str:
    return unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())


class _Table(dict[int, str]):
    """What becomes of each character, for `str.translate`; found when it is first asked for."""

    def __missing__(self, code: int) -> str:
        found = _seen(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = found
        return found


def _seen(character: str) -> str:
    """Return what is seen of a character: a space for what takes room, nothing for a mark."""
    if character in _WIDE_BLANKS:
        return " "
    if unicodedata.category(character) in _MARKS:
        return ""
    if character in _KEPT or is_visible(character):
        return character
    return " " if character.isspace() else ""


@functools.cache
def _tables() -> tuple[Mapping[int, str], Mapping[int, str]]:
    """Return the look-alikes of small letters, then those of big ones."""
    read = json.loads(LOOK_ALIKES.read_text(encoding="utf-8"))
    big = {ord(each): shown for shown, alike in read["big"].items() for each in alike}
    return _Table(
        {ord(each): shown for shown, alike in read["small"].items() for each in alike}
    ), big
