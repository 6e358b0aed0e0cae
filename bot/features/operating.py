"""Status for the operator: what is under way, the game's health, the last errors."""

import datetime as dt
import logging
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from enum import StrEnum
from typing import Self

from msgspec import Struct

_MOST_ERRORS = 20


class LoggedError(Struct, frozen=True):
    """A line of the log, without what was filled in: that may be anybody's."""

    at: dt.datetime
    reference: str | None
    kind: str
    place: str


class Contact(Struct, frozen=True):
    """The operator's pages, "" for one that isn't set."""

    support_url: str = ""
    privacy_url: str = ""


class RecentErrors(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.errors: deque[LoggedError] = deque(maxlen=_MOST_ERRORS)

    @contextmanager
    def listening(self) -> Generator[Self]:
        root = logging.getLogger()
        root.addHandler(self)
        try:
            yield self
        finally:
            root.removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.errors.append(
            LoggedError(
                at=dt.datetime.fromtimestamp(record.created, dt.UTC),
                reference=getattr(record, "reference", None),
                kind=_error_name(record),
                place=getattr(record, "place", "") or record.name,
            )
        )


def _error_name(record: logging.LogRecord) -> str:
    """Return the name of the error's class, as far as a line of the log has one."""
    if record.exc_info and record.exc_info[0]:
        return record.exc_info[0].__name__
    words = record.args[0] if isinstance(record.args, tuple) and record.args else ""
    has_reference = hasattr(record, "reference")
    return str(words).partition(":")[0] if has_reference else record.levelname.lower()


class WorkerState(StrEnum):
    STANDBY = "standby"
    ACTIVE = "active"
    # It works, though it may not: another process may as well.
    WITHOUT_CLAIM = "without claim"


class GatewayState(StrEnum):
    AWAY = "away"
    # Another process is connected.
    STANDBY = "standby"
    # Members of every server are heard.
    CONNECTED = "connected"


class ProcessStatus(Struct, frozen=True):
    """A process; `can_write` is whether it could lately write into the database."""

    worker: WorkerState
    gateway: GatewayState
    can_write: bool
