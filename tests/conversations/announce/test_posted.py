"""Messages of announcements that a manager deletes or updates from History."""

from typing import Any, cast

import discord

from storage.names import PlaceKind
from tests.conversations.announce.conftest import add, announce_a_hat, edit, press, restock, use
from tests.support.cards import answer_of, buttons_of, rows_of, selects_of, text_of
from tests.support.owed import tried, try_again
from tests.support.permissions import let_discord_say
from tests.support.presses import press_again
from tests.support.rogue_game import RogueShop
from tests.support.world import World


async def poll(town: World) -> None:
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)


async def open_message(town: World, name: str = "Straw Hat") -> Any:
    """Open a message of the announcement's History, and give its card."""
    card = await press(town, "History")
    (listed,) = selects_of(card)
    (value,) = (entry["value"] for entry in listed["options"] if entry["label"] == name)
    await town.moderator.select(card, [value])
    return card


async def test_a_wrong_announcement_is_deleted_and_no_news_bring_it_back(
    town: World, shop: RogueShop
) -> None:
    posted = await announce_a_hat(town, shop)
    card = await open_message(town)
    link = f"https://discord.com/channels/{town.guild.id}/{town.channel.id}/{posted.id}"
    shown, links = text_of(card), buttons_of(card)["Open message"]["url"]
    rows = rows_of(card)

    await town.moderator.click(card, label="Delete message…")
    asked = text_of(card)
    await town.moderator.click(card, label="Delete message")
    deleting, deleting_rows = text_of(card), rows_of(card)
    await tried(town)
    gone = list(town.channel.history())
    await press(town, "Pause")
    shop.items[0]["cost"] += 100
    await poll(town)
    await press(town, "Resume")
    await town.restart()
    await poll(town)
    after = list(town.channel.history())

    assert f"✅ {town.channel.mention}: posted <t:" in shown
    assert links == link
    assert rows == [["Open message", "Update message", "Delete message…", "Back"]]
    assert "### Delete this message?" in asked
    assert f"### Straw Hat\n⏳ {town.channel.mention}: being deleted" in deleting
    # What is about to be gone has no link.
    assert deleting_rows == [["Back"]]
    assert gone == []
    assert after == []
    assert "🗑️ Season in <#" in text_of(await use(town, "history"))
    assert not selects_of(await press(town, "History"))
    log = text_of(await town.slash("moderate log", town.moderator))
    assert f"<@{town.moderator.id}> deleted an announcement message" in log
    assert f"> Straw Hat in {town.channel.mention}" in log

    await edit(town, news=["new", "cheaper"])
    shop.items[0]["cost"] = 1
    await poll(town)
    (other,) = town.channel.history()
    assert "⬇️ Cheaper" in text_of(other)
    assert "🆕 New" not in text_of(other)


async def test_a_corrected_price_is_drawn_without_a_second_ping(
    town: World, shop: RogueShop
) -> None:
    let_discord_say(town, ~0)
    role = town.guild.create_role("Shoppers")
    await add(town, role=[role])
    posted = await restock(town, shop, "Straw Hat", "Felt Cap")
    shop.items[0]["cost"] = 123
    card = await open_message(town)
    listed = selects_of(await press(town, "History"))

    update = buttons_of(card)["Update message"]["custom_id"]
    await town.moderator.click(card, label="Update message")
    said = text_of(card)
    await tried(town)

    (now,) = town.channel.history()
    assert now.id == posted.id
    assert "123 Acorns" in text_of(now)
    assert f"<@&{role.id}>" in text_of(now)
    assert pinging(town) == [[role.id], []]
    assert "**Kiosk is updating the message. No one is pinged again.**" in said
    assert [entry["description"] for entry in listed[0]["options"]] == ["#game-talk · 2 items"]
    assert f"✅ {town.channel.mention}: posted <t:" in text_of(await open_message(town))
    log = text_of(await town.slash("moderate log", town.moderator))
    assert "updated an announcement message" in log
    assert f"> Straw Hat and 1 more in {town.channel.mention}" in log

    await poll(town)
    del shop.items[0]
    await town.moderator.click(card, label="Update message")
    assert "1 item isn't in the catalog right now and stays unchanged." in text_of(card)
    await tried(town)
    assert "123 Acorns" in text_of(town.channel.last_message)

    del shop.items[0]
    none = text_of(await press_again(town.moderator, town.channel, answer_of(card), update))
    assert "Kiosk found none of these items" in none


def pinging(town: World) -> list[list[int]]:
    """Give the roles that what was posted or changed in the channel might ping, in order."""
    asked = [
        cast("Any", request.json)
        for request in town.env.http_requests
        if f"/channels/{town.channel.id}/messages" in request.path
    ]
    return [each["allowed_mentions"].get("roles", []) for each in asked if each]


async def test_what_somebody_deleted_in_discord_is_not_posted_again(
    town: World, shop: RogueShop
) -> None:
    posted = await announce_a_hat(town, shop)
    card = await open_message(town)
    await posted.delete()

    await town.moderator.click(card, label="Update message")
    await tried(town)
    await press(town, "Pause")
    await press(town, "Resume")
    await tried(town)

    assert list(town.channel.history()) == []
    assert "posted, then deleted" in text_of(await press(town, "History"))


