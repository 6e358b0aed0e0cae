"""Fixtures for every kind of test."""

import gc
import logging
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from bot.features.writing import texts
from bot.ui import answers, drawing
from tests.support.databases import ENGINES
from tests.support.discord_limits.specification import specification
from tests.support.game import fill_demo
from tests.support.gates import PATIENCE_SECONDS, SOAK_SECONDS, TEST_SECONDS
from tests.support.program import Launcher, open_launcher
from tests.support.rogue_game import RogueShop, open_rogue_shop
from tests.support.world import World, open_world

# What tests keep outlives their programs, but no power cut: there is no disk to wait for.
MEMORY = Path("/dev/shm")
ROOM = 1 << 30

# How long an example takes says how busy the machine is.
settings.register_profile("kiosk", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kiosk")


def pytest_configure() -> None:
    """Give all tests, and the programs that they start, the same ground."""
    # Shells start jobs in the background deaf to Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        # Nobody else's: PostgreSQL's starter locks a file there that is its maker's alone.
        own = MEMORY / f"kiosk-{os.getuid()}"
        own.mkdir(mode=0o700, exist_ok=True)
        if own.stat().st_uid == os.getuid():
            os.environ["TMPDIR"] = str(own)
            tempfile.tempdir = None


def pytest_xdist_auto_num_workers() -> int:
    """Run two workers more than there are cores: many tests wait for programs of their own."""
    return (os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """End a test that hangs, and no other test of its process."""
    for item in items:
        is_soak = os.environ.get("KIOSK_SOAK") or item.get_closest_marker("soak")
        seconds = SOAK_SECONDS if is_soak else TEST_SECONDS
        item.add_marker(pytest.mark.timeout(seconds, method="signal"))


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives as long as the run: a tenth of its time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


_CHECKED = pytest.StashKey[int]()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Count the requests that were held to Discord's specification, and tell who runs us."""
    if (asked := specification()) is not None:
        _add_checked(session.config, asked.checked)
        getattr(session.config, "workeroutput", {})["requests_checked"] = asked.checked


def pytest_testnodedown(node: Any) -> None:
    """Add what another process of the run has counted."""
    _add_checked(node.config, getattr(node, "workeroutput", {}).get("requests_checked", 0))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if specification() is not None:
        checked = config.stash[_CHECKED]
        terminalreporter.line(f"{checked} requests held to Discord's specification")


def _add_checked(config: pytest.Config, count: int) -> None:
    config.stash[_CHECKED] = config.stash.get(_CHECKED, 0) + count


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the demo game, filled once."""
    return fill_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def launcher() -> Generator[Launcher]:
    """What starts our programs."""
    with open_launcher() as opened:
        yield opened


@pytest.fixture(autouse=True)
def waits_for_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Kiosk wait as long as tests do; a test of an answer that comes too late shortens it."""
    monkeypatch.setattr(answers, "_WRITTEN_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(answers, "_DISCORD_WAITS_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(texts, "_KEEPING_SECONDS", PATIENCE_SECONDS)


class _Refusing(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage())


@pytest.fixture(autouse=True)
def cards_refuse_what_they_leave_out() -> Generator[None]:
    """Fail where Kiosk draws a card that it has to leave something out of."""
    refusing = _Refusing()
    drawing.log.addHandler(refusing)
    yield
    drawing.log.removeHandler(refusing)


@pytest.fixture(params=ENGINES)
def on_both_engines(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the bot's database on one engine and then on the other; first of a test's fixtures."""
    monkeypatch.setenv("DATABASE", request.param)


@pytest.fixture
async def world(tmp_path: Path, demo: str) -> AsyncGenerator[World]:
    """The demo game and Kiosk on a simulated Discord, with a server and three people."""
    async with open_world(tmp_path, demo=demo) as opened:
        yield opened


@pytest.fixture
async def shop() -> AsyncGenerator[RogueShop]:
    """A game with one catalog of twenty items, which does what a test wants."""
    async with open_rogue_shop() as opened:
        opened.stock(20)
        yield opened
