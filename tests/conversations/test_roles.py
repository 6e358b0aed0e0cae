"""Roles from the game: set by a manager, given at link and purchase, taken away after."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import discord
import pytest
import simcord

from game_service.app import KIOSK_TOKEN
from playground.simulation import speak_language
from storage import MIGRATIONS
from storage.database import open_database
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.clock import RunningClock, utc_now
from tests.support.forms import presets
from tests.support.owed import tried, try_again
from tests.support.rogue_game import RogueShop
from tests.support.shopping import ask
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
# The requests of one look at a server.
LOOK = 3


def givable(world: World, name: str) -> simcord.RoleHandle:
    """Make a role that stands below Kiosk's own."""
    role = world.guild.create_role(name)
    put(world, own_role(world), 50)
    return role


def own_role(world: World) -> Any:
    own = next(role for role in world.guild.roles.values() if role.name == "Kiosk")
    return world.env.backend.get_role(world.guild.id, own.id)


def put(world: World, role: Any, position: int) -> None:
    world.env.backend.get_role(world.guild.id, role.id).position = position


async def add_rule(world: World, role: Any, **filled: Any) -> Steps:
    """Set a rule as a manager does, from the card of the setup."""
    steps = Steps(world, world.moderator)
    await steps.use("setup show")
    await steps.press("Roles")
    await steps.press("Add")
    await steps.send(role=[role], **filled)
    return steps


def let_do(world: World, role: Any, **rights: bool) -> None:
    """Let a role have these rights from now on."""
    permissions = discord.Permissions(**rights).value
    world.env.backend.get_role(world.guild.id, role.id).permissions = permissions


def rights_of_members() -> set[int]:
    """Return what a role that Kiosk gives may have, as the document for moderators lists it."""
    _, _, after = DOCUMENT.read_text(encoding="utf-8").partition("may have only these permissions")
    listed = after.split("\n\n")[1].replace("\n  ", " ").replace("\n- ", ", ").removeprefix("- ")
    names = [CALLED.get(name, name.lower().replace(" ", "_")) for name in listed.split(", ")]
    return {discord.Permissions.VALID_FLAGS[name] for name in names}


async def look_at_all(world: World) -> None:
    """Let everybody be looked at who was not for a day."""
    await tried(world)
    while await world.bot.features.roles.look_at_next():
        pass


async def age(world: World, days: float = 1.1) -> None:
    """Let days pass since roles were given, and since members were looked at."""
    await tried(world)
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        by = round(days * 86_400_000_000)
        await database.execute("UPDATE role_rules SET refused_at = refused_at - :by", by=by)
        await database.execute("UPDATE messages SET wanted_at = wanted_at - :by", by=by)
        await database.execute("UPDATE member_servers SET looked_at = looked_at - :by", by=by)


async def come_back(world: World) -> None:
    """Let the member leave the server, and join it again without the roles they had."""
    await tried(world)
    world.guild.remove_member(world.member)
    join(world, world.guild)


def join(world: World, guild: simcord.GuildHandle) -> simcord.MemberActor:
    joined = guild.add_member(world.member.user)
    world.env.backend.get_member(guild.id, joined.id).joined_at = utc_now().isoformat()
    return joined


async def take_by_hand(world: World, role: Any) -> None:
    await tried(world)
    world.env.backend.remove_member_role(world.guild.id, world.member.id, role.id)


def looks_at_the_member(world: World) -> int:
    """Return how often Discord was asked for the member."""
    path = f"/members/{world.member.id}"
    return sum(
        asked.method == "GET" and asked.path.endswith(path) for asked in world.env.http_requests
    )


async def has(world: World, role: Any, actor: simcord.MemberActor | None = None) -> bool:
    await tried(world)
    member = world.env.backend.get_member(world.guild.id, (actor or world.member).id)
    return role.id in member.role_ids


