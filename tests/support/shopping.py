"""Buy and redeem as a member does: use the command, press the button, read the card."""

from datetime import timedelta
from typing import Any

from storage import MIGRATIONS
from storage.database import open_database
from tests.support.cards import answer_of, text_of
from tests.support.owed import tried
from tests.support.world import World

SECONDS_BETWEEN_LOOKS = 6


async def ask(world: World, what: str = "buy", item: str = "3") -> Any:
    """Use the command; gives the card that asks for a confirmation."""
    return answer_of(await world.slash(f"shop {what}", item=item, catalog="1"))


async def buy(world: World, item: str = "3") -> str:
    card = await ask(world, "buy", item)
    await world.member.click(card, label="Buy it")
    return text_of(card)


async def redeem(world: World, item: str = "3") -> str:
    card = await ask(world, "redeem", item)
    await world.member.click(card, label="Redeem it")
    return text_of(card)


async def orders(world: World) -> str:
    return text_of(await world.slash("shop orders"))


async def let_orders_age(world: World, by: timedelta = timedelta()) -> None:
    """Move all orders into the past, and let each be due that is to be looked at again."""
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        await database.execute(
            "UPDATE orders SET created_at = created_at - :by, sent_at = sent_at - :by, "
            "settled_at = settled_at - :by, due_at = CASE WHEN due_at IS NOT NULL THEN 0 END",
            by=round(by.total_seconds() * 1_000_000),
        )


async def let_the_bot_look(world: World) -> None:
    """Let the bot look after its orders once, and tell what it finds."""
    await world.env.advance_time(SECONDS_BETWEEN_LOOKS)
    await tried(world)
