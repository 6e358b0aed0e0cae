"""What `python -m bot` and its commands share: how they are named, fail, and open the database."""

import errno
import os
import signal
import sys
from argparse import ArgumentParser
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn, TextIO, cast

# What a command needs, it imports itself: a word of help takes no time.
if TYPE_CHECKING:
    from storage.database import Database
    from storage.vault import Vault

# Of a mistyped command, as every program ends.
_MISTYPED = 2
_WIDTH_OF_BAR = 36
_STANDARD_ERROR = 2
_FULL = (errno.ENOSPC, errno.EDQUOT)
_UNPRINTED = "what was to be printed can't be written: {}"


def add_commands(
    parser: ArgumentParser, *functions: Callable[..., None], **groups: str
) -> dict[str, ArgumentParser]:
    """Make each function a command that its docstring describes, and return the parsers by name.

    A function is chosen as `do`, to be called with its options; a group has commands of its own.
    """
    parser.set_defaults(do=lambda: parser.exit(_MISTYPED, parser.format_help()))
    named = {one.__name__.replace("_", "-"): (one.__doc__, {"do": one}) for one in functions}
    named |= {name: (text, {}) for name, text in groups.items()}
    adding = parser.add_subparsers(title="commands", metavar="COMMAND")
    added: dict[str, ArgumentParser] = {}
    for name, (text, defaults) in named.items():
        added[name] = adding.add_parser(name, help=text, description=text, allow_abbrev=False)
        added[name].set_defaults(**defaults)
    return added


def fail(*lines: str) -> NoReturn:
    """Say what went wrong, and end."""
    for line in lines:
        print(line, file=sys.stderr)
    sys.exit(1)


@contextmanager
def failing_in_words() -> Generator[None]:
    """Say in one line what an operator can mend."""
    from bot.settings import SettingsError
    from storage.errors import DatabaseError
    from storage.vault import VaultError

    try:
        yield
    except SettingsError as error:
        fail(*error.problems)
    except (DatabaseError, VaultError, OSError) as error:
        fail(str(error))


@contextmanager
def progress(label: str) -> Generator[Callable[[int, int], None]]:
    """Show a bar, to a person, once something is done: how much, of how much."""
    is_begun = False

    def report(done: int, total: int) -> None:
        nonlocal is_begun
        if sys.stderr.isatty():
            is_begun = True
            bar = "#" * (done * _WIDTH_OF_BAR // max(total, 1))
            line = f"\r{label}  [{bar:{_WIDTH_OF_BAR}}]  {done} of {total}"
            print(line, end="", file=sys.stderr, flush=True)

    try:
        yield report
    finally:
        if is_begun:
            print(file=sys.stderr)


@asynccontextmanager
async def open_looking() -> AsyncGenerator[tuple["Database", "Vault"]]:
    """Open the database only to look at it. Raises SettingsError, DatabaseError."""
    from bot.settings import SettingsError, load_settings
    from storage import MIGRATIONS
    from storage.database import open_existing_database
    from storage.vault import Vault

    settings = load_settings()
    if not settings.kiosk_keys:
        raise SettingsError(["KIOSK_KEYS: missing; make a key with `python -m bot keys new`"])
    async with open_existing_database(settings.database_url, MIGRATIONS) as database:
        yield database, Vault(settings.kiosk_keys)


@asynccontextmanager
async def open_changing() -> AsyncGenerator[tuple["Database", "Vault"]]:
    """Open a database that is there, to change it. Raises SettingsError, DatabaseError."""
    from bot.settings import load_settings
    from storage import MIGRATIONS
    from storage.database import open_database

    async with open_looking() as (_, vault):
        pass
    async with open_database(load_settings().database_url, MIGRATIONS) as database:
        yield database, vault


@contextmanager
def in_order() -> Generator[None]:
    """Run the block with all three streams, whoever still reads them."""
    _fill_streams()
    try:
        yield
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        fail(_UNPRINTED.format(error.strerror))
    finally:
        _flush(sys.stderr)
        trouble = _flush(sys.stdout)
        if trouble is not None:
            fail(_UNPRINTED.format(trouble.strerror))


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
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    if sys.stdout.errors == "strict":
        # Not every terminal, nor a pipe on Windows, has each letter; no path need be UTF-8.
        cast(TextIOWrapper, sys.stdout).reconfigure(errors="backslashreplace")


def _nowhere(mode: Literal["r", "w"] = "w") -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")


def _flush(stream: TextIO) -> OSError | None:
    """Write what is left, and return why it can't be; nobody reading it any more is no failure."""
    try:
        stream.flush()
    except OSError as error:
        with _nowhere() as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
        return None if isinstance(error, BrokenPipeError) else error
    return None
