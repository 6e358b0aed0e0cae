"""Setting announcements up, changing them, and hearing of what is new."""

import asyncio
import re
from typing import Any, cast

import discord

from bot.features.following.comparing import subscription_key
from playground.scene import MODERATOR
from storage.names import PlaceKind
from storage.subscriptions import News
from tests.conversations.announce.conftest import ALL, add, announce_a_hat, edit, opened, press, use
from tests.support.announcing import catalog_in
from tests.support.cards import answer_of, buttons_of, rows_of, text_of
from tests.support.forms import fill_in, presets
from tests.support.gates import PATIENCE_SECONDS
from tests.support.permissions import let_discord_say
from tests.support.presses import press_again
from tests.support.rogue_game import RogueShop
from tests.support.world import World

READING_ALONE = discord.Permissions(view_channel=True).value


async def test_an_announcement_is_kept_shown_and_listed(town: World) -> None:
    let_discord_say(town, ALL)

    wanted: dict[str, Any] = {"news": ["new", "cheaper"], "cost": "50 Acorns"}
    kept = await add(town, **wanted)

    assert kept.ephemeral
    told = "**Announcement added. Kiosk posts news from now on.**"
    assert f"## Season in {town.channel.mention}\n{told}" in text_of(kept)
    assert rows_of(kept) == [
        ["Edit", "Custom text", "Pause", "Preview", "History"],
        ["Post newest items", "Set up Notify me…", "Stop announcing…", "Back"],
    ]
    listed = text_of(await use(town, "list"))
    assert "New items and Lower price · up to 50 Acorns" in listed
    assert "That announcement already exists" in text_of(await add(town, **wanted))
    # The same catalog may be announced there twice, with other news.
    assert "Season (2) in" in text_of(await add(town))
    refused = await add(town, news=["back"], cost="cheap")
    assert "That isn't a price" in text_of(refused)
    again = await town.moderator.click(answer_of(refused), label="Try again")
    filled = presets(town.moderator, again)
    assert ([each.id for each in filled["channel"]], filled["news"]) == (
        [town.channel.id],
        ["back"],
    )


async def test_what_is_missing_is_said_before_anything_is_kept(town: World) -> None:
    let_discord_say(town, READING_ALONE)
    role = town.guild.create_role("Shoppers")

    answer = text_of(await add(town, role=[role]))

    for permission in ("Send Messages", "Embed Links", "Mention @everyone, @here, and All Roles"):
        assert f"**{permission}**" in answer
    assert "Edit Channel" in answer
    assert "View Channel" not in answer
    assert "This server has no announcements yet." in text_of(await use(town, "list"))


async def test_in_a_thread_another_permission_counts(town: World) -> None:
    await town.bot.http.start_thread_without_message(
        town.channel.id, name="Shop talk", auto_archive_duration=1440, type=11
    )
    (thread,) = town.channel.threads
    to_post = discord.Permissions(view_channel=True, send_messages=True, embed_links=True)
    let_discord_say(town, to_post.value)
    answer = text_of(await add(town, channel=[thread]))
    assert "**Send Messages in Threads**" in answer

    town.env.backend.subscribers.pop(0)
    to_post.update(send_messages=False, send_messages_in_threads=True)
    let_discord_say(town, to_post.value, locked=True, archived=True)
    assert "**Manage Threads**" in text_of(await add(town, channel=[thread]))

    # A message opens what is archived, unless it is locked.
    town.env.backend.subscribers.pop(0)
    let_discord_say(town, to_post.value, locked=False, archived=True)
    assert "Announcement added. Kiosk posts news from now on." in text_of(
        await add(town, channel=[thread])
    )


async def test_types_are_offered_once_they_are_at_hand(town: World, shop: RogueShop) -> None:
    shop.items[3]["item_type"] = {"id": 9, "name": "Kite"}
    shop.items[2]["item_type"] = {"id": 8, "name": "Scarf"}
    let_discord_say(town, ALL)
    shop.failing_pages = {2}
    await add(town)
    # A list would lack what comes later.
    assert await types_offered(town) == []
    shop.failing_pages = set()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (types := await types_offered(town)):
            # It is on its way.
            pass
    assert types == ["Hat", "Kite", "Scarf"]

    changed = await edit(town, type=["Kite", "Scarf"])

    assert "New items and Clearance · Kite · Scarf" in text_of(changed)


