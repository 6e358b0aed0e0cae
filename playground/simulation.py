"""The one place that knows how to run Kiosk on simcord: for the playground and the tests."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import simcord

from bot.app import Kiosk

# Longer than the slowest answer of the game, in seconds.
SLOWEST_ACTION = 60.0
# simcord waits this long after each action for work to show up; its own 50 ms is much for a
# loopback, and there is no public setting. In seconds.
_IDLE = 0.001


@asynccontextmanager
async def simulate(bot: Kiosk) -> AsyncGenerator[simcord.Env]:
    """Attach Kiosk to a Discord kept in memory; faults the bot did not answer end the block."""
    settle = cast("Any", simcord.Env)._settle_internal
    settle.__kwdefaults__["idle"] = _IDLE
    # Not simcord.run(): its clock belongs to one context, and a fixture ends in another.
    env = simcord.Env(bot, settle_timeout=SLOWEST_ACTION)
    await env.start()
    try:
        yield env
    finally:
        await env.shutdown()
    env.raise_errors()


def speak_language(env: simcord.Env, locale: str) -> None:
    """Let every member have Discord in this language from here on."""

    def set_locale(event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            payload["locale"] = locale

    env.backend.subscribers.insert(0, set_locale)
