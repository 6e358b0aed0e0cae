"""The client against a game of our own making."""

from collections.abc import AsyncGenerator

import aiohttp
import pytest
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.game.client import Caller, GameClient
from bot.game.limits import Limits
from tests.support.rogue_game import RogueGame, open_rogue_game

# Short enough for a test, and yet each limit is reached in the same order as by default.
IMPATIENT = Limits(
    read_budget=2.0,
    attempt_timeout=0.5,
    write_timeout=0.5,
    connect_timeout=0.4,
    backoff=0.001,
    longest_wait=0.5,
    requests_per_second=1000.0,
)


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
    async with BackgroundTasks() as tasks:
        yield tasks


@pytest.fixture
def client(session: aiohttp.ClientSession, rogue: RogueGame, tasks: BackgroundTasks) -> GameClient:
    return GameClient(session, rogue.base_url, tasks, limits=IMPATIENT)


@pytest.fixture
def caller() -> Caller:
    return Caller(member_id=1, token=SecretStr("secret-of-ann"))
