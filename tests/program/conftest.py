"""Commands of the bot in the tests' own process, with settings in which nothing is wrong."""

import asyncio
import contextlib
import logging
import os
import re
import threading
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from discord.http import Route

from bot.app import open_bot
from bot.program import cli, running
from bot.program.kiosk import CannotRun, Exit, Kiosk
from bot.settings import Settings
from tests.support.bot_process import KEY
from tests.support.discord_standin import Discord, open_discord
from tests.support.game_samples import comment, page
from tests.support.misconfigured import OPENED, Command, Ended
from tests.support.rogue_game import RogueGame, open_rogue_game, reply

# A line of the log, without what is around the sentence.
LOGGED = re.compile(r"^\S+ \[\w+ *\] (?:Kiosk can't run: )?(.*?) *\[bot\.\S+\].*$")


class Ground:
    """A Discord and a game in a loop of their own: what is tested runs one of its own, too."""

    def __init__(self) -> None:
        self._opened: Future[tuple[Discord, RogueGame]] = Future()
        self._is_over = threading.Event()

    @contextlib.contextmanager
    def open(self) -> Generator[tuple[Discord, RogueGame]]:
        with ThreadPoolExecutor(1) as aside:
            serving = aside.submit(asyncio.run, self._serve())
            try:
                yield self._opened.result()
            finally:
                self._is_over.set()
                serving.result()

    async def _serve(self) -> None:
        async with open_discord() as discord, open_rogue_game() as game:
            self._opened.set_result((discord, game))
            await asyncio.to_thread(self._is_over.wait)


@pytest.fixture(scope="module")
def ground() -> Generator[tuple[Discord, RogueGame]]:
    with Ground().open() as opened:
        yield opened


@pytest.fixture
def good(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ground: tuple[Discord, RogueGame]
) -> None:
    """Be in an empty folder with settings in which nothing is wrong, and no others."""
    discord, game = ground
    discord.state.posting.url = None
    monkeypatch.setattr(Route, "BASE", discord.state.api_url)
    monkeypatch.chdir(tmp_path)
    for name in os.environ.keys() - {"PATH", "HOME", "TMPDIR"}:
        if not name.startswith("PYTEST"):
            monkeypatch.delenv(name)
    for name, value in {
        "DISCORD_TOKEN": discord.state.token,
        "KIOSK_KEYS": KEY,
        "GAME_BASE_URL": game.base_url,
        "LOG_LEVEL": "WARNING",
    }.items():
        monkeypatch.setenv(name, value)
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)


@contextlib.asynccontextmanager
async def opening(settings: Settings, **others: Any) -> AsyncGenerator[Kiosk]:
    """Open all that `run` does, and end before Discord is asked."""
    async with open_bot(settings, **others):
        raise CannotRun(OPENED, Exit.STOPPED)
        yield


@pytest.fixture
def run_here(good: None, capsys: pytest.CaptureFixture[str]) -> Command:
    """`python -m bot run` in this process, up to where Discord is asked; gives what it logs."""

    def run() -> Ended:
        code = running.run(opening)
        lines = [LOGGED.sub(r"\1", line) for line in capsys.readouterr().err.splitlines()]
        return Ended(code, lines)

    return run


@pytest.fixture
def check_here(
    good: None, capsys: pytest.CaptureFixture[str], ground: tuple[Discord, RogueGame]
) -> Command:
    """`python -m bot check` in this process; gives its faults."""

    def check() -> Ended:
        _, game = ground
        if not game.replies:
            game.answers(reply(page(comment(id=1))), reply({"message": "Who is it?"}, status=401))
        code = 0
        try:
            asyncio.run(cli.check())
        except SystemExit as ended:
            code = int(str(ended.code))
        game.answers()
        told = capsys.readouterr().out.splitlines()
        faults = [" ".join(line.split()[1:]) for line in told if line.startswith("FAULT")]
        return Ended(code, faults)

    return check
