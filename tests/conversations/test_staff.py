"""Who may use what is the server's staff's: one rule for commands, menus, buttons and forms."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest
import simcord

from tests.support.cards import answer_of, text_of
from tests.support.world import World, open_world

MENU = "Remove comment"
GROUPS = {"setup": "Manage Server", "announce": "Manage Server", "moderate": "Manage Messages"}
STRING, CHANNEL = 3, 7


@pytest.fixture
async def world(tmp_path: Path, demo: str) -> AsyncGenerator[World]:
    """Kiosk was never started before, so that its commands are known."""
    async with open_world(tmp_path, demo=demo, is_first=True) as opened:
        await opened.name_demo_places()
        yield opened


@pytest.fixture
async def role(world: World) -> simcord.RoleHandle:
    """A role to which the server shows all that is the staff's."""
    role = world.guild.create_role("Helper")
    for command in await world.bot.tree.fetch_commands():
        if command.name in (*GROUPS, MENU):
            world.guild.set_command_permissions(command.id, {role: True})
    return role


@pytest.fixture
def helper(world: World, role: simcord.RoleHandle) -> simcord.MemberActor:
    return world.guild.add_member(world.env.create_user("helper"), roles=[role])


def options_for(world: World, command: dict[str, Any]) -> dict[str, Any]:
    values = {STRING: "1", CHANNEL: world.channel}
    return {
        option["name"]: values[option["type"]]
        for option in command.get("options", ())
        if option.get("required")
    }


@pytest.mark.parametrize("group", GROUPS)
async def test_who_sees_a_command_still_needs_the_right_for_it(
    world: World, helper: simcord.MemberActor, group: str
) -> None:
    (found,) = (command for command in world.commands if command["name"] == group)
    for command in cast("list[dict[str, Any]]", found["options"]):
        name = f"{group} {command['name']}"
        refused = await world.slash(name, helper, **options_for(world, command))
        assert refused.modal is None, name
        assert GROUPS[group] in text_of(refused), name


async def test_a_menu_needs_it_too(world: World, helper: simcord.MemberActor) -> None:
    message = await world.friend.send(world.channel, "#1")
    refused = await helper.context_menu(world.channel, MENU, message)
    assert refused.modal is None
    assert "Manage Messages" in text_of(refused)


async def test_the_moderators_role_has_all_of_moderating_and_no_more(
    world: World, helper: simcord.MemberActor, role: simcord.RoleHandle
) -> None:
    await world.manage("Moderation", moderator_role_id=[role])
    card = answer_of(await world.slash("moderate rules", helper))
    assert (await helper.click(card, label="Change words")).modal
    assert (await world.slash("moderate remove", helper, comment="1")).modal
    assert "Manage Server" in text_of(await world.slash("setup show", helper))


async def test_a_form_asks_again_once_it_is_filled_in(
    world: World, helper: simcord.MemberActor, role: simcord.RoleHandle
) -> None:
    await world.manage("Moderation", moderator_role_id=[role])
    form = await world.slash("moderate remove", helper, comment="1")
    other = world.guild.create_role("Other")
    await world.manage("Moderation", moderator_role_id=[other])
    refused = await helper.submit_modal(form, {"reason": "Insults"})
    assert "Manage Messages" in text_of(refused)
    assert "Removed" not in text_of(await world.slash("moderate log", world.moderator))


async def test_nothing_is_suggested_to_who_may_not_use_it(
    world: World, helper: simcord.MemberActor
) -> None:
    asked = ("announce add", "catalog", "")
    assert await world.moderator.autocomplete(world.channel, *asked)
    assert not await helper.autocomplete(world.channel, *asked)
