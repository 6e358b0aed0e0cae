"""Wire Kiosk together: open every resource, hand each to what needs it, close them all."""

import contextlib
import logging
from collections import abc
from functools import partial
from pathlib import Path

import aiohttp

from bot import background
from bot.clock import Clock
from bot.game import game_client
from bot.game.game_errors import GameError
from bot.game.transport import open_write_session
from bot.program.backups import keep_backups
from bot.program.kiosk import SECONDS_TO_FIRST_LOOK, Kiosk
from bot.program.proxies import proxy_for
from bot.program.wiring import wire_core
from bot.settings import Settings, SettingsError
from bot.ui.messages import pacing
from bot.ui.messages.dispatcher import Dispatcher
from storage import MIGRATIONS
from storage.claims import TERM_SECONDS, Claims
from storage.database import Database, open_database
from storage.database.sqlite import PREFIX
from storage.links import Links
from storage.messages import Messages
from storage.purging import Purge

log = logging.getLogger(__name__)

# Members have their answers by then, or know that there is none.
_SECONDS_TO_FINISH = 0.5


@contextlib.asynccontextmanager
async def open_bot(
    settings: Settings,
    *,
    clock: Clock | None = None,
    claim_term: float = TERM_SECONDS,
    opening_interval: float = pacing.OPENING_SECONDS,
    first_look: float = SECONDS_TO_FIRST_LOOK,
    before_upgrade: abc.Callable[[], abc.Awaitable[None]] | None = None,
) -> abc.AsyncGenerator[Kiosk]:
    """Open every resource and yield a Kiosk that hasn't logged in. Close them all at the end.

    Everything goes by the `clock`, the real one unless given. The next three are in seconds. What
    could keep Kiosk from running is checked before an older database is brought up to date, at last
    by `before_upgrade`. Raises SettingsError, DatabaseError.
    """
    clock = clock or Clock()
    now = clock.now
    vault = settings.vault()
    if settings.game_base_url is None:
        raise SettingsError(["GAME_BASE_URL: missing"])
    try:
        base_url = game_client.check_base_url(
            settings.game_base_url, plain_http=settings.game_plain_http
        )
    except GameError as error:
        raise SettingsError([f"GAME_BASE_URL: {error}"]) from None
    proxy = proxy_for(base_url)

    async def look_at_older(older: Database) -> None:
        await _count_links(Links(older, vault, now))
        if before_upgrade is not None:
            await before_upgrade()

    async with contextlib.AsyncExitStack() as stack:
        database = await stack.enter_async_context(
            open_database(settings.database_url, MIGRATIONS, at_older=look_at_older)
        )
        links = Links(database, vault, now)
        count, lost = await _count_links(links)
        if lost:
            log.warning(
                "Can't decrypt %s of %s members' tokens with KIOSK_KEYS. Add the missing key"
                " back, or these members must link again",
                lost,
                count,
            )
        session = await stack.enter_async_context(aiohttp.ClientSession(proxy=proxy))
        write_session = await stack.enter_async_context(open_write_session(proxy))
        # Left after the tasks: what still works in the background holds what it needs.
        claims = Claims(database, term=claim_term, now=now, keys=vault.keys)
        await stack.enter_async_context(claims)
        tasks = await stack.enter_async_context(
            background.BackgroundTasks(clock, _SECONDS_TO_FINISH)
        )
        tasks.start(claims.keep())
        client = game_client.GameClient(
            session,
            base_url,
            tasks,
            body_format=settings.game_body_format,
            plain_http=settings.game_plain_http,
            write_session=write_session,
        )
        outbox = Messages(database, now)
        core = wire_core(settings, links, outbox, client, tasks)
        openings = pacing.Openings(opening_interval, clock)
        dispatcher = Dispatcher(outbox, clock, openings=openings)
        bot = Kiosk(core, claims, Purge(database), dispatcher)
        bot.seconds_to_first_look = first_look
        core.features.directory.title_of = bot.title_of
        if settings.backup_dir and settings.database_url.startswith(PREFIX):
            url = settings.database_url
            folder = Path(settings.backup_dir)
            bot.worker.add("backups", partial(keep_backups, url, folder, clock, bot.faults))
        if settings.monitoring_port is not None:
            # A web server and Prometheus' client, for those alone who use them.
            from bot.program.monitoring import serve

            await stack.enter_async_context(serve(settings.monitoring_port, bot, client, database))
        yield await stack.enter_async_context(bot)


async def _count_links(links: Links) -> tuple[int, int]:
    """Return what `Links.count` does. Raises SettingsError if no key opens any."""
    count, lost = await links.count()
    if lost and lost == count:
        raise SettingsError(["KIOSK_KEYS: no key can decrypt any token. Add the missing key back"])
    return count, lost
