"""Insert many rows with one statement: each statement costs a way there and back, and a plan."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from storage.database.interface import Value

AT_ONCE = 40
_VALUES = re.compile(r"\bVALUES\s*\(")
_PARAMETER = re.compile(r"(?<!:):(\w+)")


@lru_cache(maxsize=64)
def for_rows(sql: str) -> str | None:
    """Return an insertion of one row as one of AT_ONCE, with `:so_0`, `:so_1`… for `:so`.

    None for any other statement, and where something else than the row has parameters.
    """
    found = _VALUES.search(sql)
    if found is None:
        return None
    begin = found.end() - 1
    end = _end_of(sql, begin)
    row, rest = sql[begin:end], sql[:begin] + sql[end:]
    if _PARAMETER.search(rest):
        return None
    rows = (_PARAMETER.sub(rf":\1_{number}", row) for number in range(AT_ONCE))
    return sql[:begin] + ", ".join(rows) + sql[end:]


def parameters_of(rows: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """Return the parameters of as many rows as `for_rows` takes."""
    return {
        f"{name}_{number}": value for number, row in enumerate(rows) for name, value in row.items()
    }


def _end_of(sql: str, begin: int) -> int:
    """Return where the bracket ends that begins there."""
    depth = 0
    for at in range(begin, len(sql)):
        depth += {"(": 1, ")": -1}.get(sql[at], 0)
        if not depth:
            return at + 1
    return len(sql)
