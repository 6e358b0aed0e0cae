"""The visible part of a text, and keys that tell texts and names apart."""

import enum
import functools
import hashlib
import re
import unicodedata
from typing import Literal

# Joiners that letters of some scripts and emoji families are written with.
_JOINERS = "\u200c\u200d"
# Looks like nothing, or like a space, though Unicode calls it a letter.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_MOST_ACCENTS = 6
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
    kept: list[str] = []
    accents = 0
    for character in text:
        sight = _sight(character)
        accents = accents + 1 if sight is _Sight.ACCENT else 0
        if sight is _Sight.PLAIN or _is_kept(sight, accents, kept[-1] if kept else ""):
            kept.append(character)
    return _BLANK_LINES.sub("\n\n\n", "".join(kept))


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


def _is_kept(sight: _Sight, accents: int, before: str) -> bool:
    match sight:
        case _Sight.ACCENT:
            return accents <= _MOST_ACCENTS
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


def name_key(name: str) -> str:
    """Fold a name so that names that look alike are the same."""
    return " ".join(normalized("NFKC", name).casefold().split())


def text_key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
