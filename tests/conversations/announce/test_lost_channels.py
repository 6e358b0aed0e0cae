"""Channels that Kiosk may not post in: marked, told once, and looked at before anything goes on."""

import discord

from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.conversations.announce.conftest import add, opened, press, use
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.owed import tried, try_again
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World

SEND = discord.Permissions(send_messages=True)
NOTHING = discord.Permissions.none()


async def deny(town: World, denied: discord.Permissions = SEND) -> None:
    """Deny everybody this in the channel, and nothing else any more."""
    change = town.bot.http.edit_channel_permissions
    await change(town.channel.id, town.guild.default_role.id, "0", str(denied.value), 0)


async def restock(town: World, shop: RogueShop) -> None:
    shop.items.insert(0, item(99, name="Straw Hat"))
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)


async def lose_channel(town: World, shop: RogueShop) -> None:
    """Announce a catalog twice in a channel, and let that refuse what is new."""
    await add(town)
    await add(town, news=["new", "back"])
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    log = town.guild.create_text_channel("log")
    await town.manage("Moderation", log_channel_id=[log])
    await deny(town)
    posting = f"/channels/{town.channel.id}/messages"
    town.env.inject_error("POST", posting, status=403, code=50013, times=None)
    await restock(town, shop)
    await try_again(town)
    await try_again(town)
    town.env.backend.faults.clear()


async def test_one_lost_channel_is_told_once(town: World, shop: RogueShop) -> None:
    await lose_channel(town, shop)

    (log,) = [each for each in town.guild.channels.values() if each.name == "log"]
    (told,) = log.history()
    here = town.channel.mention
    assert text_of(told) == (
        "### 2 announcements have stopped\n"
        f"- **Season (1)** in {here}\n- **Season (2)** in {here}\n"
        "Discord refuses them: Kiosk may not post there. To fix it, choose the channel once more: "
        "the card says what is missing."
    )
    assert text_of(await use(town, "list")).count("Kiosk may not post there") == 2
    await deny(town, NOTHING)
    setup = answer_of(await town.slash("setup show", town.moderator))
    again = buttons_of(setup)["Try again"]["custom_id"]
    await town.moderator.click(setup, custom_id=again)
    assert "can't be posted" not in text_of(setup)
    assert "Kiosk may not post there" not in text_of(await use(town, "list"))


async def test_what_would_be_refused_is_said_before_it_goes_on(
    town: World, shop: RogueShop
) -> None:
    await lose_channel(town, shop)

    for label in ("Resume", "Announce the 1"):
        said = text_of(await press(town, label))
        assert "There Kiosk lacks:\n- **Send Messages**" in said
        assert "Nothing was changed." in said
        assert "Stopped <t:" in text_of(await opened(town))
    await deny(town, NOTHING)
    assert "1 is on its way." in text_of(await press(town, "Announce the 1"))
    await tried(town)
    assert "Straw Hat" in text_of(town.channel.last_message)

    await press(town, "Pause")
    await town.bot.http.delete_channel(town.channel.id)
    elsewhere = town.guild.create_text_channel("elsewhere")
    card = answer_of(await town.moderator.slash(elsewhere, "announce list"))
    await town.moderator.select(card, ["kiosk.announce.open:1"])
    await town.moderator.click(card, label="Resume")
    assert "The channel was deleted.\nNothing was changed." in text_of(card)


async def test_the_list_marks_what_can_not_be_posted(town: World) -> None:
    await add(town)
    await deny(town)

    listed = text_of(await use(town, "list"))
    speak_language(town.env, "de")
    german = text_of(await use(town, "list"))

    here = town.channel.mention
    assert f"⚠️ **Season** in {here}\nKiosk lacks Send Messages in {here}.\nNew items" in listed
    assert f"⚠️ **Season** in {here}\nKiosk fehlt " in german
