"""A Discord of our own, a game, and the bot as a real process between them."""

import re
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.crash.rounds import IS_SOAK, SEED
from tests.crash.town import Town, open_town
from tests.support.discord_standin import Discord, open_discord
from tests.support.program import DIED_AT_A_LINE, Launcher


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that runs us how many programs were killed at a line here."""
    getattr(session.config, "workeroutput", {})["kills"] = dict(DIED_AT_A_LINE)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    DIED_AT_A_LINE.update(getattr(node, "workeroutput", {}).get("kills", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many programs a soak has killed at a line, by suite, engine and game."""
    if not IS_SOAK:
        return
    kills = Counter[str]()
    for test, count in DIED_AT_A_LINE.items():
        kills[re.sub(r".*/test_(\w+)\.py::[^[]*", r"\1 ", test)] += count
    terminalreporter.section(f"{kills.total()} kills at a line, KIOSK_SEED={SEED}")
    for suite, count in kills.items():
        terminalreporter.line(f"{count:5} {suite}")


@pytest.fixture
async def discord() -> AsyncGenerator[Discord]:
    """The stand-in; it outlives every bot of the test."""
    async with open_discord() as opened:
        yield opened


@pytest.fixture
async def town(launcher: Launcher, tmp_path: Path) -> AsyncGenerator[Town]:
    """The stand-in, a game and the roads to both; it outlives every bot of the test."""
    async with open_town(launcher, tmp_path) as opened:
        yield opened
