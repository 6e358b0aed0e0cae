"""Judge whether a comment is the one that a sent text has become."""

import html
import re
import unicodedata
from collections.abc import Container, Sequence
from datetime import UTC, datetime, timedelta
from enum import IntEnum

from msgspec import Struct

from bot.game.models import Comment

# A clock that is off by more than its time zone says nothing.
_CLOCKS_DIFFER = timedelta(days=1)
_SENSIBLE = datetime(2000, 1, 1, tzinfo=UTC)
# What a game puts in place of letters that it censors.
_CENSORED = "*#•█"
_BLOTTED = re.compile(f"[{_CENSORED}]")
# Tags, and characters as program text spells them.
_CODED = re.compile(r"<[^<>]*>|\\u([0-9a-fA-F]{4})|\\[nrt]")


class Likeness(IntEnum):
    """How well a comment fits what was sent."""

    OTHER = 0
    DOUBTFUL = 1
    CERTAIN = 2


class _Words(IntEnum):
    OTHER = 0
    SIMILAR = 1
    EQUAL = 2


class SentText(Struct, frozen=True):
    """A text that was sent, and what is known of the comment it would have become.

    `since` is when it was sent, by the game's own clock; `newest_before` the newest comment at
    hand then; `player_id` who wrote it. What is not known is None.
    """

    text: str
    player_id: int | None
    since: datetime
    newest_before: int | None


def find(
    sent: SentText, comments: Sequence[Comment], known: Container[int]
) -> tuple[Likeness, Comment | None]:
    """Return the comment that fits best, the oldest of equals, and how well it fits.

    `known` are the comments that Kiosk knows to have become of other texts.
    """
    fitting = [(judge(sent, one), one) for one in comments if one.id not in known]
    best = max(fitting, key=lambda pair: (pair[0], -pair[1].id), default=None)
    if best is None or best[0] is Likeness.OTHER:
        return Likeness.OTHER, None
    return best


def judge(sent: SentText, comment: Comment) -> Likeness:
    """Return how well a comment fits: by its writer, its place and its time; then by its words."""
    is_theirs = None
    if sent.player_id is not None and comment.player.id is not None:
        is_theirs = sent.player_id == comment.player.id
    is_newer = None if sent.newest_before is None else comment.id > sent.newest_before
    is_in_time = _is_in_time(sent.since, comment.created_at)
    if is_theirs is False or is_newer is False or (is_in_time is False and not is_newer):
        return Likeness.OTHER
    words = _compare(sent.text, comment.content)
    enough = _Words.EQUAL if is_theirs is None else _Words.SIMILAR
    if is_in_time and words >= enough:
        return Likeness.CERTAIN
    if words > _Words.OTHER or (is_theirs and (is_in_time or is_newer)):
        return Likeness.DOUBTFUL
    return Likeness.OTHER


def may_be_below(sent: SentText, comment: Comment) -> bool:
    """Return whether what was sent may stand below this comment in a list, newest first."""
    if sent.newest_before is not None:
        return comment.id > sent.newest_before
    return _is_in_time(sent.since, comment.created_at) is not False


def is_reworded(before: Comment, comment: Comment, text: str) -> bool:
    """Return whether a comment has a new text, but for what a game may have changed in it.

    One that stands as it stood `before` has it only to the letter: an edit may well change no more
    than the case, a comma or an emoji.
    """
    if comment.content == before.content:
        return comment.content == text
    return _compare(text, comment.content) > _Words.OTHER


def _is_in_time(since: datetime, created_at: datetime) -> bool | None:
    """Return None where the times contradict each other as clocks may."""
    if created_at < _SENSIBLE:
        return None
    if not created_at.microsecond:
        since = since.replace(microsecond=0)
    if created_at >= since:
        return True
    return None if since - created_at < _CLOCKS_DIFFER else False


def _compare(sent: str, shown: str) -> _Words:
    if sent.split() == shown.split():
        return _Words.EQUAL
    ours, theirs = _bare(sent), _bare(shown)
    if not _BLOTTED.sub("", ours):
        # Of emoji and marks alone, a game leaves all or nothing that can be told from others.
        return _Words.OTHER if shown.strip() else _Words.SIMILAR
    return _Words.SIMILAR if _is_censored(ours, theirs) else _Words.OTHER


def _bare(text: str) -> str:
    """Return the letters and digits of a text, without what games change: case, escapes, emoji."""
    text = html.unescape(html.unescape(text))
    text = _CODED.sub(lambda match: chr(int(match[1], 16)) if match[1] else " ", text)
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in plain if c.isalnum() or c in _CENSORED)


def _is_censored(sent: str, shown: str) -> bool:
    """Return whether two bare texts are equal but for letters that were blotted out."""
    if _BLOTTED.sub("", sent) == _BLOTTED.sub("", shown):
        return True
    return len(sent) == len(shown) and all(
        theirs in (ours, *_CENSORED) for ours, theirs in zip(sent, shown, strict=True)
    )
