"""Run apart from the tests: a bot whose event loop stands still from its start on.

It is `python -m bot run`, which looks at its loop twenty times a second.
"""

import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bot.program.kiosk import Kiosk
from bot.program.running import run
from bot.settings import Settings


@asynccontextmanager
async def open_stuck(_settings: Settings, **_others: object) -> AsyncGenerator[Kiosk]:
    threading.Event().wait()
    raise AssertionError
    yield


if __name__ == "__main__":
    sys.exit(run(open_stuck, tick_seconds=0.05))
