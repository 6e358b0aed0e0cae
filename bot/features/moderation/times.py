"""Until when a mute lasts."""

import datetime as dt
import re

from bot.features.errors import BadDate
from bot.visible import normalized

# As people write them, in English and German.
_NAMES = {
    dt.timedelta(minutes=1): ("m", "min", "mins", "minute", "minutes", "minuten"),
    dt.timedelta(hours=1): ("h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden"),
    dt.timedelta(days=1): ("d", "day", "days", "t", "tag", "tage", "tagen"),
    dt.timedelta(weeks=1): ("w", "wk", "wks", "week", "weeks", "woche", "wochen"),
    dt.timedelta(days=30): ("mo", "month", "months", "monat", "monate", "monaten"),
    dt.timedelta(days=365): ("y", "yr", "year", "years", "j", "jahr", "jahre", "jahren"),
}
_UNITS = {name: unit for unit, names in _NAMES.items() for name in names}
_PART = re.compile(rf"(\d{{1,4}})\s*({'|'.join(_UNITS)})(?![^\W\d])\.?", re.IGNORECASE)
_LENGTH = re.compile(rf"{_PART.pattern}(?:(?:\s|,|and|und)*{_PART.pattern})*", re.IGNORECASE)


def read_moment(text: str, now: dt.datetime) -> dt.datetime:
    """Return the moment that is typed as a day, such as 2026-12-31, or a length, such as 2d12h.

    A day counts from its start in UTC. Raises BadDate, also for what is over.
    """
    typed = normalized("NFKC", text).strip()
    if _LENGTH.fullmatch(typed):
        parts = _PART.findall(typed)
        moment = now + sum((int(n) * _UNITS[unit.casefold()] for n, unit in parts), dt.timedelta())
    else:
        try:
            moment = dt.datetime.fromisoformat(typed)
            moment = moment.astimezone(dt.UTC) if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
        except (ValueError, OverflowError) as error:
            raise BadDate(name=text) from error
    if moment <= now:
        raise BadDate(name=text)
    return moment
