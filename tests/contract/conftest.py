"""The client against a game of our own making."""

from collections.abc import AsyncGenerator

import aiohttp
import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.clock import Clock
from bot.game.game_client import Caller, GameClient
from bot.game.transport import Limits
from tests.support.gates import PATIENCE_SECONDS
from tests.support.rogue_game import RogueGame, open_rogue_game

# Nothing ends by these, however busy the machine is.
PATIENT = Limits(
    read_budget=PATIENCE_SECONDS,
    attempt_timeout=PATIENCE_SECONDS,
    write_timeout=PATIENCE_SECONDS,
    connect_timeout=PATIENCE_SECONDS,
    backoff=0.001,
    requests_per_second=1000.0,
)
# For tests of a game that says nothing; a busy machine has asked it by then.
IMPATIENT = replace(PATIENT, attempt_timeout=1.0, write_timeout=1.0, connect_timeout=0.9)

impatient = pytest.mark.parametrize("client", [IMPATIENT], ids=["impatient"], indirect=True)


@pytest.fixture
async def session() -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
async def rogue() -> AsyncGenerator[RogueGame]:
    async with open_rogue_game() as game:
        yield game


@pytest.fixture
async def tasks() -> AsyncGenerator[BackgroundTasks]:
    async with BackgroundTasks(Clock()) as tasks:
        yield tasks


@pytest.fixture
def client(
    request: pytest.FixtureRequest,
    session: aiohttp.ClientSession,
    rogue: RogueGame,
    tasks: BackgroundTasks,
) -> GameClient:
    """A client that waits for any answer, except in tests that are `impatient`."""
    limits: Limits = getattr(request, "param", PATIENT)
    return GameClient(session, rogue.base_url, tasks, limits=limits)


@pytest.fixture
def caller() -> Caller:
    return Caller(member_id=1, token=SecretStr("secret-of-ann"))
