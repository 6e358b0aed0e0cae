"""Roles from the game: set by a manager, given at link and purchase, taken away after."""

from pathlib import Path
from typing import Any

import pytest
import simcord

from game_service.app import KIOSK_TOKEN
from playground.simulation import speak_language
from storage import MIGRATIONS
from storage.database import open_database
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.clock import utc_now
from tests.support.owed import tried, try_again
from tests.support.rogue_game import RogueShop
from tests.support.roles import add_rule, age, givable, has, look_at_all, put, settle_collectors
from tests.support.shopping import ask
from tests.support.steps import Steps
from tests.support.world import SUBSCRIBER, VISITOR, World, open_world

# The requests of one look at a server.
LOOK = 3


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


@pytest.mark.usefixtures("on_both_engines")
async def test_who_links_an_account_gets_a_role_and_loses_it_with_the_link(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    steps = await add_rule(world, role)
    assert steps.count == 4
    assert f"1. <@&{role.id}> · Members who linked an account" in text_of(steps.card)
    assert "**Roles** · 1 rule\n" in await steps.use("setup show")
    assert not await has(world, role)

    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    shown = text_of(answer_of(await world.slash("account show")))
    assert f"You have <@&{role.id}> because you linked your account." in shown
    assert not await has(world, role, world.friend)

    await world.press_through("account show", "Unlink account…", "Unlink account")
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
    assert f"You have <@&{role.id}> because you linked your account." in shown
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
    assert f"1. <@&{role.id}> · Members who own **Acorn Cap**" in text_of(steps.card)

    card = await ask(world, item="1")
    assert not await has(world, role)
    await world.member.click(card, label="Buy item")
    assert await has(world, role)
    shown = text_of(answer_of(await world.slash("account show")))
    assert f"You have <@&{role.id}> because you own **Acorn Cap**." in shown

    await world.press_through("account show", "Unlink account…", "Unlink account")
    assert await has(world, role)


async def test_nothing_is_taken_away_while_the_game_can_not_say(
    tmp_path: Path, shop: RogueShop
) -> None:
    async with open_world(tmp_path, shop.base_url) as world:
        collector = await settle_collectors(world)
        await add_rule(world, collector, who=["1"], item="3")
        await world.member.click(await ask(world, item="3"), label="Buy item")
        assert await has(world, collector)
        await age(world)

        shop.owned.clear()
        shop.is_down = True
        await look_at_all(world)
        assert await has(world, collector)
        # No one can say who owns an item that the catalog no longer has.
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

        assert "Members who own **Hat number 3**" in text_of(steps.card)
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

    await world.press_through("account show", "Unlink account…", "Unlink account")
    assert "once a day" not in (await shown()).lower()


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


@pytest.mark.usefixtures("on_both_engines")
async def test_what_discord_refuses_is_told_and_made_up_for_once_it_is_mended(world: World) -> None:
    await world.name_demo_places()
    role = givable(world, "Player")
    await add_rule(world, role)
    await world.link(world.friend, SUBSCRIBER)
    assert await has(world, role, world.friend)

    put(world, role, 60)
    await world.link(world.member, VISITOR)
    await world.press_through(
        "account show", "Unlink account…", "Unlink account", actor=world.friend
    )
    assert not await has(world, role)
    assert await has(world, role, world.friend)
    steps = Steps(world, world.moderator)
    shown = await steps.use("setup show")
    said = f"Move Kiosk's role above <@&{role.id}> in Server Settings > Roles."
    assert f"**Kiosk can't give <@&{role.id}>**\n{said}" in shown
    assert "**Roles** · ⚠️ 1 rule" in shown
    assert said in await steps.press("Try again")

    put(world, role, 1)
    assert "Kiosk can't give" not in await steps.use("setup show")
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

    erased = await world.press_through("account show", "Erase data…", "Erase everything")
    assert await has(world, role)
    again = await world.press_through("account show", "Erase data…", "Erase everything")
    assert "The record of a role stays until Discord takes the role away" in text_of(
        erased
    ) + text_of(again)

    put(world, role, 1)
    await Steps(world, world.moderator).use("setup show")
    assert not await has(world, role)


async def test_whoever_has_all_erased_and_links_anew_is_looked_at_as_before(world: World) -> None:
    await world.name_demo_places()
    await world.link(world.member, SUBSCRIBER)
    await world.press_through("account show", "Erase data…", "Erase everything")
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
    for label in ("Rollen", "Regel hinzufügen"):
        await steps.press(label)
    await steps.send(role=[role])
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    shown = text_of(answer_of(await world.slash("account show")))
    assert f"Du hast <@&{role.id}>, weil du dein Konto verknüpft hast." in shown

    taken = "Kiosk nimmt Mitgliedern die Rolle weg, wenn sie die Bedingung nicht mehr erfüllen."
    assert taken in await steps.choose("Player")
    kept = "Mitglieder behalten die Rolle, auch wenn sie die Bedingung nicht mehr erfüllen."
    assert kept in await steps.press("Rolle behalten lassen")
    await steps.press("Rolle wieder wegnehmen")
    lost = "Mitglieder, die die Rolle durch diese Regel haben, verlieren sie."
    assert lost in await steps.press("Entfernen…")
    assert "Es gibt noch keine Regeln." in await steps.press("Entfernen")
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
    await steps.choose("Player · Members who own Acorn Cap")
    await steps.press("Let members keep role")
    await steps.press("Back")
    await steps.choose("Player · Members who linked an account")
    assert "Members who have the role keep it." in await steps.press("Remove…")
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
        await actor.click(card, label="Buy item")
        await tried(world)
    for actor in (world.member, world.friend):
        await world.press_through("account show", "Unlink account…", "Unlink account", actor=actor)
    assert await has(world, role)
    assert not await has(world, role, world.friend)

    # What is taken by hand meanwhile is Kiosk's once Kiosk gives it.
    by_hand.remove(role.id)
    await world.link(world.member, SUBSCRIBER)
    assert await has(world, role)
    await world.press_through("account show", "Unlink account…", "Unlink account")
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
    await world.press_through("account show", "Unlink account…", "Unlink account")
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