@pytest.mark.usefixtures("on_both_engines")
async def test_who_links_an_account_gets_a_role_and_loses_it_with_the_link(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    steps = await add_rule(world, role)
    assert steps.count == 4
    assert f"1. <@&{role.id}> · Whoever linked an account" in text_of(steps.card)
    assert "**Roles** · 1 rule\n" in await steps.use("setup show")
    assert not await has(world, role)

    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    shown = text_of(answer_of(await world.slash("account show")))
    assert f"You have <@&{role.id}> since your account is linked." in shown
    assert not await has(world, role, world.friend)

    await world.press_through("account show", "Unlink…", "Unlink")
    assert not await has(world, role)
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)


@pytest.mark.usefixtures("on_both_engines")
async def test_who_leaves_and_comes_back_gets_the_role_again(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    await come_back(world)
    assert not await has(world, role)

    # Outside of servers nothing tells where they were.
    await world.member.user.slash("help")
    assert not await has(world, role)
    asked = looks_at_the_member(world)
    shown = text_of(answer_of(await world.slash("account show")))
    assert "You have" not in shown
    assert await has(world, role)
    shown = text_of(answer_of(await world.slash("account show")))
    assert f"You have <@&{role.id}> since your account is linked." in shown
    assert looks_at_the_member(world) == asked + 1

    await come_back(world)
    await age(world)
    await look_at_all(world)
    assert await has(world, role)


async def test_a_press_gives_who_came_back_the_role_again(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    await world.link(world.member, SUBSCRIBER)
    card = answer_of(await world.slash("help"))
    assert await has(world, role)
    await come_back(world)
    await world.member.click(card, label=next(iter(buttons_of(card))))
    assert await has(world, role)


@pytest.mark.usefixtures("on_both_engines")
async def test_a_role_that_was_taken_by_hand_comes_back_once_its_member_links_anew(
    world: World,
) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    await world.link(world.member, SUBSCRIBER)
    await take_by_hand(world, role)
    assert "You have" not in text_of(answer_of(await world.slash("account show")))
    assert not await has(world, role)

    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)


async def test_who_comes_back_to_one_server_is_given_what_its_rules_still_give(
    world: World,
) -> None:
    await world.name_demo_places()
    kept = givable(world, "Kept")
    given = givable(world, "Player")
    steps = await add_rule(world, kept, takes=False)
    await add_rule(world, given)
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, kept)
    await steps.choose("Kept")
    await steps.press("Remove…")
    await steps.press("Remove")
    elsewhere = world.env.create_guild("Elsewhere")
    await take_by_hand(world, given)
    await join(world, elsewhere).slash(elsewhere.create_text_channel("talk"), "help")
    await world.slash("help")
    assert not await has(world, given)

    await come_back(world)
    await world.slash("help")
    assert await has(world, given)
    assert not await has(world, kept)
    shown = text_of(answer_of(await world.slash("account show")))
    assert f"<@&{kept.id}>" not in shown


async def test_who_buys_an_item_gets_its_role_and_keeps_it_where_it_is_left_to_them(
    world: World,
) -> None:
    await world.name_demo_places()
    role = givable(world, "Collector")
    for actor in (world.member, world.moderator):
        await world.settle(actor, SUBSCRIBER)
    steps = await add_rule(world, role, who=["1"], item="acorn cap", takes=False)
    assert f"1. <@&{role.id}> · Whoever owns **Acorn Cap**" in text_of(steps.card)

    card = await ask(world, item="1")
    assert not await has(world, role)
    await world.member.click(card, label="Buy it")
    assert await has(world, role)
    shown = text_of(answer_of(await world.slash("account show")))
    assert f"You have <@&{role.id}> since you own **Acorn Cap**." in shown

    await world.press_through("account show", "Unlink…", "Unlink")
    assert await has(world, role)


