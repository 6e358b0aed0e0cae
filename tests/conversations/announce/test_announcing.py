"""Setting announcements up, changing them, and hearing of what is new."""

import asyncio
import re
from pathlib import Path
from typing import Any, cast

import discord
import pytest

from cogs.announce.wishes import EVERYTHING
from playground.scene import MODERATOR
from storage import MIGRATIONS
from storage.database import open_database
from storage.names import PlaceKind
from tests.conversations.announce.conftest import ALL, add, use
from tests.support.announcing import catalog_in
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.commits import until_none
from tests.support.databases import run_beside
from tests.support.gates import PATIENCE
from tests.support.owed import tried, try_again
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World, open_world

READING_ALONE = discord.Permissions(view_channel=True).value


async def announce_a_hat(town: World, shop: RogueShop) -> Any:
    """Let a new item appear in a catalog that is announced, and give what was posted."""
    let_discord_say(town, ALL)
    await add(town)
    poller = town.bot.features.poller
    await poller.poll(PlaceKind.CATALOG, 1)
    shop.items.insert(0, item(99, name="Straw Hat"))
    await poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)
    posted = town.channel.last_message
    assert posted is not None
    return posted


async def test_an_announcement_is_kept_shown_and_listed(town: World) -> None:
    let_discord_say(town, ALL)

    kept = await add(town, what="new, lower price", max_cost=50, type="hat")

    assert kept.ephemeral
    assert "Season is announced in" in text_of(kept)
    assert "Hat number 1" in text_of(kept)
    assert {"Buy", "Redeem", "Open"} <= buttons_of(kept).keys()
    listed = text_of(await use(town, "list"))
    assert "new items, lower price · Hat · up to 50" in listed
    assert "has that announcement already" in text_of(await add(town))


async def test_what_is_missing_is_said_before_anything_is_kept(town: World) -> None:
    let_discord_say(town, READING_ALONE)
    role = town.guild.create_role("Shoppers")

    answer = text_of(await add(town, role=role))

    for permission in ("Send Messages", "Embed Links", "Mention @everyone, @here, and All Roles"):
        assert f"**{permission}**" in answer
    assert "Edit Channel" in answer
    assert "View Channel" not in answer
    assert "none yet" in text_of(await use(town, "list"))


async def test_who_unlinks_is_told_what_is_read_with_their_account(town: World) -> None:
    let_discord_say(town, ALL)
    await add(town)
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    card = answer_of(await town.slash("account show", town.moderator))

    await town.moderator.click(card, label="Unlink…")

    assert "Kiosk reads **Season** for this server with your account." in text_of(card)


async def test_in_a_thread_another_permission_counts(town: World) -> None:
    await town.bot.http.start_thread_without_message(
        town.channel.id, name="Shop talk", auto_archive_duration=1440, type=11
    )
    (thread,) = town.channel.threads
    to_post = discord.Permissions(view_channel=True, send_messages=True, embed_links=True)
    let_discord_say(town, to_post.value)
    answer = text_of(await add(town, channel=thread))
    assert "**Send Messages in Threads**" in answer

    town.env.backend.subscribers.pop(0)
    to_post.update(send_messages=False, send_messages_in_threads=True)
    let_discord_say(town, to_post.value, locked=True, archived=True)
    assert "**Manage Threads**" in text_of(await add(town, channel=thread))

    # A message opens what is archived, unless it is locked.
    town.env.backend.subscribers.pop(0)
    let_discord_say(town, to_post.value, locked=False, archived=True)
    assert "is announced in" in text_of(await add(town, channel=thread))


async def test_types_are_offered_to_add_and_edit(town: World, shop: RogueShop) -> None:
    shop.items[3]["item_type"] = {"id": 9, "name": "Kite"}
    let_discord_say(town, ALL)
    await add(town)

    async def offered(name: str, **chosen: str) -> list[str]:
        found = await town.moderator.autocomplete(town.channel, name, "type", "k", **chosen)
        return [each["value"] for each in found]

    async with asyncio.timeout(PATIENCE):
        while not await offered("announce add", catalog="Season"):
            # It is on its way: they keep typing.
            pass
    assert await offered("announce edit", announcement="1") == ["Kite"]
    assert await offered("announce edit", announcement="2") == []
    changed = await use(town, "edit", announcement="1", type="Kite")
    assert "new items, clearance · Kite" in text_of(changed)


