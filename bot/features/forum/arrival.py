"""Judge whether a comment is the one that a sent text has become."""

import html
import re
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from bot.domain.texts import normalized
from bot.game.models import Comment, WrittenComment

# A clock that is off by more than its time zone says nothing.
_CLOCKS_DIFFER = timedelta(days=1)
# So far two clocks of one game may be apart.
_CLOCKS_AGREE = timedelta(minutes=1)
_SENSIBLE = datetime(2000, 1, 1, tzinfo=UTC)
# What is left of a cut text, in letters.
_SHORTEST_START = 3
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


class SentText(Struct, frozen=True):
    """A text that was sent, and what is known of the comment it would have become.

    `since` is when it was sent, by the game's own clock where it `is_dated`; `now` is what that
    clock says while it is looked for. `newest_before` is the newest comment at hand when it was
    sent, `player_id` who wrote it. What is not known is None.
    """

    text: str
    player_id: int | None
    since: datetime
    newest_before: int | None
    now: datetime | None
    is_dated: bool = True

    def was_there(self, comment_id: int) -> bool:
        """Return whether a comment is known to be older."""
        return self.newest_before is not None and comment_id <= self.newest_before


def find(
    sent: SentText, comments: Sequence[Comment], known: Container[int]
) -> tuple[Likeness, Comment | None]:
    """Return the comment that fits best, the oldest of equals, and how well it fits.

    `known` are the comments that Kiosk knows to have become of other texts.
    """
    sent = _where_counted(sent, comments)
    fitting = [(judge(sent, one), one) for one in comments if one.id not in known]
    best = max(fitting, key=lambda pair: (pair[0], -pair[1].id), default=None)
    if best is None or best[0] is Likeness.OTHER:
        return Likeness.OTHER, None
    return best


def judge(sent: SentText, comment: Comment) -> Likeness:
    """Return how well a comment fits: by its writer, its place and its time; then by its words.

    Where one of these is not known, or two contradict each other, the member alone is certain.
    """
    is_theirs, is_newer = _is_theirs(sent, comment), _is_newer(sent, comment)
    is_in_time = _is_in_time(sent, comment.created_at)
    if is_theirs is False or is_newer is False or (is_in_time is False and not is_newer):
        return Likeness.OTHER
    is_similar = _is_similar(sent.text, comment.content)
    if is_similar and is_theirs and is_in_time and (is_newer or sent.is_dated):
        return Likeness.CERTAIN
    is_likely = is_similar or _is_beginning(sent.text, comment.content)
    if is_likely or (is_theirs and (is_in_time or is_newer)):
        return Likeness.DOUBTFUL
    return Likeness.OTHER


def are_counted_up(comments: Iterable[Comment]) -> bool:
    """Return whether comments are numbered in the order in which they were written."""
    numbered = sorted((one.id, one.created_at) for one in comments)
    return all(one[1] <= after[1] for one, after in pairwise(numbered))


def may_be_below(sent: SentText, comments: Sequence[Comment]) -> bool:
    """Return whether what was sent may stand below these in a list, newest first."""
    sent, last = _where_counted(sent, comments), comments[-1]
    is_newer = _is_newer(sent, last)
    return _is_in_time(sent, last.created_at) is not False if is_newer is None else is_newer


def _where_counted(sent: SentText, comments: Sequence[Comment]) -> SentText:
    """Return what is known of a text among these: nothing by its number in some games."""
    return sent if are_counted_up(comments) else replace(sent, newest_before=None)


def is_reworded(before: Comment, comment: Comment, text: str) -> bool:
    """Return whether a comment has a new text, but for what a game may have changed in it.

    One that stands as it stood `before` has it only to the letter: an edit may well change no more
    than the case, a comma or an emoji.
    """
    if comment.content == before.content:
        return comment.content == text
    return _is_similar(text, comment.content)


def _is_theirs(sent: SentText, comment: WrittenComment) -> bool | None:
    known = sent.player_id is not None and comment.player.id is not None
    return sent.player_id == comment.player.id if known else None


def _is_newer(sent: SentText, comment: WrittenComment) -> bool | None:
    return None if sent.newest_before is None else comment.id > sent.newest_before


def _is_in_time(sent: SentText, created_at: datetime) -> bool | None:
    """Return None where the times contradict each other as clocks may."""
    since = sent.since
    is_to_come = sent.now is not None and created_at > sent.now + _CLOCKS_AGREE
    if created_at < _SENSIBLE or is_to_come:
        return None
    if not created_at.microsecond:
        since = since.replace(microsecond=0)
    if created_at >= since:
        return True
    return None if since - created_at < _CLOCKS_DIFFER else False


def _is_similar(sent: str, shown: str) -> bool:
    """Return whether two texts are the same, but for what games change in what they are sent."""
    if sent.split() == shown.split():
        return True
    ours, theirs = _bare(sent), _bare(shown)
    if not _BLOTTED.sub("", ours):
        # Of emoji and marks alone, a game leaves all or nothing that can be told from others.
        return not shown.strip()
    return _is_censored(ours, theirs)


def _bare(text: str) -> str:
    """Return the letters and digits of a text, without what games change: case, escapes, emoji."""
    # It fails at numbers of thousands of digits.
    with suppress(ValueError):
        text = html.unescape(html.unescape(text))
    text = _CODED.sub(lambda match: chr(int(match[1], 16)) if match[1] else " ", text)
    plain = normalized("NFKD", text).casefold()
    return "".join(c for c in plain if c.isalnum() or c in _CENSORED)


def _is_censored(sent: str, shown: str) -> bool:
    """Return whether two bare texts are equal but for letters that were blotted out."""
    if _BLOTTED.sub("", sent) == _BLOTTED.sub("", shown):
        return True
    if len(sent) == len(shown) and all(
        theirs in (ours, *_CENSORED) for ours, theirs in zip(sent, shown, strict=True)
    ):
        return True
    # A game may put as many blots as it likes for a word, but not for most of the words.
    first, *others = re.split(f"{_BLOTTED.pattern}+", shown)
    if not others or 2 * len(_BLOTTED.sub("", shown)) < len(sent):
        return False
    last, place = others.pop(), len(first)
    for part in others:
        place = sent.find(part, place) + len(part)
        if place < len(part):
            return False
    return sent.startswith(first) and sent.endswith(last) and place + len(last) <= len(sent)


def _is_beginning(sent: str, shown: str) -> bool:
    """Return whether a game may have cut a text that it was sent."""
    start = _bare(shown)
    return len(start) >= _SHORTEST_START and _bare(sent).startswith(start)
