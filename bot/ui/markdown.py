"""Escape other people's texts for Discord, so that nothing in them formats, pings or deceives."""

import re
from collections.abc import Iterable
from datetime import datetime

import discord

from bot.i18n import listed, nt
from bot.visible import is_visible, visible

ELLIPSIS = "…"
# The longest text to show: this fills four to eight cards. A longer one is a book or an attack.
MAX_SHOWN_LENGTH = 12_000
# Discord counts characters and bytes of UTF-8: one unit of room is one character or two bytes.
_BYTES = 2
# How much of a text to read, as a multiple of the room: hidden characters take no room.
_HIDDEN_SHARE = 4

# A web address isn't escaped, so that it can still be pressed. Discord reads an address up to the
# next space, and formats nothing in it. One letter is not an address.
_SPACES = r"\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_ENDS_URL = rf"{_SPACES}<>`\\"
_SCHEME = "(?:https?|steam)://"
_URL = rf"{_SCHEME}[^{_ENDS_URL}]+[^{_ENDS_URL}.,:;\"'\]]"
# A backslash right after an address would become part of it and escape nothing, so a hair space
# comes between.
_BEHIND_URL = re.compile(r"[.,:;\"'\]]*[<>`\\]")
_URL_ENDS = "\u200a"
# Keeps a scheme without an address from becoming one by the backslashes behind it.
_NO_URL = ":\u2060//"
# These start a heading, a list, a quote or small print, but only at the start of a line.
_LINE_START = r"^[ \t]*(?:[#>+-]|\d+\.)"
# Small print, which some readers find even behind a backslash, but not without its space.
_SMALL_PRINT = r"^[ \t]*-#[ ]"
# Discord shows an emoji for these, such as `:star:`.
_SHORTCODE = r":(?=[\w+-]{1,64}:)"
_MARKS = r"\\`*_~|<@\["
_SPECIAL = (
    rf"(?P<url>{_URL})|(?P<scheme>{_SCHEME})|(?P<small_print>{_SMALL_PRINT})"
    rf"|(?P<line_start>{_LINE_START})|(?P<mark>[{_MARKS}]|{_SHORTCODE})"
)
_FLAGS = re.ASCII | re.DOTALL | re.MULTILINE
_ESCAPED = re.compile(_SPECIAL, _FLAGS)
# If this finds nothing, nothing needs escaping. It takes a third of the time.
_MAYBE_ESCAPED = re.compile(rf"[{_MARKS}:]|^[ \t]*[#>+\-\d]", _FLAGS)
_UNESCAPED = re.compile(r"\\([^\w\s]|_)")
# The same, with the text between.
_TOKEN = re.compile(
    rf"{_SPECIAL}|(?P<space>\s)|(?P<plain>(?:(?!{_SCHEME}|{_SHORTCODE})[^\s{_MARKS}])+|.)", _FLAGS
)