async def test_a_role_that_anyone_can_mention_needs_no_permission(town: World) -> None:
    let_discord_say(
        town, READING_ALONE | discord.Permissions(send_messages=True, embed_links=True).value
    )
    role = town.guild.create_role("Shoppers", mentionable=True)

    assert "is announced in" in text_of(await add(town, role=role))
    # Nobody names the role again, so that Discord is asked about it.
    assert "is announced in" in text_of(
        await use(town, "edit", announcement="1", channel=town.channel)
    )
    closed = town.guild.create_role("Staff")
    refused = text_of(await use(town, "edit", announcement="1", channel=town.channel, role=closed))
    assert "**Mention @everyone, @here, and All Roles**" in refused
    assert "Staff" not in text_of(await use(town, "list"))


async def test_what_discord_does_not_say_of_a_channel_it_is_asked(town: World) -> None:
    elsewhere = town.guild.create_text_channel("elsewhere")
    everyone, shut = town.guild.default_role, discord.Permissions(embed_links=True)
    await town.bot.http.edit_channel_permissions(elsewhere.id, everyone.id, "0", str(shut.value), 0)
    refused = text_of(await add(town, channel=elsewhere))
    assert "There Kiosk lacks:\n- **Embed Links**\n" in refused
    assert f"Give it in <#{elsewhere.id}>" in refused


async def test_anybody_can_buy_a_new_announced_item(town: World, shop: RogueShop) -> None:
    await town.settle(town.member, "members-token")
    posted = await announce_a_hat(town, shop)

    assert "🆕 New" in text_of(posted)
    asked = await town.member.click(posted, label="Buy")
    assert asked.ephemeral
    assert "Buy Straw Hat?" in text_of(asked)
    why = text_of(await use(town, "why", item="straw"))
    assert "🆕 New" in why
    assert "✅" in why
    assert "such news are not wanted" not in why

    sending = f"/channels/{town.channel.id}/messages"
    town.env.inject_error("POST", sending, status=500, times=None)
    shop.items.insert(0, item(100, name="Straw Hat"))
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    assert "⏳" in text_of(await use(town, "why", item="straw"))


async def test_an_announced_price_has_its_picture(town: World, shop: RogueShop) -> None:
    # On another thread: the bot may be writing, and goes on meanwhile.
    await asyncio.to_thread(
        run_beside,
        town.settings.database_url,
        "INSERT INTO emojis (key, url, name, emoji_id, failures)"
        " VALUES ('currency 1', 'https://pictures.example/acorn.png', 'currency_1_0', 7, 0)"
        " ON CONFLICT (key) DO UPDATE SET name = excluded.name, emoji_id = excluded.emoji_id",
    )
    await town.bot.features.pictures.refresh()
    posted = await announce_a_hat(town, shop)

    assert "<:currency_1_0:7>" in text_of(posted)


