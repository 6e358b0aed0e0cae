"""What managers add, change and remove has a line in the log: who, when, from what to what."""

import re
from typing import Any

import discord
import pytest
import simcord

from cogs.roles.service import RoleService
from storage.names import Named, PlaceKind
from storage.roles import NewRule, RuleKind
from tests.conversations.announce.test_notify import may_give
from tests.support.announcing import catalog_in
from tests.support.cards import answer_of, selects_of, text_of
from tests.support.forms import fill_in
from tests.support.permissions import let_discord_say
from tests.support.steps import Steps
from tests.support.world import World

ALL = discord.Permissions.all().value


async def log_of(world: World, actor: simcord.MemberActor | None = None) -> list[str]:
    """Give the lines of the log, the newest first, each with what stands below it."""
    text = text_of(await world.slash("moderate log", actor or world.moderator))
    by = f"<@{(actor or world.moderator).id}>"
    lines = re.sub(r"<t:\d+:R>", "<t>", text).split("\n")
    told: list[str] = []
    for line in lines:
        if line.startswith(by):
            told.append(line.removeprefix(by).strip())
        elif line.startswith("> ") and told:
            told[-1] += f"\n{line}"
    return told


async def first_of(world: World, command: str, *labels: str) -> Any:
    """Open the first entry of a command's list, press buttons there, and give the card."""
    card = answer_of(await world.slash(command, world.moderator))
    await world.moderator.select(card, [selects_of(card)[0]["options"][0]["value"]])
    for label in labels:
        await world.moderator.click(card, label=label)
    return card


@pytest.mark.usefixtures("on_both_engines")
async def test_names_are_told_from_what_to_what(world: World) -> None:
    kept = answer_of(await world.slash("setup thread", world.moderator, id="12", name="Notes"))
    await world.moderator.click(kept, label="Save name anyway")
    for name in ("Notes", "News *now*"):
        await world.slash("setup thread", world.moderator, id="12", name=name)
    card = await world.press_through("setup show", "Threads", actor=world.moderator)
    await world.moderator.select(card, [selects_of(card)[0]["options"][0]["value"]])
    for label in ("Remove…", "Remove"):
        await world.moderator.click(card, label=label)
    # What is refused has no line.
    await world.slash("setup catalog", world.moderator, id="many", name="Season")
    await world.slash("setup catalog", world.moderator, id="2", name="7")

    assert await log_of(world) == [
        "changed names <t>:\n> Removed: Thread 12, “News \\*now\\*”",
        "changed names <t>:\n> **Thread 12** · Notes → News \\*now\\*",
        "changed names <t>:\n> Added: Thread 12, “Notes”",
    ]


@pytest.mark.usefixtures("on_both_engines")
async def test_announcements_are_told_from_what_to_what(world: World) -> None:
    await world.name_demo_places()
    let_discord_say(world, ALL)
    first, second = (may_give(world, name) for name in ("Shoppers", "Bargains"))
    elsewhere = world.guild.create_text_channel("elsewhere")
    form = await world.slash("announce add", world.moderator, catalog="Season")
    await fill_in(world.moderator, form, channel=[world.channel], role=[first])
    card = await first_of(world, "announce list")
    for changes in ({"channel": [elsewhere], "role": [second]}, {}):
        form = await world.moderator.click(card, label="Edit")
        await fill_in(world.moderator, form, **changes)
    form = await world.moderator.click(card, label="Custom text")
    preview = answer_of(await fill_in(world.moderator, form, words="**New!**"))
    assert len(await log_of(world)) == 2
    await world.moderator.click(preview, label="Save")
    form = await world.moderator.click(preview, label="Set up Notify me…")
    await fill_in(world.moderator, form, role=[second])
    for label in ("Pause", "Resume", "Stop announcing…", "Stop announcing"):
        await world.moderator.click(preview, label=label)

    what = f"Season in <#{elsewhere.id}>"
    head = "changed announcements <t>:\n> "
    moved = f"> **Channel** · <#{world.channel.id}> → <#{elsewhere.id}>"
    assert await log_of(world) == [
        f"{head}Removed: {what}",
        f"{head}Resumed: {what}",
        f"{head}Paused: {what}",
        f"{head}{what}\n> **Notify me** · none → {second.mention}",
        f"{head}{what}\n> **Custom text** · none → \\*\\*New!\\*\\*",
        f"{head}{what}\n{moved}\n> **Roles to ping** · {first.mention} → {second.mention}",
        f"{head}Added: Season in <#{world.channel.id}>",
    ]


