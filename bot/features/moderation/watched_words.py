"""Find words in a text, however it is disguised."""

import functools
import json
import re
import unicodedata
from collections import abc
from pathlib import Path
from string import ascii_lowercase

from bot import visible

# Small signs at the height of letters aren't letters.
_SMALL_SIGNS = range(0x2B9, 0x300)
# What a line is made of, each letter by one of these: letters and digits, marks, anything else.
_LETTER, _MARK, _OTHER = "lm "
_RUN = re.compile("[lm]+")
# Letters on both sides make it a part of their word.
_APOSTROPHE = re.compile(r"(?<=[^\W_])['\u02bc](?=[^\W_])")
_QUOTES = "'\u2018\u2019\u201b\uff07"
# Thai to Burmese, Khmer, the Tai scripts, Balinese, Chinese and Japanese, Yi, Javanese: there are
# no spaces between their words.
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
# Between two kinds, while a text is folded.
_BREAK = "\0"
# What must be beside a word, by its stars before and behind: nothing, or an edge, at which no
# letter continues it. As bits of a byte: those of words that need no edge behind them, or none
# before.
_BESIDE = {("*", "*"): 0, ("", "*"): 1, ("*", ""): 2, ("", ""): 3}
_WITHIN = 0b0011
_NO_EDGE = 0b0101
_EDGE = 0b1111
# More than there are characters.
_CODES = 2**21
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


class Matcher:
    """Says which of its words a text contains, in time that only grows with the text.

    It goes through each reading of a text once, and knows at each letter the longest part of a word
    that ends there (Aho and Corasick). That part has, in one number, the lengths of all words that
    end there: a byte for each length, in which the lowest bits say what must be beside the word.
    """

    def __init__(self, words: abc.Iterable[str]) -> None:
        self._words: dict[tuple[int, str], list[str]] = {}
        for word in words:
            start, core, end = _parts(word)
            if core:
                self._words.setdefault((_BESIDE[start, end], core), []).append(word)
        self._longest = max((len(core) for _, core in self._words), default=0)
        # The part to which a letter leads, else the part to continue with, and a part's lengths.
        self._next: dict[int, int] = {}
        self._shorter: dict[int, int] = {}
        self._lengths: dict[int, int] = {}
        self._link(self._grow())

    def find(self, text: str) -> str:
        """Return a word that a text contains, as it was typed, or "" if it contains none."""
        return next(self._found(text), "")

    def words_in(self, text: str) -> set[str]:
        """Return all words that a text holds, as they were typed."""
        return set(self._found(text))

    def _grow(self) -> abc.Sequence[tuple[int, int, int]]:
        """Make the parts of all words. Return each with its last letter and the part before."""
        parts: list[list[tuple[int, int, int]]] = [[] for _ in range(self._longest)]
        for beside, core in self._words:
            part = 0
            for depth, code in enumerate(map(ord, core)):
                after = self._next.get(part + code)
                if after is None:
                    after = (len(self._next) + 1) * _CODES
                    self._next[part + code] = after
                    parts[depth].append((after, code, part))
                part = after
            length = 1 << 8 * (len(core) - 1) + beside
            self._lengths[part] = self._lengths.get(part, 0) | length
        return [part for of_one_length in parts for part in of_one_length]

    def _link(self, parts: abc.Iterable[tuple[int, int, int]]) -> None:
        """Link each part, the shortest first, to the longest other one that it ends with."""
        for part, code, before in parts:
            if before:
                shorter = self._step(self._shorter.get(before, 0), code)
                if shorter:
                    self._shorter[part] = shorter
                    if lengths := self._lengths.get(shorter):
                        self._lengths[part] = self._lengths.get(part, 0) | lengths

    def _step(self, part: int, code: int) -> int:
        """Return the longest part that ends with a letter behind another part, 0 for none."""
        after = self._next.get(part + code)
        while after is None and part:
            part = self._shorter.get(part, 0)
            after = self._next.get(part + code)
        return after or 0

    def _found(self, text: str) -> abc.Iterator[str]:
        """Yield each word that a text holds, once for each way in which it does."""
        if not self._words:
            return
        for line, kinds in _lines(text):
            starts, ends = _edges(line, kinds)
            for end, lengths in self._hits(line, starts, ends):
                while lengths:
                    lowest = (lengths & -lengths).bit_length() - 1
                    lengths &= lengths - 1
                    length, beside = divmod(lowest, 8)
                    yield from self._words[beside, line[end - length - 1 : end]]

    def _hits(
        self, line: str, starts: bytes, ends: abc.Container[int]
    ) -> abc.Iterator[tuple[int, int]]:
        """Yield where words end, and their lengths, but no word a second time."""
        after = self._next
        shorter = self._shorter
        lengths_of = self._lengths
        within = int.from_bytes(bytes([_WITHIN]) * self._longest)
        known: dict[int, int] = {}
        part = 0
        for end, code in enumerate(map(ord, line), 1):
            found = after.get(part + code)
            while found is None and part:
                part = shorter.get(part, 0)
                found = after.get(part + code)
            if found is None:
                continue
            part = found
            lengths = lengths_of.get(part)
            if lengths is None:
                continue
            new = lengths & ~known.get(part, 0)
            if end not in ends:
                new &= within
            if new := new and new & int.from_bytes(starts[max(0, end - self._longest) : end]):
                known[part] = known.get(part, 0) | new
                yield end, new


