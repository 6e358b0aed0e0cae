"""Each job in few steps, as members, admins and moderators do it."""

import discord

from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.steps import Steps
from tests.support.world import SUBSCRIBER, World


async def test_an_account_is_linked(world: World) -> None:
    steps = Steps(world, world.member)
    await steps.use("account link")
    assert "is linked" in await steps.send(token=SUBSCRIBER)
    assert steps.count <= 3


async def test_an_item_is_bought_redeemed_and_watched(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    await world.name_demo_places()
    for verb, done in {"Buy": "is yours", "Redeem": "is redeemed"}.items():
        steps = Steps(world, world.member)
        await steps.use("shop browse", catalog="season")
        await steps.choose(f"{verb} Acorn Cap")
        assert done in await steps.press(f"{verb} it")
        assert steps.count <= 3
    steps = Steps(world, world.member)
    await steps.use("shop browse", catalog="season")
    assert "You watch it" in await steps.choose("Watch Wizard Hat")
    assert steps.count <= 2


async def test_an_item_is_shared_and_another_catalog_opened(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    await world.name_demo_places()
    steps = Steps(world, world.member)
    await steps.use("shop item", item="Straw Hat", catalog="season")
    assert "Shared by" in await steps.press("Share")
    assert steps.count <= 2

    steps = Steps(world, world.member)
    await steps.use("shop browse", catalog="season")
    assert "## Outlet" in await steps.choose("Outlet")
    assert steps.count <= 1 + 1


async def test_a_comment_is_answered_edited_and_shared(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    await world.name_demo_places()
    steps = Steps(world, world.member)
    await steps.use("forum read", thread="Park life")
    await steps.choose("Reply to")
    assert "Your reply is posted" in await steps.send(text="Me too")
    assert steps.count <= 3
    steps.count = 1
    assert "Shared by" in await steps.press("Share")
    assert steps.count <= 2

    await world.slash("forum post", thread="Park life", content="Eleventh")
    for number in range(10):
        await world.slash("forum post", thread="Park life", content=f"Number {number}")
    steps = Steps(world, world.member)
    await steps.use("forum read", thread="Park life", page=3)
    await steps.choose("Open Juniper: Eleventh")
    await steps.press("Edit")
    assert "Your comment has been edited" in await steps.send(text="Twelfth")
    assert steps.count <= 5


async def test_a_catalog_is_announced_and_all_is_well(world: World) -> None:
    await world.settle(world.moderator, SUBSCRIBER)
    await world.name_demo_places()
    let_discord_say(world, discord.Permissions.all().value)
    steps = Steps(world, world.moderator)
    await steps.use("announce add", catalog="Season")
    assert "Announced from now on." in await steps.send(channel=[world.channel])
    assert steps.count <= 2
    await tried(world)

    steps = Steps(world, world.moderator)
    assert "All is well" in await steps.use("setup show")
    assert steps.count <= 1


async def test_a_role_rule_is_set_with_three_presses(world: World) -> None:
    await world.name_demo_places()
    role = world.guild.create_role("Player")
    (own,) = (role for role in world.guild.roles.values() if role.name == "Kiosk")
    world.env.backend.get_role(world.guild.id, own.id).position = 50
    steps = Steps(world, world.moderator)
    await steps.use("setup show")
    await steps.press("Roles")
    await steps.press("Add")
    assert "Whoever linked an account" in await steps.send(role=[role])
    assert steps.count <= 1 + 3
