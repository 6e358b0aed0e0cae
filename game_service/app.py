"""Put the service together and serve it.

ServiceError
└── CannotListen        the host or port can't be had
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage
from aiohttp.typedefs import Middleware

from game_service.admin import MIGRATIONS
from game_service.answers import Answers
from game_service.comment_pages import CommentPages
from game_service.draining import RequestsInFlight
from game_service.errors import tell_refusals
from game_service.fields import MAX_BODY_BYTES
from game_service.limits import RateLimiter
from game_service.routes import (
    ANSWERS,
    COMMENT_PAGES,
    DATABASE,
    LIMITER,
    NOW,
    PICTURES_URL,
    PREFIX,
    add_routes,
)
from game_service.times import Now, utc_now
from storage.database import Database, open_database

# The token of Kiosk's own account in the demo game.
KIOSK_TOKEN = "demo-kiosk"  # noqa: S105 - everybody may know it
# How long the last requests may take once the service is told to stop, and then the connections
# of those that took longer, in seconds: both fit into the two that a stop may take.
_LAST_REQUESTS = 1.0
_LAST_CONNECTIONS = 0.1


class ServiceError(Exception):
    """The service can't run. The text says why in one line."""


class CannotListen(ServiceError):
    """The host or port can't be had: taken, forbidden, or not this machine's."""


@dataclass(frozen=True)
class Service:
    """A service that accepts requests. `database` is for administration."""

    base_url: str
    database: Database


def create_app(
    database: Database,
    in_flight: RequestsInFlight,
    *,
    now: Now,
    monotonic: Callable[[], float],
    rate_limit: int | None = None,
    pictures_url: str | None = None,
    middlewares: Sequence[Middleware] = (),
) -> web.Application:
    """Build the web application. `rate_limit` is in requests a minute for each token."""
    app = web.Application(
        middlewares=[in_flight.middleware(), *middlewares, tell_refusals],
        client_max_size=MAX_BODY_BYTES,
    )
    app[NOW] = now
    app[DATABASE] = database
    app[PICTURES_URL] = pictures_url
    app[ANSWERS] = Answers(database)
    app[COMMENT_PAGES] = CommentPages(database)
    app[LIMITER] = None if rate_limit is None else RateLimiter(rate_limit, monotonic)
    add_routes(app)
    return app


@asynccontextmanager
async def open_service(
    database_url: str,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    demo: bool = False,
    rate_limit: int | None = None,
    pictures_url: str | None = None,
    middlewares: Sequence[Middleware] = (),
    now: Now = utc_now,
    monotonic: Callable[[], float] = time.monotonic,
) -> AsyncGenerator[Service]:
    """Serve the game until the block ends. Port 0 picks a free one.

    `pictures_url` is where answers say that the pictures are, if that isn't here. Every request
    passes the `middlewares`, which see the answers as they leave. `now` gives the moment in UTC,
    and `monotonic` seconds from any beginning: the game decides by no other clock.

    At the end no new request is taken, and those in flight are answered.

    Raises CannotListen and DatabaseError.
    """
    async with open_database(database_url, MIGRATIONS) as database:
        if demo:
            # Only here, so that starting on an existing game does not wait for it.
            from game_service.demo.seed import add_kiosk, fill_if_empty

            await fill_if_empty(database, now)
            await add_kiosk(database, KIOSK_TOKEN, now)
        in_flight = RequestsInFlight()
        app = create_app(
            database,
            in_flight,
            now=now,
            monotonic=monotonic,
            rate_limit=rate_limit,
            pictures_url=pictures_url,
            middlewares=middlewares,
        )
        runner = web.AppRunner(
            app,
            access_log=None,
            logger=_http_log(),
            shutdown_timeout=_LAST_CONNECTIONS,
            # No small body can swell, and none breaks the connection by not being what it says.
            auto_decompress=False,
        )
        await runner.setup()
        try:
            address = await _listen(runner, host, port)
            yield Service(base_url=f"http://{address}{PREFIX}", database=database)
        finally:
            # Shielded, or a second Ctrl-C would leave requests with a closed database.
            await asyncio.shield(_stop(runner, in_flight))


def _http_log() -> logging.Logger:
    logger = logging.getLogger("game_service.http")
    logger.addFilter(_leave_out_what_was_sent)
    return logger


def _leave_out_what_was_sent(record: logging.LogRecord) -> bool:
    """Log a broken request without its text: the header that breaks it may hold a token."""
    if record.exc_info and isinstance(record.exc_info[1], BadHttpMessage):
        record.exc_info = None
    return True


async def _listen(runner: web.AppRunner, host: str, port: int) -> str:
    try:
        await web.TCPSite(runner, host, port).start()
    except (OSError, OverflowError) as error:
        raise CannotListen(f"can't listen on {host} port {port}: {error}") from error
    taken_port = runner.addresses[0][1]
    return f"[{host}]:{taken_port}" if ":" in host else f"{host}:{taken_port}"


async def _stop(runner: web.AppRunner, in_flight: RequestsInFlight) -> None:
    for site in runner.sites:
        await site.stop()
    await in_flight.ended(_LAST_REQUESTS)
    await runner.cleanup()
