"""`/forum follow` and `/forum unfollow`."""

from discord import app_commands
from discord.ext import commands

from bot.domain.announcing import NewFollow
from bot.domain.names import PlaceKind
from bot.kiosk import Kiosk
from bot.ui.actions import Action
from bot.ui.answers import Interaction, acknowledge, answer
from bot.ui.channels import lacking_card, look_at_place, require_manager, server_of
from bot.ui.commands import ChannelOption, L, choices
from bot.ui.next_steps import offer_candidates
from bot.ui.router import Press, route
from cogs.forum.autocomplete import Autocomplete, Choices, place_entry
from cogs.forum.views.followed import following_card, unfollowed_card

Channel = app_commands.Transform[int, ChannelOption]
_THREAD = L("The thread's name, or its number")


class FollowThread(Action, kind="forum.follow"):
    """Post a thread's new comments in a channel."""

    thread_id: int
    channel_id: int


class UnfollowThread(Action, kind="forum.unfollow"):
    """Post a thread's comments in a channel no more."""

    thread_id: int
    channel_id: int


class FollowCommands(commands.Cog):
    """The part of `/forum` that is about following; the cog brings what it stands on."""

    _bot: Kiosk
    _autocomplete: Autocomplete

    @app_commands.command(
        name=L("follow"), description=L("Post a thread's new comments in a channel")
    )
    @app_commands.rename(thread=L("thread"), channel=L("channel"))
    @app_commands.describe(
        thread=_THREAD, channel=L("The channel, forum or thread to post them in")
    )
    async def follow(self, interaction: Interaction, thread: str, channel: Channel) -> None:
        """Follow a thread."""
        acknowledge(interaction)
        await self._follow(interaction, thread, channel)

    async def _follow(self, interaction: Interaction, thread: str, channel: int) -> None:
        guild_id = require_manager(interaction)
        offer_candidates(
            interaction, lambda place: place_entry(place, FollowThread(place.game_id, channel))
        )
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
        name=L("unfollow"), description=L("Stop posting a thread's comments in a channel")
    )
    @app_commands.rename(thread=L("thread"), channel=L("channel"))
    @app_commands.describe(thread=_THREAD, channel=L("The channel they are posted in"))
    async def unfollow(self, interaction: Interaction, thread: str, channel: Channel) -> None:
        """Follow a thread no more."""
        acknowledge(interaction)
        await self._unfollow(interaction, thread, channel)

    async def _unfollow(self, interaction: Interaction, thread: str, channel: int) -> None:
        guild_id = require_manager(interaction)
        offer_candidates(
            interaction, lambda place: place_entry(place, UnfollowThread(place.game_id, channel))
        )
        place = await self._autocomplete.thread_meant(interaction, thread)
        gone = await self._bot.features.following.remove(guild_id, place.game_id, channel)
        await answer(interaction, unfollowed_card(gone, place))

    @route(FollowThread)
    async def on_follow(self, press: Press[FollowThread]) -> None:
        """Follow the thread that was meant."""
        action = press.action
        await self._follow(press.interaction, str(action.thread_id), action.channel_id)

    @route(UnfollowThread)
    async def on_unfollow(self, press: Press[UnfollowThread]) -> None:
        """Follow the thread that was meant no more."""
        action = press.action
        await self._unfollow(press.interaction, str(action.thread_id), action.channel_id)

    @follow.autocomplete("thread")
    @unfollow.autocomplete("thread")
    async def suggest_followed(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named threads."""
        names = await self._bot.features.directory.suggest(
            server_of(interaction), PlaceKind.THREAD, typed, member_id=interaction.user.id
        )
        return choices((named.name, str(named.game_id)) for named in names)
