"""The link that adds Kiosk to a server."""

import aiohttp
import discord
from discord.http import Route

from bot.log import describe
from bot.program.proxies import proxy_for
from bot.settings import Settings, SettingsError

# What announcements, shared cards and the log of removals need; a channel may grant it too.
PERMISSIONS = discord.Permissions(
    view_channel=True, send_messages=True, send_messages_in_threads=True, embed_links=True
)


async def find_link(settings: Settings) -> str:
    """Ask Discord for the application's id, and return its link. Raises SettingsError."""
    if settings.discord_token is None:
        raise SettingsError(["DISCORD_TOKEN: missing; see “On real Discord” in README.md"])
    async with discord.Client(
        intents=discord.Intents.none(), proxy=proxy_for(Route.BASE)
    ) as client:
        try:
            await client.login(settings.discord_token.get_secret_value())
        except discord.LoginFailure as error:
            raise SettingsError(["DISCORD_TOKEN: Discord refuses it; copy it again"]) from error
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            raise SettingsError([f"Discord can't be reached: {describe(error)}"]) from error
        assert client.application_id is not None  # noqa: S101 - known from the login on
        return discord.utils.oauth_url(
            client.application_id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
        )
