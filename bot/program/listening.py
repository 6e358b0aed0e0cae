"""The port that Discord posts interactions to, in place of a connection to its gateway."""

import asyncio
import logging
from functools import partial
from typing import NoReturn

from aiohttp import web

from bot.log import Hourly
from bot.program import health, interactions
from bot.program.checking import endpoint
from bot.program.kiosk import Kiosk
from bot.program.port import Port, read_body

log = logging.getLogger(__name__)

# How long a balancer that asks each second needs to see that a process ends.
_SECONDS_TO_BE_LEFT = 2.5


async def listen(port: int, bot: Kiosk) -> NoReturn:
    """Let a bot that has logged in answer what is posted, until cancelled. Raises SettingsError."""
    assert bot.application is not None  # noqa: S101 - known since the login
    unlink = bot.features.accounts.unlink
    key = bot.application.verify_key
    posted = interactions.Interactions(key, partial(interactions.hand_on, bot), unlink, bot.now)
    signs = health.Health(bot)
    bot.tasks.start(signs.watch_loop())

    async def answer(request: web.BaseRequest) -> web.Response:
        match request.method, request.path:
            case "POST", "/interactions":
                posted.check(request.headers)
                body = await read_body(request)
                reply = await posted.answer(body, request.headers)
                server.welcome(request)
                return web.Response(
                    status=reply.status, body=reply.body or None, content_type="application/json"
                )
            case "GET", "/livez":
                return await signs.livez(request)
            case "GET", "/readyz":
                return await signs.readyz(request)
            case _:
                raise interactions.RefusedRequest(404, "another path")

    def refused(why: str) -> None:
        bot.refused[why] = bot.refused.get(why, 0) + 1
        if (more := hourly.note("refused", why)) is not None:
            log.info("Refused a request at INTERACTIONS_PORT: %s%s", why, more)

    hourly = Hourly(bot.clock.monotonic)
    server = Port(answer, refused, {interactions.APPLICATION: str(bot.application.id)})
    runner = web.ServerRunner(server, shutdown_timeout=health.SECONDS_TO_CLOSE)
    async with health.serving(runner, "INTERACTIONS_PORT", None, port):

        async def leave() -> None:
            await asyncio.sleep(_SECONDS_TO_BE_LEFT)
            await runner.cleanup()

        bot.leave = leave
        bot.tasks.start(bot.reach.keep(bot.http))
        log.info("Ready for Discord's interactions at port %s", runner.addresses[0][1])
        await bot.on_ready()
        bot.tasks.start(endpoint.keep_examining(bot, port))
        await asyncio.Event().wait()
    raise AssertionError
