"""Run the bot until it is told to stop, and say in the log's last line how it ended."""

import asyncio
import contextlib
import gc
import logging
import signal
from collections import abc
from functools import partial
from importlib import import_module
from typing import NoReturn

import aiohttp
import discord
from pydantic import SecretStr

from bot import __version__
from bot.app import open_bot
from bot.log import configure_logging, describe
from bot.program import kiosk, watchdog
from bot.program.connecting import connect, try_token
from bot.program.needs import find_unmet
from bot.settings import Settings, SettingsError, read_settings, what_sets_nothing
from cogs import COGS
from storage import storage_errors
from storage.claims import Claims
from storage.database import folder_of

log = logging.getLogger(__name__)

DEMO_DATABASE = "kiosk-demo-game.db"
# `open_bot`, which tests hand shorter times to.
Opening = abc.Callable[..., contextlib.AbstractAsyncContextManager[kiosk.Kiosk]]

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
# How long a stop may take, in seconds, whatever hangs: Docker kills after ten.
MAX_STOP_SECONDS = 9.5
# New objects that make a collection worthwhile, and how often Kiosk looks.
_WORTH_COLLECTING = 2000
_SECONDS_BETWEEN_COLLECTIONS = 10.0
# Discord's reasons to close the gateway for good, and how to fix each.
_BAD_TOKEN = 4004
_NOT_ALLOWED = 4014
_CLOSED = {
    _BAD_TOKEN: "DISCORD_TOKEN: Discord refuses it. Reset it in the developer portal, under Bot,"
    " and copy the new token",
    4012: "Discord no longer supports this version of Kiosk. Upgrade Kiosk",
    4013: "Discord doesn't know the events this version asks for. Upgrade Kiosk",
    _NOT_ALLOWED: "Discord doesn't allow the events this version asks for. Upgrade Kiosk",
}


def run(opening: Opening = open_bot, *, tick_seconds: float = watchdog.TICK_SECONDS) -> kiosk.Exit:
    """Run until Ctrl-C or SIGTERM. Return the exit code of the process.

    The loop is checked every `tick_seconds`.
    """
    settings, wrong = read_settings()
    configure_logging(settings.log_format, settings.log_level)
    for name, text, _ in what_sets_nothing():
        log.warning("%s: %s", name, text)
    try:
        named = {problem.partition(": ")[0] for problem in wrong}
        unmet = find_unmet(settings, at_start=True)
        told = [f"{name}: {text}" for name, text in unmet if name not in named]
        if wrong or told:
            raise SettingsError([*wrong, *told])
        _run_until_stopped(settings, opening, tick_seconds)
    except SettingsError as error:
        problems = error.problems
        code = kiosk.Exit.TO_MEND
    except kiosk.CannotRun as error:
        problems = [str(error)]
        code = error.code
    except Exception:
        log.critical("Kiosk crashed because of a bug", exc_info=True)
        return kiosk.Exit.FAILED
    else:
        log.info("Kiosk stopped as requested", extra={"exit_code": kiosk.Exit.STOPPED.value})
        return kiosk.Exit.STOPPED
    for problem in problems:
        log.critical("Kiosk can't run: %s", problem, extra={"exit_code": code.value})
    return code


def _run_until_stopped(settings: Settings, opening: Opening, tick_seconds: float) -> None:
    assert settings.discord_token is not None  # noqa: S101 - find_unmet names it
    loop_factory = None
    with contextlib.suppress(ImportError):
        import uvloop

        loop_factory = uvloop.Loop
    with (
        asyncio.Runner(loop_factory=loop_factory) as runner,
        contextlib.suppress(KeyboardInterrupt),
    ):
        try:
            token = settings.discord_token.get_secret_value()
            runner.run(_run(settings, opening, token, tick_seconds))
        except storage_errors.DatabaseError as error:
            passes = isinstance(
                error, storage_errors.DatabaseUnavailable | storage_errors.StatementFailed
            )
            code = kiosk.Exit.FAILED if passes else kiosk.Exit.TO_MEND
            raise kiosk.CannotRun(f"DATABASE_URL: {error}", code) from error
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            raise refused(error) from error


def refused(error: Exception) -> kiosk.CannotRun:
    """Say why Discord doesn't let Kiosk in, and how to fix it."""
    reason = error.code if isinstance(error, discord.ConnectionClosed) else None
    if isinstance(error, discord.LoginFailure):
        reason = _BAD_TOKEN
    elif isinstance(error, discord.PrivilegedIntentsRequired):
        reason = _NOT_ALLOWED
    if reason in _CLOSED:
        return kiosk.CannotRun(_CLOSED[reason])
    return kiosk.CannotRun(f"can't connect to Discord: {describe(error)}", kiosk.Exit.FAILED)


