"""The visible part of a text, and keys that tell texts and names apart."""

import enum
import functools
import hashlib
import re
import unicodedata
from collections import abc
from typing import Literal

# Joiners that letters of some scripts and emoji families are written with.
_JOINERS = "\u200c\u200d"
# Looks like nothing, or like a space, though Unicode calls it a letter.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_MAX_ACCENTS = 6
# A part of a text, with what may belong to the last of its characters: marks, and what Korean and
# Japanese letters are put together with.
_PART = re.compile(
    r".{1,256}(?:[^\w\s\x00-\u02ff]|[\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]){0,256}", re.DOTALL
)
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){3,}")
_KEPT_CONTROLS = "\n\t"
_ASCII_CONTROLS = re.compile(r"[^\x20-\x7e\n\t]")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_ACCENT_CATEGORIES = frozenset({"Mn", "Me"})
# Letters that lose their marks: Latin, Greek, Hebrew and Arabic ones, once they are taken apart.
_BARE_LETTERS = (
    "A-Za-z\\u00aa-\\u02af\\u0370-\\u03ff\\u0590-\\u06ff\\u0750-\\u077f\\u0870-\\u08ff\\u1d00-\\u1dbf"
    "\\u1e00-\\u1fff\\u2c60-\\u2c7f\\ua720-\\ua7ff\\uab30-\\uab6f\\ufb1d-\\ufdff\\ufe70-\\ufefc"
)
# In Russian, two dots that many leave out. In Turkish, an i that many write with its dot.
_DOTTED_E = "\u0435\u0308"
_DOTLESS_I = "\u0131"
# Where Unicode has marks: in its first plane, which is looked through fast, and in the second one.
_MARKS_BEGIN = 0x300
_MARKS_END = 0x1EA00
_FIRST_PLANE_END = 0x10000
_BEYOND = re.compile("[\U00010000-\U0010ffff]")
# The number of Unicode's class for marks that strike a letter out.
_OVERLAY = 1
# Signs that keyboards have once: quotes, apostrophes and dashes.
_QUOTES = (
    "\u00ab\u00bb\u05f4\u201c\u201d\u201e\u201f\u2033\u2036\u275d\u275e\u2e42\u300a\u300b"
    "\u300c\u300d\u300e\u300f\u301d\u301e\u301f\uff02\uff62\uff63"
)
_APOSTROPHES = (
    "`\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u02ca\u02cb\u055a\u05f3\u2018\u2019\u201a\u201b"
    "\u2032\u2035\u2039\u203a\u275b\u275c\uff07"
)
_DASHES = (
    "\u02d7\u058a\u05be\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u2796\u2e3a\u2e3b"
    "\ufe58\ufe63\uff0d"
)
_TYPED = {
    ord(sign): typed
    for signs, typed in ((_QUOTES, '"'), (_APOSTROPHES, "'"), (_DASHES, "-"))
    for sign in signs
}
# Most of what people write is made of fewer different characters.
_REMEMBERED = 16384
_BLACK_FLAG = "\U0001f3f4"
_FLAG_TAGS = range(0xE0020, 0xE0080)


