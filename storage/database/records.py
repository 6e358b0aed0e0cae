"""Rows as dataclasses: each field is the column of its name, as the field's type has it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import EnumType
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from storage.times import from_micros

Record = TypeVar("Record")

_FROM_COLUMN: Mapping[object, Callable[[Any], Any]] = {
    datetime: from_micros,
    bool: bool,
    bytes: bytes,
}


def record(kind: type[Record], row: Mapping[str, Any], /, **known: Any) -> Record:
    """Return the dataclass or named tuple of a row, some of whose fields may be `known` already.

    Times are stored in microseconds (see storage.times). Columns without a field are left out.
    """
    values = {
        name: column if (column := row[name]) is None or convert is None else convert(column)
        for name, convert in _fields(kind)
        if name not in known
    }
    return kind(**values, **known)


@cache
def _fields(kind: type) -> Sequence[tuple[str, Callable[[Any], Any] | None]]:
    return [(name, _conversion(hint)) for name, hint in get_type_hints(kind).items()]


def _conversion(hint: Any) -> Callable[[Any], Any] | None:
    of: object = next((each for each in get_args(hint) if each is not NoneType), hint)
    if isinstance(of, EnumType):
        return of
    return _FROM_COLUMN.get(of)
