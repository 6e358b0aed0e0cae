"""Wait in a simulated world until the bot has tried to send what it owes."""

from storage import MIGRATIONS
from storage.database import open_database
from tests.support.rest import until_idle
from tests.support.world import World

# In seconds, more than the bot lets pass between two looks at what is due.
A_LOOK = 6


async def let_leases_end(world: World) -> None:
    """Let every write be due that is looked at again, no matter which process holds it."""
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        await database.execute("UPDATE writes SET due_at = 0 WHERE due_at IS NOT NULL")


async def tried(world: World) -> None:
    """Return once everything in the queue was tried, and its result is saved."""
    world.bot.dispatcher.wake()
    await until_idle(world.bot)


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
        await tried(world)
        assert await database.fetch("SELECT 1 FROM messages WHERE due_at IS NOT NULL") == []


async def try_again(world: World) -> None:
    """Let the pauses be over of whatever was put off, and return once it was tried."""
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        # Each by itself: the bot changes some of them at the same time, in an order of its own.
        for row in await database.fetch("SELECT id FROM messages WHERE due_at > 0"):
            await database.execute(
                "UPDATE messages SET due_at = 0 WHERE id = :id AND due_at > 0", id=row["id"]
            )
    await tried(world)
