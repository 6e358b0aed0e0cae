"""Notify me: members take the role that is pinged by a press, and give it back."""

from collections.abc import Callable
from typing import Any, cast

import discord
import pytest

from playground.simulation import speak_language
from tests.conversations.announce.conftest import ALL, add, edit, opened, restock
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.forms import fill_in, presets
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop
from tests.support.world import World


def roles_of(town: World) -> dict[int, Any]:
    return cast("Any", town.env.backend.guilds[town.guild.id]).roles


def own_role(town: World) -> Any:
    return next(role for role in roles_of(town).values() if role.name == "Kiosk")


def may_give(town: World, name: str) -> Any:
    """Make a role that the moderator and Kiosk may give."""
    made = town.guild.create_role(name)
    members = cast("Any", town.env.backend.guilds[town.guild.id]).members
    for number in (own_role(town).id, *members[town.moderator.id].role_ids):
        roles_of(town)[number].permissions |= discord.Permissions(manage_roles=True).value
    own_role(town).position = 50
    return made


async def let_take(town: World, role: Any) -> Any:
    form = await town.moderator.click(await opened(town), label="Set up Notify me…")
    return await fill_in(town.moderator, form, role=[role])


async def test_a_member_takes_the_role_and_gives_it_back(town: World, shop: RogueShop) -> None:
    role = may_give(town, "Shoppers")
    let_discord_say(town, ALL)
    await add(town, role=[role])
    form = await town.moderator.click(await opened(town), label="Set up Notify me…")
    assert [each.id for each in presets(town.moderator, form)["role"]] == [role.id]
    kept = await fill_in(town.moderator, form, role=[role])
    assert f"Notify me adds or removes {role.mention}" in text_of(kept)
    members = cast("Any", town.env.backend.guilds[town.guild.id]).members
    posted = await restock(town, shop, "Straw Hat")

    taken = await town.member.click(posted, label="Notify me")

    assert taken.ephemeral
    assert f"You have {role.mention} now." in text_of(taken)
    assert role.id in members[town.member.id].role_ids
    given = await town.member.click(answer_of(taken), label="Stop notifying me")
    assert "You won't be pinged any more" in text_of(given)
    assert role.id not in members[town.member.id].role_ids
    assert "Notify me" in buttons_of(given)

    # If the role isn't among the pinged roles, no one can take it.
    assert "Notify me adds or removes" not in text_of(await edit(town, role=[]))
    refused = await town.member.click(posted, label="Notify me")
    assert "Kiosk couldn't change your roles" in text_of(refused)
    assert role.id not in members[town.member.id].role_ids


async def test_what_is_found_deleted_at_a_press_is_pinged_no_more(
    town: World, shop: RogueShop
) -> None:
    deleted = may_give(town, "Shoppers")
    kept = town.guild.create_role("Hats")
    let_discord_say(town, ALL)
    await add(town, role=[deleted, kept])
    await let_take(town, deleted)
    form = await town.moderator.click(await opened(town), label="Custom text")
    preview = answer_of(await fill_in(town.moderator, form, words="New for {role}"))
    await town.moderator.click(preview, label="Save")
    posted = await restock(town, shop, "Straw Hat")
    assert f"New for {deleted.mention} {kept.mention}" in text_of(posted)

    await town.bot.http.delete_role(town.guild.id, deleted.id)
    refused = await town.member.click(posted, label="Notify me")

    assert "Kiosk couldn't change your roles" in text_of(refused)
    posted = await restock(town, shop, "Cap", "Scarf")
    assert posted.components[0].content == f"New for {kept.mention}"


def has_rights(town: World, role: Any) -> None:
    roles_of(town)[role.id].permissions = discord.Permissions(kick_members=True).value


def is_above(town: World, role: Any) -> None:
    roles_of(town)[role.id].position = own_role(town).position + 1


