"""`python -m bot`: run the bot or a part of it, check its settings, make a key.

Each command imports what it needs when it is used, so that none waits for another's libraries.
"""

import sys
from typing import Annotated, NoReturn

import typer

cli = typer.Typer(
    help="Kiosk brings a mobile game's forum and shop into Discord.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
keys = typer.Typer(help="Keys that seal members' tokens.", no_args_is_help=True)
cli.add_typer(keys, name="keys")
data = typer.Typer(help="What the database holds.", no_args_is_help=True)
cli.add_typer(data, name="data")


@cli.command()
def run() -> None:
    """Run the bot until Ctrl-C or SIGTERM; without GAME_BASE_URL it serves a demo game too."""
    _run("run")


@cli.command()
def gateway(
    shards: Annotated[
        str | None,
        typer.Option(help="What to connect, such as 0-7/16; else SHARD_IDS of SHARD_COUNT."),
    ] = None,
) -> None:
    """Answer members, on some shards or all; a worker beside it does the rest."""
    _run("gateway", shards)


@cli.command()
def worker() -> None:
    """Do what is owed in the background; of several workers, one is active."""
    _run("worker")


@cli.command()
def check() -> None:
    """Look at each setting, the database, the keys, the game and Discord; say what to mend."""
    import asyncio

    from bot.checking import examine

    findings = asyncio.run(examine())
    for finding in findings:
        typer.echo(finding.line())
    if any(finding.is_fault for finding in findings):
        raise typer.Exit(1)


@keys.command("new")
def new() -> None:
    """Print a new key; put it first in KIOSK_KEYS, before older ones."""
    from storage.vault import new_key

    typer.echo(new_key())


@data.command("move")
def move(
    source: Annotated[str, typer.Argument(metavar="FROM", help="sqlite:///… or postgresql://…")],
    target: Annotated[str, typer.Argument(metavar="TO", help="An empty database.")],
) -> None:
    """Copy a database into an empty one, of either engine, and check that all has arrived."""
    import asyncio

    from storage import MIGRATIONS
    from storage.database import move_database
    from storage.errors import DatabaseError

    with typer.progressbar(length=1, label="Copying", file=sys.stderr) as bar:

        def report(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        try:
            rows = asyncio.run(move_database(source, target, MIGRATIONS, report))
        except DatabaseError as error:
            _fail(f"{error}")
    for table, count in rows.items():
        typer.echo(f"{table}: {count}")


def _run(role: str, shards: str | None = None) -> None:
    from bot.log import configure_logging
    from bot.roles import Role
    from bot.running import CannotRun, run_until_stopped
    from bot.settings import SettingsError, load_settings

    try:
        settings = load_settings(shards=shards)
        configure_logging(settings.log_format, settings.log_level)
        run_until_stopped(settings, Role(role))
    except SettingsError as error:
        _fail(*error.problems)
    except CannotRun as error:
        _fail(str(error))


def _fail(*lines: str) -> NoReturn:
    for line in lines:
        typer.echo(line, err=True)
    sys.exit(1)


if __name__ == "__main__":
    cli()
