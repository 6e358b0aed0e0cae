"""Read until when a mute lasts."""

import datetime as dt
import re

from bot.features.feature_errors import BadDate
from bot.visible import plain

# As people write them, in every language that Kiosk speaks. A j alone is a day in French and a year
# in German.
_NAMES = {
    dt.timedelta(minutes=1): (
        "m|min|mins|minute|minutes|minuten|minuto|minutos|minuta|minuty|minut|分|分間"
    ),
    dt.timedelta(hours=1): (
        "h|hr|hrs|hour|hours|std|stunde|stunden|heure|heures|hora|horas|godz|godzina|godziny|godzin"
        "|時間"
    ),
    dt.timedelta(days=1): (
        "d|day|days|t|tag|tage|tagen|jour|jours|día|días|dia|dias|dzień|dzien|dni|日|日間"
    ),
    dt.timedelta(weeks=1): (
        "w|wk|wks|week|weeks|woche|wochen|semaine|semaines|semana|semanas|tydzień|tydzien|tygodnie"
        "|tygodni|週|週間"
    ),
    dt.timedelta(days=30): (
        "mo|month|months|monat|monate|monaten|mois|mes|meses|mês|miesiąc|miesiac|miesiące|miesiace"
        "|miesięcy|miesiecy|か月|ヶ月"
    ),
    dt.timedelta(days=365): (
        "y|yr|year|years|jahr|jahre|jahren|an|ans|año|años|ano|anos|rok|lata|lat|年|年間"
    ),
}
_UNITS = {name: unit for unit, names in _NAMES.items() for name in names.split("|")}
_PART = re.compile(rf"(\d{{1,4}})\s*({'|'.join(sorted(_UNITS, key=len, reverse=True))})\.?")
_LENGTH = re.compile(rf"{_PART.pattern}(?:(?:\s|,|and|und|et|y|e|i|と)*{_PART.pattern})*")


def read_moment(text: str, now: dt.datetime) -> dt.datetime:
    """Return the moment that is typed as a day, such as 2030-12-31, or a length, such as 2d12h.

    A day counts from its start in UTC. Raises BadDate, also for what is over.
    """
    typed = plain(text).strip()
    length = typed.casefold()
    try:
        if _LENGTH.fullmatch(length):
            parts = _PART.findall(length)
            moment = now + sum((int(n) * _UNITS[unit] for n, unit in parts), dt.timedelta())
        else:
            moment = dt.datetime.fromisoformat(typed)
            moment = moment.astimezone(dt.UTC) if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    except (ValueError, OverflowError) as error:
        raise BadDate(name=text) from error
    if moment <= now:
        raise BadDate(name=text)
    return moment
