"""Run apart from the tests: a worker that sends what is owed, once SIGUSR2 has come.

`python -m tests.support.worker_process sending` sends what is owed by then, `giving` the roles;
`announcing` looks at a catalog once before, `replies` at a thread, and each sends until nothing is
owed any more. All take the bot's settings and, for the launcher, STANDIN_API. They say "ready" when
they wait for the signal, and "done" at the end.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from discord.http import HTTPClient

from bot.app import open_bot
from bot.clock import Clock
from bot.program.kiosk import Kiosk
from bot.rest import Rest
from bot.settings import load_settings
from bot.ui.messages.dispatcher import Dispatcher
from bot.ui.messages.requests import tracing
from cogs.announce.announcement_messages import AnnouncementKind, PublishKind
from cogs.replies.told_comments import CommentSection
from cogs.roles.role_messages import RoleKind
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.messages import Messages
from storage.names import PlaceKind
from storage.roles import RoleRules
from tests.support.clock import utc_now
from tests.support.posts import Post

# What begins to send, and what waits for the end of it.
Work = tuple[Callable[[], Awaitable[Dispatcher]], Callable[[], Awaitable[None]]]


@asynccontextmanager
async def sending(database: Database) -> AsyncGenerator[Work]:
    post = Post()
    left = await database.fetch("SELECT key FROM messages WHERE due_at IS NOT NULL")

    async def begin() -> Dispatcher:
        dispatcher = Dispatcher(Messages(database, utc_now), Clock())
        dispatcher.add(post)
        return dispatcher

    yield begin, lambda: post.until(*(row["key"] for row in left))


@asynccontextmanager
async def announcing(database: Database) -> AsyncGenerator[Work]:
    async with open_bot(load_settings()) as bot:
        bot.dispatcher.add(AnnouncementKind(bot.features), PublishKind())
        yield _looking(bot, database, PlaceKind.CATALOG, 1)


@asynccontextmanager
async def replies(database: Database) -> AsyncGenerator[Work]:
    async with open_bot(load_settings()) as bot:
        bot.member_news.sections[PlaceKind.THREAD] = CommentSection(bot.features)
        yield _looking(bot, database, PlaceKind.THREAD, 3)


def _looking(bot: Kiosk, database: Database, kind: PlaceKind, place_id: int) -> Work:
    async def begin() -> Dispatcher:
        await bot.features.poller.poll(kind, place_id)
        return bot.dispatcher

    return begin, lambda: _until_nothing_is_owed(database)


@asynccontextmanager
async def giving(database: Database) -> AsyncGenerator[Work]:
    outbox = Messages(database, utc_now)

    async def begin() -> Dispatcher:
        dispatcher = Dispatcher(outbox, Clock())
        dispatcher.add(RoleKind(RoleRules(database, outbox, utc_now), _no_trouble))
        return dispatcher

    yield begin, lambda: _until_nothing_is_owed(database)


async def _no_trouble(_guild_id: int, _role_id: int) -> None:
    """Say that nothing keeps the bot from giving a role."""


async def _until_nothing_is_owed(database: Database) -> None:
    while await database.fetch("SELECT 1 FROM messages WHERE due_at IS NOT NULL"):
        pass


WORKS = {"giving": giving, "sending": sending, "announcing": announcing, "replies": replies}


async def run(what: str) -> None:
    go = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR2, go.set)
    http = HTTPClient(loop, http_trace=tracing())
    async with (
        open_database(os.environ["DATABASE_URL"], MIGRATIONS) as database,
        WORKS[what](database) as (begin, until_sent),
    ):
        await http.static_login(os.environ["DISCORD_TOKEN"])
        _say("ready")
        await go.wait()
        dispatcher = await begin()
        running = asyncio.create_task(dispatcher.run(http, Rest(Clock())))
        await until_sent()
        _say("done")
        # To be killed: it may be asked how far it has come.
        await running


def _say(text: str) -> None:
    os.write(1, f"{text}\n".encode())


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1]))
