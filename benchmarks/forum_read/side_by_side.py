"""Processor time of `/forum read`, for Kiosk and for a bot of thirty lines.

Both run in a process of their own on the same simulated Discord, and answer the same member with
the same kind of card: five comments with their writers' pictures and a button each, set apart by
lines, and a row of five buttons below. Each reading is of another page, so that each costs one
request to the game, which a third process serves. The time is that of the whole process, Discord's
simulation included, on both sides.

What Kiosk does in it and the other does not: it checks what arrives, escapes what people wrote,
knows the server's name for the thread, the member's language, their own comments, texts of theirs
that were cut off, and news that wait for them.
"""

import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.forum_read import member
from benchmarks.forum_read.member import BotName
from benchmarks.measuring import Finding, ratio_in_turn
from benchmarks.processes import ROOT, serve_game

_ROUNDS = 9
_READINGS = 40


def compare(busy_game: Path) -> Iterator[Finding]:
    """Measure both on the busy game."""
    with (
        serve_game(busy_game) as game,
        _reading(BotName.KIOSK, game.base_url, busy_game.parent) as kiosk,
        _reading(BotName.USUAL, game.base_url, busy_game.parent) as usual,
    ):
        ratio = ratio_in_turn(kiosk, usual, rounds=_ROUNDS)
    yield Finding("processor time of `/forum read`", "a bot of thirty lines", ratio, "at most 1.3")


@contextmanager
def _reading(name: BotName, game_url: str, folder: Path) -> Generator[Callable[[], float]]:
    """Let a member of one of the bots' Discords read; gives what measures a round."""
    with subprocess.Popen(
        [sys.executable, "-m", member.__name__, name, game_url, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        orders, answers = process.stdin, process.stdout

        def measure() -> float:
            orders.write(f"{_READINGS}\n")
            orders.flush()
            return float(answers.readline())

        yield measure
