"""Wire Kiosk together: open every resource, hand each to what needs it, close them all."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime

import aiohttp

from bot.background import BackgroundTasks
from bot.clock import utc_now
from bot.features.operating import RecentErrors, Role
from bot.game.client import GameClient
from bot.game.errors import GameError
from bot.game.transport import open_write_session
from bot.kiosk import Kiosk
from bot.settings import Settings, SettingsError
from bot.wiring import Base, wire_features
from bot.worker.emojis import EmojiUploads, PictureFetcher
from bot.worker.outbox import Dispatcher
from bot.worker.pacing import Openings
from storage import MIGRATIONS
from storage.claims import Claims
from storage.database import open_database
from storage.installation import Installation
from storage.links import Links
from storage.messages import DirectChannels
from storage.retention import Purge
from storage.vault import Vault

log = logging.getLogger(__name__)

# What members wait for is answered by then, or they were told that it is not.
_SECONDS_TO_FINISH = 0.5


@asynccontextmanager
async def open_bot(
    settings: Settings, role: Role = Role.RUN, *, now: Callable[[], datetime] = utc_now
) -> AsyncGenerator[Kiosk]:
    """Open every resource and yield a Kiosk that has not logged in; close them all at the end.

    `now` tells all of it the time, in UTC. Raises SettingsError, DatabaseError.
    """
    if not settings.kiosk_keys:
        raise SettingsError(["KIOSK_KEYS: missing; make a key with `python -m bot keys new`"])
    if settings.game_base_url is None:
        raise SettingsError(["GAME_BASE_URL: missing"])
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database_url, MIGRATIONS))
        monitoring = None
        if settings.monitoring_port is not None:
            # A web server and Prometheus' client, for those alone who use them.
            from bot.monitoring import Monitoring

            monitoring = Monitoring(settings.monitoring_port, now)
            database = monitoring.timed(database)
        vault = Vault(settings.kiosk_keys)
        links = Links(database, vault, now)
        if await links.unknown_keys():
            raise SettingsError(
                ["KIOSK_KEYS: a key that sealed tokens in this database is missing; add it back"]
            )
        session = await stack.enter_async_context(aiohttp.ClientSession())
        write_session = await stack.enter_async_context(open_write_session())
        # Left after the tasks: what still works in the background holds what it needs.
        claims = await stack.enter_async_context(Claims(database, term=settings.lease_seconds))
        tasks = await stack.enter_async_context(BackgroundTasks(_SECONDS_TO_FINISH))
        tasks.start(claims.keep())
        try:
            client = GameClient(
                session,
                settings.game_base_url,
                tasks,
                now=now,
                body_format=settings.game_body_format,
                plain_http=settings.game_plain_http,
                write_session=write_session,
            )
        except GameError as error:
            raise SettingsError([f"GAME_BASE_URL: {error}"]) from None
        errors = stack.enter_context(RecentErrors().listening())
        base = Base(settings, database, vault, links, now, tasks, client, errors, claims)
        bot = _kiosk(base, claims, role)
        tasks.start(bot.features.pictures.keep_fresh())
        if monitoring:
            await stack.enter_async_context(monitoring.serve(bot, client))
        yield await stack.enter_async_context(bot)


def _kiosk(base: Base, claims: Claims, role: Role) -> Kiosk:
    settings, database = base.settings, base.database
    openings = Openings(settings.direct_channel_interval)
    pictures = PictureFetcher(settings.game_base_url or "")
    return Kiosk(
        wire_features(base),
        base.tasks,
        Installation(database),
        claims,
        Purge(database),
        base.now,
        Dispatcher(base.outbox, DirectChannels(database), base.now, openings=openings),
        uploads=EmojiUploads(base.emojis, pictures, base.now) if settings.emojis else None,
        role=role,
        shard_ids=settings.shard_ids,
        shard_count=settings.shard_count,
    )