def visible(text: str) -> str:
    """Drop what can't be seen: zero-width and bidirectional controls, blanks, other controls.

    Of blank lines in a row two are left, and of accents on one letter as many as any script needs.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return _BLANK_LINES.sub("\n\n\n", _ASCII_CONTROLS.sub("", text))
    # A text has few different characters, and most are plain: each is looked up once.
    unusual = {
        character: sight
        for character in set(text)
        if (sight := _sight(character)) is not _Sight.PLAIN
    }
    if unusual:
        text = "".join(_kept(text, unusual))
    return _BLANK_LINES.sub("\n\n\n", text)


def is_visible(text: str) -> bool:
    if text.isascii() and text.isprintable():
        return not text.isspace() and bool(text)
    return any(_sight(character) is _Sight.PLAIN and not character.isspace() for character in text)


class _Sight(enum.Enum):
    PLAIN = enum.auto()
    ACCENT = enum.auto()
    JOINER = enum.auto()
    FLAG_TAG = enum.auto()
    HIDDEN = enum.auto()


# People use few different characters, and everything they write passes here.
@functools.lru_cache(maxsize=4096)
def _sight(character: str) -> _Sight:
    if character in _KEPT_CONTROLS:
        return _Sight.PLAIN
    if character in _JOINERS:
        return _Sight.JOINER
    if ord(character) in _FLAG_TAGS:
        return _Sight.FLAG_TAG
    category = unicodedata.category(character)
    if character in _BLANKS or category in _HIDDEN_CATEGORIES:
        return _Sight.HIDDEN
    return _Sight.ACCENT if category in _ACCENT_CATEGORIES else _Sight.PLAIN


def _kept(text: str, unusual: abc.Mapping[str, _Sight]) -> abc.Iterator[str]:
    """Yield the characters of a text that stay. All except the `unusual` ones are plain."""
    before = ""
    accents = 0
    for character in text:
        sight = unusual.get(character)
        if sight is None:
            accents = 0
        else:
            accents = accents + 1 if sight is _Sight.ACCENT else 0
            if not _is_kept(sight, accents, before):
                continue
        before = character
        yield character


def _is_kept(sight: _Sight, accents: int, before: str) -> bool:
    match sight:
        case _Sight.ACCENT:
            return accents <= _MAX_ACCENTS
        case _Sight.JOINER:
            return bool(before) and not before.isascii() and before not in _JOINERS
        case _Sight.FLAG_TAG:
            return before == _BLACK_FLAG or (bool(before) and ord(before) in _FLAG_TAGS)
        case _:
            return False


def normalized(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in one of Unicode's forms, part by part: marks in a row take their square."""
    if text.isascii():
        return text
    return "".join(unicodedata.normalize(form, part) for part in _PART.findall(text))


class CharacterTable(dict[int, str]):
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


def _with_plain_digit(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else character


_PLAIN_DIGITS = CharacterTable(_with_plain_digit)


def plain(text: str) -> str:
    """Return a text in plain letters, with the digits of every script as those from 0 to 9."""
    return text if text.isascii() else normalized("NFKC", text.translate(_PLAIN_DIGITS))


def folded(text: str) -> str:
    """Return a text in small plain letters, without the marks that many leave out.

    Such are accents and vowel points. Marks after other letters than `_BARE_LETTERS` stay: they
    make another letter.
    """
    if text.isascii():
        return text.lower()
    text = normalized("NFD", plain(text).casefold())
    struck, left_out = _marks(_MARKS_END if _BEYOND.search(text) else _FIRST_PLANE_END)
    text = left_out.sub("", struck.sub("", text))
    text = text.replace(_DOTTED_E, _DOTTED_E[0]).replace(_DOTLESS_I, "i")
    return normalized("NFC", text)


@functools.cache
def _marks(up_to: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds marks that are never read, and those that aren't where they are."""
    codes = range(_MARKS_BEGIN, up_to)
    marks = [mark for mark in map(chr, codes) if unicodedata.category(mark)[0] == "M"]
    never = "".join(
        mark
        for mark in marks
        if unicodedata.category(mark) == "Me"
        or (unicodedata.combining(mark) == _OVERLAY and "OVERLAY" in unicodedata.name(mark))
    )
    selectors = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
    those_before = "".join(marks)
    accents = "".join(mark for mark in marks if unicodedata.category(mark) == "Mn")
    return (
        re.compile(f"[{never}{selectors}]+"),
        # The mark first: that is what is looked for fast.
        re.compile(rf"[{accents}](?<![^\W\d_{_BARE_LETTERS}].)(?<![{those_before}].)[{accents}]*"),
    )


# A look compares the same few names with one wish after the other.
@functools.lru_cache(maxsize=512)
def search_key(text: str) -> str:
    """Return what a text and a name have in common if one is typed to find the other.

    Quotes and dashes are those of a keyboard.
    """
    typed = folded(visible(text).translate(_TYPED)).replace("''", '"')
    return " ".join(typed.split())


def name_key(name: str) -> str:
    """Fold a name so that names that look alike are the same, as stored keys are."""
    return " ".join(normalized("NFKC", name).casefold().split())


def text_key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
