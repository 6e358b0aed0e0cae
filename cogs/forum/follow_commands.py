"""`/forum follow` and `/forum unfollow`."""

from discord import app_commands
from discord.ext import commands

from bot.domain.following import NewFollow
from bot.domain.names import Kind
from bot.errors import ServerOnly
from bot.features.following.errors import MayNotFollow
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, acknowledge, answer
from bot.ui.choices import choices
from bot.ui.commands import L
from bot.ui.moderators import server_of
from bot.ui.places import ChannelOption, lacking_card, look_at_place
from cogs.forum.autocomplete import Autocomplete, Choices
from cogs.forum.views.followed import following_card, unfollowed_card

Channel = app_commands.Transform[int, ChannelOption]
_THREAD = L("The thread's name, or its number")


class FollowCommands(commands.Cog):
    """The part of `/forum` that is about following; the cog brings what it stands on."""

    _bot: Kiosk
    _autocomplete: Autocomplete

    @app_commands.command(
        name=L("follow"), description=L("Post a thread's new comments in a channel")
    )
    @app_commands.rename(thread=L("thread"), channel=L("channel"))
    @app_commands.describe(thread=_THREAD, channel=L("The channel, forum or thread they come to"))
    async def follow(self, interaction: Interaction, thread: str, channel: Channel) -> None:
        """Follow a thread."""
        acknowledge(interaction)
        guild_id = _server(interaction)
        place = await self._autocomplete.thread_meant(interaction, thread)
        where = await look_at_place(interaction, channel, None, place.name)
        if where.lacks:
            await answer(interaction, lacking_card(where))
            return
        new = NewFollow(
            guild_id=guild_id,
            channel_id=where.id,
            channel_kind=where.kind,
            channel_name=where.name,
            thread_id=place.game_id,
            tag_id=where.tag_id,
            locale=str(interaction.guild_locale or interaction.locale),
            created_by=interaction.user.id,
        )
        await self._bot.features.following.add(new)
        await answer(interaction, following_card(new, place, is_judged=where.is_judged))

    @app_commands.command(
        name=L("unfollow"), description=L("Post a thread's comments in a channel no more")
    )
    @app_commands.rename(thread=L("thread"), channel=L("channel"))
    @app_commands.describe(thread=_THREAD, channel=L("The channel they come to"))
    async def unfollow(self, interaction: Interaction, thread: str, channel: Channel) -> None:
        """Follow a thread no more."""
        acknowledge(interaction)
        guild_id = _server(interaction)
        place = await self._autocomplete.thread_meant(interaction, thread)
        gone = await self._bot.features.following.remove(guild_id, place.game_id, channel)
        await answer(interaction, unfollowed_card(gone, place))

    @follow.autocomplete("thread")
    @unfollow.autocomplete("thread")
    async def suggest_followed(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named threads."""
        names = await self._bot.features.directory.suggest(
            server_of(interaction), Kind.THREAD, typed, member_id=interaction.user.id
        )
        return choices((named.name, str(named.game_id)) for named in names)


def _server(interaction: Interaction) -> int:
    """Return the server, for whoever may manage it. Raises ServerOnly, MayNotFollow."""
    guild_id = server_of(interaction)
    if guild_id is None:
        raise ServerOnly
    if not interaction.permissions.manage_guild:
        raise MayNotFollow
    return guild_id
