"""Whether a text holds a word that moderators or members watch, as far as the documents say it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

# In Chinese and Japanese, too.
_BETWEEN = re.compile(r"[,\uff0c\u3001\r\n]")
_TOKEN = re.compile(r"\w+")
# Letters of other scripts, and digits, that look like Latin ones.
_ALIKE = str.maketrans(
    "01\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455\u03bf\u03b1\u03bd",
    "olabekmhopctyxijsoav",
)


def words_in(text: str) -> tuple[str, ...]:
    """Return the words of a list as moderators type it."""
    parts = (" ".join(part.split()) for part in _BETWEEN.split(text))
    return tuple(part for part in parts if part)


def any_holds(words: Iterable[str], text: str) -> bool | None:
    """Tell whether a text contains one of a server's words. None if that isn't plain to see."""
    found = [holds(word, text) for word in words]
    return True if True in found else None if None in found else False


@lru_cache(4096)
def holds(word: str, text: str) -> bool | None:
    core = word.strip("*")
    strict = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    at_start, at_end = not word.startswith("*"), not word.endswith("*")
    folded = unicodedata.normalize("NFKC", core).casefold()
    is_plain = folded.replace(" ", "").isalpha()
    verdicts = set(_occurrences(folded, strict, at_start, at_end) if is_plain else ())
    if True in verdicts:
        return True
    signs = {letter for letter in folded if not letter.isalnum()} - {" "}
    if signs - set(strict) or _loose(core) not in _loose(text):
        return False
    # What looks like the word may be it.
    is_latin = all(letter.isascii() for letter in strict)
    return False if is_latin and is_plain and None not in verdicts else None


def _occurrences(core: str, text: str, at_start: bool, at_end: bool) -> Iterator[bool | None]:
    """Say of each place that has a word's letters whether it is the word."""
    start = text.find(core)
    while start >= 0:
        end = start + len(core)
        before = text[start - 1 : start] if at_start else ""
        after = text[end : end + 1] if at_end else ""
        edges = [_is_edge(letter) for letter in (before, after)]
        yield False if False in edges else None if None in edges else True
        start = text.find(core, start + 1)


def _is_edge(letter: str) -> bool | None:
    """Tell whether a word ends beside this, "" at the end of a text."""
    if letter == "":
        return True
    if letter.isascii() and letter.isalnum():
        return False
    # An apostrophe between letters belongs to the word; other scripts have signs and marks.
    return True if letter.isascii() and letter not in "'`" else None


def _loose(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold()
    kept = (letter for letter in letters if letter.isalnum() or not letter.isascii())
    bare = (letter for letter in kept if unicodedata.category(letter)[0] != "M")
    return "".join(letter for letter in bare if letter.isprintable()).translate(_ALIKE)


def holds_surely(words: str, text: str) -> bool:
    """Return whether a text has one of a member's words, if that is plain to see."""
    tokens = _TOKEN.findall(text.casefold())
    for word in words.casefold().split(","):
        row = word.split()
        if not row or not all(each.strip("*") for each in row):
            continue
        for start in range(len(tokens) - len(row) + 1):
            pairs = zip(row, tokens[start:], strict=False)
            if all(_is_meant(wanted, token) for wanted, token in pairs):
                return True
    return False


def _is_meant(wanted: str, token: str) -> bool:
    stem = wanted.strip("*")
    if wanted == stem:
        return token == stem
    begins = not wanted.endswith("*") or token.startswith(stem)
    ends = not wanted.startswith("*") or token.endswith(stem)
    is_within = wanted.startswith("*") and wanted.endswith("*")
    return stem in token if is_within else begins and ends


def may_hold(words: str, text: str) -> bool:
    """Return whether a text may have one of a member's words, if signs between them don't count."""
    folded = _folded(text)
    return any(_folded(word) in folded for word in words.split(","))


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in decomposed if sign.isalnum())
