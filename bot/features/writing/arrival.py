"""Judge whether a comment is the one that a sent text has become."""

from collections.abc import Container, Sequence
from datetime import datetime, timedelta
from operator import attrgetter

from msgspec import Struct

from bot.game.models import Comment

# So far two clocks of one game may be apart.
_CLOCKS_AGREE = timedelta(minutes=1)


class SentText(Struct, frozen=True):
    """A text that was sent `since`, and what is known of the comment it would have become.

    `newest_before` is the newest comment known when it was sent, `player_id` who wrote it; None is
    what is not known.
    """

    text: str
    player_id: int | None
    since: datetime
    newest_before: int | None

    def was_there(self, comment_id: int) -> bool:
        """Return whether a comment is known to be older."""
        return self.newest_before is not None and comment_id <= self.newest_before


def find(
    sent: SentText, comments: Sequence[Comment], known: Container[int]
) -> tuple[Comment | None, bool]:
    """Return the comment that a text has become, and whether that is certain.

    `known` are those that are none. Of several that may be it, the oldest is returned, as doubtful.
    """
    fitting = [one for one in comments if one.id not in known and _may_be(sent, one)]
    if len(fitting) == 1:
        (only,) = fitting
        is_theirs = sent.player_id is not None and sent.player_id == only.player.id
        return only, is_theirs and _is_newer(sent, only) is True
    return min(fitting, key=attrgetter("id"), default=None), False


def may_be_below(sent: SentText, comment: Comment) -> bool:
    """Return whether what was sent may stand below a comment in a list, newest first."""
    return _is_newer(sent, comment) is not False


def _may_be(sent: SentText, comment: Comment) -> bool:
    ours, theirs = sent.player_id, comment.player.id
    if ours is not None and theirs is not None and ours != theirs:
        return False
    return _is_newer(sent, comment) is not False and _bare(sent.text) == _bare(comment.content)


def _is_newer(sent: SentText, comment: Comment) -> bool | None:
    """Return whether a comment is newer than what was there; None where its time denies that."""
    is_in_time = comment.created_at >= sent.since - _CLOCKS_AGREE
    if sent.newest_before is None:
        return is_in_time
    if sent.was_there(comment.id):
        return False
    return is_in_time or None


def _bare(text: str) -> Sequence[str]:
    return text.casefold().split()
