"""Each job in few steps, as members, admins and moderators do it."""

import discord

from tests.support.cards import buttons_of, text_of
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.steps import Steps
from tests.support.world import SUBSCRIBER, World


async def test_an_account_is_linked(world: World) -> None:
    steps = Steps(world, world.member)
    await steps.use("account link")
    assert "Game account linked" in await steps.send(token=SUBSCRIBER)
    assert steps.count <= 3


async def test_an_item_is_bought_redeemed_and_watched(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    await world.name_demo_places()
    for verb, done in {"Buy": "is yours", "Redeem": "redeemed"}.items():
        steps = Steps(world, world.member)
        await steps.use("shop browse", catalog="season")
        await steps.choose(f"{verb} Acorn Cap")
        assert done in await steps.press(f"{verb} item")
        assert steps.count <= 3
    steps = Steps(world, world.member)
    await steps.use("shop browse", catalog="season")
    assert "You're watching this item." in await steps.choose("Watch Wizard Hat")
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
    assert "Reply posted" in await steps.send(text="Me too")
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
    assert "Comment edited" in await steps.send(text="Twelfth")
    assert steps.count <= 5


async def test_a_catalog_is_announced_and_all_is_well(world: World) -> None:
    await world.settle(world.moderator, SUBSCRIBER)
    await world.name_demo_places()
    let_discord_say(world, discord.Permissions.all().value)
    steps = Steps(world, world.moderator)
    await steps.use("announce add", catalog="Season")
    assert ("Announcement added. Kiosk posts news from now on.") in await steps.send(
        channel=[world.channel]
    )
    assert steps.count <= 2
    await tried(world)

    steps = Steps(world, world.moderator)
    assert "No problems found" in await steps.use("setup show")
    assert steps.count <= 1


async def test_a_role_rule_is_set_with_three_presses(world: World) -> None:
    await world.name_demo_places()
    role = world.guild.create_role("Player")
    (own,) = (role for role in world.guild.roles.values() if role.name == "Kiosk")
    world.env.backend.get_role(world.guild.id, own.id).position = 50
    steps = Steps(world, world.moderator)
    await steps.use("setup show")
    await steps.press("Roles")
    await steps.press("Add rule")
    assert "Members who linked an account" in await steps.send(role=[role])
    assert steps.count <= 1 + 3


async def test_a_server_is_set_up_from_the_invite_with_thirty_steps(world: World) -> None:
    moderator, guild = world.moderator, world.guild
    let_discord_say(world, discord.Permissions.all().value)
    roles = [guild.create_role(name) for name in ("Shoppers", "Hats", "Linked")]
    for role in guild.roles.values():
        position = 50 if role.name == "Kiosk" else 1
        world.env.backend.get_role(guild.id, role.id).position = position
    news = guild.create_text_channel("news")
    steps = Steps(world, moderator)

    await steps.use("setup thread", id="1", name="Park life")
    assert "Add a catalog" in buttons_of(steps.card)
    await steps.use("setup catalog", id="1", name="Season")
    await steps.press("Announce")
    await steps.send(channel=[news], role=roles[:2])
    assert "on their way" in await steps.press("Post newest items")
    await steps.press("Custom text")
    await steps.send(words="Look at {item}")
    assert "Custom text: Look at" in await steps.press("Save")
    await steps.press("Set up Notify me…")
    assert "Notify me adds or removes" in await steps.send(role=[roles[0]])
    await steps.use("announce add", catalog="Season")
    assert "Announcement added. Kiosk posts news from now on." in await steps.send(
        channel=[world.channel], news=["cheaper"], role=roles[:2]
    )
    for thread in ("1", "2", "3"):
        said = await steps.use("announce thread", thread=thread, channel=news)
        assert "Thread followed. Kiosk posts each new comment" in said
    await steps.use("setup show")
    for form, filled in {
        "Panel": {"panel_channel_id": [world.channel]},
        "Moderation": {
            "log_channel_id": [guild.create_text_channel("log")],
            "moderator_role_id": [guild.create_role("Moderators")],
            "reasons": "Spam\nInsults",
        },
        "Language": {"locale": ["de"]},
    }.items():
        await steps.press(form)
        assert "Settings saved:" in await steps.send(**filled)
    await steps.press("Roles")
    await steps.press("Add rule")
    assert "Members who linked an account" in await steps.send(role=[roles[2]])
    await steps.use("moderate rules")
    await steps.press("Change words")
    assert "2 words added." in await steps.send(words="unkind\nrude")
    await steps.use("account link")
    assert "Game account linked" in await steps.send(token=SUBSCRIBER)

    assert steps.count <= 30
    await tried(world)
    shown = text_of(await world.slash("setup show", moderator))
    assert "2 announcements of 1 catalog and 3 threads in 2 channels" in shown
    assert "2 watched words" in shown
    assert "1 rule" in shown
