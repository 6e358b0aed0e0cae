"""Run apart from the tests: a worker that looks at a catalog once, and sends what it owes for it.

`python -m tests.support.announcing_process` takes the bot's settings and, for the launcher,
STANDIN_API. It says "ready" when it waits for SIGUSR2, and "done" when nothing is owed any more.
"""

import asyncio
import os
import signal

from discord.http import HTTPClient

from bot.app import open_bot
from bot.messages.requests import tracing
from bot.settings import load_settings
from cogs.announce.kinds import AnnouncementKind, PublishKind
from storage import MIGRATIONS
from storage.database import open_database
from storage.names import PlaceKind


async def run() -> None:
    """Look, and send."""
    go = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR2, go.set)
    settings = load_settings()
    http = HTTPClient(loop, http_trace=tracing())
    async with (
        open_bot(settings) as bot,
        open_database(settings.database_url, MIGRATIONS) as database,
    ):
        await http.static_login(os.environ["DISCORD_TOKEN"])
        bot.dispatcher.add(AnnouncementKind(bot.features), PublishKind())
        _say("ready")
        await go.wait()
        await bot.features.poller.poll(PlaceKind.CATALOG, 1)
        running = asyncio.create_task(bot.dispatcher.run(http))
        while await database.fetch("SELECT 1 FROM messages WHERE due_at IS NOT NULL"):
            pass
        _say("done")
        # To be killed: it may be asked how far it has come.
        await running


def _say(text: str) -> None:
    os.write(1, f"{text}\n".encode())


if __name__ == "__main__":
    asyncio.run(run())
