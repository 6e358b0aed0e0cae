"""Logs: one line for a person, or one JSON object for a machine, always to standard error."""

import logging
import sys
from typing import cast

import orjson
import structlog

from bot.settings import LogFormat

# What a line may carry beside its words. No other attribute of a record is shown.
FIELDS = (
    *("reference", "command", "method", "path", "status", "milliseconds", "server", "member"),
    *("version", "exit_code"),
)

# At DEBUG these write whole payloads, with what members typed into forms: tokens among it.
_TALKATIVE = ("discord", "aiohttp", "aiosqlite", "asyncio")

# discord.py's word on a bot that asks for no events of its servers. Kiosk means to ask for none,
# and speaks to nobody.
_MEANT = ("Guilds intent seems to be disabled", "PyNaCl is not", "davey is not")


def configure_logging(log_format: LogFormat, level: str) -> None:
    """Send every logger's lines through one formatter; where nobody can read them, nowhere."""
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.ExtraAdder(allow=FIELDS),
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _shorten,
    ]
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            *_renderers(log_format),
        ],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.INFO, root.level))
    for name in ("discord.client", "discord.state"):
        logging.getLogger(name).addFilter(_is_news)


def describe(error: BaseException) -> str:
    """Say in one line what went wrong: some errors have no words but their name."""
    return " ".join(str(error).split()) or type(error).__name__


def _is_news(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith(_MEANT)


def _shorten(
    _logger: object, _name: str, event: structlog.types.EventDict
) -> structlog.types.EventDict:
    """Say in words what a library would tell with a traceback: that a network is a network."""
    import aiohttp
    import discord
    from discord.gateway import ReconnectWebSocket

    told = cast("tuple[object, ...] | None", event.get("exc_info"))
    error = told[1] if told else None
    trouble = (aiohttp.ClientError, OSError, discord.DiscordException, ReconnectWebSocket)
    if event["logger"].startswith("discord.") and isinstance(error, trouble):
        del event["exc_info"]
        is_mute = isinstance(error, ReconnectWebSocket)
        event["event"] += " It said nothing" if is_mute else f" {describe(error)}"
    return event


def _to_json(event: object, **_: object) -> str:
    return orjson.dumps(event, default=str).decode()


def _renderers(log_format: LogFormat) -> list[structlog.types.Processor]:
    if log_format == "json":
        return [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_to_json),
        ]
    # Plain tracebacks: the decorated ones would show local variables, tokens among them.
    return [
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    ]
