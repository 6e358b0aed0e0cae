"""What keeps a process in order whatever becomes of its streams, and before it can be stopped."""

import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, TextIO

_STANDARD_ERROR = 2


@contextmanager
def in_order() -> Generator[None]:
    """Run the block with all three streams, whoever still reads them."""
    _fill_streams()
    try:
        yield
    except BrokenPipeError:
        sys.exit(1)
    finally:
        for stream in (sys.stdout, sys.stderr):
            _flush(stream)


def end_where_told_early() -> None:
    """End without a word when told to, until a loop hears of it, as while libraries are loaded."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)


def _end(_number: int, _frame: object) -> NoReturn:
    sys.exit(0)


def _fill_streams() -> None:
    """Lead streams that were closed nowhere: else a file or a socket would take their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(descriptor)
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _flush(stream: TextIO) -> None:
    """Write what is left; where nobody reads it any more, that is no failure of the process."""
    try:
        stream.flush()
    except OSError:
        with _nowhere() as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
