"""Look for words in a text, however it is disguised."""

import functools
import json
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import re2

from bot.visible import is_visible, normalized

# Without types of its own.
_RE2: Any = re2
_LETTER = r"\pL\pM\pN_"
_START, _END = rf"(?:^|[^{_LETTER}])", rf"(?:$|[^{_LETTER}])"

# A word's wildcards: `*` or nothing at its start, and at its end.
Wildcards = tuple[str, str]
# Unicode's table of look-alike letters (confusables.txt), by what each is read as.
LOOK_ALIKES = Path(__file__).with_name("look_alikes.json")
_MARKS = frozenset({"Mn", "Me"})
# Blank, though Unicode calls them a letter and a symbol.
_WIDE_BLANKS = "\u1160\u2800"
_KEPT = "\n\t "
# Small capitals that Unicode's table leaves out.
_SMALL_CAPITALS = dict(zip(map(ord, "ᴀᴅᴇꜰᴊɴᴘꞯ"), "adefjnpq", strict=True))
# The letters in circles, in boxes and of flags, which Unicode calls symbols, from their A on.
_DRAWN = {
    first + place: letter
    for first in (0x1F150, 0x1F170, 0x1F1E6)
    for place, letter in enumerate(ascii_lowercase)
}
# Most of what people write is made of fewer different characters.
_REMEMBERED = 16384


class Matcher:
    """Words, ready to be looked for."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = _Words(_parted(words))

    def find(self, text: str) -> str:
        """Return a word that a text holds, as it was typed, "" where it holds none."""
        found = (self._words.find(reading) for reading in readings(text))
        return next((word for word in found if word), "")


def word_key(word: str) -> str:
    """Return what words have in common that are looked for alike; nothing if it can't be."""
    (start, end), core = _parts(word)
    return f"{start}{core}{end}" if core else ""


class _Words:
    """Words with wildcards, as one pattern with a group for each kind."""

    def __init__(self, kinds: Mapping[Wildcards, Mapping[str, str]]) -> None:
        self._names = list(kinds.values())
        groups = [_group(cores, wildcards) for wildcards, cores in kinds.items()]
        self._pattern = _RE2.compile("|".join(groups)) if groups else None

    def find(self, text: str) -> str:
        """Return the first word that a text holds, as it was typed; nothing if it holds none."""
        match = self._pattern and self._pattern.search(text)
        if not match:
            return ""
        group: int = match.lastindex
        found = " ".join(str(match.group(group)).split())
        return self._names[group - 1].get(found, found)


def _parted(words: Iterable[str]) -> Mapping[Wildcards, Mapping[str, str]]:
    """Return words by their wildcards, as what is looked for and as they were typed."""
    kinds: dict[Wildcards, dict[str, str]] = {}
    for word in words:
        wildcards, core = _parts(word)
        if core:
            kinds.setdefault(wildcards, {}).setdefault(core, word)
    return kinds


def _parts(word: str) -> tuple[Wildcards, str]:
    word = word.strip()
    core = " ".join(fold(word.strip("*")).split())
    # Beside a mark there is no letter that a word could go on with.
    starts = "*" * (word.startswith("*") or not core[:1].isalnum())
    ends = "*" * (word.endswith("*") or not core[-1:].isalnum())
    return (starts, ends), core


def _group(cores: Iterable[str], wildcards: Wildcards) -> str:
    start, end = wildcards
    words = "|".join(r"\s+".join(map(_RE2.escape, core.split())) for core in cores)
    return f"{'' if start else _START}({words}){'' if end else _END}"


def plain(text: str) -> str:
    """Return a text in small letters, without marks and without what can't be seen."""
    return _small(text).translate(_Table({}))


def fold(text: str) -> str:
    """Return the small letters that a text looks to be made of.

    NFKC, case, marks, invisible characters, then Unicode's look-alikes.
    """
    return normalized("NFC", _small(text).translate(_tables()[0]))


def readings(text: str) -> tuple[str, ...]:
    """Return a text folded, in each way in which it can be read.

    A big I is read as an I and as a small L, and a flag as such and as its letters.
    """
    small, big = fold(text), fold(normalized("NFKD", text).translate(_tables()[1]))
    return tuple(dict.fromkeys((small, big, small.translate(_DRAWN))))


def _small(text: str) -> str:
    return normalized("NFD", normalized("NFKC", text).casefold())


class _Table(dict[int, str]):
    """A table for `str.translate` that works out each character when it is first asked for."""

    def __missing__(self, code: int) -> str:
        found = _shown_as(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = found
        return found


def _shown_as(character: str) -> str:
    """Return what can be seen of a character: a space for what takes room, nothing for a mark."""
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
    big, small = (
        {ord(each): shown for shown, alike in read[name].items() for each in alike}
        for name in ("big", "small")
    )
    return _Table(_SMALL_CAPITALS | small), big
