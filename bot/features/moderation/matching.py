"""Look for words in a text, however it is disguised."""

import functools
import json
import re
import unicodedata
from collections import abc
from pathlib import Path
from string import ascii_lowercase

from bot import visible

# A small sign in a letter's height is none.
_SMALL_SIGNS = range(0x2B9, 0x300)
# What a line is made of, each letter by one of these: letters and digits, marks, anything else.
_LETTER, _MARK, _OTHER = "lm "
_RUN = re.compile("[lm]+")
# Letters on both sides make it a part of their word.
_APOSTROPHE = re.compile(r"(?<=[^\W_])['\u02bc](?=[^\W_])")
_QUOTES = "'\u2018\u2019\u201b\uff07"
# Thai to Burmese, Khmer, the Tai scripts, Balinese, Chinese and Japanese, Yi, Javanese: no spaces
# stand between their words.
_UNSPACED_SCRIPTS = re.compile(
    r"[\u0e00-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u1b00-\u1b7f\u3005-\u3007\u3040-\u312f"
    r"\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua980-\ua9ff\uaa60-\uaa7f\uf900-\ufaff"
    r"\uff66-\uff9f\U00020000-\U0003ffff]"
)
# The classes of characters, each with a letter of its own.
_PLAIN, _SIGN, _UNSPACED = "psu"
# A digit as an emoji is a sign, as one in a circle is.
_KEYCAP = re.compile("([0-9])\ufe0f?\u20e3")
_CIRCLED = "⓪①②③④⑤⑥⑦⑧⑨"
# A mark is of the kind of its letter.
_SAME_KIND = re.compile("[pm]+|[sm]+|[um]+")
_NOT_PLAIN = re.compile("[su]")
_NO_SPACE = re.compile(r"\S+")
# So many first letters tell most words apart.
_HEAD = 3
# Unicode's table of look-alike letters (confusables.txt), by what each is read as.
_LOOK_ALIKES = Path(__file__).with_name("look_alikes.json")
# Blank, though Unicode calls them a letter and a symbol.
_WIDE_BLANKS = "\u1160\u2800"
_KEPT = "\n\t "
# Small capitals that Unicode's table leaves out.
_SMALL_CAPITALS = dict(zip(map(ord, "ᴀᴅᴇꜰᴊɴᴘꞯ"), "adefjnpq", strict=True))
# The letters in circles, in boxes and of flags, which Unicode calls symbols, from their A on.
_DRAWN = {
    first + position: letter
    for first in (0x1F150, 0x1F170, 0x1F1E6)
    for position, letter in enumerate(ascii_lowercase)
}
# Most of what people write is made of fewer different characters.
_REMEMBERED = 16384


class Matcher:
    def __init__(self, words: abc.Iterable[str]) -> None:
        starting: list[tuple[str, str, str]] = []
        anywhere: list[tuple[str, str, str]] = []
        for word in words:
            start, core, end = _parts(word)
            if core:
                (anywhere if start else starting).append((core, end, word))
        self._starting = _Lookup(starting)
        self._anywhere = _Lookup(anywhere)

    def find(self, text: str) -> str:
        """Return a word that a text holds, as it was typed, "" where it holds none."""
        for line, kinds in _lines(text):
            starts, ends = _edges(line, kinds)
            word = self._starting.find(line, starts, ends)
            word = word or self._anywhere.find(line, range(len(line)), ends)
            if word:
                return word
        return ""


class _Lookup:
    """Words by their first letters, so that few of them are compared at any place of a text.

    Each is given as what is looked for, `*` if more letters may follow, and as it was typed.
    """

    def __init__(self, words: abc.Iterable[tuple[str, str, str]]) -> None:
        self._open: dict[str, str] = {}
        self._closed: dict[str, str] = {}
        lengths: dict[str, set[int]] = {}
        for core, end, word in words:
            (self._open if end else self._closed).setdefault(core, word)
            lengths.setdefault(core[:_HEAD], set()).add(len(core))
        self._lengths = {head: sorted(known) for head, known in lengths.items()}
        self._heads = sorted({len(head) for head in lengths})

    def find(self, line: str, starts: abc.Sequence[int], ends: abc.Set[int]) -> str:
        """Return a word that begins at one of `starts`, "" for none; `ends` are those of words."""
        lengths = self._lengths
        for head in self._heads:
            likely = [start for start in starts if line[start : start + head] in lengths]
            for start in likely:
                for length in lengths[line[start : start + head]]:
                    end = start + length
                    part = line[start:end]
                    word = self._open.get(part) or (end in ends and self._closed.get(part))
                    if word:
                        return word
        return ""


def word_key(word: str) -> str:
    """Return what words have in common that are looked for alike; nothing if it can't be.

    A `*` stands for letters at an end alone.
    """
    start, core, end = _parts(word)
    return f"{start}{core}{end}" if core and "*" not in core else ""


