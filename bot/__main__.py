"""`python -m bot`: run the bot or a part of it, check its settings, look after keys and data.

Each command imports what it needs when it is used, so that none waits for another's libraries.
"""

from typing import Annotated

import typer

from bot.cli.data import data
from bot.cli.keys import keys
from bot.cli.output import fail
from bot.cli.process import in_order

cli = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
cli.add_typer(keys, name="keys")
cli.add_typer(data, name="data")


def _tell_version(is_asked: bool) -> None:
    if is_asked:
        from bot import __version__

        typer.echo(f"kiosk {__version__}")
        raise typer.Exit


@cli.callback()
def kiosk(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Print it.")
    ] = False,
) -> None:
    """Kiosk brings a mobile game's forum and shop into Discord."""


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


@cli.command()
def invite() -> None:
    """Print the link that adds Kiosk to a server, with the permissions it needs."""
    from bot.inviting import CannotInvite, find_link
    from bot.settings import SettingsError, load_settings

    try:
        typer.echo(find_link(load_settings()))
    except SettingsError as error:
        fail(*error.problems)
    except CannotInvite as error:
        fail(str(error))


def _run(role: str, shards: str | None = None) -> None:
    with in_order():
        from bot.roles import Role
        from bot.running import run

        code = run(Role(role), shards)
    raise typer.Exit(code)


if __name__ == "__main__":
    cli()