async def test_nothing_is_taken_away_while_the_game_can_not_say(
    tmp_path: Path, shop: RogueShop
) -> None:
    async with open_world(tmp_path, shop.base_url) as world:
        await world.name_demo_places()
        collector = givable(world, "Collector")
        for actor in (world.member, world.moderator):
            await world.settle(actor, f"token-of-{actor.id}")
        await add_rule(world, collector, who=["1"], item="3")
        await world.member.click(await ask(world, item="3"), label="Buy it")
        assert await has(world, collector)
        await age(world)

        shop.owned.clear()
        shop.is_down = True
        await look_at_all(world)
        assert await has(world, collector)
        # An item that the catalog has no more is nobody's to say.
        shop.is_down = False
        hats = shop.items.copy()
        shop.items = hats[10:]
        await age(world)
        await look_at_all(world)
        assert await has(world, collector)
        shop.items = hats
        await age(world)
        await look_at_all(world)
        assert not await has(world, collector)


async def test_an_item_that_kiosks_own_account_is_not_shown_gives_a_role(
    tmp_path: Path, shop: RogueShop
) -> None:
    shop.hidden = {KIOSK_TOKEN: {3}}
    async with open_world(tmp_path, shop.base_url) as world:
        await world.name_demo_places()
        collector = givable(world, "Collector")
        for actor in (world.member, world.friend, world.moderator):
            await world.settle(actor, f"token-of-{actor.id}")
            # Kiosk knows from now on who uses it here.
            await world.slash("shop item", actor, item="1", catalog="1")
        shop.owned_by = {f"token-of-{world.member.id}": {3}}

        steps = await add_rule(world, collector, who=["1"], item="3")

        assert "Whoever owns **Hat number 3**" in text_of(steps.card)
        await look_at_all(world)
        assert await has(world, collector)
        assert not await has(world, collector, world.friend)


async def test_members_are_told_for_which_servers_it_is_looked_what_they_own(world: World) -> None:
    await world.name_demo_places()
    for actor in (world.member, world.moderator):
        await world.settle(actor, SUBSCRIBER)
    member: Any = world.member

    async def shown(*, outside: bool = False) -> str:
        return text_of(await (member.user.slash if outside else world.slash)("account show"))

    await world.slash("shop item", item="1", catalog="1")
    await world.bot.tasks.until_finished()
    await add_rule(world, givable(world, "Player"))
    assert "once a day" not in (await shown()).lower()
    await add_rule(world, givable(world, "Collector"), who=["1"], item="1")
    await add_rule(world, givable(world, "Hatter"), who=["1"], item="2")
    for where, server in ((await shown(), "this"), (await shown(outside=True), "another")):
        (said,) = [line for line in where.lower().split("\n") if "once a day" in line]
        assert f"{server} server gives roles" in said
        assert "your token" in said

    await world.press_through("account show", "Unlink…", "Unlink")
    assert "once a day" not in (await shown()).lower()


