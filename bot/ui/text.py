"""Show other people's text as text: nothing in it formats, pings, hides or pretends."""

import enum
import functools
import re
import unicodedata
from collections.abc import Callable

ELLIPSIS = "…"

# A plain web address keeps its shape, so that it stays an address that can be pressed. Only
# characters that Discord takes into a link are in it, so that none is left to format what follows.
_URL = r"https?://[A-Za-z0-9](?:[\w\-./?=&%#~+:;,!$]*[\w/=&%#~+$-])?"
# What starts a heading, a list, a quote or small print, but only where a line starts.
_LINE_START = r"^[ \t]*(?:[#>+-]|\d+\.)"
# Small print, which some readers find even behind a backslash, but not without its space.
_SMALL_PRINT = r"^[ \t]*-#[ ]"
_MARKS = r"\\`*_~|<@\[\]"
_SPECIAL = (
    rf"(?P<url>{_URL})|(?P<small_print>{_SMALL_PRINT})|(?P<line_start>{_LINE_START})"
    rf"|(?P<mark>[{_MARKS}])"
)
_FLAGS = re.ASCII | re.DOTALL | re.MULTILINE
_ESCAPED = re.compile(_SPECIAL, _FLAGS)
# The same, with what stands between.
_TOKEN = re.compile(
    rf"{_SPECIAL}|(?P<space>\s)|(?P<plain>(?:(?!https?://)[^\s{_MARKS}])+|.)", _FLAGS
)

# Joiners that letters of some scripts and emoji families are written with.
_JOINERS = "\u200c\u200d"
# Looks like nothing, or like a space, though Unicode calls it a letter.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_MOST_ACCENTS = 6
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){3,}")
_KEPT_CONTROLS = "\n\t"
_ASCII_CONTROLS = re.compile(r"[^\x20-\x7e\n\t]")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_ACCENT_CATEGORIES = frozenset({"Mn", "Me"})
_BLACK_FLAG = "\U0001f3f4"
_FLAG_TAGS = range(0xE0020, 0xE0080)


def visible(text: str) -> str:
    """Drop what can't be seen: zero-width and bidirectional controls, blanks, other controls.

    Joiners stay where a script or an emoji is written with them. Of blank lines in a row two are
    left, and of accents on one letter as many as any script needs, so that no text takes over the
    card it stands on.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return _BLANK_LINES.sub("\n\n\n", _ASCII_CONTROLS.sub("", text))
    kept: list[str] = []
    accents = 0
    for character in text:
        sight = _sight(character)
        accents = accents + 1 if sight is _Sight.ACCENT else 0
        if sight is _Sight.PLAIN or _is_kept(character, sight, accents, kept[-1] if kept else ""):
            kept.append(character)
    return _BLANK_LINES.sub("\n\n\n", "".join(kept))


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


def _is_kept(character: str, sight: _Sight, accents: int, before: str) -> bool:
    match sight:
        case _Sight.ACCENT:
            return accents <= _MOST_ACCENTS
        case _Sight.JOINER:
            return bool(before) and not before.isascii() and before not in _JOINERS
        case _Sight.FLAG_TAG:
            return before == _BLACK_FLAG or (bool(before) and ord(before) in _FLAG_TAGS)
        case _:
            return sight is _Sight.PLAIN


def escape(text: str) -> str:
    """Give Discord markdown that shows a text exactly as it was written, links included."""
    return _escape(visible(text))


def one_line(text: str) -> str:
    """Fold a text into one line."""
    return " ".join(text.split())


def cut(text: str, room: int) -> str:
    """Escape a text into at most `room` characters, cut at a word and marked where it was cut."""
    return _cut(visible(text), room)


def excerpt(text: str, room: int, *, lines: int) -> tuple[str, bool]:
    """Escape the start of a text into at most `room` characters and `lines` lines.

    Blank lines are left out. Tells as well whether there is more to read.
    """
    # Of what is hidden in the rest nothing would be shown here.
    start = visible(text[: room * 4])
    rows = [row for row in start.split("\n") if row.strip()]
    wanted = "\n".join(rows[:lines])
    shown = _cut(wanted, room - len(ELLIPSIS))
    is_cut = len(rows) > lines or len(text) > room * 4 or shown != _escape(wanted)
    if is_cut and shown and not shown.endswith(ELLIPSIS):
        shown += ELLIPSIS
    return shown, is_cut


def paginate(text: str, room: int) -> list[str]:
    """Escape a text into pages of at most `room` characters each, cut at words; loses nothing.

    A word longer than a page is cut where the page ends.
    """
    rest = visible(text)
    pages: list[str] = []
    while rest:
        head = _head(rest, room)
        rest = rest[len(head) :]
        # A page starts a line, so it is escaped for itself.
        pages.append(_escape(head.strip("\n") if head.strip() else ""))
    return [page for page in pages if page]


def _cut(text: str, room: int) -> str:
    whole = _escape(text)
    if len(whole) <= room:
        return whole
    return _escape(_head(text, room - len(ELLIPSIS)).rstrip()) + ELLIPSIS


def _head(text: str, room: int) -> str:
    """Give as many whole words from the start of a text as fit, escaped, into `room`."""
    used = end_of_word = 0
    for match in _TOKEN.finditer(text):
        used += len(_ESCAPES[match.lastgroup](match.group()))
        if used > room:
            return text[: end_of_word or match.start() or room]
        if match.lastgroup == "space":
            end_of_word = match.end()
    return text


def _escape(text: str) -> str:
    return _ESCAPED.sub(lambda match: _ESCAPES[match.lastgroup](match.group()), text)


_ESCAPES: dict[str | None, Callable[[str], str]] = {
    "url": str,
    "small_print": lambda raw: raw[:-3] + "\\-#\u00a0",
    "line_start": lambda raw: raw[:-1] + "\\" + raw[-1],
    "mark": lambda raw: "\\" + raw,
    "space": str,
    "plain": str,
}
