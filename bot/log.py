"""Logs: one line for a person, or one JSON object for a machine, always to standard error."""

import json
import logging
import sys
import time
from datetime import UTC, datetime
from typing import Literal

_LINE = "%(asctime)sZ [%(levelname)s] %(message)s [%(name)s]"
# At DEBUG these write whole payloads, with what members typed into forms: tokens among it.
_TALKATIVE = ("discord", "aiohttp", "aiosqlite", "asyncio")

# discord.py's word on a bot that asks for no events of its servers. Kiosk means to ask for none.
_MEANT = "Guilds intent seems to be disabled"


def configure_logging(log_format: Literal["console", "json"], level: str) -> None:
    """Send every logger's lines through one formatter."""
    formatter = _JsonLines() if log_format == "json" else logging.Formatter(_LINE)
    formatter.converter = time.gmtime
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


class _JsonLines(logging.Formatter):
    """Writes each record as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        moment = datetime.fromtimestamp(record.created, UTC)
        line = {
            "event": record.getMessage(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "timestamp": moment.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        # Half a character, as members can send it, must not cost the line.
        return json.dumps(line, separators=(",", ":"))