def may_not(town: World, role: Any) -> None:
    refused = discord.Permissions(manage_roles=True, administrator=True)
    own_role(town).permissions &= ~refused.value


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (has_rights, "This role has moderator permissions"),
        (is_above, "Move Kiosk's role above"),
        (may_not, "Kiosk needs the **Manage Roles** permission."),
    ],
)
async def test_a_role_that_kiosk_may_not_give_is_offered_to_nobody(
    town: World,
    shop: RogueShop,
    spoil: Callable[[World, Any], None],
    words: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    role = may_give(town, "Shoppers")
    let_discord_say(town, ALL)
    await add(town, role=[role])
    await let_take(town, role)
    posted = await restock(town, shop, "Straw Hat")
    spoil(town, role)

    refused = await town.member.click(posted, label="Notify me")

    assert "Kiosk couldn't change your roles" in text_of(refused)
    for _ in range(2):
        assert "Nothing was changed." in text_of(await town.member.click(posted, label="Notify me"))
    members = cast("Any", town.env.backend.guilds[town.guild.id]).members
    assert role.id not in members[town.member.id].role_ids
    # It is kept, and the staff are told.
    assert caplog.text.count(f"Can't give role {role.id} of server {town.guild.id}") == 1
    card = text_of(await opened(town))
    assert "Notify me adds or removes" in card
    assert words in card
    setup = await town.press_through("setup show", actor=town.moderator)
    assert f"**Kiosk can't give {role.mention}**\n{words}" in text_of(setup)
    assert words in text_of(await let_take(town, role))

    roles_of(town)[role.id].permissions = 0
    roles_of(town)[role.id].position = 1
    own_role(town).permissions |= discord.Permissions(manage_roles=True).value
    taken = await town.member.click(posted, label="Notify me")
    assert f"You have {role.mention} now." in text_of(taken)
    assert "Kiosk can't give" not in text_of(
        await town.press_through("setup show", actor=town.moderator)
    )
    # Members who have the role can give it back, though Kiosk can give it to no one.
    spoil(town, role)
    if spoil is has_rights:
        given = await town.member.click(answer_of(taken), label="Stop notifying me")
        assert "You won't be pinged any more" in text_of(given)


@pytest.mark.parametrize(
    ("status", "code"),
    [(400, 50035), (403, 60003), (403, 50001), (403, 50013), (403, 0), (404, 10007), (404, 10011)],
)
async def test_a_role_that_discord_refuses_is_no_fault_of_kiosks(
    town: World, shop: RogueShop, status: int, code: int
) -> None:
    role = may_give(town, "Shoppers")
    let_discord_say(town, ALL)
    await add(town)
    await let_take(town, role)
    posted = await restock(town, shop, "Straw Hat")
    town.env.inject_error("PUT", "/guilds/*/members/*/roles/*", status=status, code=code)

    refused = await town.member.click(posted, label="Notify me")

    assert "Kiosk couldn't change your roles" in text_of(refused)
    assert "Notify me adds or removes" in text_of(await opened(town))
    taken = await town.member.click(posted, label="Notify me")
    assert f"You have {role.mention} now." in text_of(taken)


async def test_a_role_that_was_replaced_is_pinged_no_more_unless_edit_put_it_there(
    town: World,
) -> None:
    first, second = may_give(town, "First"), may_give(town, "Second")
    chosen = may_give(town, "Chosen")
    let_discord_say(town, ALL)
    await add(town)
    assert f"Pings {first.mention}" in text_of(await let_take(town, first))
    await edit(town, news=["new"])
    assert f"Pings {second.mention}\n" in text_of(await let_take(town, second))
    card = text_of(await let_take(town, chosen))
    assert f"Pings {chosen.mention}\n" in card
    await edit(town, role=[chosen])
    card = text_of(await let_take(town, second))
    for role in (chosen, second):
        assert role.mention in card.partition("Pings")[2].partition("\n")[0]
    assert first.mention not in card


async def test_who_lets_members_take_a_role_stands_above_it(town: World) -> None:
    role = may_give(town, "Shoppers")
    let_discord_say(town, ALL)
    await add(town)
    role_of = roles_of(town)
    (manager,) = (
        cast("Any", town.env.backend.guilds[town.guild.id]).members[town.moderator.id].role_ids
    )
    role_of[manager].position = 10
    role_of[role.id].position = 30
    assert "isn't below your highest role" in text_of(await let_take(town, role))
    assert "Notify me adds or removes" not in text_of(await opened(town))


async def test_the_moderators_role_is_offered_to_nobody(town: World) -> None:
    helpers, shoppers = may_give(town, "Helpers"), may_give(town, "Shoppers")
    let_discord_say(town, ALL)
    await add(town)
    await town.manage("Moderation", moderator_role_id=[helpers])
    assert "Kiosk doesn't give this server's moderator role." in text_of(
        await let_take(town, helpers)
    )
    assert "Notify me adds or removes" not in text_of(await opened(town))

    await let_take(town, shoppers)
    said = text_of(await town.manage("Moderation", moderator_role_id=[shoppers]))
    assert "Kiosk gives that role to members" in said


async def test_who_may_give_no_roles_lets_nobody_take_one(town: World) -> None:
    role = may_give(town, "Shoppers")
    let_discord_say(town, ALL)
    await add(town)
    members = cast("Any", town.env.backend.guilds[town.guild.id]).members
    for number in members[town.moderator.id].role_ids:
        roles_of(town)[number].permissions &= ~discord.Permissions(manage_roles=True).value

    refused = await let_take(town, role)

    assert "You need the Manage Roles permission" in text_of(refused)
    assert "Notify me adds or removes" not in text_of(await opened(town))


async def test_notify_me_speaks_german(town: World, shop: RogueShop) -> None:
    role = may_give(town, "Einkauf")
    let_discord_say(town, ALL)
    speak_language(town.env, "de")
    await add(town)
    form = await town.moderator.click(await opened(town), label="Benachrichtigung ändern…")
    kept = await fill_in(town.moderator, form, role=[role])
    # It is pinged, too.
    assert f"Pingt {role.mention}" in text_of(kept)
    assert f"„Benachrichtige mich“ gibt oder entfernt {role.mention}" in text_of(kept)
    posted = await restock(town, shop, "Strohhut")
    taken = await town.member.click(posted, label="Benachrichtige mich")
    assert f"Du hast jetzt {role.mention}." in text_of(taken)
    given = await town.member.click(answer_of(taken), label="Benachrichtigung beenden")
    assert "Du wirst nicht mehr gepingt" in text_of(given)