def _parts(word: str) -> tuple[str, str, str]:
    """Return `*` or nothing for its start, what is looked for, and `*` or nothing for its end."""
    word = word.strip()
    core = " ".join(fold(word.strip("*")).split())
    # Beside a sign there is no letter that a word could go on with.
    shape = core.translate(_SHAPES)
    starts = "*" * (word.startswith("*") or shape[:1] == _OTHER)
    ends = "*" * (word.endswith("*") or shape[-1:] == _OTHER)
    return starts, core, ends


def fold(text: str) -> str:
    """Return the small letters that a text looks to be made of: folded, then by look-alikes."""
    return visible.folded(text).translate(_tables()[0])


def readings(text: str) -> tuple[str, str, str]:
    """Return a text folded, with a big I as a small L, and with flags as letters."""
    small = fold(text)
    big = fold(visible.normalized("NFKD", text).translate(_tables()[1]))
    return small, big, small.translate(_DRAWN)


def _lines(text: str) -> abc.Iterable[tuple[str, str]]:
    """Return each reading as a line, and for each of its letters what kind it was read from."""
    text = _KEYCAP.sub(lambda match: _CIRCLED[int(match[1])], text)
    pieces = [
        (readings(text[match.start() : match.end()]), match[0][0])
        for match in _SAME_KIND.finditer(text.translate(_KINDS))
    ]
    lines: dict[tuple[str, str], None] = {}
    for number in range(3):
        line = "".join(parts[number] for parts, _ in pieces)
        kinds = "".join(kind * len(parts[number]) for parts, kind in pieces)
        spans = [match.span() for match in _NO_SPACE.finditer(line)]
        line = " ".join(line[start:end] for start, end in spans)
        lines[line, _PLAIN.join(kinds[start:end] for start, end in spans)] = None
    return lines


def _edges(line: str, kinds: str) -> tuple[abc.Sequence[int], abc.Set[int]]:
    """Return where words may start, in order, and where they may end."""
    shape = line.translate(_SHAPES)
    runs = [match.span() for match in _RUN.finditer(shape)]
    starts = {start for start, _ in runs}
    ends = {end for _, end in runs}
    for match in _APOSTROPHE.finditer(line):
        if kinds[match.start()] == _PLAIN:
            starts.discard(match.end())
            ends.discard(match.start())
    beside = {position for match in _NOT_PLAIN.finditer(kinds) for position in match.span()}
    edges = {position for position in beside if shape[position : position + 1] != _MARK}
    return sorted(starts | edges), ends | edges


class _Table(dict[int, str]):
    """A table for `str.translate` that works out each character when it is first asked for."""

    def __init__(
        self, find: abc.Callable[[str], str], known: abc.Mapping[int, str] | None = None
    ) -> None:
        super().__init__(known or {})
        self._find = find

    def __missing__(self, code: int) -> str:
        found = self._find(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = found
        return found


def _kind(character: str) -> str:
    """Return whether a character is a sign, or of a script like Thai."""
    if _UNSPACED_SCRIPTS.match(character):
        return _UNSPACED
    category = unicodedata.category(character)
    if category[0] == "M":
        return _MARK
    composed = visible.normalized("NFKC", character)
    # As those in circles are: they have big and small ones.
    is_letter = len(composed) == 1 and composed.upper() != composed.lower()
    is_sign = category == "No" or category[0] in "PS"
    if not is_sign or is_letter or character in _QUOTES or ord(character) in _DRAWN:
        return _PLAIN
    return _SIGN


_KINDS = _Table(_kind)


def _shape(character: str) -> str:
    if character.isalnum():
        return _OTHER if ord(character) in _SMALL_SIGNS else _LETTER
    # It goes with the letter before it, as the vowels of Hindi do.
    return _MARK if unicodedata.category(character)[0] == "M" else _OTHER


_SHAPES = _Table(_shape)


def _shown_as(character: str) -> str:
    """Return what can be seen of a character, a space for what takes room."""
    if character in _WIDE_BLANKS:
        return " "
    letter, *marks = unicodedata.normalize("NFD", character)
    if marks:
        # As in Katakana and Hiragana: a letter with its mark is alike where the letter is.
        alike = unicodedata.normalize("NFC", _tables()[0][ord(letter)] + "".join(marks))
        return alike if len(alike) == 1 else character
    if character.isspace() and character not in _KEPT:
        return " "
    return visible.visible(character)


@functools.cache
def _tables() -> tuple[abc.Mapping[int, str], abc.Mapping[int, str]]:
    """Return the look-alikes of small letters, then those of big ones."""
    read = json.loads(_LOOK_ALIKES.read_text(encoding="utf-8"))
    big, small = (
        {ord(character): shown for shown, alike in read[name].items() for character in alike}
        for name in ("big", "small")
    )
    return _Table(_shown_as, _SMALL_CAPITALS | small), big