async def _run(settings: Settings, opening: Opening, token: str, tick_seconds: float) -> None:
    stop = _Stop()
    running = stop.running = asyncio.create_task(_serve(settings, opening, token, stop))
    for number in _SIGNALS:
        # Windows has no signals to handle in a loop. There, ending the process ends it.
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stop, number)
    with watchdog.watching(tick_seconds):
        # Waits, unlike `await`, for the end that a signal brings about.
        await asyncio.wait([running])
    if not running.cancelled() and (error := running.exception()):
        if stop.ending is None:
            raise error
        log.info("Interrupted by the stop: %s", describe(error))
    if stop.reason is not None:
        raise stop.reason


class _Stop:
    """Ends the program in order at a signal. A second one kills it as it would any program."""

    def __init__(self) -> None:
        # The task to cancel, while that is allowed.
        self.running: asyncio.Task[None] | None = None
        self.bot: kiosk.Kiosk | None = None
        self.ending: asyncio.Task[None] | None = None
        # Why it ends, unless a signal ended it.
        self.reason: Exception | None = None

    def __call__(self, number: int) -> None:
        log.info("Stopping because of %s", signal.Signals(number).name)
        self.begin()

    def begin(self) -> None:
        for handled in _SIGNALS:
            asyncio.get_running_loop().remove_signal_handler(handled)
        # Everything that matters is written by then.
        watchdog.end_in(MAX_STOP_SECONDS, kiosk.Exit.STOPPED)
        self.ending = asyncio.create_task(self._end())

    async def _end(self) -> None:
        try:
            if self.bot is not None:
                # Before anything is cancelled: discord.py may keep that to itself, until then.
                await self.bot.close()
        finally:
            if self.running is not None:
                self.running.cancel()


async def _serve(settings: Settings, opening: Opening, token: str, stop: _Stop) -> None:
    log.info("Kiosk %s is starting", __version__, extra={"version": __version__})
    may_start = partial(try_token, settings, token)
    async with _with_game(settings) as complete, opening(complete, before_upgrade=may_start) as bot:
        stop.bot = bot
        # Objects from the start are left alone: going through them takes 150 ms.
        for name in COGS:
            import_module(name)
        gc.freeze()
        gc.enable()
        gc.set_threshold(20_000, 50, 50)
        bot.tasks.start(_collect_garbage(bot))
        bot.tasks.start(_log_game_problems(complete, bot))
        bot.tasks.start(_end_at_newer_tables(bot.claims, stop))
        try:
            await connect(bot, settings, token)
        finally:
            # Nothing that is closed from here on is to be cut off.
            stop.running = None


async def _collect_garbage(bot: kiosk.Kiosk) -> NoReturn:
    """Collect cyclic garbage while no one waits. The thresholds would leave it for hours."""
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN_COLLECTIONS)
        if not bot.router.in_hand and gc.get_count()[0] > _WORTH_COLLECTING:
            gc.collect()


async def _end_at_newer_tables(claims: Claims, stop: _Stop) -> None:
    """End the program once a newer version has changed the tables."""
    await claims.until_newer_tables()
    if stop.ending is None:
        stop.reason = storage_errors.DatabaseUnusable(
            "a newer version of Kiosk has upgraded the tables, and this version can't use"
            " them. Start the newer version"
        )
        stop.begin()


async def _log_game_problems(settings: Settings, bot: kiosk.Kiosk) -> None:
    """Log a line for each thing that is wrong with the game although the bot runs."""
    from bot.program.checking import machine
    from bot.program.checking.game import examine_game

    if settings.game_token is None:
        log.info("GAME_TOKEN: %s", machine.NO_ACCOUNT)
    places: machine.Places = {}
    # That the database is away is said already.
    with contextlib.suppress(storage_errors.DatabaseError):
        places = await machine.find_places(bot.features.installation.database)
    for finding in await examine_game(settings, places):
        if finding.is_fault:
            log.warning("The game %s", finding.text)


@contextlib.asynccontextmanager
async def _with_game(settings: Settings) -> abc.AsyncGenerator[Settings]:
    if settings.game_base_url is not None:
        yield settings
        return
    from game_service.app import KIOSK_TOKEN, open_service

    folder = folder_of(settings.database_url)
    async with open_service(f"sqlite:///{folder / DEMO_DATABASE}", demo=True) as game:
        log.warning("GAME_BASE_URL isn't set. Serving the demo game at %s", game.base_url)
        own = {"game_base_url": game.base_url, "game_token": SecretStr(KIOSK_TOKEN)}
        yield settings.model_copy(update=own)
