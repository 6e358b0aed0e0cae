"""Run the game service, or administer its database: `python -m game_service --help`."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Annotated, TypeVar

import typer

from game_service import admin
from storage.database import Database, open_database
from storage.errors import DatabaseError

_DEFAULT_DATABASE = "sqlite:///game.db"
# What the database can hold.
_MOST = 2**63 - 1
_Result = TypeVar("_Result")

cli = typer.Typer(
    help="The game's forum and shop as a real service.",
    add_completion=False,
    pretty_exceptions_enable=False,
)

DatabaseOption = Annotated[
    str | None,
    typer.Option("--database", help=f"Where the game is kept, {_DEFAULT_DATABASE} if not given."),
]
Id = Annotated[int, typer.Argument(min=0, max=_MOST)]
Parks = Annotated[
    list[int] | None,
    typer.Option("--park", min=0, max=_MOST, help="Where it can be redeemed."),
]
Clearance = Annotated[bool | None, typer.Option("--clearance/--no-clearance")]
Member = Annotated[bool | None, typer.Option("--member/--no-member")]


@cli.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 picks a free one.")] = 8089,
    database: DatabaseOption = None,
    demo: Annotated[bool, typer.Option("--demo", help="Fill an empty database.")] = False,
    rate_limit: Annotated[
        int | None, typer.Option(min=1, help="Requests a minute for each token.")
    ] = None,
) -> None:
    """Serve the game until SIGTERM or Ctrl-C; each subcommand administers it instead."""
    url = database or _DEFAULT_DATABASE
    context.obj = url
    if context.invoked_subcommand is None:
        # Only here: the subcommands need none of the web server.
        from game_service.app import ServiceError

        _run(_serve(url, host, port, demo=demo, rate_limit=rate_limit), ServiceError)


@cli.command()
def add_thread(context: typer.Context, name: str, database: DatabaseOption = None) -> None:
    """Add a thread and print its id."""
    typer.echo(_administer(context, database, lambda game: admin.add_thread(game, name)))


@cli.command()
def add_catalog(context: typer.Context, name: str, database: DatabaseOption = None) -> None:
    """Add a catalog and print its id."""
    typer.echo(_administer(context, database, lambda game: admin.add_catalog(game, name)))


@cli.command()
def add_currency(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Its plural name, such as Acorns.")],
    singular: Annotated[str, typer.Argument(help="Its name for one, such as Acorn.")],
    database: DatabaseOption = None,
) -> None:
    """Add a currency, or find the one of this name, and print its id."""
    typer.echo(
        _administer(
            context, database, lambda game: admin.add_currency(game, name, singular_name=singular)
        )
    )


@cli.command()
def add_item(
    context: typer.Context,
    catalog: Id,
    name: str,
    cost: Annotated[int, typer.Option(min=0, max=_MOST)],
    currency: str = "Acorns",
    item_type: Annotated[str, typer.Option("--type")] = "Hat",
    icon: Annotated[str, typer.Option(help="An address, or a place below /assets.")] = (
        admin.PLAIN_ICON
    ),
    paper: str | None = None,
    no_eye: str | None = None,
    clearance: Annotated[bool, typer.Option("--clearance")] = False,
    coin_code: Annotated[bool, typer.Option("--coin-code")] = False,
    member: Annotated[bool, typer.Option("--member")] = False,
    park: Parks = None,
    database: DatabaseOption = None,
) -> None:
    """Add an item to a catalog and print its id."""
    typer.echo(
        _administer(
            context,
            database,
            lambda game: admin.add_item(
                game,
                catalog,
                name=name,
                cost=cost,
                currency=currency,
                item_type=item_type,
                icon=icon,
                paper=paper,
                no_eye=no_eye,
                is_clearance=clearance,
                is_coin_code_item=coin_code,
                is_member_item=member,
                parks=park or (),
            ),
        )
    )


@cli.command()
def set_item(
    context: typer.Context,
    item: Id,
    cost: Annotated[int | None, typer.Option(min=0, max=_MOST)] = None,
    clearance: Clearance = None,
    member: Member = None,
    gone: Annotated[bool | None, typer.Option("--gone/--no-gone")] = None,
    park: Parks = None,
    database: DatabaseOption = None,
) -> None:
    """Change what is given of an item."""
    _administer(
        context,
        database,
        lambda game: admin.set_item(
            game,
            item,
            cost=cost,
            is_clearance=clearance,
            is_member_item=member,
            is_gone=gone,
            parks=park or None,
        ),
    )


@cli.command()
def add_player(
    context: typer.Context,
    name: str,
    subscribed: Annotated[bool, typer.Option("--subscribed")] = False,
    park: Annotated[int, typer.Option(min=0, max=_MOST)] = 1,
    balance: Annotated[
        list[str] | None, typer.Option(help="An amount of a currency, such as Acorns=500.")
    ] = None,
    database: DatabaseOption = None,
) -> None:
    """Add a player and print their id."""
    balances = dict(_amount(text) for text in balance or ())
    typer.echo(
        _administer(
            context,
            database,
            lambda game: admin.add_player(
                game, screen_name=name, is_subscribed=subscribed, park=park, balances=balances
            ),
        )
    )


@cli.command()
def token(context: typer.Context, player: Id, database: DatabaseOption = None) -> None:
    """Make a token for a player and print it, this once."""
    typer.echo(_administer(context, database, lambda game: admin.create_token(game, player)))


def _amount(text: str) -> tuple[str, int]:
    currency, _, amount = text.rpartition("=")
    if not currency or not amount.isdecimal() or int(amount) > _MOST:
        raise typer.BadParameter(f"{text!r} is not of the form Acorns=500")
    return currency, int(amount)


def _administer(
    context: typer.Context,
    database: str | None,
    change: Callable[[Database], Awaitable[_Result]],
) -> _Result:
    async def open_and_change() -> _Result:
        async with open_database(database or context.obj, admin.MIGRATIONS) as game:
            return await change(game)

    return _run(open_and_change())


async def _serve(url: str, host: str, port: int, *, demo: bool, rate_limit: int | None) -> None:
    from game_service.app import open_service

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    # Where signals can't be handled this way (Windows), Ctrl-C cancels the whole instead.
    with suppress(NotImplementedError):
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
    async with open_service(url, host=host, port=port, demo=demo, rate_limit=rate_limit) as service:
        typer.echo(f"listening on {service.base_url}")
        await stop.wait()


def _run(work: Coroutine[None, None, _Result], *failures: type[Exception]) -> _Result:
    """Run to the end; what can go wrong outside the program is one line and exit status 1."""
    try:
        with asyncio.Runner(loop_factory=_new_loop()) as runner:
            return runner.run(work)
    except (DatabaseError, admin.AdminError, *failures) as error:
        typer.echo(f"game_service: {error}", err=True)
        raise typer.Exit(1) from None


def _new_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


if __name__ == "__main__":
    cli(prog_name="python -m game_service")
