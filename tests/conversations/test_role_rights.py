"""Who may set a rule for which role, and what keeps Kiosk from giving it."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import discord
import pytest

from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forms import presets
from tests.support.roles import add_rule, givable, has, look_at_all, own_role, put
from tests.support.steps import Steps
from tests.support.world import SUBSCRIBER, VISITOR, World, open_world

DOCUMENT = Path(__file__).parents[2] / "docs" / "moderators.md"
# Where Discord's app and its interface have different names for a permission.
CALLED = {
    "View Channels": "view_channel",
    "Create Invite": "create_instant_invite",
    "Send Text-to-Speech Messages": "send_tts_messages",
    "Use External Emoji": "external_emojis",
    "Use External Stickers": "external_stickers",
    "Video": "stream",
    "Use Voice Activity": "use_voice_activation",
    "Use Activities": "use_embedded_activities",
}
A_MINUTE = timedelta(minutes=1)
AN_HOUR = timedelta(hours=1, seconds=1)


def let_do(world: World, role: Any, **rights: bool) -> None:
    """Let a role have these rights from now on."""
    permissions = discord.Permissions(**rights).value
    world.env.backend.get_role(world.guild.id, role.id).permissions = permissions


def rights_of_members() -> set[int]:
    """Return what a role that Kiosk gives may have, as the document for moderators lists it."""
    _, _, after = DOCUMENT.read_text(encoding="utf-8").partition("can have only these permissions")
    listed = after.split("\n\n")[1].replace("\n  ", " ").replace("\n- ", ", ").removeprefix("- ")
    names = [CALLED.get(name, name.lower().replace(" ", "_")) for name in listed.split(", ")]
    return {discord.Permissions.VALID_FLAGS[name] for name in names}


async def test_what_keeps_kiosk_from_giving_a_role_is_said_when_it_is_set(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    put(world, role, 60)
    steps = await add_rule(world, role)
    said = f"Move Kiosk's role above <@&{role.id}> in Server Settings > Roles."
    assert f"### Kiosk can't give that role yet\n{said}" in text_of(steps.card)
    await steps.press("Try again")
    put(world, role, 1)
    await steps.send()
    assert "1. " in text_of(steps.card)

    rights = discord.Permissions(kick_members=True)
    for other, why in (
        (world.guild.create_role("Boss", permissions=rights), "has moderator permissions"),
        (world.guild.roles["Kiosk"], "belongs to a bot or to Discord"),
        (world.guild.default_role, "You can't choose @everyone here"),
    ):
        assert why in text_of((await add_rule(world, other)).card)
    own_role(world).permissions = 0
    steps = await add_rule(world, role)
    assert "Kiosk needs the **Manage Roles** permission." in text_of(steps.card)
    url = buttons_of(steps.card)["Give permission"]["url"]
    wanted = f"permissions={discord.Permissions(manage_roles=True).value}"
    assert wanted in url
    assert f"guild_id={world.guild.id}" in url


async def test_who_sets_a_rule_stands_above_its_role(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    own, above = 10, 30
    (manager,) = [role for role in world.guild.roles.values() if role.name == "Moderator"]
    put(world, manager, own)
    put(world, role, above)
    said = f"<@&{role.id}> isn't below your highest role. Ask someone with a higher role."
    steps = await add_rule(world, role)
    assert said in text_of(steps.card)
    put(world, role, own)
    steps = await add_rule(world, role)
    # Of two that stand alike, the older one is above.
    assert "1. " in text_of(steps.card)

    put(world, role, above)
    await world.link(world.member, SUBSCRIBER)
    # The manager's rank was checked when they set the rule: no one is remembered for it.
    assert await has(world, role)
    assert "Kiosk can't give" not in await steps.use("setup show")
    await steps.press("Roles")
    await steps.choose("Player")
    assert said in await steps.press("Let members keep role")
    put(world, own_role(world), 1)
    await world.link(world.friend, VISITOR)
    assert "Kiosk can't give" in await steps.use("setup show")
    put(world, own_role(world), 50)
    (resume,) = [button for button in buttons_of(steps.card) if button == "Try again"]
    assert said in await steps.press(resume)


@pytest.mark.parametrize("where", ["server", "channel", "category"])
async def test_a_role_may_have_what_members_may_and_nothing_else(world: World, where: str) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    place = world.guild.create_category("Talk") if where == "category" else world.channel
    for bit in range(64):
        right = 1 << bit
        if where == "server":
            world.env.backend.get_role(world.guild.id, role.id).permissions = right
        else:
            change = world.bot.http.edit_channel_permissions
            await change(place.id, role.id, str(right), "0", 0)
        said = text_of((await add_rule(world, role)).card)
        assert ("has moderator permissions" in said) is (right not in rights_of_members()), bit


async def test_the_owner_of_a_server_lets_any_role_be_given(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    put(world, role, 30)
    world.env.backend.guilds[world.guild.id].owner_id = world.moderator.id
    assert "1. " in text_of((await add_rule(world, role)).card)


async def test_the_moderators_role_is_given_by_no_rule(world: World) -> None:
    await world.name_demo_places()
    helpers, player = givable(world, "Helpers"), givable(world, "Player")
    await world.manage("Moderation", moderator_role_id=[helpers])
    refused = await add_rule(world, helpers)
    assert "Kiosk doesn't give this server's moderator role." in text_of(refused.card)
    assert "**Roles** · none yet" in await refused.use("setup show")

    await add_rule(world, player)
    said = text_of(await world.manage("Moderation", moderator_role_id=[player]))
    assert "Kiosk gives that role to members" in said
    assert f"**Moderator role** · {helpers.mention}" in await refused.use("setup show")
    await world.manage("Moderation", moderator_role_id=[world.guild.create_role("Others")])
    # As if both had been there before it was asked.
    await world.bot.features.moderation.settings.change(world.guild.id, moderator_role_id=player.id)
    await world.link(world.member, SUBSCRIBER)
    assert not await has(world, player)
    assert f"Kiosk can't give <@&{player.id}>" in await refused.use("setup show")


async def test_who_may_not_give_roles_sets_no_rule(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    manager = next(role for role in world.guild.roles.values() if role.name == "Moderator")
    world.env.backend.get_role(world.guild.id, manager.id).permissions = discord.Permissions(
        manage_guild=True
    ).value
    steps = await add_rule(world, role)
    assert "You need the Manage Roles permission" in text_of(steps.card)


@pytest.mark.parametrize("right", ["ban_members", "administrator"])
async def test_a_role_that_got_rights_after_its_rule_waits_until_it_has_lost_them(
    tmp_path: Path, demo: str, right: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_world(tmp_path, demo=demo) as world:
        await world.name_demo_places()
        role = givable(world, "Player")
        await add_rule(world, role)
        await world.link(world.friend, SUBSCRIBER)
        assert await has(world, role, world.friend)

        let_do(world, role, **{right: True})
        await world.pass_time(A_MINUTE)
        await world.link(world.member, VISITOR)
        for _ in range(3):
            assert not await has(world, role)
            await world.pass_time(AN_HOUR)
            await look_at_all(world)
        assert caplog.text.count(f"Can't give role {role.id} of server {world.guild.id}") == 1
        steps = Steps(world, world.moderator)
        assert f"Kiosk can't give <@&{role.id}>" in await steps.use("setup show")
        assert "1. ⚠️ " in await steps.press("Roles")
        assert "has moderator permissions" in await steps.choose("Player")
        # What it gave before, it still takes away.
        await world.press_through(
            "account show", "Unlink account…", "Unlink account", actor=world.friend
        )
        assert not await has(world, role, world.friend)

        let_do(world, role)
        await look_at_all(world)
        assert not await has(world, role)
        await world.pass_time(AN_HOUR)
        await look_at_all(world)
        assert await has(world, role)
        assert "Kiosk can't give" not in await steps.use("setup show")


async def test_a_server_that_wants_two_factors_says_so(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    giving = "/guilds/*/members/*/roles/*"
    world.env.inject_error("PUT", giving, status=403, code=60003, times=None)
    await world.link(world.member, SUBSCRIBER)
    assert not await has(world, role)

    steps = Steps(world, world.moderator)
    said = "This bot's owner must turn on two-factor authentication in Discord."
    assert f"**Kiosk can't give <@&{role.id}>**\n{said}" in await steps.use("setup show")
    assert said in await steps.use("setup show")

    world.env.backend.faults.clear()
    assert said not in await steps.press("Try again")
    assert await has(world, role)


async def test_three_roles_that_one_cause_holds_up_are_one_line(world: World) -> None:
    await world.name_demo_places()
    await world.settle(world.moderator, SUBSCRIBER)
    given = [givable(world, name) for name in ("Player", "Reader", "Collector")]
    await add_rule(world, given[0])
    steps = await add_rule(world, given[1])
    assert "Members who are already linked get the role within about a day." in text_of(steps.card)
    steps = await add_rule(world, given[2], who=["1"], item="1")
    (listed,) = selects_of(steps.card)
    entries = [(each["label"], each["description"]) for each in listed["options"]]
    assert entries == [
        ("Player", "Members who linked an account"),
        ("Reader", "Members who linked an account"),
        ("Collector", "Members who own Acorn Cap"),
    ]
    assert "**Roles**\nAllowed: Manage Roles" in await open_permissions(steps)
    mentions = [f"<@&{role.id}>" for role in given]
    all_three = f"{mentions[0]}, {mentions[1]}, and {mentions[2]}"

    for role in given:
        put(world, role, 60)
    low = f"**Kiosk can't give {all_three}**\nMove Kiosk's role above {all_three} in Server"
    shown = await steps.use("setup show")
    assert "⚠️ **One problem to fix**" in shown
    assert low in shown
    assert low in await steps.press("Roles")
    for role in given:
        put(world, role, 1)

    before = own_role(world).permissions
    own_role(world).permissions = 0
    await world.link(world.member, SUBSCRIBER)
    assert not await has(world, given[0])
    shown = await steps.use("setup show")
    assert "⚠️ **One problem to fix**" in shown
    lacking = f"**Kiosk can't give {all_three}**\nKiosk needs the **Manage Roles** permission."
    assert lacking in shown
    assert "**Roles**\n⚠️ Not allowed: Manage Roles" in await open_permissions(steps)
    assert "Give permission" in buttons_of(steps.card)
    await steps.use("setup show")
    await steps.press("Roles")
    assert lacking in text_of(steps.card)
    own_role(world).permissions = before
    await steps.press("Try again")
    for role in given[:2]:
        assert await has(world, role)
    shown = text_of(answer_of(await world.slash("account show")))
    assert f"You have {mentions[0]} and {mentions[1]} because you linked your account." in shown


async def open_permissions(steps: Steps) -> str:
    await steps.use("setup show")
    return await steps.press("Permissions")


@pytest.mark.parametrize(
    ("filled", "asked"),
    [
        ({"item": "Acorn Cap"}, "You entered the item “Acorn Cap”, but you chose everyone"),
        ({"item": "1"}, "You entered the item “1”, but you chose everyone"),
        ({"who": ["1"]}, "You chose the owners of an item, but you didn't enter an item."),
        (
            {"who": ["1"], "item": "  "},
            "You chose the owners of an item, but you didn't enter an item.",
        ),
        ({"who": ["1"], "item": "\u200b"}, "but you didn't enter an item."),
    ],
)
async def test_an_item_that_does_not_go_with_who_gets_a_role_is_asked_for_again(
    world: World, filled: dict[str, Any], asked: str
) -> None:
    await world.name_demo_places()
    await world.settle(world.moderator, SUBSCRIBER)
    steps = await add_rule(world, givable(world, "Player"), **filled)
    assert asked in text_of(steps.card)
    await steps.press("Try again")
    before = presets(world.moderator, steps.form)
    assert {name: before.get(name) for name in filled} == filled
    await steps.send(who=["1"], item="Acorn Cap")
    assert "Members who own **Acorn Cap**" in text_of(steps.card)


async def test_who_could_not_set_a_rule_changes_none(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    (manager,) = [role for role in world.guild.roles.values() if role.name == "Moderator"]
    steps = Steps(world, world.moderator)

    async def opened() -> str:
        await steps.use("setup show")
        await steps.press("Roles")
        return await steps.choose("Player")

    # The question before a removal, from when they might still remove it.
    await opened()
    await steps.press("Remove…")
    asked = steps.card
    let_do(world, manager, manage_guild=True)
    why = "You need the Manage Roles permission"
    before = await opened()
    for label in ("Let members keep role", "Remove…"):
        assert why in await steps.press(label)
        assert before == await opened()
    steps.card = asked
    assert why in await steps.press("Remove")
    assert await has(world, role)
    put(world, own_role(world), 0)
    await world.link(world.friend, VISITOR)
    assert not await has(world, role, world.friend)
    assert "Kiosk can't give" in await steps.use("setup show")
    assert why in await steps.press("Try again")

    let_do(world, manager, manage_guild=True, manage_roles=True)
    put(world, own_role(world), 50)
    await opened()
    await steps.press("Let members keep role")
    before = await opened()
    let_do(world, manager, manage_guild=True)
    assert why in await steps.press("Take role back")
    assert before == await opened()
