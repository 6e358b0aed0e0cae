"""Wait in a simulated world until the bot has tried to send what it owes."""

import asyncio

from storage import MIGRATIONS
from storage.database import open_database
from storage.rows import to_micros
from tests.support.commits import until_none
from tests.support.gates import PATIENCE_SECONDS
from tests.support.world import World

# In seconds, more than the bot lets pass between two looks at what is due.
_A_LOOK = 6
_UNTRIED = "SELECT 1 FROM messages WHERE due_at IS NOT NULL AND reason IS NULL LIMIT 1"
_AWAITED = "SELECT 1 FROM messages WHERE due_at = 0 LIMIT 1"


async def let_writes_age(world: World, seconds: float = 0) -> None:
    """Move what members asked for into the past, and let each be due that is looked at again."""
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        await database.execute(
            "UPDATE writes SET created_at = created_at - :by, asked_at = asked_at - :by,"
            " due_at = due_at - :by",
            by=round(seconds * 1_000_000),
        )


async def let_leases_end(world: World) -> None:
    """Let every write be due that is looked at again, whoever holds it."""
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        await database.execute("UPDATE writes SET due_at = 0 WHERE due_at IS NOT NULL")


async def let_the_bot_look(world: World) -> None:
    """Return once the bot has looked at what is due, and has told its members."""
    await world.env.advance_time(_A_LOOK)
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        now = to_micros(world.bot.now())
        await until_none(database, f"SELECT 1 FROM writes WHERE holder <> '' OR due_at < {now}")
    await tried(world)


async def tried(world: World) -> None:
    """Return once everything that is owed was tried, and what came of it is written down."""
    # What a reading is to note, which then is owed, is written down after it was answered.
    async with asyncio.timeout(PATIENCE_SECONDS):
        await world.bot.tasks.until_finished()
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        world.bot.dispatcher.wake()
        await until_none(database, _UNTRIED)


async def put_off_for_long(world: World) -> None:
    """Let what Discord has just refused be tried again in ten minutes."""
    await tried(world)
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        changed = await database.execute(
            "UPDATE messages SET due_at = due_at + 600000000 WHERE due_at IS NOT NULL"
        )
        assert changed


async def all_done(world: World) -> None:
    """Return once nothing is owed, without any pause being cut short."""
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        world.bot.dispatcher.wake()
        await until_none(database, "SELECT 1 FROM messages WHERE due_at IS NOT NULL LIMIT 1")


async def try_again(world: World) -> None:
    """Let the pauses be over of whatever was put off, and return once it was tried."""
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        # Each by itself: the bot changes some of them at the same time, in an order of its own.
        for row in await database.fetch("SELECT id FROM messages WHERE due_at > 0"):
            await database.execute(
                "UPDATE messages SET due_at = 0 WHERE id = :id AND due_at > 0", id=row["id"]
            )
        world.bot.dispatcher.wake()
        await until_none(database, _AWAITED)
    await tried(world)
