"""Until when a mute lasts, and how long Discord takes for what a removal takes care of."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from bot.features.errors import BadDate
from storage.shown import WaitingEdits

_LENGTH = re.compile(r"(\d{1,4})\s*([mhdw])")
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
# Discord edits messages older than an hour three times in six seconds a channel, and lets about
# five requests in five seconds through for younger ones. Each with a little air.
SECONDS_EACH, SECONDS_EACH_OLD = 1.1, 2.1
# Of the 45 requests a second, an edit takes two: the message is read before.
_REQUESTS_EACH, _RATE = 2, 45


def read_moment(text: str, now: datetime) -> datetime:
    """Return the moment that is typed as a day, such as 2026-12-31, or a length, such as 7d.

    A day counts from its start in UTC. Raises BadDate, also for what is over.
    """
    match = _LENGTH.fullmatch(text.strip().casefold())
    if match:
        moment = now + int(match.group(1)) * _UNITS[match.group(2)]
    else:
        try:
            moment = datetime.fromisoformat(text.strip())
            moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        except (ValueError, OverflowError) as error:
            raise BadDate(name=text) from error
    if moment <= now:
        raise BadDate(name=text)
    return moment


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