async def test_what_was_asked_is_done_after_a_restart_and_once(
    town: World, shop: RogueShop
) -> None:
    await announce_a_hat(town, shop)
    card = await open_message(town)
    messages = f"/channels/{town.channel.id}/messages/*"
    town.env.inject_error("DELETE", messages, status=500, times=None)
    await town.moderator.click(card, label="Delete message…")
    delete = buttons_of(card)["Delete message"]["custom_id"]
    await town.moderator.click(card, label="Delete message")
    twice = [
        text_of(await press_again(town.moderator, town.channel, answer_of(card), custom_id))
        for custom_id in (delete, delete.replace("delete", "update"))
    ]
    town.env.backend.faults.clear()
    await town.restart()
    await try_again(town)

    assert all("Kiosk can't find that message" in told for told in twice)
    assert list(town.channel.history()) == []
    log = text_of(await town.slash("moderate log", town.moderator))
    assert log.count("deleted an announcement message") == 1


async def test_an_update_that_waits_deletes_nothing_once_its_announcement_is_removed(
    town: World, shop: RogueShop
) -> None:
    posted = await announce_a_hat(town, shop)
    card = await open_message(town)
    messages = f"/channels/{town.channel.id}/messages/*"
    town.env.inject_error("PATCH", messages, status=500, times=None)
    await town.moderator.click(card, label="Update message")
    await tried(town)
    await press(town, "Stop announcing…", "Stop announcing")
    town.env.backend.faults.clear()
    await try_again(town)

    assert [message.id for message in town.channel.history()] == [posted.id]


async def test_what_discord_refuses_is_said_and_may_be_tried_again(
    town: World, shop: RogueShop
) -> None:
    await announce_a_hat(town, shop)
    card = await open_message(town)
    messages = f"/channels/{town.channel.id}/messages/*"
    for method in ("PATCH", "DELETE"):
        town.env.inject_error(method, messages, status=403, code=50013, times=None)

    await town.moderator.click(card, label="Update message")
    await tried(town)
    update = text_of(await open_message(town))
    assert "Pause" in buttons_of(await press(town))
    for label in ("Delete message…", "Delete message"):
        await town.moderator.click(card, label=label)
    await tried(town)
    refused = text_of(await open_message(town))
    town.env.backend.faults.clear()
    card = await open_message(town)
    for label in ("Delete message…", "Delete message"):
        await town.moderator.click(card, label=label)
    await tried(town)

    assert "but Discord refused to update it" in update
    assert "Discord refused to delete it" in refused
    assert list(town.channel.history()) == []


async def test_another_servers_manager_changes_nothing(town: World, shop: RogueShop) -> None:
    await announce_a_hat(town, shop)
    card = await open_message(town)
    update = buttons_of(card)["Update message"]["custom_id"]
    elsewhere = town.env.create_guild("Elsewhere")
    channel = elsewhere.create_text_channel("talk")
    role = elsewhere.create_role("Staff", permissions=discord.Permissions.all())
    manager = elsewhere.add_member(town.env.create_user("manager"), roles=[role])
    theirs = await manager.slash(channel, "help")

    for custom_id in (
        update,
        update.replace("update", "delete"),
        update.replace("update", "posted"),
    ):
        told = await press_again(manager, channel, answer_of(theirs), custom_id)
        assert "Kiosk doesn't know that announcement" in text_of(told)
    told = await press_again(town.friend, town.channel, answer_of(card), update)
    assert "Only server managers can do this" in text_of(told)
    await tried(town)
    assert len(town.channel.history()) == 1


async def test_a_post_of_a_forum_loses_its_message_and_its_name(
    town: World, shop: RogueShop
) -> None:
    let_discord_say(town, ~0)
    forum = town.guild.create_forum_channel("finds")
    await add(town, channel=[forum])
    await restock(town, shop, "Straw Hat")
    shop.items[0] |= {"name": "Straw Hat de luxe"}
    card = await open_message(town)
    await town.moderator.click(card, label="Update message")
    await tried(town)
    (post,) = forum.threads
    name = post.name

    for label in ("Delete message…", "Delete message"):
        await town.moderator.click(card, label=label)
    await tried(town)

    (post,) = forum.threads
    assert name == "Straw Hat de luxe"
    assert post.name == "🗑️ deleted"
    assert list(post.history()) == []


async def test_a_post_that_is_gone_counts_as_deleted(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ~0)
    forum = town.guild.create_forum_channel("finds")
    await add(town, channel=[forum])
    await restock(town, shop, "Straw Hat")
    card = await open_message(town)
    (post,) = forum.threads
    await town.bot.http.delete_channel(post.id)

    for label in ("Delete message…", "Delete message"):
        await town.moderator.click(card, label=label)
    await tried(town)

    assert "posted, then deleted" in text_of(await press(town, "History"))


async def test_an_embed_of_an_announcement_channel_stays_one(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ~0)
    news = town.guild.create_news_channel("news")
    await add(town, channel=[news])
    await restock(town, shop, "Straw Hat")
    shop.items[0]["cost"] = 123
    card = await open_message(town)
    await edit(town, channel=[town.channel])

    await town.moderator.click(card, label="Update message")
    await tried(town)

    (posted,) = news.history()
    (embed,) = posted.embeds
    assert "123 Acorns" in str(embed.description)
    assert f"/{news.id})" in str(embed.description)
    assert list(town.channel.history()) == []