async def test_what_keeps_kiosk_from_giving_a_role_is_said_when_it_is_set(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    put(world, role, 60)
    steps = await add_rule(world, role)
    said = f"Move Kiosk's role above <@&{role.id}>, under Server Settings, Roles."
    assert f"### Kiosk can't give that role yet\n{said}" in text_of(steps.card)
    await steps.press("Try again")
    put(world, role, 1)
    await steps.send()
    assert "1. " in text_of(steps.card)

    rights = discord.Permissions(kick_members=True)
    for other, why in (
        (world.guild.create_role("Boss", permissions=rights), "may do what moderators do"),
        (world.guild.roles["Kiosk"], "belongs to a bot or to Discord"),
        (world.guild.default_role, "@everyone can't be chosen there"),
    ):
        assert why in text_of((await add_rule(world, other)).card)
    own_role(world).permissions = 0
    steps = await add_rule(world, role)
    assert "Kiosk lacks the permission **Manage Roles**." in text_of(steps.card)
    url = buttons_of(steps.card)["Allow it"]["url"]
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
    said = f"<@&{role.id}> isn't below your highest role. Ask someone who is above it."
    steps = await add_rule(world, role)
    assert said in text_of(steps.card)
    put(world, role, own)
    steps = await add_rule(world, role)
    # Of two that stand alike, the older one is above.
    assert "1. " in text_of(steps.card)

    put(world, role, above)
    await world.link(world.member, SUBSCRIBER)
    # It was asked when it was set: nobody is remembered for it.
    assert await has(world, role)
    assert "can't be given" not in await steps.use("setup show")
    await steps.press("Roles")
    await steps.choose("Player")
    assert said in await steps.press("Let them keep it")
    put(world, own_role(world), 1)
    await world.link(world.friend, VISITOR)
    assert "can't be given" in await steps.use("setup show")
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
        assert ("may do what moderators do" in said) is (right not in rights_of_members()), bit


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
    assert "is this server's moderator role" in text_of(refused.card)
    assert "**Roles** · none yet" in await refused.use("setup show")

    await add_rule(world, player)
    said = text_of(await world.manage("Moderation", moderator_role_id=[player]))
    assert "Kiosk gives that role to members" in said
    assert f"**Moderator role** · {helpers.mention}" in await refused.use("setup show")
    await world.manage("Moderation", moderator_role_id=[world.guild.create_role("Others")])
    # As if both had been there before it was asked.
    await world.bot.features.moderation.cards.change_settings(
        world.guild.id, moderator_role_id=player.id
    )
    await world.link(world.member, SUBSCRIBER)
    assert not await has(world, player)
    assert f"<@&{player.id}> can't be given" in await refused.use("setup show")


async def test_who_may_not_give_roles_sets_no_rule(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    manager = next(role for role in world.guild.roles.values() if role.name == "Moderator")
    world.env.backend.get_role(world.guild.id, manager.id).permissions = discord.Permissions(
        manage_guild=True
    ).value
    steps = await add_rule(world, role)
    assert "You need the permission Manage Roles" in text_of(steps.card)


@pytest.mark.parametrize("right", ["ban_members", "administrator"])
async def test_a_role_that_got_rights_after_its_rule_waits_until_it_has_lost_them(
    tmp_path: Path, demo: str, right: str, caplog: pytest.LogCaptureFixture
) -> None:
    clock = RunningClock()
    async with open_world(tmp_path, demo=demo, clock=clock) as world:
        await world.name_demo_places()
        role = givable(world, "Player")
        await add_rule(world, role)
        await world.link(world.friend, SUBSCRIBER)
        assert await has(world, role, world.friend)

        let_do(world, role, **{right: True})
        clock.advance(A_MINUTE)
        await world.link(world.member, VISITOR)
        for _ in range(3):
            assert not await has(world, role)
            clock.advance(AN_HOUR)
            await look_at_all(world)
        assert caplog.text.count(f"can't give role {role.id} of server {world.guild.id}") == 1
        steps = Steps(world, world.moderator)
        assert f"<@&{role.id}> can't be given" in await steps.use("setup show")
        assert "1. ⚠️ " in await steps.press("Roles")
        assert "may do what moderators do" in await steps.choose("Player")
        # What it gave before, it still takes away.
        await world.press_through("account show", "Unlink…", "Unlink", actor=world.friend)
        assert not await has(world, role, world.friend)

        let_do(world, role)
        await look_at_all(world)
        assert not await has(world, role)
        clock.advance(AN_HOUR)
        await look_at_all(world)
        assert await has(world, role)
        assert "can't be given" not in await steps.use("setup show")


async def test_many_who_are_given_a_role_cost_one_look_at_the_server(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    asked = len(world.env.http_requests)
    for actor in (world.member, world.friend, world.moderator):
        await world.link(actor, SUBSCRIBER)
        assert await has(world, role, actor)
    asked_of_server = [
        request
        for request in world.env.http_requests[asked:]
        if request.method == "GET" and "/guilds/" in request.path
    ]
    # Of each of the three members, it is asked whether they have it already.
    assert len(asked_of_server) == LOOK + 3


async def test_a_server_that_wants_two_factors_says_so(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    giving = "/guilds/*/members/*/roles/*"
    world.env.inject_error("PUT", giving, status=403, code=60003, times=None)
    await world.link(world.member, SUBSCRIBER)
    assert not await has(world, role)

    steps = Steps(world, world.moderator)
    said = "Discord wants the owner of this bot to use two-factor authentication."
    assert f"**<@&{role.id}> can't be given**\n{said}" in await steps.use("setup show")
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
    assert "Members who linked before get it within a day." in text_of(steps.card)
    steps = await add_rule(world, given[2], who=["1"], item="1")
    (listed,) = selects_of(steps.card)
    entries = [(each["label"], each["description"]) for each in listed["options"]]
    assert entries == [
        ("Player", "Whoever linked an account"),
        ("Reader", "Whoever linked an account"),
        ("Collector", "Whoever owns Acorn Cap"),
    ]
    assert "**Roles**\nMay: Manage Roles" in await open_permissions(steps)
    mentions = [f"<@&{role.id}>" for role in given]
    all_three = f"{mentions[0]}, {mentions[1]}, and {mentions[2]}"

    for role in given:
        put(world, role, 60)
    low = f"{all_three} can't be given**\nMove Kiosk's role above {all_three}, under"
    shown = await steps.use("setup show")
    assert "⚠️ **One thing needs you**" in shown
    assert low in shown
    assert low in await steps.press("Roles")
    for role in given:
        put(world, role, 1)

    before = own_role(world).permissions
    own_role(world).permissions = 0
    await world.link(world.member, SUBSCRIBER)
    assert not await has(world, given[0])
    shown = await steps.use("setup show")
    assert "⚠️ **One thing needs you**" in shown
    lacking = f"{all_three} can't be given**\nKiosk lacks the permission **Manage Roles**."
    assert lacking in shown
    assert "**Roles**\n⚠️ May not: Manage Roles" in await open_permissions(steps)
    assert "Allow it" in buttons_of(steps.card)
    await steps.use("setup show")
    await steps.press("Roles")
    assert lacking in text_of(steps.card)
    own_role(world).permissions = before
    await steps.press("Try again")
    for role in given[:2]:
        assert await has(world, role)
    shown = text_of(answer_of(await world.slash("account show")))
    assert f"You have {mentions[0]} and {mentions[1]} since your account is linked." in shown


async def open_permissions(steps: Steps) -> str:
    await steps.use("setup show")
    return await steps.press("Permissions")


@pytest.mark.parametrize(
    ("filled", "asked"),
    [
        ({"item": "Acorn Cap"}, "You named the item “Acorn Cap”, but you chose everyone"),
        ({"item": "1"}, "You named the item “1”, but you chose everyone"),
        ({"who": ["1"]}, "You chose the owners of an item, but you named no item."),
        ({"who": ["1"], "item": "  "}, "You chose the owners of an item, but you named no item."),
        ({"who": ["1"], "item": "\u200b"}, "but you named no item."),
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
    assert "Whoever owns **Acorn Cap**" in text_of(steps.card)


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
    why = "You need the permission Manage Roles"
    before = await opened()
    for label in ("Let them keep it", "Remove…"):
        assert why in await steps.press(label)
        assert before == await opened()
    steps.card = asked
    assert why in await steps.press("Remove")
    assert await has(world, role)
    put(world, own_role(world), 0)
    await world.link(world.friend, VISITOR)
    assert not await has(world, role, world.friend)
    assert "can't be given" in await steps.use("setup show")
    assert why in await steps.press("Try again")

    let_do(world, manager, manage_guild=True, manage_roles=True)
    put(world, own_role(world), 50)
    await opened()
    await steps.press("Let them keep it")
    before = await opened()
    let_do(world, manager, manage_guild=True)
    assert why in await steps.press("Take it away again")
    assert before == await opened()


@pytest.mark.usefixtures("on_both_engines")
async def test_what_discord_refuses_is_told_and_made_up_for_once_it_is_mended(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    await world.link(world.friend, SUBSCRIBER)
    assert await has(world, role, world.friend)

    put(world, role, 60)
    await world.link(world.member, VISITOR)
    await world.press_through("account show", "Unlink…", "Unlink", actor=world.friend)
    assert not await has(world, role)
    assert await has(world, role, world.friend)
    steps = Steps(world, world.moderator)
    shown = await steps.use("setup show")
    said = f"Move Kiosk's role above <@&{role.id}>, under Server Settings, Roles."
    assert f"**<@&{role.id}> can't be given**\n{said}" in shown
    assert "**Roles** · ⚠️ 1 rule" in shown
    assert said in await steps.press("Try again")

    put(world, role, 1)
    assert "can't be given" not in await steps.use("setup show")
    assert await has(world, role)
    assert not await has(world, role, world.friend)


async def test_what_was_refused_is_tried_again_within_hours(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    put(world, role, 60)
    await world.link(world.member, SUBSCRIBER)
    assert not await has(world, role)
    assert "You have" not in text_of(answer_of(await world.slash("account show")))
    put(world, role, 1)
    await look_at_all(world)
    assert not await has(world, role)

    await age(world, days=0.1)
    await look_at_all(world)
    assert await has(world, role)


async def test_a_role_is_taken_away_though_its_rule_went_while_discord_refused(
    world: World,
) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    steps = await add_rule(world, role)
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    put(world, role, 60)
    await steps.choose("Player")
    await steps.press("Remove…")
    await steps.press("Remove")
    assert await has(world, role)

    put(world, role, 1)
    await try_again(world)
    assert not await has(world, role)


async def test_what_is_owed_is_taken_away_after_everything_else_is_erased(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    put(world, role, 60)

    erased = await world.press_through("account show", "Erase…", "Erase everything")
    assert await has(world, role)
    again = await world.press_through("account show", "Erase…", "Erase everything")
    assert "Discord still has to take a role away" in text_of(erased) + text_of(again)

    put(world, role, 1)
    await Steps(world, world.moderator).use("setup show")
    assert not await has(world, role)


async def test_whoever_has_all_erased_and_links_anew_is_looked_at_as_before(world: World) -> None:
    await world.name_demo_places()
    await world.link(world.member, SUBSCRIBER)
    await world.press_through("account show", "Erase…", "Erase everything")
    await world.link(world.member, SUBSCRIBER)
    role = givable(world, "Player")
    await add_rule(world, role)

    await look_at_all(world)

    assert await has(world, role)


async def test_a_rule_is_changed_and_removed_with_what_it_gave(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    speak_language(world.env, "de")
    steps = Steps(world, world.moderator)
    await steps.use("setup show")
    for label in ("Rollen", "Hinzufügen"):
        await steps.press(label)
    await steps.send(role=[role])
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    shown = text_of(answer_of(await world.slash("account show")))
    assert f"Du hast <@&{role.id}>, weil dein Konto verknüpft ist." in shown

    assert "Kiosk nimmt sie weg, wenn das nicht mehr so ist." in await steps.choose("Player")
    assert "Wer sie hat, behält sie." in await steps.press("Behalten lassen")
    await steps.press("Wieder wegnehmen")
    assert "Wer sie durch diese Regel hat, verliert sie." in await steps.press("Entfernen…")
    assert "Noch gibt es keine Regel." in await steps.press("Entfernen")
    assert not await has(world, role)


async def test_a_role_is_given_at_a_link_before_it_is_noted_that_the_server_is_used(
    world: World,
) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    await world.slash("shop browse")
    noted = "SELECT 1 FROM member_servers WHERE member_id = :member_id"
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        while not await database.fetch(noted, member_id=world.member.id):
            pass
        await database.execute("DELETE FROM member_servers")
    await world.link(world.member, VISITOR)
    assert await has(world, role)


async def test_of_two_rules_for_one_role_one_that_leaves_it_is_enough(world: World) -> None:
    await world.name_demo_places()
    await world.settle(world.moderator, VISITOR)
    role = givable(world, "Player")
    await add_rule(world, role)
    steps = await add_rule(world, role, who=["1"], item="Acorn Cap")
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    await steps.choose("Player · Whoever owns Acorn Cap")
    await steps.press("Let them keep it")
    await steps.press("Back")
    await steps.choose("Player · Whoever linked an account")
    assert "Those who have it keep it." in await steps.press("Remove…")
    await steps.press("Remove")
    await age(world)
    await look_at_all(world)
    await world.bot.features.accounts.unlink(world.member.id)
    await look_at_all(world)
    assert await has(world, role)


@pytest.mark.usefixtures("on_both_engines")
async def test_a_role_that_a_member_had_before_is_not_taken_away(world: World) -> None:
    await world.name_demo_places()
    await world.settle(world.moderator, VISITOR)
    role = givable(world, "Player")
    by_hand = world.env.backend.get_member(world.guild.id, world.member.id).role_ids
    by_hand.append(role.id)
    await add_rule(world, role)
    await add_rule(world, role, who=["1"], item="1")
    for actor, token in ((world.member, SUBSCRIBER), (world.friend, VISITOR)):
        await world.link(actor, token)
        assert await has(world, role, actor)
    assert "You have" not in text_of(answer_of(await world.slash("account show")))
    # Another reason to have it changes nothing of that.
    for actor in (world.member, world.friend):
        card = answer_of(await world.slash("shop buy", actor, item="1", catalog="1"))
        await actor.click(card, label="Buy it")
        await tried(world)
    for actor in (world.member, world.friend):
        await world.press_through("account show", "Unlink…", "Unlink", actor=actor)
    assert await has(world, role)
    assert not await has(world, role, world.friend)

    # What is taken by hand meanwhile is Kiosk's once Kiosk gives it.
    by_hand.remove(role.id)
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    await world.press_through("account show", "Unlink…", "Unlink")
    assert not await has(world, role)


async def test_who_lost_a_role_by_leaving_that_they_had_by_hand_gets_it_by_the_rule(
    world: World,
) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    world.env.backend.get_member(world.guild.id, world.member.id).role_ids.append(role.id)
    await add_rule(world, role)
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    await come_back(world)
    await world.slash("help")
    assert await has(world, role)
    await world.press_through("account show", "Unlink…", "Unlink")
    assert not await has(world, role)


async def test_a_rule_that_goes_takes_only_what_it_gave(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    world.env.backend.get_member(world.guild.id, world.member.id).role_ids.append(role.id)
    steps = await add_rule(world, role)
    for actor in (world.member, world.friend):
        await world.link(actor, SUBSCRIBER)
        assert await has(world, role, actor)
    await steps.choose("Player")
    await steps.press("Remove…")
    await steps.press("Remove")
    assert await has(world, role)
    assert not await has(world, role, world.friend)


async def test_a_link_that_ends_elsewhere_takes_the_role_along(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    for actor in (world.member, world.friend):
        await world.link(actor, SUBSCRIBER)
        assert await has(world, role, actor)

    # As once Discord says that a member took Kiosk off their account, and as the operator erases.
    await world.bot.features.accounts.links.remove(world.member.id)
    await look_at_all(world)
    await world.bot.features.records.erase(world.friend.id)
    world.bot.dispatcher.wake()
    assert not await has(world, role)
    assert not await has(world, role, world.friend)
