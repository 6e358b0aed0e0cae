"""Until when a mute lasts."""

import re
from datetime import UTC, datetime, timedelta

from bot.features.errors import BadDate

_LENGTH = re.compile(r"(\d{1,4})\s*([mhdw])")
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}


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