async def test_a_thread_that_is_followed_twice_is_said_to_be_and_has_one_line(world: World) -> None:
    await world.name_demo_places()
    let_discord_say(world, ALL)
    new, again = [
        text_of(
            await world.slash(
                "announce thread", world.moderator, thread="Park life", channel=world.channel
            )
        )
        for _ in range(2)
    ]
    # What the game doesn't have is refused.
    await world.slash("announce thread", world.moderator, thread="99", channel=world.channel)

    line = f"changed announcements <t>:\n> Added: Park life in <#{world.channel.id}>"
    assert await log_of(world) == [line]
    assert "Thread followed. Kiosk posts each new comment" in new
    assert "The channel already follows this thread." in again
    assert "Thread followed. Kiosk posts each new comment" not in again


@pytest.mark.usefixtures("on_both_engines")
async def test_rules_of_roles_have_lines(world: World) -> None:
    await world.name_demo_places()
    role = may_give(world, "Player")
    steps = Steps(world, world.moderator)
    for _ in range(2):
        # There is such a rule already, the second time.
        await steps.use("setup show")
        await steps.press("Roles")
        await steps.press("Add rule")
        await steps.send(role=[role])
    await steps.use("setup show")
    await steps.press("Roles")
    card = steps.card
    await world.moderator.select(card, [selects_of(card)[0]["options"][0]["value"]])
    for label in ("Let members keep role", "Remove…", "Remove"):
        await world.moderator.click(card, label=label)

    head = "changed role rules <t>:\n> "
    who = f"{role.mention} · Members who linked an account"
    assert await log_of(world) == [
        f"{head}Removed: {who}\n> Members keep the role, even if they no longer qualify.",
        f"{head}{who}\n> Members keep the role, even if they no longer qualify.",
        f"{head}Added: {who}\n> Kiosk takes the role away from members who no longer qualify.",
    ]


async def test_the_panel_is_told_and_what_is_switched_off_twice_once(world: World) -> None:
    await world.manage("Panel", panel_channel_id=[world.channel])
    asked = [answer_of(await world.manage("Panel", panel_channel_id=[])) for _ in range(2)]
    for card in asked:
        await world.moderator.click(card, label="Turn off")

    head = "changed settings <t>:\n> **Panel** · "
    assert await log_of(world) == [
        f"{head}None yet. With a panel, members can start without a command.",
        f"{head}<#{world.channel.id}>",
    ]


class TooFull(Exception):
    pass


@pytest.mark.usefixtures("on_both_engines")
async def test_a_change_whose_line_cannot_be_kept_is_not_made(world: World) -> None:
    await world.name_demo_places()
    features = world.bot.features
    names = features.directory
    guild = world.guild.id

    def refuse(_before: object, _after: object) -> None:
        raise TooFull

    with pytest.raises(TooFull):
        await names.add(guild, PlaceKind.THREAD, 1, "Another", refuse)
    with pytest.raises(TooFull):
        await names.remove(guild, PlaceKind.THREAD, "1", refuse)
    rule = NewRule(guild, RuleKind.LINKED, 5, world.moderator.id)
    with pytest.raises(TooFull):
        await world.bot.services[RoleService].rules.add(rule, refuse)
    kept = await world.bot.services[RoleService].rules.add(rule)
    assert kept is not None
    for change in (
        world.bot.services[RoleService].rules.switch(kept, takes_away=False, line_of=refuse),
        world.bot.services[RoleService].rules.remove(kept, refuse),
    ):
        with pytest.raises(TooFull):
            await change
    announcing = features.announcing
    with pytest.raises(TooFull):
        await announcing.add(catalog_in(guild, world.channel.id), refuse)
    one = await announcing.add(catalog_in(guild, world.channel.id))
    for change in (
        announcing.change(one.id, refuse, own_words="New"),
        announcing.pause(one, refuse),
        announcing.subscribed.remove(one, line_of=refuse),
    ):
        with pytest.raises(TooFull):
            await change

    named = await names.all_of_kind(guild, PlaceKind.THREAD)
    assert Named(1, "Park life") in named
    assert await world.bot.services[RoleService].rules.of_guild(guild) == [kept]
    assert await announcing.subscribed.of_guild(guild) == [one]


async def test_a_line_speaks_the_servers_language(world: World) -> None:
    await world.manage("Language", locale=["de"])
    await world.slash("setup catalog", world.moderator, id="12", name="Markt")
    newest = (await log_of(world))[0]
    assert newest.startswith("changed names <t>:\n> ")
    assert "Katalog 12" in newest
