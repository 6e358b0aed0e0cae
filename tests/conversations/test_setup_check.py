"""`/setup check`: what Kiosk may do where it was told to post."""

import discord

from tests.support.cards import text_of
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
