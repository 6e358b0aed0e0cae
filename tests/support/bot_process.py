"""The real bot as a process of its own, on the Discord stand-in."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from game_service.app import KIOSK_TOKEN
from storage import MIGRATIONS
from storage.database import open_database
from tests.support.databases import address_at
from tests.support.discord_standin import Discord
from tests.support.discord_standin.gateway import Session
from tests.support.gates import PATIENCE_SECONDS
from tests.support.program import Launcher, Program, run_program

# A key of the form `python -m bot keys new` prints; it protects nothing.
KEY = "dGVzdHMgb25seTogdGhpcyBrZXkgc2VhbHMgbm90aGk="

# In seconds; short, for tests that wait until what a dead process held is taken over.
CLAIM_TERM = 1.0
# Long enough that on a busy machine no process is taken for dead by the one beside it.
STEADY_TERM = 5.0


@dataclass(frozen=True)
class BotProcess:
    """A bot that has given Discord its commands and is connected through `session`."""

    program: Program
    session: Session
    _discord: Discord

    async def kill(self) -> None:
        """End it as a power cut would; Discord has noticed when this returns."""
        await self.program.kill()
        await self.ended()

    async def ended(self) -> int:
        """Wait until it has ended and Discord has noticed; gives the exit status."""
        status = await self.program.ended()
        await self._discord.state.gateway.sessions.until(lambda: not self.session.is_connected)
        return status


@asynccontextmanager
async def run_bot(
    launcher: Launcher,
    discord: Discord,
    game_url: str,
    folder: Path,
    *,
    api_url: str | None = None,
    database_url: str | None = None,
    settings: Mapping[str, str] | None = None,
    claim_term: float = CLAIM_TERM,
) -> AsyncGenerator[BotProcess]:
    """Run a bot on the database in a folder; kill it at the end if it still runs.

    Gives it once members can use it. One bot at a time may be started. `api_url` is Discord's HTTP
    side, if that is not asked directly. `database_url` is its database, if the tests don't choose
    it. `settings` outrank all of these. What it claims lasts `claim_term` seconds.
    """
    known = len(discord.state.gateway.sessions.past)
    environment = environment_of(discord, game_url, folder, api_url)
    if database_url is not None:
        environment["DATABASE_URL"] = database_url
    environment |= settings or {}
    async with run_program(launcher, quick_bot(claim_term), environment, folder) as program:
        yield BotProcess(program, await connected(discord, program, known), discord)
    await let_claims_end(environment["DATABASE_URL"], program)


@asynccontextmanager
async def run_standby(
    launcher: Launcher,
    discord: Discord,
    game_url: str,
    folder: Path,
    *,
    api_url: str | None = None,
    settings: Mapping[str, str] | None = None,
    claim_term: float = STEADY_TERM,
) -> AsyncGenerator[Program]:
    """Run a bot beside another one in the same way; gives it once it says that it stands by."""
    environment = environment_of(discord, game_url, folder, api_url) | dict(settings or {})
    async with run_program(launcher, quick_bot(claim_term), environment, folder) as program:
        await program.says("This one is on standby")
        yield program


@dataclass(frozen=True)
class Listener:
    """A bot that Discord may post interactions to."""

    program: Program
    base_url: str

    @property
    def endpoint(self) -> str:
        return f"{self.base_url}/interactions"


@asynccontextmanager
async def run_listener(
    launcher: Launcher,
    discord: Discord,
    game_url: str,
    folder: Path,
    *,
    api_url: str | None = None,
    settings: Mapping[str, str] | None = None,
    claim_term: float = CLAIM_TERM,
) -> AsyncGenerator[Listener]:
    """Run a bot that is not connected to the gateway in the same way."""
    environment = environment_of(discord, game_url, folder, api_url)
    environment |= {"INTERACTIONS_PORT": "0"} | dict(settings or {})
    async with run_program(launcher, quick_bot(claim_term), environment, folder) as program:
        line = await program.says("Ready for Discord's interactions at port")
        port = re.findall(r"at port (\d+)", line)[0]
        await program.says("Kiosk is ready")
        yield Listener(program, f"http://127.0.0.1:{port}")
    await let_claims_end(environment["DATABASE_URL"], program)


def quick_bot(claim_term: float = CLAIM_TERM) -> Sequence[str]:
    """Give what follows `python -m` for a bot whose claims are of this term."""
    return ["tests.support.quick_bot", str(claim_term)]


def environment_of(
    discord: Discord, game_url: str, folder: Path, api_url: str | None = None
) -> dict[str, str]:
    """Give the settings of a bot on the database in a folder."""
    return {
        "STANDIN_API": api_url or discord.state.api_url,
        "STANDIN_GATEWAY": discord.state.gateway_url,
        "DISCORD_TOKEN": discord.state.token,
        "GAME_BASE_URL": game_url,
        "GAME_TOKEN": KIOSK_TOKEN,
        "DATABASE_URL": address_at(folder / "kiosk.db"),
        "KIOSK_KEYS": KEY,
        "LOG_FORMAT": "json",
    }


async def let_claims_end(address: str, dead: Program) -> None:
    """Let the time pass after which no one waits for what a dead process held."""
    async with open_database(address, MIGRATIONS) as database:
        await database.execute(
            "DELETE FROM claims WHERE holder LIKE :holder", holder=f"%:{dead.pid}:%"
        )


async def connected(discord: Discord, program: Program, known: int) -> Session:
    """Wait for a session beyond the known ones, or for the bot's early end."""
    sessions = discord.state.gateway.sessions
    identified = asyncio.ensure_future(sessions.first(lambda _: True, since=known))
    ended = asyncio.ensure_future(program.ended())
    try:
        await asyncio.wait(
            [identified, ended], timeout=PATIENCE_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        assert identified.done(), f"the bot did not start:\n{program.output}"
        return identified.result()
    finally:
        for task in (identified, ended):
            task.cancel()
        await asyncio.gather(identified, ended, return_exceptions=True)