def room_for(text: str) -> int:
    """Return the room that a text takes: its characters, or half its bytes if that is more."""
    return len(text) if text.isascii() else max(len(text), len(text.encode()) // _BYTES)


def start_of(text: str, room: int) -> str:
    """Return as many of the first characters as fit."""
    start = text[: max(room, 0)]
    if start.isascii():
        return start
    return start.encode()[: room * _BYTES].decode(errors="ignore")


def escape(text: str) -> str:
    """Return Discord markdown that shows a text exactly as it was written, links included."""
    return _ESCAPED.sub(_escaped, visible(text))


def unescape(shown: str) -> str:
    """Return the text from which `escape` made this."""
    shown = shown.replace("\\-#\u00a0", "-# ").replace(_NO_URL, "://")
    return _UNESCAPED.sub(r"\1", shown)


def one_line(text: str, room: int, *, plain: bool = False, is_name: bool = False) -> str:
    """Return the start of a text as one line of at most `room`, with a mark if it is cut.

    The line is escaped, unless `plain`, if Discord formats nothing. A name may be bold and is no
    link.
    """
    line = " ".join(visible(text[: room * _HIDDEN_SHARE]).split())
    if not is_visible(line):
        return ""
    if is_name and not plain:
        # Discord finds the end of bold text before it finds addresses.
        line = line.replace("://", _NO_URL)
    if not plain:
        return _fitted(line, room)[0]
    return cut(line, room)


def cut(line: str, room: int) -> str:
    """Return an unescaped line, or its start with a mark if it takes more room."""
    if room_for(line) <= room:
        return line
    return start_of(line, room - room_for(ELLIPSIS)) + ELLIPSIS


def fitting(lines: Iterable[str], room: int, *, gap: int = 1) -> list[str]:
    """Return as many of the first lines as fit, with a `gap` between two."""
    shown: list[str] = []
    for line in lines:
        room -= room_for(line) + gap
        if room < 0:
            break
        shown.append(line)
    return shown


def and_more(shown: list[str], count: int) -> list[str]:
    """Return the first lines of `count`, and how many more there are, if any."""
    left = count - len(shown)
    return [*shown, nt("and %(count)s more", "and %(count)s more", left)] if left > 0 else shown


def some_of(shown: list[str], count: int) -> str:
    """Return the first names of `count` as one text, with how many more there are."""
    left = count - len(shown)
    return listed([*shown, nt("%(count)s more", "%(count)s more", left)] if left > 0 else shown)


def relative_time(moment: datetime) -> str:
    return discord.utils.format_dt(moment, "R")


def moment(moment: datetime) -> str:
    return discord.utils.format_dt(moment, "f")


def deadline(moment: datetime, now: datetime) -> str:
    """Return an end as a time, with the day unless it is the day of `now`."""
    return discord.utils.format_dt(moment, "t" if moment.date() == now.date() else "f")


def excerpt(text: str, room: int, *, lines: int) -> tuple[str, bool]:
    """Return the start of a text, escaped, without blank lines, and whether there is more."""
    start = text[: room * _HIDDEN_SHARE]
    rows = [row for row in visible(start).split("\n") if is_visible(row)]
    shown, is_whole = _fitted("\n".join(rows[:lines]), room - room_for(ELLIPSIS))
    is_cut = not is_whole or len(rows) > lines or len(start) < len(text)
    if is_cut and shown and not shown.endswith(ELLIPSIS):
        shown += ELLIPSIS
    return shown, is_cut


def paginate(text: str, room: int) -> list[str]:
    """Return a text, or its first MAX_SHOWN_LENGTH characters, escaped, as pages cut at words."""
    rest = visible(text[:MAX_SHOWN_LENGTH])
    pages: list[str] = []
    while rest:
        fitting = _fitting(rest, room)
        # A page starts a new line, so each page is escaped by itself.
        page = rest[:fitting].strip("\n")
        if is_visible(page):
            pages.append(_ESCAPED.sub(_escaped, page))
        rest = rest[fitting:]
    return pages


def _fitted(text: str, room: int) -> tuple[str, bool]:
    """Escape the part of a visible text that fits. Return it and whether it is everything."""
    if _MAYBE_ESCAPED.search(text) is None or _ESCAPED.search(text) is None:
        # Most texts are like this.
        if room_for(text) <= room:
            return text, True
        start = start_of(text, room - room_for(ELLIPSIS))
        whole_words = max(map(start.rfind, " \n\t")) + 1
        return start[: whole_words or None].rstrip() + ELLIPSIS, False
    whole = _ESCAPED.sub(_escaped, text)
    if room_for(whole) <= room:
        return whole, True
    start = text[: _fitting(text, room - room_for(ELLIPSIS))].rstrip()
    return _ESCAPED.sub(_escaped, start) + ELLIPSIS, False


def _fitting(text: str, room: int) -> int:
    """Count the characters at the start of a text that fit, escaped, in whole words."""
    used = end_of_word = 0
    # Read no more than this: one word may be as long as the text.
    for match in _TOKEN.finditer(text, 0, 2 * room):
        before = used
        used = used + room_for(_escaped(match))
        if used > room:
            if match.lastgroup == "plain":
                return end_of_word or match.start() + len(start_of(match.group(), room - before))
            return end_of_word or match.start() or room
        if match.lastgroup == "space":
            end_of_word = match.end()
    return len(text)


def _escaped(match: re.Match[str]) -> str:
    raw = match.group()
    match match.lastgroup:
        case "small_print":
            return raw[:-3] + "\\-#\u00a0"
        case "line_start":
            return raw[:-1] + "\\" + raw[-1]
        case "mark":
            return "\\" + raw
        case "url" if _BEHIND_URL.match(match.string, match.end()):
            return raw + _URL_ENDS
        case "scheme":
            return raw.replace("://", _NO_URL)
        case _:
            return raw
