"""What a server watches for where something of its own stands, or is to stand."""

from discord.http import Route

from bot.features.moderation.hiding import VetHere
from bot.features.moderation.vetting import Vetting
from bot.worker.requests import Requests


async def watched_for(
    vetting: Vetting, requests: Requests, guild_id: int, channel_id: int, locale: str
) -> VetHere | None:
    """Return what is watched for in a channel: the one that it is a thread of may be exempt.

    Discord is asked for that one where there are such channels.
    """
    channels = frozenset({channel_id})
    vet = await vetting.here(guild_id, channels, locale)
    if vet is None or not vet.has_exemptions:
        return vet
    route = Route("GET", "/channels/{channel_id}", channel_id=channel_id)
    parent_id = (await requests.ask(route)).get("parent_id") or 0
    return await vetting.here(guild_id, channels | {int(parent_id)}, locale)
