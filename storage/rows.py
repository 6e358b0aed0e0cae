"""Rows as the domain has them: each field of a record is the column of its name."""

import asyncio
import datetime as dt
import functools
import typing
from collections import abc
from enum import Enum

import msgspec
from msgspec.structs import asdict

S = typing.TypeVar("S")
T = typing.TypeVar("T")
# Columns by their names.
Row = abc.Mapping[str, typing.Any]
Convert = abc.Callable[[typing.Any], typing.Any]
# Separates the texts in one column. None of them has line breaks.
_SEPARATOR = "\n"
# Times are stored as whole microseconds since then, which every engine sorts alike.
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)
# The fewest rows that a thread converts. Fewer stop the event loop for a few milliseconds at most.
MIN_ROWS_IN_THREAD = 1000


@typing.overload
def read(kind: type[T], row: Row, **others: typing.Any) -> T: ...
@typing.overload
def read(kind: type[T], row: None, **others: typing.Any) -> None: ...
def read(kind: type[T], row: Row | None, **others: typing.Any) -> T | None:
    """Return a row as a record, None for None. `others` are fields that no column has as such."""
    if row is None:
        return None
    for name, convert in _columns(kind).items():
        if name in others:
            continue
        value = row[name]
        others[name] = value if convert is None or value is None else convert(value)
    return kind(**others)


async def convert_all(convert: abc.Callable[[S], T], given: abc.Sequence[S]) -> abc.Sequence[T]:
    """Convert rows to records or back. If there are many, the event loop isn't held up."""

    def work() -> abc.Sequence[T]:
        return [convert(row) for row in given]

    return await asyncio.to_thread(work) if len(given) >= MIN_ROWS_IN_THREAD else work()


def to_row(struct: msgspec.Struct) -> dict[str, typing.Any]:
    row = asdict(struct)
    for name, value in row.items():
        if isinstance(value, frozenset):
            row[name] = _SEPARATOR.join(sorted(map(str, typing.cast("frozenset[object]", value))))
        elif isinstance(value, bool):
            row[name] = int(value)
        elif isinstance(value, msgspec.Struct):
            row[name] = msgspec.json.encode(value).decode()
    return row


@functools.cache
def _columns(kind: typing.Any) -> abc.Mapping[str, Convert | None]:
    columns: dict[str, Convert | None] = {}
    for name, hint in typing.get_type_hints(kind).items():
        columns[name] = None
        if typing.get_origin(hint) is frozenset:
            columns[name] = functools.partial(_split, typing.get_args(hint)[0])
            continue
        for option in (hint, *typing.get_args(hint)):
            if isinstance(option, type) and issubclass(option, msgspec.Struct):
                columns[name] = functools.partial(msgspec.json.decode, type=option)
            elif isinstance(option, type) and issubclass(option, bool | dt.datetime | Enum):
                columns[name] = (
                    from_micros if option is dt.datetime else typing.cast("Convert", option)
                )
    return columns


def _split(kind: abc.Callable[[str], typing.Any], text: str) -> frozenset[typing.Any]:
    return frozenset(kind(name) for name in text.split(_SEPARATOR) if name)


def to_micros(moment: dt.datetime) -> int:
    """Turn an aware datetime into microseconds since the epoch, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> dt.datetime:
    return _EPOCH + micros * _MICROSECOND


def moment(micros: int | None) -> dt.datetime | None:
    return None if micros is None else from_micros(micros)
