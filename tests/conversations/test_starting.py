"""The panel, the setup card and the way on from errors; old buttons lead somewhere too."""

import asyncio
import gc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import pytest
import simcord

from storage import MIGRATIONS
from storage.database import open_database
from tests.support.cards import answer_of, buttons_of, opens, selects_of, text_of
from tests.support.databases import run_beside
from tests.support.old_buttons import old_ids, press_old
from tests.support.owed import tried
from tests.support.world import SUBSCRIBER, World, open_world


async def choose(actor: simcord.MemberActor, card: Any, label: str) -> simcord.InteractionResult:
    """Choose the entry of a label from whichever list has it."""
    for listed in selects_of(card):
        for entry in listed["options"]:
            if entry["label"] == label:
                return await actor.select(
                    answer_of(card), [entry["value"]], custom_id=listed["custom_id"]
                )
    raise AssertionError(f"no list offers {label!r}:\n{text_of(card)}")


async def test_members_begin_at_the_panel_and_it_follows_the_names(world: World) -> None:
    await world.name_demo_places()
    lobby = world.guild.create_text_channel("lobby")
    await world.manage("Panel", panel_channel_id=[lobby])
    await tried(world)
    panel = lobby.last_message
    assert panel is not None
    assert "Park life · Patch notes · Quiet corner" in text_of(panel)
    assert "Season" in text_of(panel)

    read = await choose(world.member, panel, "Park life")
    assert answer_of(read).ephemeral
    assert "## Park life" in text_of(read)
    # Chosen without a link: linking leads on to the catalog by itself.
    refused = await choose(world.member, panel, "Season")
    form = await world.member.click(answer_of(refused), label="Link account")
    await world.member.submit_modal(form, {"token": SUBSCRIBER})
    assert "## Season" in text_of(refused)
    orders = await world.member.click(panel, label="Your orders")
    assert "ordered anything" in text_of(orders)
    assert "## Kiosk" in text_of(await world.member.click(panel, label="Help"))

    await world.slash("setup thread", world.moderator, id="3", name="Pond")
    card = await world.press_through("setup show", "Catalogs", actor=world.moderator)
    await choose(world.moderator, card, "Attic")
    await world.moderator.click(card, label="Remove…")
    await world.moderator.click(card, label="Remove")
    await tried(world)
    assert "Park life · Patch notes · Pond" in text_of(lobby.last_message)
    assert "Attic" not in text_of(lobby.last_message)
    assert len(lobby.history()) == 1

    await world.manage("Panel", panel_channel_id=[world.channel])
    await tried(world)
    assert not lobby.history()
    assert "Pond" in text_of(world.channel.last_message)


async def test_what_can_be_watched_is_named_where_one_begins(world: World) -> None:
    helped = await world.slash("help")
    kinds = "Get direct messages about items, words in comments and replies"
    assert f"**Watches** · {kinds}\n" in text_of(helped)
    listed = text_of(await world.member.click(answer_of(helped), label="Watches"))
    kinds_named = [line.partition(":")[0] for line in listed.splitlines() if line[:2] == "- "]
    assert kinds_named == [
        "- An item",
        "- Every item that matches",
        "- Words in comments",
        "- Replies to your comment",
    ]


async def test_help_has_a_button_for_each_job(world: World) -> None:
    await world.name_demo_places()
    card = answer_of(await world.slash("help"))
    assert "**Account** · Link your account to post and shop" in text_of(card)
    jobs = ["Threads", "Catalogs", "Watches", "Orders"]
    assert list(buttons_of(card)) == [*jobs, "Link account"]
    await world.member.click(card, label="Threads")
    assert "Park life" in text_of(card)
    assert "Season" not in text_of(card)

    await world.settle(world.moderator, SUBSCRIBER)
    staff = ["Log", "Rules", "Setup", "Announcements"]
    card = answer_of(await world.slash("help", world.moderator))
    assert list(buttons_of(card)) == [*jobs, "Account", *staff]
    for label, title in (
        ("Catalogs", "**Catalogs**"),
        ("Watches", "## Your watches"),
        ("Orders", "Your orders"),
        ("Account", "## Your game account"),
        ("Log", "Log for"),
        ("Rules", "## Rules"),
        ("Setup", "## Kiosk in this server"),
        ("Announcements", "## Announcements"),
    ):
        shown = await world.press_through("help", label, actor=world.moderator)
        assert title in text_of(shown), label


async def test_a_panel_that_moderators_delete_is_not_posted_again(world: World) -> None:
    await world.manage("Panel", panel_channel_id=[world.channel])
    await tried(world)
    panel = world.channel.last_message
    assert panel is not None
    await world.moderator.delete(panel)

    await world.name_demo_places()
    await tried(world)

    assert not world.channel.history()
    shown = await world.slash("setup show", world.moderator)
    assert "**The panel was deleted**\nSomeone deleted it in" in text_of(shown)
    await world.moderator.click(answer_of(shown), label="Post panel again")
    await tried(world)
    assert len(world.channel.history()) == 1


