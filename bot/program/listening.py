"""The port that Discord posts interactions to, in place of a connection to its gateway."""

import asyncio
import logging
from functools import partial
from typing import NoReturn

from aiohttp import web

from bot.program import interactions as program_interactions
from bot.program.checking import endpoint
from bot.program.health import serving
from bot.program.kiosk import Kiosk

log = logging.getLogger(__name__)

# Within which a balancer that asks each second has seen that a process ends.
_SECONDS_TO_BE_LEFT = 2.5


async def listen(port: int, bot: Kiosk) -> NoReturn:
    """Let a bot that has logged in answer what is posted, until cancelled. Raises SettingsError."""
    assert bot.application is not None  # noqa: S101 - known since the login
    unlink = bot.features.accounts.unlink
    key = bot.application.verify_key
    interactions = program_interactions.Interactions(
        key, partial(program_interactions.hand_on, bot), unlink, bot.now
    )
    own = {program_interactions.APPLICATION: str(bot.application.id)}

    async def answer(request: web.Request) -> web.Response:
        headers = request.headers
        body = await request.read()
        reply = await interactions.answer(
            body, headers.get("X-Signature-Ed25519", ""), headers.get("X-Signature-Timestamp", "")
        )
        return web.Response(
            status=reply.status,
            body=reply.body or None,
            content_type="application/json",
            headers=own if reply.status == web.HTTPUnauthorized.status_code else None,
        )

    app = web.Application(client_max_size=program_interactions.LARGEST_BODY_BYTES)
    app.router.add_post("/interactions", answer)
    async with serving(bot, app, "INTERACTIONS_PORT", None, port) as runner:

        async def leave() -> None:
            await asyncio.sleep(_SECONDS_TO_BE_LEFT)
            await runner.cleanup()

        bot.leave = leave
        bot.tasks.start(bot.reach.keep(bot.http))
        log.info("Discord may post interactions to port %s", runner.addresses[0][1])
        await bot.on_ready()
        bot.tasks.start(endpoint.keep_examining(bot, port))
        await asyncio.Event().wait()
    raise AssertionError
