"""Run apart from the drill: start Kiosk, and end it once its database is open.

`python -m tools.upgrading.starting DEED [NUMBER]` counts the statements that run in transactions,
and says at the end which ones were the last of a step. The deed is done before the statement with
this number, or after it if the number is negative: `die`, or `fill` the disk.
"""

import os
import signal
import sys
from collections import abc
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.app import open_bot
from bot.program.kiosk import CannotRun, Exit, Kiosk
from bot.program.running import run
from storage.database.postgres import PostgresTransaction
from storage.database.sqlite import SqliteTransaction

FILLER = "filler"
LAST_STATEMENTS = "the last statements of steps:"
# How much to write at once, in bytes: at the end, the smallest file that a disk has room for.
_BLOCKS = (1 << 20, 1 << 12, 1)

Execute = abc.Callable[..., abc.Awaitable[int]]


class Statements:
    """Counts statements, and does a deed at one of them."""

    def __init__(self, deed: str, at: int) -> None:
        self.last: list[int] = []
        self._number = 0
        self._deed = {"die": die, "fill": fill_disk}.get(deed, lambda: None)
        self._at = at

    def watch(self, execute: Execute) -> Execute:
        @wraps(execute)
        async def watched(transaction: object, sql: str, **parameters: Any) -> int:
            self._number += 1
            number = self._number
            if number == self._at:
                self._deed()
            count = await execute(transaction, sql, **parameters)
            if number == -self._at:
                self._deed()
            if sql.startswith("INSERT INTO about"):
                self.last.append(number)
            return count

        return watched


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fill_disk() -> None:
    """Leave no room in the current folder."""
    with Path(FILLER).open("ab", buffering=0) as file:
        for size in _BLOCKS:
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue


@asynccontextmanager
async def open_and_end(*given: Any, **options: Any) -> abc.AsyncGenerator[Kiosk]:
    """Open the bot as it is opened to run, and end the program before it connects."""
    async with open_bot(*given, **options) as bot:
        if not bot.is_closed():
            raise CannotRun("its database is open, which is all", Exit.STOPPED)
        yield bot


def main() -> None:
    Route.BASE = os.environ["STANDIN_API"]
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["STANDIN_GATEWAY"])
    deed, number = [*sys.argv[1:], "0"][:2]
    statements = Statements(deed, int(number))
    kinds: Any = (SqliteTransaction, PostgresTransaction)
    for kind in kinds:
        kind.execute = statements.watch(kind.execute)
    if deed == "fill" and number == "0":
        fill_disk()
    code = run(open_and_end)
    print(LAST_STATEMENTS, *statements.last)
    sys.exit(code)


if __name__ == "__main__":
    main()
