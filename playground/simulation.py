"""Run Kiosk on simcord, for the playground and the tests. Only this module knows how."""

import asyncio
import contextvars
import importlib
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast

import discord
import simcord
from discord.webhook.async_ import async_context

# Longer than the slowest answer of the game, in seconds.
SLOWEST_ACTION = 60.0
# How long simcord waits for work after each action, in seconds. Its own 50 ms is much for a
# loopback, and there is no public setting.
SHORT_PAUSE = 0.001
# How far the page's clock may be behind the world's, in seconds: it counts in minutes.
SECONDS_BETWEEN_VIEWS = 30.0


@asynccontextmanager
async def simulate(
    bot: discord.Client, *, clock: datetime | None = None, commands: Sequence[Any] = ()
) -> AsyncGenerator[simcord.Env]:
    """Attach a bot to a Discord kept in memory. Faults that the bot didn't answer end the block.

    `clock` is the simulated time to start from, in place of simcord's New Year 2026. `commands` are
    those that Discord got before.
    """
    settle = cast("Any", simcord.Env)._settle_internal
    settle.__kwdefaults__["idle"] = SHORT_PAUSE
    # Not simcord.run(): its clock belongs to one context, and a fixture ends in another.
    env = simcord.Env(bot, shard_count=1, settle_timeout=SLOWEST_ACTION)
    env.backend.bot_user.name = "Kiosk"
    _number_posts(env.backend)
    if clock is not None:
        cast("Any", env.backend.clock)._epoch = clock
    # simcord doesn't know commands for adults only, or the field that says that a command isn't
    # one.
    kept = [{name: command[name] for name in command if name != "nsfw"} for command in commands]
    env.backend.register_commands(None, kept)
    await env.start()
    # simcord answers interactions in the context of bot code alone, and the worker has its own.
    everywhere = contextvars.Context().run(async_context.get)
    cast("Any", everywhere).request = async_context.get().request
    try:
        yield env
    finally:
        vars(everywhere).pop("request", None)
        await env.shutdown()
    env.raise_errors()


def _number_posts(backend: Any) -> None:
    """Give a forum's post the id of its first message, as Discord does."""
    create_thread, create_post = backend.create_thread, backend.create_forum_post

    def create_numbered(forum_id: int, name: str, starter: Any, **others: Any) -> Any:
        backend.create_thread = partial(create_thread, message_id=starter.id)
        try:
            return create_post(forum_id, name, starter, **others)
        finally:
            backend.create_thread = create_thread

    backend.create_forum_post = create_numbered


def speak_language(env: simcord.Env, locale: str) -> None:
    """Set the Discord language of every member and server from now on."""
    subscribers = env.backend.subscribers
    # After languages set before, which it overrides, and before the subscriber for the bot.
    before = sum(isinstance(subscriber, _Language) for subscriber in subscribers)
    subscribers.insert(before, _Language(locale))


@dataclass(frozen=True)
class _Language:
    """Says in each interaction that Discord is in this language."""

    locale: str

    def __call__(self, event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            payload |= {"locale": self.locale, "guild_locale": self.locale}


async def keep_alive(
    env: simcord.Env, preview: simcord.Preview, then: Callable[[], Awaitable[None]]
) -> None:
    """Let simulated time pass as real time does, until cancelled. Each time, call `then`.

    simcord takes one action at a time and refuses what overlaps. So a person at the page and the
    clock take turns.
    """
    turn = asyncio.Lock()
    page: Any = preview
    act = page._action

    async def act_in_turn(*arguments: Any) -> Any:
        async with turn:
            return await act(*arguments)

    page._action = act_in_turn
    while True:
        async with turn:
            await pass_time(env, preview, then)
        await asyncio.sleep(1)


async def pass_time(
    env: simcord.Env, preview: simcord.Preview, then: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Let the world reach the real time. Show it on the page if it has changed, or is later."""
    asked = len(env.http_requests)
    await catch_up(env)
    if then is not None:
        await then()
    page_is_behind = (env.now() - preview.capture_time).total_seconds()
    if len(env.http_requests) > asked or page_is_behind >= SECONDS_BETWEEN_VIEWS:
        await preview.refresh()


async def catch_up(env: simcord.Env) -> None:
    """Let the simulated clock reach the real one, which the game goes by."""
    behind = (datetime.now(UTC) - env.now()).total_seconds()
    await env.advance_time(max(behind, 0))


async def use_installed_browser(preview: simcord.Preview) -> Any:
    """Take pictures with the machine's own chromium: Playwright's would have to be downloaded.

    Gives the browser, for pictures of the page around the cards.
    """
    # By name: only those who take pictures have it installed.
    playwright: Any = importlib.import_module("playwright.async_api")
    camera = cast("Any", preview)._capture_manager
    camera._playwright = await playwright.async_playwright().start()
    camera._browser = await camera._playwright.chromium.launch(
        executable_path=shutil.which("chromium"),
        args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    )
    return camera._browser
