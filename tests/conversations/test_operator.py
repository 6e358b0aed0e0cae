"""`/operator status`: what the owner of the application is told, and nobody else."""

from typing import cast

import discord
import pytest

from tests.support.cards import text_of
from tests.support.full_disk import bring_orders_back, take_orders_away
from tests.support.world import SUBSCRIBER, World


async def test_the_owner_alone_is_told_how_the_bot_is(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.link(world.member, SUBSCRIBER)
    manager = world.guild.create_role("Admin", permissions=discord.Permissions(administrator=True))
    owner, other = (
        world.guild.add_member(world.env.create_user(name), roles=[manager])
        for name in ("owner", "other")
    )
    refused = await world.slash("operator status", other)
    assert refused.ephemeral
    assert "This is for the bot's operator" in text_of(refused)

    ask = world.bot.application_info

    async def owned_by_the_owner() -> discord.AppInfo:
        # simcord's applications own themselves.
        application = await ask()
        application.owner = cast("discord.User", discord.Object(owner.id))
        return application

    monkeypatch.setattr(world.bot, "application_info", owned_by_the_owner)
    await take_orders_away(world.settings.database_url)
    told = text_of(await world.slash("operator status", owner))
    assert "Shards connected: 1 of 1" in told
    assert "❌ Its database doesn't answer just now, or takes nothing in." in told
    await bring_orders_back(world.settings.database_url)
    told = await world.slash("operator status", owner)
    text = text_of(told)
    assert told.ephemeral
    assert "### Kiosk 1.0.0" in text
    assert "Shards connected: 1 of 1" in text
    assert "✅ Answered" in text
    assert "To be sent: 0" in text
    assert text.endswith("**Last errors of this process**\nNone")
