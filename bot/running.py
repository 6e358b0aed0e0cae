"""Run the bot until it is told to stop."""

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress

import aiohttp
import discord

from bot.app import open_bot
from bot.kiosk import Kiosk
from bot.roles import Role
from bot.settings import Settings, SettingsError
from storage.database import folder_of
from storage.errors import DatabaseError

log = logging.getLogger(__name__)

DEMO_DATABASE = "kiosk-demo-game.db"
# Of the gateway's closing codes: an invalid shard, and too few of them.
_WRONG_SHARDS = (4010, 4011)


class CannotRun(Exception):
    """The bot can't run; the text says why in one line."""


def run_until_stopped(settings: Settings, role: Role = Role.RUN) -> None:
    """Run until Ctrl-C or SIGTERM. Raises SettingsError, CannotRun."""
    if settings.discord_token is None:
        raise SettingsError(
            ["DISCORD_TOKEN: missing; see “On real Discord” in README.md, or try `make play`"]
        )
    if settings.game_base_url is None and role is not Role.RUN:
        raise SettingsError(["GAME_BASE_URL: missing; only `python -m bot run` has a demo game"])
    with (
        _reporting(settings, role),
        asyncio.Runner(loop_factory=_loop_factory()) as runner,
        suppress(KeyboardInterrupt),
    ):
        try:
            runner.run(_run(settings, role, settings.discord_token.get_secret_value()))
        except DatabaseError as error:
            raise CannotRun(f"DATABASE_URL: {error}") from error
        except discord.LoginFailure as error:
            raise CannotRun("DISCORD_TOKEN: Discord refuses it; copy it again") from error
        except discord.HTTPException as error:
            raise CannotRun(f"Discord answers {error.status}: {error.text}") from error
        except discord.ConnectionClosed as error:
            raise CannotRun(_closed(error.code)) from error
        except (aiohttp.ClientError, OSError) as error:
            raise CannotRun(f"Discord can't be reached: {error}") from error


def _reporting(settings: Settings, role: Role) -> AbstractContextManager[None]:
    if settings.sentry_dsn is None:
        return nullcontext()
    from bot.error_reports import problem_with, reporting

    problem = problem_with(settings.sentry_dsn)
    if problem:
        raise SettingsError([f"SENTRY_DSN: {problem}"])
    return reporting(settings.sentry_dsn, role)


def _closed(code: int) -> str:
    if code in _WRONG_SHARDS:
        return "SHARD_COUNT: Discord wants more shards than these; leave it empty to see how many"
    return f"Discord has closed the connection for good, with code {code}"


async def _run(settings: Settings, role: Role, token: str) -> None:
    async with _with_game(settings) as complete, open_bot(complete, role=role) as bot:
        running = asyncio.create_task(_start(bot, role, token))
        _end_on_sigterm(bot, running)
        _collect_garbage_seldom()
        # Waits, unlike `await`, for the end that a signal brings about.
        await asyncio.wait([running])
        if not running.cancelled():
            running.result()


async def _start(bot: Kiosk, role: Role, token: str) -> None:
    await bot.login(token)
    if role.has_gateway:
        await bot.connect()
    else:
        log.info("a worker: it answers nobody, and does what is owed in the background")
        await asyncio.Event().wait()


def _collect_garbage_seldom() -> None:
    """Leave what stands since the start alone: going through all of it takes 150 ms."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)


def _end_on_sigterm(bot: Kiosk, running: "asyncio.Task[None]") -> None:
    stopping: set[asyncio.Task[None]] = set()

    async def end() -> None:
        await bot.close()
        # It may wait for something else than the connection that is closed now.
        running.cancel()

    def stop() -> None:
        log.info("told to stop")
        stopping.add(asyncio.create_task(end()))

    # Windows has no such signal to handle in a loop; there, ending the process ends it.
    with suppress(NotImplementedError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)


@asynccontextmanager
async def _with_game(settings: Settings) -> AsyncGenerator[Settings]:
    if settings.game_base_url is not None:
        yield settings
        return
    from game_service.app import open_service

    folder = folder_of(settings.database_url)
    async with open_service(f"sqlite:///{folder / DEMO_DATABASE}", demo=True) as game:
        log.info("GAME_BASE_URL is not set: serving the demo game at %s", game.base_url)
        yield settings.model_copy(update={"game_base_url": game.base_url})


def _loop_factory() -> "type[asyncio.AbstractEventLoop] | None":
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.Loop
