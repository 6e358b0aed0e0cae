"""End a process whose event loop is blocked, so that it is started again."""

import asyncio
import logging
import os
import sys
import threading
import typing
from collections import abc
from contextlib import contextmanager
from types import FrameType

from bot.program.kiosk import Exit

log = logging.getLogger(__name__)

TICK_SECONDS = 5.0
# Ticks in a row in which the loop hasn't moved.
_MAX_STILL_TICKS = 12
# What writes the log may hang, too.
_SECONDS_TO_SAY_SO = 2.0


class Watchdog:
    """Asks the loop that runs here to move at each tick of another thread.

    It counts ticks and asks no clock: a machine that slept stopped both.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._has_moved = threading.Event()
        self._has_moved.set()
        self._still = 0

    def tick(self) -> str:
        """Return the place that has blocked the loop for too many ticks, or "" while it moves."""
        if self._has_moved.is_set():
            self._has_moved.clear()
            self._still = 0
            self._loop.call_soon_threadsafe(self._has_moved.set)
            return ""
        self._still += 1
        return self._place() if self._still >= _MAX_STILL_TICKS else ""

    def _place(self) -> str:
        """Return the loop's stack, the innermost call first."""
        places: list[str] = []
        # Documented, though its name is that of something private.
        frames: abc.Mapping[int, FrameType] = typing.cast("typing.Any", sys)._current_frames()
        frame = frames.get(self._thread)
        while frame is not None:
            places.append(f"{frame.f_globals.get('__name__')}:{frame.f_lineno}")
            frame = frame.f_back
        return " < ".join(places)


@contextmanager
def watching(tick_seconds: float = TICK_SECONDS) -> abc.Generator[None]:
    """End the process if the loop that runs here is blocked for a minute."""
    watchdog = Watchdog()
    is_over = threading.Event()

    def watch() -> None:
        place = ""
        while not place:
            if is_over.wait(tick_seconds):
                return
            place = watchdog.tick()
        end_in(_SECONDS_TO_SAY_SO, Exit.FAILED)
        log.critical(
            "Kiosk stops because its event loop is blocked, at %s",
            place,
            extra={"exit_code": Exit.FAILED.value},
        )
        os._exit(Exit.FAILED)

    threading.Thread(target=watch, name="watchdog", daemon=True).start()
    try:
        yield
    finally:
        is_over.set()


def end_in(seconds: float, code: Exit) -> None:
    """End the process after these seconds, even if a thread or a library hangs then."""
    last = threading.Timer(seconds, os._exit, (code,))
    last.daemon = True
    last.start()
