"""Read numbers as people write them where they live."""

import re

from bot import visible
from bot.features.matching import NUMBER_SIGN
from bot.i18n import decimal_sign, number

_GROUPED = re.compile(r"\d{1,3}([.,'\u02bc\u2018\u2019\u066c ])\d{3}(\1\d{3})*")


def read_number(text: str) -> int | None:
    """Read a whole number, bare, behind a #, or in groups such as 12,500. Else return None."""
    typed = _normal(text).removeprefix(NUMBER_SIGN)
    digits = re.sub(r"\D", "", typed)
    if not digits:
        return None
    grouped = _GROUPED.fullmatch(typed)
    # 12.500 is less than thirteen if a point is the decimal sign.
    if grouped and not grouped[2] and grouped[1] == decimal_sign():
        return None
    is_written_so = grouped or typed in (digits, _normal(number(int(digits))))
    return int(digits) if is_written_so else None


def _normal(text: str) -> str:
    return visible.plain(text).strip()
