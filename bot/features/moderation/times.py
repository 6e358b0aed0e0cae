"""Until when a mute lasts."""

import re
from datetime import UTC, datetime, timedelta

from bot.features.errors import BadDate
from bot.visible import normalized

# As people write them, in English and German.
_NAMES = {
    timedelta(minutes=1): ("m", "min", "mins", "minute", "minutes", "minuten"),
    timedelta(hours=1): ("h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden"),
    timedelta(days=1): ("d", "day", "days", "t", "tag", "tage", "tagen"),
    timedelta(weeks=1): ("w", "wk", "wks", "week", "weeks", "woche", "wochen"),
    timedelta(days=30): ("mo", "month", "months", "monat", "monate", "monaten"),
    timedelta(days=365): ("y", "yr", "year", "years", "j", "jahr", "jahre", "jahren"),
}
_UNITS = {name: unit for unit, names in _NAMES.items() for name in names}
_PART = re.compile(rf"(\d{{1,4}})\s*({'|'.join(_UNITS)})(?![^\W\d])\.?")
_LENGTH = re.compile(rf"{_PART.pattern}(?:(?:\s|,|and|und)*{_PART.pattern})*")


def read_moment(text: str, now: datetime) -> datetime:
    """Return the moment that is typed as a day, such as 2026-12-31, or a length, such as 2d12h.

    A day counts from its start in UTC. Raises BadDate, also for what is over.
    """
    typed = normalized("NFKC", text).strip().casefold()
    if _LENGTH.fullmatch(typed):
        parts = _PART.findall(typed)
        moment = now + sum((int(n) * _UNITS[unit] for n, unit in parts), timedelta())
    else:
        try:
            moment = datetime.fromisoformat(text.strip())
            moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        except (ValueError, OverflowError) as error:
            raise BadDate(name=text) from error
    if moment <= now:
        raise BadDate(name=text)
    return moment
