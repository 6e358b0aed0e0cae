"""Show other people's text as text: nothing in it formats, pings, hides or pretends."""

import re
import unicodedata
from collections.abc import Iterator

ELLIPSIS = "…"

# A plain web address keeps its shape, so that it stays an address that can be pressed. Only
# characters that Discord takes into a link are in it, so that none is left to format what follows.
_URL = r"https?://[A-Za-z0-9](?:[\w\-./?=&%#~+:;,!$]*[\w/=&%#~+$-])?"
# What starts a heading, a list, a quote or small print, but only where a line starts.
_LINE_START = r"^[ \t]*(?:[#>+-]|\d+\.)"
# Small print, which some readers find even behind a backslash, but not without its space.
_SMALL_PRINT = r"^[ \t]*-#[ ]"
_TOKEN = re.compile(
    rf"(?P<url>{_URL})|(?P<small_print>{_SMALL_PRINT})|(?P<line_start>{_LINE_START})|(?P<mark>[\\`*_~|<@\[\]])|(?P<plain>.)",
    re.ASCII | re.DOTALL | re.MULTILINE,
)

# Joiners that letters of some scripts and emoji families are written with.
_JOINERS = "\u200c\u200d"
# Looks like nothing, or like a space, though Unicode calls it a letter.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_MOST_ACCENTS = 6
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){3,}")
_KEPT_CONTROLS = "\n\t"
_BLACK_FLAG = "\U0001f3f4"
_FLAG_TAGS = range(0xE0020, 0xE0080)


def visible(text: str) -> str:
    """Drop what can't be seen: zero-width and bidirectional controls, blanks, other controls.

    Joiners stay where a script or an emoji is written with them. Of blank lines in a row two are
    left, and of accents on one letter as many as any script needs, so that no text takes over the
    card it stands on.
    """
    kept: list[str] = []
    accents = 0
    for character in text.replace("\r\n", "\n").replace("\r", "\n"):
        accents = accents + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        if accents <= _MOST_ACCENTS and _is_visible(character, kept[-1] if kept else ""):
            kept.append(character)
    return _BLANK_LINES.sub("\n\n\n", "".join(kept))


def _is_visible(character: str, before: str) -> bool:
    if character in _KEPT_CONTROLS:
        return True
    if character in _JOINERS:
        return bool(before) and not before.isascii() and before not in _JOINERS
    if ord(character) in _FLAG_TAGS:
        return before == _BLACK_FLAG or (bool(before) and ord(before) in _FLAG_TAGS)
    if character in _BLANKS:
        return False
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def escape(text: str) -> str:
    """Give Discord markdown that shows a text exactly as it was written, links included."""
    return "".join(_escaped(visible(text)))


def one_line(text: str) -> str:
    """Fold a text into one line."""
    return " ".join(text.split())


def cut(text: str, room: int) -> str:
    """Escape a text into at most `room` characters, cut at a word and marked where it was cut."""
    whole = escape(text)
    if len(whole) <= room:
        return whole
    pages = paginate(text, room - len(ELLIPSIS))
    return pages[0].rstrip() + ELLIPSIS if pages else ""


def excerpt(text: str, room: int, *, lines: int) -> tuple[str, bool]:
    """Escape the start of a text into at most `room` characters and `lines` lines.

    Blank lines are left out. Tells as well whether there is more to read.
    """
    rows = [row for row in visible(text).split("\n") if row.strip()]
    start = "\n".join(rows[:lines])
    shown = cut(start, room - len(ELLIPSIS))
    is_cut = len(rows) > lines or shown != escape(start)
    if len(rows) > lines and not shown.endswith(ELLIPSIS):
        shown += ELLIPSIS
    return shown, is_cut


def paginate(text: str, room: int) -> list[str]:
    """Escape a text into pages of at most `room` characters each, cut at words; loses nothing.

    A word longer than a page is cut where the page ends.
    """
    pages = [""]
    for chunk in _chunks(visible(text), room):
        if len(pages[-1]) + len(chunk) <= room:
            pages[-1] += chunk
        else:
            pages.append("" if chunk.isspace() else chunk)
    return [page for page in pages if page.strip()]


def _chunks(text: str, room: int) -> Iterator[str]:
    for word in re.findall(r"\s+|\S+", text):
        escaped = escape(word)
        if len(escaped) <= room:
            yield escaped
        else:
            for piece in _escaped(word):
                yield from (piece[i : i + room] for i in range(0, len(piece), room))


def _escaped(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        raw = match.group()
        match match.lastgroup:
            case "mark":
                yield "\\" + raw
            case "small_print":
                yield raw[:-3] + "\\-#\u00a0"
            case "line_start":
                yield raw[:-1] + "\\" + raw[-1]
            case _:
                yield raw
