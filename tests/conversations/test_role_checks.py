"""What changes while a check of a member's roles waits for the game."""

import asyncio
from pathlib import Path

import pytest

from cogs.roles.service import RoleService
from tests.support.rogue_game import RogueShop
from tests.support.roles import add_rule, age, has, look_at_all, settle_collectors
from tests.support.world import World, open_world

pytestmark = pytest.mark.usefixtures("on_both_engines")


async def begin_check(world: World, shop: RogueShop, gate: asyncio.Event) -> asyncio.Task[None]:
    """Check the member until the game is asked what they own, which waits for the gate."""
    shop.arrived.clear()
    shop.gate = gate
    checking = asyncio.create_task(world.bot.services[RoleService].check(world.member.id))
    await shop.arrived.wait()
    return checking


@pytest.mark.parametrize("what_ends", ["the rule", "the link"])
async def test_no_role_is_given_by_a_rule_or_for_a_link_that_ended(
    tmp_path: Path, shop: RogueShop, what_ends: str
) -> None:
    gate = asyncio.Event()
    async with open_world(tmp_path, shop.base_url) as world:
        collector = await settle_collectors(world)
        await world.slash("shop item", item="1", catalog="1")
        steps = await add_rule(world, collector, who=["1"], item="3")
        await look_at_all(world)
        shop.owned_by = {f"token-of-{world.member.id}": {3}}

        checking = await begin_check(world, shop, gate)
        if what_ends == "the rule":
            await steps.choose("Collector")
            for label in ("Remove…", "Remove"):
                await steps.press(label)
        else:
            await world.press_through("account show", "Unlink account…", "Unlink account")
        gate.set()
        await checking
        assert not await has(world, collector)


async def test_no_role_is_taken_for_an_account_that_another_replaced(
    tmp_path: Path, shop: RogueShop
) -> None:
    gate = asyncio.Event()
    async with open_world(tmp_path, shop.base_url) as world:
        collector = await settle_collectors(world)
        await world.slash("shop item", item="1", catalog="1")
        shop.owned_by = {f"token-of-{world.member.id}": {3}}
        await add_rule(world, collector, who=["1"], item="3")
        await look_at_all(world)
        # What was given within the hour stays.
        await age(world)
        await look_at_all(world)
        assert await has(world, collector)
        shop.owned_by = {"token-of-another": {3}}

        checking = await begin_check(world, shop, gate)
        shop.gate = None
        await world.link(world.member, "token-of-another")
        await world.bot.tasks.until_finished()
        gate.set()
        await checking
        assert await has(world, collector)
