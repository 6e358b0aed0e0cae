"""Logs: one line for a person, or one JSON object for a machine, always to standard error."""

import logging
import sys
from typing import Literal

import orjson
import structlog

# At DEBUG these write whole payloads, with what members typed into forms: tokens among it.
_TALKATIVE = ("discord", "aiohttp", "aiosqlite", "asyncio")

# discord.py's word on a bot that asks for no events of its servers. Kiosk means to ask for none.
_MEANT = "Guilds intent seems to be disabled"


def configure_logging(log_format: Literal["console", "json"], level: str) -> None:
    """Send every logger's lines through one formatter."""
    shared: list[structlog.types.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
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
    logging.getLogger("discord.state").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith(_MEANT)


def _to_json(event: object, **_: object) -> str:
    return orjson.dumps(event, default=str).decode()


def _renderers(log_format: Literal["console", "json"]) -> list[structlog.types.Processor]:
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
