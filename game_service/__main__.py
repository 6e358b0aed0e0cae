"""Run the game service, or administer its database: `python -m game_service --help`."""

import asyncio
import signal
import sys
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from game_service import admin
from storage.database import Database, DatabaseError, open_database

_DEFAULT_DATABASE = "sqlite:///game.db"
# What the database can hold.
_MAX_NUMBER = 2**63 - 1
_LAST_PORT = 65_535
_Result = TypeVar("_Result")
# Adds a command by its name, what it does with the database, and a line of help.
_Adding = Callable[[str, Callable[..., Awaitable[object]], str], ArgumentParser]


def cli() -> None:
    """Run the command that the command line names."""
    asked = arguments_of(sys.argv[1:])
    if asked.change is not None:
        made = _run(_administer(asked))
        if made is not None:
            print(made)
        return
    # Only here: the commands don't need the web server.
    from game_service.app import ServiceError

    _run(_serve(asked), ServiceError)


def arguments_of(words: Sequence[str]) -> Namespace:
    """Read the command line. A mistyped one ends the program with 2."""
    parser = ArgumentParser(
        "python -m game_service",
        description="Serve the game's forum and shop until SIGTERM or Ctrl-C; each command"
        " administers the database instead.",
        allow_abbrev=False,
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument("--port", type=_port, default=8089, help="0 picks a free one")
    parser.add_argument("--demo", action="store_true", help="fill an empty database")
    parser.add_argument("--rate-limit", type=_rate, help="requests a minute for each token")
    where = f"where the game is kept, {_DEFAULT_DATABASE} if not given"
    parser.add_argument("--database", default=_DEFAULT_DATABASE, help=where)
    parser.set_defaults(change=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, change: Callable[..., Awaitable[object]], text: str) -> ArgumentParser:
        added = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        added.set_defaults(change=change)
        # An option before the command holds if it isn't given again.
        added.add_argument("--database", default=SUPPRESS, help=where)
        return added

    _add_forum(add)
    _add_shop(add)
    return parser.parse_args(words)


def _add_forum(add: _Adding) -> None:
    add("add-thread", admin.add_thread, "Add a thread and print its id.").add_argument("name")
    player = add("add-player", _add_player, "Add a player and print their id.")
    player.add_argument("screen_name", metavar="name")
    player.add_argument("--subscribed", dest="is_subscribed", action="store_true")
    player.add_argument("--park", type=_number, default=1)
    player.add_argument(
        "--balance",
        dest="balances",
        action="append",
        type=_amount,
        default=[],
        help="an amount of a currency, such as Acorns=500; may be given again",
    )
    answering = add("reply", admin.reply, "Answer a comment as another player, and print its id.")
    answering.add_argument("comment_id", metavar="comment", type=_number)
    answering.add_argument("text")
    answering.add_argument("--player", dest="player_id", metavar="PLAYER", type=_number)
    token = add("token", admin.create_token, "Make a token for a player and print it, this once.")
    token.add_argument("player_id", metavar="player", type=_number)


def _add_shop(add: _Adding) -> None:
    add("add-catalog", admin.add_catalog, "Add a catalog and print its id.").add_argument("name")
    text = "Add a currency, or find the one of this name, and print its id."
    currency = add("add-currency", admin.add_currency, text)
    currency.add_argument("name", help="its plural name, such as Acorns")
    currency.add_argument("singular_name", metavar="singular", help="for one, such as Acorn")
    item = add("add-item", admin.add_item, "Add an item to a catalog and print its id.")
    item.add_argument("catalog_id", metavar="catalog", type=_number)
    item.add_argument("name")
    item.add_argument("--cost", type=_number, required=True)
    item.add_argument("--currency", default="Acorns")
    item.add_argument("--type", dest="item_type", metavar="TYPE", default="Hat")
    where = "an address, or a place below /assets"
    item.add_argument("--icon", default=admin.PLAIN_ICON, help=where)
    item.add_argument("--paper")
    item.add_argument("--no-eye")
    item.add_argument("--clearance", dest="is_clearance", action="store_true")
    item.add_argument("--coin-code", dest="is_coin_code_item", action="store_true")
    item.add_argument("--member", dest="is_member_item", action="store_true")
    change = add("set-item", admin.set_item, "Change what is given of an item.")
    change.add_argument("item_id", metavar="item", type=_number)
    change.add_argument("--cost", type=_number)
    for name in ("clearance", "member", "gone"):
        field = "is_member_item" if name == "member" else f"is_{name}"
        change.add_argument(f"--{name}", dest=field, action=BooleanOptionalAction)
    for command, default in ((item, list[int]()), (change, None)):
        command.add_argument(
            "--park",
            dest="parks",
            metavar="PARK",
            action="append",
            type=_number,
            default=default,
            help="where it can be redeemed; may be given again",
        )


def _number(text: str, least: int = 0, most: int = _MAX_NUMBER) -> int:
    if not text.isdecimal() or not least <= int(text) <= most:
        raise ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
    return int(text)


def _port(text: str) -> int:
    return _number(text, most=_LAST_PORT)


def _rate(text: str) -> int:
    return _number(text, least=1)


def _amount(text: str) -> tuple[str, int]:
    currency, _, amount = text.rpartition("=")
    if not currency or not amount.isdecimal() or int(amount) > _MAX_NUMBER:
        raise ArgumentTypeError(f"{text!r} is not of the form Acorns=500")
    return currency, int(amount)


async def _add_player(game: Database, balances: Sequence[tuple[str, int]], **player: Any) -> int:
    return await admin.add_player(game, balances=dict(balances), **player)


async def _administer(asked: Namespace) -> object:
    # Options only for serving are beside those given to the command.
    own = vars(asked).keys() - {"host", "port", "demo", "rate_limit", "database", "change"}
    async with open_database(asked.database, admin.MIGRATIONS) as game:
        return await asked.change(game, **{name: getattr(asked, name) for name in own})


async def _serve(asked: Namespace) -> None:
    from game_service.app import open_service

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    # Where signals can't be handled this way (Windows), Ctrl-C cancels the whole instead.
    with suppress(NotImplementedError):
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
    async with open_service(
        asked.database,
        host=asked.host,
        port=asked.port,
        demo=asked.demo,
        rate_limit=asked.rate_limit,
    ) as service:
        print(f"listening on {service.base_url}", flush=True)
        await stop.wait()


def _run(work: Coroutine[None, None, _Result], *failures: type[Exception]) -> _Result:
    """Run `work` to the end. A failure outside the program is one line and exit status 1."""
    try:
        with asyncio.Runner(loop_factory=_new_loop()) as runner:
            return runner.run(work)
    except (DatabaseError, admin.AdminError, *failures) as error:
        sys.exit(f"game_service: {error}")


def _new_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


if __name__ == "__main__":
    cli()
