"""How commands say how far they are and what went wrong."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NoReturn

import typer


def fail(*lines: str) -> NoReturn:
    """Say what went wrong, and end."""
    for line in lines:
        typer.echo(line, err=True)
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
    """Show a bar; what is given takes how much is done, of how much."""
    with typer.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def report(done: int, total: int) -> None:
            bar.length = max(total, 1)
            bar.update(done - bar.pos)

        yield report
