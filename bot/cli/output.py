"""How commands say how far they are and what went wrong."""

import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
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
    """Show a bar once something is done; what is given takes how much that is, of how much."""
    bar = None
    with ExitStack() as stack:

        def report(done: int, total: int) -> None:
            nonlocal bar
            if bar is None:
                bar = stack.enter_context(
                    typer.progressbar(length=max(total, 1), label=label, file=sys.stderr)
                )
            bar.update(done - bar.pos)

        yield report
