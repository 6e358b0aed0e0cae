"""What happens on Discord: refusals, permissions, channels, roles and members that come and go."""

from collections.abc import Iterable
from random import Random
from typing import Any

import discord
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from tests.simulation.faults import NotNow
from tests.simulation.steps import step
from tests.simulation.steps.stories import member_again
from tests.simulation.town import Town

_TAKEN = (
    "send_messages",
    "view_channel",
    "manage_messages",
    "embed_links",
    "send_messages_in_threads",
)
# Each with Discord's status and code.
_FAILING = (
    ("POST", "/channels/*/messages", 500, 0),
    ("POST", "/channels/*/messages", 503, 0),
    ("PATCH", "/channels/*/messages/*", 500, 0),
    ("DELETE", "/channels/*/messages/*", 503, 0),
    ("POST", "/users/@me/channels", 503, 0),
    ("PUT", "/guilds/*/members/*/roles/*", 500, 0),
    ("GET", "/guilds/*", 500, 0),
)
_FEW = (1, 1, 3)


def _some_channel(town: Town, draw: Random) -> Any:
    guild = draw.choice(town.guilds)
    channels = town.channels[guild.id]
    return channels[draw.choice(sorted(channels))]


@step(0.4)
async def discord_fails(town: Town, draw: Random) -> None:
    """Let Discord fail a few times at one thing; it can be asked again."""
    method, path, status, code = draw.choice(_FAILING)
    times = draw.choice(_FEW)
    town.tell(f"Discord answers {method} {path} with {status}, {times} times")
    town.env.inject_error(method, path, status=status, code=code, times=times)
    town.note_trouble()


@step(0.3)
async def a_permission_is_taken(town: Town, draw: Random) -> None:
    """Kiosk loses a permission in one channel."""
    channel = _some_channel(town, draw)
    name = draw.choice(_TAKEN)
    take_permission(town, channel, name)


def take_permission(town: Town, channel: Any, name: str) -> None:
    town.tell(f"Kiosk loses {name} in {channel.name} of {channel.guild}")
    denied = discord.Permissions(**{name: True}).value
    bot_id = town.env.backend.bot_user.id
    town.env.backend.set_overwrite(channel.id, Overwrite(bot_id, OverwriteType.MEMBER, 0, denied))
    town.note_trouble(channel.id)


def give_back(town: Town, channel_ids: Iterable[int]) -> None:
    for channel_id in channel_ids:
        town.env.backend.delete_overwrite(channel_id, town.env.backend.bot_user.id)
        town.note_trouble(channel_id)


@step(0.4)
async def permissions_come_back(town: Town, draw: Random) -> None:
    """Kiosk may do everything again in all channels."""
    backend = town.env.backend
    taken = [
        channel_id
        for channel_id, channel in backend.channels.items()
        if any(each.target_id == backend.bot_user.id for each in channel.overwrites)
    ]
    if not taken:
        raise NotNow
    give_back(town, taken)


@step(0.15)
async def a_message_is_deleted(town: Town, draw: Random) -> None:
    """Let someone delete one of Kiosk's public messages."""
    cards = [card for guild in town.guilds for card in town.sight.public(guild.id)]
    if not cards:
        raise NotNow
    card = draw.choice(cards)
    town.tell(f"a message is deleted: {card.text.partition(chr(10))[0]}")
    town.env.backend.delete_message(card.channel_id, card.message_id)
    town.note_deleted(card)


@step(0.1)
async def a_channel_is_deleted(town: Town, draw: Random) -> None:
    """A channel is deleted, and another one of its name comes."""
    guild = draw.choice(town.guilds)
    name = draw.choice(("news", "board", "staff"))
    channel = town.channels[guild.id][name]
    town.tell(f"{name} of {guild.name} is deleted, and made anew")
    town.env.backend.delete_channel(channel.id)
    town.make_channel(guild, name)
    town.note_trouble(channel.id)


@step(0.2)
async def direct_messages_are_closed(town: Town, draw: Random) -> None:
    """Let someone close their direct messages, or open them again."""
    who = draw.choice(town.people)
    if who in town.closed:
        town.open_direct_messages(who)
    else:
        town.close_direct_messages(who)
    town.tell(f"{who} takes {'no' if who in town.closed else 'the'} direct messages")


@step(0.2)
async def a_member_leaves_or_comes_back(town: Town, draw: Random) -> None:
    guild = draw.choice(town.guilds)
    who = member_again(town, draw, [each for each in town.people if not each.is_staff])
    if guild.id in who.actors:
        guild.remove_member(who.user)
        del who.actors[guild.id]
        town.tell(f"{who} leaves {guild.name}")
    else:
        who.actors[guild.id] = guild.add_member(who.user)
        town.tell(f"{who} comes to {guild.name}")


@step(0.1)
async def roles_are_moved(town: Town, draw: Random) -> None:
    """The order of a server's roles changes, so that Kiosk may give others than before."""
    guild = draw.choice(town.guilds)
    backend = town.env.backend
    roles = [role for role in backend.guilds[guild.id].roles.values() if role.id != guild.id]
    draw.shuffle(roles)
    positions = [{"id": str(role.id), "position": at} for at, role in enumerate(roles, 1)]
    backend.reorder_roles(guild.id, positions)
    town.tell(f"roles of {guild.name}: {[role.name for role in roles]}")
    town.note_trouble()


@step(0.3)
async def kiosk_is_restarted(town: Town, draw: Random) -> None:
    await town.restart()
