"""What `python -m bot` and its commands share: how they are named, fail, and open the database."""

import signal
import sys
from argparse import ArgumentParser
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, NoReturn

# What a command needs, it imports itself: a word of help takes no time.
if TYPE_CHECKING:
    from storage.database import Database
    from storage.vault import Vault

# Of a mistyped command, as every program ends.
_MISTYPED = 2


def add_commands(
    parser: ArgumentParser, *functions: Callable[..., object], **groups: str
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


def end_where_told_early() -> None:
    """End without a word when told to, until a loop hears of it, as while libraries are loaded."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)


def _end(_number: int, _frame: object) -> NoReturn:
    sys.exit(0)
