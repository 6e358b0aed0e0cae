"""Wait in a simulated world until the bot has tried to send what it owes."""

import asyncio

from storage import MIGRATIONS
from storage.database import open_database
from tests.support.commits import until_none
from tests.support.gates import PATIENCE
from tests.support.world import World

_UNTRIED = "SELECT 1 FROM messages WHERE due_at IS NOT NULL AND reason IS NULL LIMIT 1"
_AWAITED = "SELECT 1 FROM messages WHERE due_at = 0 LIMIT 1"


async def tried(world: World) -> None:
    """Return once everything that is owed was tried, and what came of it is written down."""
    # What a reading is to note, which then is owed, is written down after it was answered.
    async with asyncio.timeout(PATIENCE):
        await world.bot.tasks.until_finished()
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        await until_none(database, _UNTRIED)


async def try_again(world: World) -> None:
    """Let the pauses be over of whatever was put off, and return once it was tried."""
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        await database.execute("UPDATE messages SET due_at = 0 WHERE due_at > 0")
        world.bot.dispatcher.wake()
        await until_none(database, _AWAITED)
    await tried(world)