async def test_names_are_shown_though_their_looks_fail(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    await world.name_demo_places()
    url = world.settings.database_url
    async with open_database(url, MIGRATIONS) as database:
        card = answer_of(await world.slash("setup show", world.moderator))
        await database.execute("ALTER TABLE links RENAME TO elsewhere")
        names = await world.moderator.click(card, label="Catalogs")
        await database.execute("ALTER TABLE elsewhere RENAME TO links")

    assert "**Season** · 1\n-# the game can't show it right now" in text_of(names)
    # No one asks what happened to a look that failed, until it is thrown away.
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_the_setup_card_says_whether_all_is_well_and_leads_to_what_is_not(
    world: World,
) -> None:
    moderator = world.moderator
    card = answer_of(await world.slash("setup show", moderator))
    assert "To get started, add a thread to read" in text_of(card)

    form = await moderator.click(card, label="Add a thread")
    await moderator.submit_modal(form, {"id": "1", "name": "Park life"})
    assert "Thread 1 is now “Park life”" in text_of(card)
    form = await moderator.click(card, label="Add a thread")
    await moderator.submit_modal(form, {"id": "999", "name": "Later: soon"})
    assert "Later: soon isn't in the game\nThere is no thread 999." in text_of(card)
    await moderator.click(card, label="Save name anyway")
    assert "Thread 999 is now “Later: soon”" in text_of(card)
    await world.slash("setup catalog", moderator, id="1", name="Season")
    await world.link(moderator, SUBSCRIBER)

    card = answer_of(await world.slash("setup show", moderator))
    assert "⚠️ **One problem to fix**" in text_of(card)
    assert "**Later: soon isn't in the game**\nThere is no thread 999." in text_of(card)
    await moderator.click(card, label="Change")
    form = await moderator.click(card, label="Rename")
    await moderator.submit_modal(form, {"name": "Some day"})
    assert "Thread 999 is now “Some day”" in text_of(card)
    card = await world.press_through("setup show", "Threads", actor=moderator)
    assert "\n**Park life** · 1\n-# newest comment, by " in text_of(card)
    assert "⚠️ **Some day** · 999\n-# There is no thread 999." in text_of(card)
    await choose(moderator, card, "Some day")
    await moderator.click(card, label="Remove…")
    await moderator.click(card, label="Remove")
    for label, shown in (
        ("Back", "✅ **No problems found**"),
        ("Catalogs", "first item: Acorn Cap"),
    ):
        await moderator.click(card, label=label)
        assert shown in text_of(card)


async def test_the_panel_is_taken_away_once_that_is_confirmed(world: World) -> None:
    await world.name_demo_places()
    moved = await world.manage("Panel", panel_channel_id=[world.channel])
    assert f"**Settings saved:**\n**Panel** · {world.channel.mention}" in text_of(moved)

    card = answer_of(await world.manage("Panel", panel_channel_id=None))
    assert "Turn off these settings?" in text_of(card)
    await world.moderator.click(card, label="Turn off")

    assert "**Panel** · None yet. With a panel" in text_of(card)


async def test_a_server_without_setup_says_so_and_to_moderators_how_to_begin(world: World) -> None:
    assert "Ask a server manager" in text_of(await world.slash("help"))
    helped = answer_of(await world.slash("help", world.moderator))
    assert (await world.moderator.click(helped, label="Add a thread")).modal is not None
    offered = await world.member.autocomplete(world.channel, "forum read", "thread", "")
    assert [entry["name"] for entry in offered] == ["Nothing is set up here yet"]

    told = await world.slash("forum read", thread=offered[0]["value"])
    assert "Ask a server manager to add some" in text_of(told)
    assert "Set up" not in buttons_of(told)
    begun = await world.slash("forum read", world.moderator, thread="Park life")
    await world.moderator.click(answer_of(begun), label="Set up")

    assert "## Kiosk in this server" in text_of(begun)


@pytest.mark.parametrize(
    ("command", "options", "step", "leads_to"),
    [
        ("forum read", {"thread": "404"}, "Choose a thread", "Park life"),
        ("forum delete", {"comment": "first"}, "Threads and catalogs", "Park life"),
        ("shop browse", {"catalog": "404"}, "Choose a catalog", "Season"),
        ("shop item", {"item": "Nothing", "catalog": "1"}, "Choose a catalog", "Season"),
    ],
)
async def test_an_error_card_has_its_next_step_as_a_button(
    world: World, command: str, options: dict[str, str], step: str, leads_to: str
) -> None:
    await world.name_demo_places()
    await world.link(world.member, SUBSCRIBER)

    card = await world.slash(command, **options)
    assert "Reference" not in text_of(card)
    await world.member.click(answer_of(card), label=step)

    assert leads_to in text_of(card)


async def test_who_is_told_to_wait_has_the_same_press_and_their_text_back(world: World) -> None:
    member = world.member
    await world.name_demo_places()
    await world.settle(member, SUBSCRIBER)
    thread = answer_of(await world.slash("forum read", thread="Quiet corner"))
    form = await member.click(thread, label="Write")
    pressed = SimpleNamespace(created_at=discord.utils.snowflake_time(thread.id))
    other: Any = SimpleNamespace(member_id=member.id, interaction=pressed)
    world.bot.router.in_hand.update((number, other) for number in range(6))

    flooded = await member.click(thread, label="Refresh")
    commanded = await world.slash("forum read", thread="Quiet corner")
    written = await member.submit_modal(form, {"text": "My very own words"})
    for number in range(6):
        del world.bot.router.in_hand[number]

    assert "You're going too fast" in text_of(flooded)
    assert "</forum read:" in text_of(commanded)
    assert "My very own words" in text_of(written)
    again = await member.click(answer_of(flooded), label="Try again")
    assert "## Quiet corner" in text_of(again)


async def test_linked_without_a_press_before_one_is_offered_what_to_do_next(world: World) -> None:
    await world.name_demo_places()
    card = await world.link(world.member, SUBSCRIBER)

    await world.member.click(answer_of(card), label="Threads and catalogs")
    await choose(world.member, card, "Park life")

    assert "## Park life" in text_of(card)


# Buttons answered with "no longer works": for what no one has ordered or typed, those that need
# the rest of their card, and those that were taken out.
_NOBODYS = {
    "askagain",
    "asknow",
    "do_again",
    "find_again",
    "more",
    "ordered",
    "redeem.ordered",
    "setup.ask_role_off",
    "setup.role",
    "setup.role_again",
    "setup.role_off",
    "setup.role_takes",
    "share.order",
}
_TAKEN_OUT = {
    "announce.dismiss",
    "announce.test",
    "announce.untest",
    "setup.change_log",
    "setup.change_panel",
    "setup.change_role",
    "setup.language",
    "setup.language_form",
    "setup.let_read",
    "setup.log_again",
    "setup.moderation",
    "setup.moderation_form",
    "setup.no_panel",
    "setup.panel_again",
    "setup.panel_form",
    "setup.panel_in",
    "setup.stop_reading",
    "announce.look_at_test",
    "announce_missed",
    "forum.choose_thread",
    "forum.mine",
    "forum.not_mine",
    "forum.pick",
    "forum.post_elsewhere",
    "forum.post_instead",
    "moderate.automod",
    "moderate.copy_automod",
    "moderate.import",
    "moderate.import_form",
    "moderate.look",
    "moderate.note",
    "moderate.note_form",
    "moderate.pick",
    "moderate.report_pick",
    "moderate.show",
    "setup.announce_again",
}


async def test_an_old_button_opens_what_it_opened_or_says_what_does(world: World) -> None:
    await world.name_demo_places()
    await world.settle(world.moderator, SUBSCRIBER)
    card = answer_of(await world.slash("help", world.moderator))

    ended: set[str] = set()
    for custom_id, how in old_ids():
        pressed = await press_old(world, card, custom_id, how)
        if pressed.modal:
            continue
        text = text_of(pressed)
        assert text, custom_id
        assert "Something went wrong" not in text, custom_id
        if "no longer works" in text:
            ended.add(custom_id.removeprefix("kiosk.").partition(":")[0])
            assert buttons_of(pressed), custom_id

    assert ended == _NOBODYS | _TAKEN_OUT


@pytest.mark.usefixtures("on_both_engines")
async def test_which_thread_was_read_last_is_known_after_a_restart(world: World) -> None:
    await world.name_demo_places()
    card = answer_of(await world.slash("forum read", thread="Park life"))
    newest = max(int(value.split(":")[4]) for value in opens(card))
    await world.member.click(card, label="Next")
    await world.bot.tasks.until_finished()

    await world.restart()
    read = await world.slash("forum read")
    kept = (await world.bot.features.records.export(world.member.id))["threads_read"]

    assert "## Park life" in text_of(read)
    assert [(row["thread_id"], row["newest_id"]) for row in kept] == [("1", str(newest))]


async def test_without_a_thread_the_last_one_read_is_meant_else_the_only_one(world: World) -> None:
    await world.slash("setup thread", world.moderator, id="1", name="Park life")
    await world.slash("setup catalog", world.moderator, id="1", name="Season")
    assert "## Park life" in text_of(await world.slash("forum read"))
    await world.name_demo_places()
    asked = await world.slash("forum read", world.friend)
    assert "There are several choices\nKiosk needs to know which one you mean." in text_of(asked)
    assert "Patch notes" in str(selects_of(asked))

    await world.slash("forum read", thread="Patch notes")
    await world.bot.tasks.until_finished()
    assert "## Patch notes" in text_of(await world.slash("forum read"))


async def test_a_bot_that_was_started_anew_in_a_test_has_ended(tmp_path: Path) -> None:
    # Of a game here, there would be tasks that go on.
    async with open_world(tmp_path, "http://127.0.0.1:1") as world:
        await world.slash("help")
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        claims = set(run_beside(world.settings.database_url, "SELECT name, holder FROM claims"))
        ended = world.bot

        await world.restart()

        assert "## Kiosk" in text_of(await world.slash("help"))
        assert ended.is_closed()
        assert [task for task in tasks if not task.done()] == []
        kept = set(run_beside(world.settings.database_url, "SELECT name, holder FROM claims"))
        assert "worker" in {name for name, _ in claims}
        assert not kept & claims
