"""An announcement stops for one reason, and goes on after one question about what it missed."""

import re
from typing import Any, cast

import discord
import pytest

from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.conversations.announce.conftest import NOTHING, add, deny, opened, press, use
from tests.support.cards import answer_of, blue_of, buttons_of, rows_of, text_of
from tests.support.forms import fill_in, presets
from tests.support.owed import tried, try_again
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World


async def restock(town: World, shop: RogueShop) -> None:
    """Let the game sell a hat, cheaper than the others."""
    shop.items[0] = {**shop.items[0], "cost": 1}
    shop.items.insert(0, item(99, name="Straw Hat"))
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)


async def announce(town: World, *news: str) -> None:
    """Announce new items, and each of these kinds of news by itself."""
    await add(town)
    for each in news:
        await add(town, news=["new", each])
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)


async def lose_channel(town: World, shop: RogueShop, code: int = 50013) -> None:
    """Let the channel refuse what is new."""
    posting = f"/channels/{town.channel.id}/messages"
    town.env.inject_error("POST", posting, status=403, code=code, times=None)
    await restock(town, shop)
    await try_again(town)
    await try_again(town)
    town.env.backend.faults.clear()


async def try_again_from(town: World, command: str) -> Any:
    """Press the first button that fixes something, and return the card."""
    card = answer_of(await town.slash(command, town.moderator))
    again = buttons_of(card)["Try again"]["custom_id"]
    await town.moderator.click(card, custom_id=again)
    return card


async def open_log(town: World) -> Any:
    log = town.guild.create_text_channel("log")
    await town.manage("Moderation", log_channel_id=[log])
    return log


@pytest.mark.parametrize(("answer", "told"), [("Announce them", 1), ("Skip them", 0)])
async def test_what_was_missed_is_asked_about_once(
    town: World, shop: RogueShop, answer: str, told: int
) -> None:
    await announce(town)
    paused = await press(town, "Pause")
    assert rows_of(paused) == [
        ["Resume", "Edit", "Custom text", "Preview", "History"],
        ["Set up Notify me…", "Stop announcing…", "Back"],
    ]
    # A lower price isn't wanted, so no one missed it.
    await restock(town, shop)
    listed = text_of(await use(town, "list"))
    assert re.search(r"⏸️ .*\nPaused <t:\d+:R>\. 1 item was missed\.", listed)

    asked = await press(town, "Resume")
    assert "### 1 item was missed.\n- **Straw Hat** · 990 Acorns · 🆕 New" in text_of(asked)
    await town.moderator.click(asked, label="Cancel")
    assert "1 item was missed." in text_of(asked)
    await town.moderator.click(asked, label="Resume")
    # The last role is the moderator's.
    *_, role = cast("Any", town.env.backend.guilds[town.guild.id]).roles.values()
    allowed, role.permissions = role.permissions, discord.Permissions(view_channel=True).value
    demoted = await town.moderator.click(asked, label=answer)
    role.permissions = allowed
    await town.moderator.click(asked, label=answer)
    await tried(town)

    assert "Manage Server" in text_of(demoted)
    assert "Announcements resumed." in text_of(asked)
    assert ("1 post is on its way." in text_of(asked)) == bool(told)
    assert len(town.channel.history()) == told
    await press(town, "Pause")
    assert "**Announcements resumed.**" in text_of(await press(town, "Resume"))


async def test_a_gone_channel_stops_its_announcement_until_it_has_another(
    town: World, shop: RogueShop
) -> None:
    await announce(town)
    await lose_channel(town, shop, 10003)
    card = await opened(town)
    stopped = text_of(card)
    assert blue_of(card) == ["Edit"]
    assert "Resume" not in buttons_of(card)
    assert blue_of(await use(town, "list")) == ["Try again"]
    history = text_of(await use(town, "history", item="99"))
    elsewhere = town.guild.create_text_channel("elsewhere")
    form = await town.moderator.click(await opened(town), label="Edit")
    assert "channel" not in presets(town.moderator, form)
    changed = answer_of(await fill_in(town.moderator, form, channel=[elsewhere]))
    assert "### 1 item was missed.\n**Changes saved.**\n- **Straw Hat**" in text_of(changed)
    await town.moderator.click(changed, label="Announce them")
    await tried(town)

    assert "The channel was deleted. Choose another channel." in stopped
    assert "Discord refused it" in history
    assert "Straw Hat" in text_of(elsewhere.last_message)


async def test_all_that_one_channel_refuses_is_told_once_and_goes_on_together(
    town: World, shop: RogueShop
) -> None:
    await announce(town, "back")
    log = await open_log(town)
    await deny(town)
    await lose_channel(town, shop)

    (told,) = log.history()
    here = town.channel.mention
    refused = "A permission is missing there. Try again to see which one."
    assert text_of(told) == (
        f"### 2 announcements stopped\n- Season (1) in {here}\n- Season (2) in {here}\n{refused}"
    )
    # Cards that look at the channel say what it lacks.
    lacks = f"Kiosk needs Send Messages in {here}."
    assert text_of(await use(town, "list")).count(lacks) == 2
    setup = text_of(await town.slash("setup show", town.moderator))
    assert "**Kiosk needs Send Messages**\nAllow this for Kiosk's role in Server Settings" in setup
    waits = [f"- Kiosk can't post Season ({number}) · {here}" for number in (1, 2)]
    assert "\n".join(waits) in setup
    assert refused in text_of(await opened(town))
    for mend in (press(town, "Resume"), try_again_from(town, "announce list")):
        said = text_of(await mend)
        assert "Kiosk needs these permissions there:\n- **Send Messages**" in said
        assert "Nothing was changed." in said
    await deny(town, denied=NOTHING)
    assert text_of(await use(town, "list")).count(refused) == 2

    asked = await try_again_from(town, "setup show")
    assert "### 2 items were missed." in text_of(asked)
    await town.moderator.click(asked, label="Announce them")
    assert "Announcements resumed. 2 posts are on their way." in text_of(asked)
    assert "⚠️" not in text_of(await use(town, "list"))


async def test_what_a_channel_lacks_is_marked_before_anything_is_refused(town: World) -> None:
    await add(town)
    await deny(town)

    listed = text_of(await use(town, "list"))
    speak_language(town.env, "de")
    german = text_of(await use(town, "list"))
    speak_language(town.env, "en-US")
    await town.bot.http.delete_channel(town.channel.id)
    elsewhere = town.guild.create_text_channel("elsewhere")
    card = answer_of(await town.moderator.slash(elsewhere, "announce list"))
    gone = text_of(card)
    form = await town.moderator.click(card, label="Change")

    here = town.channel.mention
    assert f"⚠️ **Season** in {here}\nKiosk needs Send Messages in {here}.\nNew items" in listed
    assert f"⚠️ **Season** in {here}\nKiosk braucht in " in german
    assert f"⚠️ **Season** in {here}\nThe channel was deleted." in gone
    assert presets(town.moderator, form)["news"] == ["new", "clearance"]
