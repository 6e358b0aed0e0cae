"""Logs: one line for a person, or one JSON object for a machine, always to standard error."""

import datetime as dt
import json
import logging
import math
import os
import re
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Literal

import orjson

LogFormat = Literal["console", "json"]

# A line may carry these beside its words. No other attribute of a record is shown.
FIELDS = (
    *("reference", "place", "command", "method", "path", "status", "milliseconds"),
    *("server", "member", "version", "exit_code"),
)

# At DEBUG these write whole payloads, with what members typed into forms: tokens among it.
_TALKATIVE = ("discord", "aiohttp", "aiosqlite", "asyncio")

# discord.py's words on a bot that asks for no events of its servers, uses no voice, and has
# interactions posted: Kiosk means to, or says so itself.
_MEANT = (
    *("Guilds intent seems to be disabled", "PyNaCl is not", "davey is not"),
    "Application has an interaction endpoint URL set",
)

# A proxy before Discord or the game may answer with a page of its own.
_PAGE = re.compile(
    r":?\s*<(?:!doctype|html|head|body|\?xml)\b.*?(?:</html>|\Z)", re.DOTALL | re.IGNORECASE
)

# An address of a proxy or a database may hold one.
_PASSWORD = re.compile(r"(?<=://)([^\s/@?:]*):[^\s/]*@")

# More FIELDS for each line that a task logs from here on.
log_context: ContextVar[Mapping[str, object] | None] = ContextVar("besides", default=None)

_HOUR_SECONDS = 3600.0
# How many names a line lists, of those that a trouble concerned most often.
_MAX_NAMED = 10
_RED = 31
_YELLOW = 33
_COLORS = {"warning": _YELLOW, "error": _RED, "critical": _RED}


class Hourly:
    """Reports a lasting trouble at once, and then in one line an hour with how often it came.

    `now` counts seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        # When each trouble was last reported, and how often it has concerned whom since.
        self._told: dict[str, tuple[float, Counter[str]]] = {}

    def note(self, trouble: str, whom: str = "") -> str | None:
        """Count a trouble. Return the end of the line that is due now, or None if none is."""
        now = self._now()
        told_at, since = self._told.get(trouble, (-math.inf, Counter[str]()))
        if now - told_at < _HOUR_SECONDS:
            since[whom] += 1
            return None
        self._told[trouble] = now, Counter()
        if not since:
            return ""
        named = [name for name, _ in since.most_common(_MAX_NAMED) if name]
        others = len(since) - len(named)
        listed = ", ".join(named) + (f" and {others} more" if named and others else "")
        return f" ({since.total()} more since the last such line{': ' * bool(listed)}{listed})"


def configure_logging(log_format: LogFormat, level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    is_colored = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    render = _to_json if log_format == "json" else partial(_to_line, is_colored=is_colored)
    handler.format = lambda record: render(_fields(record))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.INFO, root.level))
    for name in ("discord.client", "discord.state"):
        logging.getLogger(name).addFilter(lambda record: not str(record.msg).startswith(_MEANT))


def describe(error: BaseException) -> str:
    """Say in one line what went wrong: some errors have no words but their name."""
    return " ".join(_bare(str(error)).split()) or type(error).__name__


def _bare(text: str) -> str:
    return _PASSWORD.sub(r"\1:•••@", _PAGE.sub("", text))


def place_of(error: BaseException) -> str:
    """Return the module and the line where an error was raised, '' for one that never was."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        place = f"{frame.f_globals.get('__name__')}:{line}"
    return place


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields: dict[str, object] = {"event": _bare(record.getMessage())}
    fields |= log_context.get() or {}
    fields |= {name: value for name, value in vars(record).items() if name in FIELDS}
    fields |= {"level": record.levelname.lower(), "logger": record.name}
    at = dt.datetime.fromtimestamp(record.created, dt.UTC).isoformat(timespec="microseconds")
    fields["timestamp"] = at.replace("+00:00", "Z")
    if record.exc_info and (error := record.exc_info[1]):
        if trouble := _trouble(record, error):
            fields["event"] = f"{fields['event']} {trouble}"
        else:
            fields["exception"] = _bare("".join(traceback.format_exception(error))).rstrip()
    return fields


def _trouble(record: logging.LogRecord, error: BaseException) -> str:
    """Say in words what a library would log with a traceback, such as a network failure."""
    import aiohttp
    import discord
    from discord.gateway import ReconnectWebSocket

    if not record.name.startswith("discord."):
        return ""
    if isinstance(error, ReconnectWebSocket):
        return "It said nothing"
    trouble = (aiohttp.ClientError, OSError, discord.DiscordException)
    return describe(error) if isinstance(error, trouble) else ""


def _to_json(fields: dict[str, object]) -> str:
    try:
        return orjson.dumps(fields, default=str).decode()
    except TypeError:
        # Such as a path that is not UTF-8, which is half of a pair in Python.
        return json.dumps(fields, default=str)


def _to_line(fields: dict[str, object], *, is_colored: bool) -> str:
    at, level, event = (str(fields.pop(name)) for name in ("timestamp", "level", "event"))
    logger = fields.pop("logger")
    traceback = fields.pop("exception", None)
    label = f"{level:8}"
    if is_colored and level in _COLORS:
        label = f"\x1b[{_COLORS[level]}m{label}\x1b[0m"
    words = (f"{name}={value!r}" for name, value in fields.items())
    line = " ".join((f"{at} [{label}] {event} [{logger}]", *words))
    return f"{line}\n{traceback}" if traceback else line