async def test_a_highest_cost_has_a_currency(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    gems = {"id": 2, "name": "Gems", "singular_name": "Gem", "icon_url": ""}
    shop.items[1]["currency"] = gems
    asked = await add(town, cost="20", news=["back"])
    assert "This catalog uses: Acorns and Gems." in text_of(asked)

    again = await town.moderator.click(answer_of(asked), label="Try again")
    filled = presets(town.moderator, again)
    assert (filled["cost"], filled["news"]) == ("20", ["back"])
    kept = await fill_in(town.moderator, again, cost="1,250 gems")

    assert "Back again · up to 1,250 Gems" in text_of(kept)


async def test_a_type_is_chosen_before_there_are_items(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    shop.items.clear()

    kept = await add(town, type="Kite, Scarf", cost="5 Shells")

    assert "Kite · Scarf · up to 5 Shells" in text_of(kept)


async def types_offered(town: World) -> list[str]:
    form = await town.moderator.click(await opened(town), label="Edit")
    fields = [each["component"] for each in cast("Any", form.modal)["components"]]
    (field,) = [each for each in fields if each["custom_id"] == "type"]
    return [each["label"] for each in field.get("options", ())]


async def test_a_role_that_anyone_can_mention_needs_no_permission(town: World) -> None:
    let_discord_say(
        town, READING_ALONE | discord.Permissions(send_messages=True, embed_links=True).value
    )
    role = town.guild.create_role("Shoppers", mentionable=True)

    assert "Announcement added. Kiosk posts news from now on." in text_of(
        await add(town, role=[role])
    )
    elsewhere = town.guild.create_text_channel("elsewhere")
    assert "**Changes saved.**" in text_of(await edit(town, channel=[elsewhere]))
    closed = town.guild.create_role("Staff")
    refused = text_of(await edit(town, role=[closed]))
    assert "**Mention @everyone, @here, and All Roles**" in refused
    assert "Staff" not in text_of(await use(town, "list"))


async def test_what_discord_does_not_say_of_a_channel_it_is_asked(town: World) -> None:
    elsewhere = town.guild.create_text_channel("elsewhere")
    everyone, shut = town.guild.default_role, discord.Permissions(embed_links=True)
    await town.bot.http.edit_channel_permissions(elsewhere.id, everyone.id, "0", str(shut.value), 0)
    refused = text_of(await add(town, channel=[elsewhere]))
    assert "Kiosk needs these permissions there:\n- **Embed Links**\n" in refused
    assert f"Allow this for Kiosk's role in <#{elsewhere.id}>" in refused


async def test_its_card_tells_how_the_catalog_is_read(town: World, shop: RogueShop) -> None:
    await announce_a_hat(town, shop)

    read = r"-# Last read <t:\d+:R> · Next reading <t:\d+:R>"
    assert re.search(read, text_of(await opened(town)))
    shop.is_down = True
    assert not await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    assert "⚠️ Reading failed: The game isn't answering (first <t:" in text_of(await opened(town))


async def test_no_server_announces_more_than_it_may(town: World) -> None:
    announcing = town.bot.features.announcing
    for number in range(200):
        new = catalog_in(town.guild.id, number, news=frozenset(News), created_by=1)
        await announcing.subscribed.add(new, subscription_key(new), now=announcing.now())

    refused = await add(town)
    assert "A server can have up to 200 of this kind" in text_of(refused)
    assert list(buttons_of(refused)) == ["Announcements"]


async def test_an_announcement_is_changed_and_removed(town: World) -> None:
    let_discord_say(town, ALL)
    await add(town, cost="50")

    changed = text_of(await edit(town, news=[kind.value for kind in News], cost=None))
    assert "Back again" in changed
    assert "up to 50" not in changed
    elsewhere = town.env.create_guild("Elsewhere")
    role = elsewhere.create_role("Moderator", permissions=MODERATOR)
    stranger = elsewhere.add_member(town.env.create_user("stranger"), roles=[role])
    talk = elsewhere.create_text_channel("talk")
    own = answer_of(await stranger.slash(talk, "announce list"))
    foreign = await press_again(stranger, talk, own, "kiosk.announce.open:1")
    assert "Kiosk doesn't know that announcement" in text_of(foreign)
    card = await press(town, "Stop announcing…", "Cancel", "Stop announcing…", "Stop announcing")
    assert "This server has no announcements yet." in text_of(card)


async def test_an_announcement_moves_without_the_game(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    await add(town)
    elsewhere = town.guild.create_text_channel("elsewhere")
    shop.is_down = True

    moved = text_of(await edit(town, channel=[elsewhere]))

    assert f"## Season in <#{elsewhere.id}>" in moved
    assert "**Changes saved.**" in moved