def word_key(word: str) -> str:
    """Return the key that words with the same matches share, or "" for an invalid word.

    A `*` only replaces letters, at the start or end.
    """
    start, core, end = _parts(word)
    return f"{start}{core}{end}" if core and "*" not in core else ""


def _parts(word: str) -> tuple[str, str, str]:
    """Return a word's start (`*` or nothing), what is searched for, and its end (the same)."""
    word = word.strip()
    core = " ".join(fold(word.strip("*")).split())
    # Beside a sign, there is no letter that could continue a word.
    shape = core.translate(_SHAPES)
    starts = "*" * (word.startswith("*") or shape[:1] == _OTHER)
    ends = "*" * (word.endswith("*") or shape[-1:] == _OTHER)
    return starts, core, ends


def fold(text: str) -> str:
    """Return the small letters that a text looks like: folded, then by look-alikes."""
    return visible.folded(text).translate(_tables()[0])


def readings(text: str) -> tuple[str, str, str]:
    """Return a text folded, with a big I as a small L, and with flags as letters."""
    small = fold(text)
    apart = visible.normalized("NFKD", text)
    alike = apart.translate(_tables()[1])
    return small, small if alike == apart else fold(alike), small.translate(_DRAWN)


def count_letters(text: str) -> int:
    """Return about how many letters a text has after folding: one can become eighteen."""
    return len(visible.normalized("NFKC", text))


def _lines(text: str) -> abc.Iterable[tuple[str, str]]:
    """Return each reading as a line, and for each of its letters what kind it was read from."""
    text = _KEYCAP.sub(lambda match: _CIRCLED[int(match[1])], text.replace(_BREAK, ""))
    pieces = list(_SAME_KIND.finditer(text.translate(_KINDS)))
    if not pieces:
        return []
    kinds = [piece[0][0] for piece in pieces]
    whole = _BREAK.join(text[piece.start() : piece.end()] for piece in pieces)
    return [_line(reading.split(_BREAK), kinds) for reading in dict.fromkeys(readings(whole))]


def _line(parts: abc.Sequence[str], kinds: abc.Sequence[str]) -> tuple[str, str]:
    line = "".join(parts)
    all_kinds = "".join(kind * len(part) for part, kind in zip(parts, kinds, strict=True))
    spans = [match.span() for match in _NO_SPACE.finditer(line)]
    line = " ".join(line[start:end] for start, end in spans)
    return line, _PLAIN.join(all_kinds[start:end] for start, end in spans)


def _edges(line: str, kinds: str) -> tuple[bytes, abc.Container[int]]:
    """Return what may start at each letter, as bits of a byte, and where words may end."""
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
    at = bytearray([_NO_EDGE]) * (len(line) + 1)
    for start in starts | edges:
        at[start] = _EDGE
    return bytes(at), ends | edges


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


_KINDS = visible.CharacterTable(_kind)


def _shape(character: str) -> str:
    if character.isalnum():
        return _OTHER if ord(character) in _SMALL_SIGNS else _LETTER
    # It belongs to the letter before it, as the vowels of Hindi do.
    return _MARK if unicodedata.category(character)[0] == "M" else _OTHER


_SHAPES = visible.CharacterTable(_shape)


def _shown_as(character: str) -> str:
    """Return what can be seen of a character, a space for what takes room."""
    if character in _WIDE_BLANKS:
        return " "
    letter, *marks = unicodedata.normalize("NFD", character)
    if marks:
        # As in Katakana and Hiragana: a letter with its mark is alike if the letter is.
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
    return visible.CharacterTable(_shown_as, _SMALL_CAPITALS | small | {ord(_BREAK): _BREAK}), big
