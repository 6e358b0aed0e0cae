"""Rows as the domain has them: each field of a record is the column of its name."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache, partial
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints, overload

from msgspec import Struct, json
from msgspec.structs import asdict

T = TypeVar("T")
# Columns by their names.
Row = Mapping[str, Any]
Convert = Callable[[Any], Any]
# Of the texts in one column, none of which has lines.
_SEPARATOR = "\n"
# Times are stored as whole microseconds since then, which every engine sorts alike.
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@overload
def read(kind: type[T], row: Row, **others: Any) -> T: ...
@overload
def read(kind: type[T], row: None, **others: Any) -> None: ...
def read(kind: type[T], row: Row | None, **others: Any) -> T | None:
    """Return what a row holds, None for none; `others` are fields that no column holds so."""
    if row is None:
        return None
    for name, convert in _columns(kind).items():
        if name in others:
            continue
        value = row[name]
        others[name] = value if convert is None or value is None else convert(value)
    return kind(**others)


def to_row(struct: Struct) -> dict[str, Any]:
    row = asdict(struct)
    for name, value in row.items():
        if isinstance(value, frozenset):
            row[name] = _SEPARATOR.join(sorted(cast("frozenset[str]", value)))
        elif isinstance(value, bool):
            row[name] = int(value)
        elif isinstance(value, Struct):
            row[name] = json.encode(value).decode()
    return row


@cache
def _columns(kind: Any) -> Mapping[str, Convert | None]:
    columns: dict[str, Convert | None] = {}
    for name, hint in get_type_hints(kind).items():
        columns[name] = None
        if get_origin(hint) is frozenset:
            columns[name] = partial(_split, get_args(hint)[0])
            continue
        for option in (hint, *get_args(hint)):
            if isinstance(option, type) and issubclass(option, Struct):
                columns[name] = partial(json.decode, type=option)
            elif isinstance(option, type) and issubclass(option, bool | datetime | Enum):
                columns[name] = from_micros if option is datetime else cast("Convert", option)
    return columns


def _split(kind: Callable[[str], Any], text: str) -> frozenset[Any]:
    return frozenset(kind(name) for name in text.split(_SEPARATOR) if name)


def to_micros(moment: datetime) -> int:
    """Turn an aware datetime into microseconds since the epoch, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return _EPOCH + micros * _MICROSECOND


def moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
