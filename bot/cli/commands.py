"""What the commands share: how they are named, say how far they are, and what went wrong."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NoReturn

# Of a mistyped command, as every program ends.
_MISTYPED = 2
_WIDTH_OF_BAR = 36


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
