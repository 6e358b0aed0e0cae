"""Run apart from the tests: a worker that only sends, once SIGUSR2 has come, until all is settled.

`python -m tests.support.sending_process` takes DATABASE_URL, DISCORD_TOKEN and, for the launcher,
STANDIN_API. It says "ready" when it waits for the signal, and "done" when all is settled.
"""

import asyncio
import os
import signal
from datetime import UTC, datetime

from discord.http import HTTPClient

from bot.background import utc_now
from bot.messages.outbox import Dispatcher
from bot.messages.requests import tracing
from storage import MIGRATIONS
from storage.database import open_database
from storage.messages import Messages
from tests.support.posts import Post


async def run() -> None:
    """Send everything."""
    go = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR2, go.set)
    http = HTTPClient(loop, http_trace=tracing())
    async with open_database(os.environ["DATABASE_URL"], MIGRATIONS) as database:
        await http.static_login(os.environ["DISCORD_TOKEN"])
        outbox = Messages(database, utc_now)
        post = Post()
        dispatcher = Dispatcher(outbox, lambda: datetime.now(UTC))
        dispatcher.add(post)
        _say("ready")
        await go.wait()
        left = await database.fetch("SELECT key FROM messages WHERE due_at IS NOT NULL")
        running = asyncio.create_task(dispatcher.run(http))
        await post.until(*(row["key"] for row in left))
        _say("done")
        # To be killed: it may be asked how far it has come.
        await running


def _say(text: str) -> None:
    os.write(1, f"{text}\n".encode())


if __name__ == "__main__":
    asyncio.run(run())