async def test_what_was_missed_during_a_pause_is_offered(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    await add(town)
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    await use(town, "pause", announcement="1")
    # A lower price is not wanted, so that nobody missed it.
    shop.items[0] = {**shop.items[0], "cost": 1}
    shop.items.insert(0, item(99, name="Straw Hat"))
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    assert "Paused" in text_of(await use(town, "list"))

    resumed = await use(town, "resume", announcement="1")

    assert "1 piece of news was missed" in text_of(resumed)
    assert "Straw Hat" in text_of(resumed)
    # The last role is the moderator's.
    *_, role = cast("Any", town.env.backend.guilds[town.guild.id]).roles.values()
    allowed, role.permissions = role.permissions, READING_ALONE
    demoted = await town.moderator.click(answer_of(resumed), label="Announce them now")
    assert "Manage Server" in text_of(demoted)
    role.permissions = allowed
    told = await town.moderator.click(answer_of(resumed), label="Announce them now")
    assert "1 piece of news is announced there now" in text_of(told)
    assert "Nothing was missed" in text_of(await use(town, "resume", announcement="1"))


async def test_a_test_pings_nobody_and_says_what_discord_says(town: World) -> None:
    let_discord_say(town, ALL)
    role = town.guild.create_role("Shoppers")
    await add(town, role=role)

    assert "on its way" in text_of(await use(town, "test", announcement="1"))
    await tried(town)
    assert "🆕 New" in text_of(town.channel.last_message)
    assert f"<@&{role.id}>" not in text_of(town.channel.last_message)


async def test_status_tells_how_the_catalog_is_read(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    await add(town)
    async with open_database(town.settings.database_url, MIGRATIONS) as database:
        # By the worker, whose end of a first reading would hide the next one's failure.
        await until_none(database, "SELECT 1 FROM followed WHERE read_at IS NULL")
    shop.is_down = True
    assert not await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)

    status = text_of(await use(town, "status"))
    assert "Season" in status
    assert "Read" in status
    assert "Nothing waits to be sent" in status
    (since,) = re.findall(r"has failed, <t:(\d+):R>", status)
    (due,) = re.findall(r"The next reading is due <t:(\d+):R>", status)
    assert int(due) - int(since) >= town.settings.poll_interval


async def test_no_server_announces_more_than_it_may(town: World) -> None:
    announcing = town.bot.features.announcing
    for number in range(200):
        new = catalog_in(town.guild.id, number, news=EVERYTHING, created_by=1)
        await announcing.following.add(new, now=announcing.clock())

    assert "A server can have 200 of these" in text_of(await add(town))


async def test_an_expired_token_of_the_operators_is_logged_for_them_and_the_moderators_is_tried(
    tmp_path: Path, shop: RogueShop, caplog: pytest.LogCaptureFixture
) -> None:
    shop.expired = {"the-operators"}
    async with open_world(tmp_path, shop.base_url, game_token="the-operators") as world:
        await world.settle(world.moderator, "any-token")
        await world.slash("setup catalog add", world.moderator, id="1", name="Season")

        let_discord_say(world, ALL)
        added = text_of(await add(world))

        assert "Your link has expired" not in added
        assert "Season" in text_of(await use(world, "list"))
    assert "refuses GAME_TOKEN" in caplog.text


async def test_an_announcement_is_changed_and_removed(town: World) -> None:
    let_discord_say(town, ALL)
    await add(town, max_cost=50)

    changed = text_of(
        await use(town, "edit", announcement="1", what="everything", without="max_cost")
    )
    assert "back again" in changed
    assert "up to 50" not in changed
    elsewhere = town.env.create_guild("Elsewhere")
    role = elsewhere.create_role("Moderator", permissions=MODERATOR)
    stranger = elsewhere.add_member(town.env.create_user("stranger"), roles=[role])
    talk = elsewhere.create_text_channel("talk")
    foreign = await stranger.slash(talk, "announce remove", announcement="1")
    assert "Kiosk doesn't know that announcement" in text_of(foreign)
    removed = await use(town, "remove", announcement="2")
    assert "Kiosk doesn't know that announcement" in text_of(removed)
    assert "Nothing more is announced" in text_of(await use(town, "remove", announcement="1"))
    assert "none yet" in text_of(await use(town, "list"))


async def test_a_changed_announcement_speaks_its_servers_language(town: World) -> None:
    let_discord_say(town, ALL)
    await add(town)

    def speak_german(event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            payload["guild_locale"] = "de"

    town.env.backend.subscribers.insert(0, speak_german)
    await use(town, "edit", announcement="1", what="everything")
    await use(town, "test", announcement="1")
    await tried(town)

    assert "🆕 Neu" in text_of(town.channel.last_message)


async def test_a_gone_channel_stops_its_announcement(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    await add(town)
    poller = town.bot.features.poller
    await poller.poll(PlaceKind.CATALOG, 1)
    shop.items.insert(0, item(99, name="Straw Hat"))
    gone = "POST", f"/channels/{town.channel.id}/messages"
    town.env.inject_error(*gone, status=404, code=10003)
    await poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)
    assert "the channel is gone" not in text_of(await use(town, "list"))
    town.env.inject_error(*gone, status=404, code=10003)
    await try_again(town)

    listed = text_of(await use(town, "list"))
    assert "the channel is gone" in listed
    assert "`/announce edit`" in listed
    assert "⛔" in text_of(await use(town, "why", item="99"))
    elsewhere = town.guild.create_text_channel("elsewhere")
    await use(town, "edit", announcement="1", channel=elsewhere)
    resumed = await use(town, "resume", announcement="1")
    await town.moderator.click(answer_of(resumed), label="Announce them now")
    await tried(town)
    assert "Straw Hat" in text_of(elsewhere.last_message)


async def test_an_announcement_moves_without_the_game(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    await add(town)
    elsewhere = town.guild.create_text_channel("elsewhere")
    shop.is_down = True

    moved = text_of(await use(town, "edit", announcement="1", channel=elsewhere))
    typed = text_of(await use(town, "edit", announcement="1", type="hat"))

    assert f"is announced in <#{elsewhere.id}>" in moved
    assert "so there is no preview" in moved
    assert "is announced in" not in typed
