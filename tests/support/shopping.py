"""Buy and redeem as a member does: use the command, press the button, read the card."""

from typing import Any

from tests.support.cards import answer_of, text_of
from tests.support.world import World


async def ask(world: World, what: str = "buy", item: str = "3") -> Any:
    return answer_of(await world.slash(f"shop {what}", item=item, catalog="1"))


async def buy(world: World, item: str = "3") -> str:
    card = await ask(world, "buy", item)
    await world.member.click(card, label="Buy item")
    return text_of(card)


async def redeem(world: World, item: str = "3") -> str:
    card = await ask(world, "redeem", item)
    await world.member.click(card, label="Redeem item")
    return text_of(card)


async def orders(world: World) -> str:
    return text_of(await world.slash("shop orders"))
