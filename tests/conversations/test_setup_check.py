"""`/setup check`: what Kiosk may do where it was told to post."""

from typing import Any

import discord

from tests.support.cards import answer_of, text_of
from tests.support.permissions import let_discord_say
from tests.support.world import World


async def test_each_channel_is_told_with_what_is_missing_and_where_to_mend_it(
    world: World,
) -> None:
    well = text_of(await world.slash("setup check", world.moderator))
    assert "Kiosk may do all it needs" in well
    assert f"**<#{world.channel.id}>** · this channel\n✅ May: “View Channel”" in well

    log = world.guild.create_text_channel("log")
    await world.slash("setup log", world.moderator, channel=log)
    everyone = world.guild.default_role
    shut = discord.Permissions(send_messages=True)
    await world.bot.http.edit_channel_permissions(log.id, everyone.id, "0", str(shut.value), 0)
    lacking = text_of(await world.slash("setup check", world.moderator))

    assert "Something is missing in your channels" in lacking
    assert f"<#{log.id}>** · the log of removals\n❌ May not: “Send Messages”" in lacking
    assert "open the channel's settings, then Permissions" in lacking


async def test_the_log_and_the_panel_need_what_announcements_need(world: World) -> None:
    moderator = world.moderator
    to_send = discord.Permissions(view_channel=True, send_messages=True)
    let_discord_say(world, to_send.value)

    for command in ("setup log", "setup panel"):
        refused = text_of(await world.slash(command, moderator, channel=world.channel))
        assert "There Kiosk lacks:\n- **Embed Links**\n" in refused
        assert "Nothing was changed." in refused
    assert "A channel for reports" in text_of(await world.slash("setup show", moderator))


async def test_a_panel_in_a_thread_needs_what_counts_there(world: World) -> None:
    moderator = world.moderator
    await world.bot.http.start_thread_without_message(
        world.channel.id, name="Talk", auto_archive_duration=1440, type=11
    )
    (thread,) = world.channel.threads
    allowed = discord.Permissions(view_channel=True, send_messages=True, embed_links=True)

    def say(event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            payload["app_permissions"] = str(allowed.value)

    world.env.backend.subscribers.insert(0, say)
    shown = answer_of(await moderator.slash(thread, "setup show"))
    refused = await moderator.click(shown, label="Panel here")
    assert "There Kiosk lacks:\n- **Send Messages in Threads**\n" in text_of(refused)

    allowed.update(send_messages=False, send_messages_in_threads=True)
    shown = answer_of(await moderator.slash(thread, "setup show"))
    assert "on its way" in text_of(await moderator.click(shown, label="Panel here"))
