"""`python -m bot`: run the bot or a part of it, check its settings, look after keys and data.

Each command imports what it needs when it is used, so that none waits for another's libraries.
"""

import gc
import os
import signal
import sys
from argparse import ArgumentParser
from inspect import iscoroutinefunction
from io import TextIOWrapper
from typing import cast

from bot import __version__
from bot.cli import add_commands, add_data_commands, add_key_commands, failing_in_words

# As a shell tells of a program that Ctrl-C has ended.
_INTERRUPTED = 130


def cli() -> None:
    """Do what the command line says."""
    if sys.stdout.errors == "strict":
        # Not every terminal, nor a pipe on Windows, has each letter; no path need be UTF-8.
        cast(TextIOWrapper, sys.stdout).reconfigure(errors="backslashreplace")
    options = vars(_parser().parse_args())
    do = options.pop("do")
    try:
        if iscoroutinefunction(do):
            import asyncio

            with failing_in_words():
                asyncio.run(do(**options))
        else:
            do(**options)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        "python -m bot",
        description="Kiosk brings a mobile game's forum and shop into Discord.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"kiosk {__version__}")
    of = add_commands(
        parser,
        *(run, gateway, worker, check, invite),
        keys="Look after the keys that seal members' tokens and texts.",
        data="Look after what the database holds.",
    )
    of["gateway"].add_argument(
        "--shards", help="what to connect, such as 0-7/16; else SHARD_IDS of SHARD_COUNT"
    )
    add_key_commands(of["keys"])
    add_data_commands(of["data"])
    return parser


def run() -> None:
    """Run the bot until Ctrl-C or SIGTERM; without GAME_BASE_URL it serves a demo game too."""
    _run("run")


def gateway(shards: str | None) -> None:
    """Answer members, on some shards or all; a worker beside it does the rest."""
    _run("gateway", shards)


def worker() -> None:
    """Do what is owed in the background; of several workers, one is active."""
    _run("worker")


async def check() -> None:
    """Look at each setting, the database, the keys, the game and Discord; say what to mend."""
    from bot.checking import examine

    findings = await examine()
    for finding in findings:
        print(finding.line())
    if any(finding.is_fault for finding in findings):
        sys.exit(1)


async def invite() -> None:
    """Print the link that adds Kiosk to a server, with the permissions it needs."""
    from bot.inviting import find_link
    from bot.settings import load_settings

    print(await find_link(load_settings()))


def _run(role: str, shards: str | None = None) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    # What libraries make while they load stays; looking through it again and again found nothing.
    gc.disable()
    # Pydantic would look through every package that is installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from bot.features.operating import Role
    from bot.running import run

    sys.exit(run(Role(role), shards))


def _end(_number: int, _frame: object) -> None:
    """End without a word when told to before a loop hears of it, as while libraries are loaded."""
    sys.exit(0)


if __name__ == "__main__":
    cli()
