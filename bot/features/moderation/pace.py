"""How long Discord takes for the public messages that a removal takes care of."""

from collections.abc import Iterable

from bot.domain.shown import WaitingEdits

# Discord edits messages older than an hour three times in six seconds a channel, and lets about
# five requests in five seconds through for younger ones. Each with a little air.
SECONDS_EACH, SECONDS_EACH_OLD = 1.1, 2.1
# Of the 45 requests a second, an edit takes two: the message is read before.
_REQUESTS_EACH, _RATE = 2, 45


def seconds_left(waiting: Iterable[WaitingEdits]) -> float:
    """Return how long it takes at least, in seconds, until all that waits is taken care of.

    Channels are served at the same time, and each one message after the other.
    """
    waiting = list(waiting)
    longest = max(
        (one.old * SECONDS_EACH_OLD + (one.messages - one.old) * SECONDS_EACH for one in waiting),
        default=0.0,
    )
    return max(longest, sum(one.messages for one in waiting) * _REQUESTS_EACH / _RATE)
