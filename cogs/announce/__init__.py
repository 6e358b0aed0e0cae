"""`/announce`: servers hear of what is new in the game's catalogs."""

from discord import Permissions, Role, app_commands
from discord.ext import commands
from msgspec.structs import replace

from bot.features.names import Place
from bot.game.models import ItemType
from bot.kiosk import Kiosk
from bot.ui.actions import ListEntry
from bot.ui.answers import Interaction, answer
from bot.ui.channels import guild_of, require_manager
from bot.ui.commands import Cost, L, slash
from bot.ui.next_steps import offer_candidates
from bot.ui.router import Press, route
from cogs.announce.kinds import AnnouncementKind, PostKind, PublishKind, TestKind
from cogs.announce.ledger import status_card, why_card
from cogs.announce.pauses import PauseNotice
from cogs.announce.setting_up import SettingUp
from cogs.announce.settings import (
    caught_up_card,
    list_card,
    paused_card,
    removed_card,
    resumed_card,
)
from cogs.announce.wishes import (
    OPTIONS,
    Announce,
    AnnounceMissed,
    AnnounceOptions,
    Channel,
    SubscriptionWish,
)
from storage.names import PlaceKind


@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.default_permissions(Permissions(manage_guild=True))
class AnnounceCog(
    AnnounceOptions,
    commands.GroupCog,
    name=L("announce"),
    description=L("Announce what is new in the game's catalogs"),
):
    """Announcements of a server."""

    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._announcing = bot.features.announcing
        self._directory = bot.features.directory
        self._setting_up = SettingUp(bot)
        bot.router.add(self)
        bot.dispatcher.add(
            AnnouncementKind(bot.features),
            PostKind(bot.features),
            TestKind(bot.features),
            PublishKind(),
            PauseNotice(bot),
        )
        bot.worker.add("polls", bot.features.poller.run)

    @slash(L("add"), L("Announce a catalog's news in a channel"), OPTIONS)
    async def add(
        self,
        interaction: Interaction,
        catalog: str,
        channel: Channel,
        role: Role | None = None,
        what: str | None = None,
        item_type: str | None = None,
        max_cost: Cost | None = None,
    ) -> None:
        """Keep a subscription, and show what it will look like."""
        wish = SubscriptionWish(channel, role.id if role else None, what, item_type, max_cost)
        await self._add(interaction, catalog, wish)

    async def _add(self, interaction: Interaction, catalog: str, wish: SubscriptionWish) -> None:
        def entry_of(meant: Place) -> ListEntry:
            return ListEntry(meant.label, Announce.wished(meant.game_id, wish))

        offer_candidates(interaction, entry_of)
        place = await self._directory.resolve(interaction.guild_id, PlaceKind.CATALOG, catalog)

        def type_entry_of(meant: ItemType) -> ListEntry:
            typed = replace(wish, item_type=str(meant.id))
            return ListEntry(meant.name, Announce.wished(place.game_id, typed))

        offer_candidates(interaction, type_entry_of)
        await answer(interaction, await self._setting_up.add(interaction, place, wish))

    @route(Announce)
    async def on_announce(self, press: Press[Announce]) -> None:
        """Announce the catalog that was meant."""
        interaction, action = press.interaction, press.action
        require_manager(interaction)
        await self._add(interaction, str(action.catalog_id), action.wish)

    @slash(L("edit"), L("Change an announcement"), OPTIONS)
    async def edit(
        self,
        interaction: Interaction,
        subscription: str,
        channel: Channel | None = None,
        role: Role | None = None,
        what: str | None = None,
        item_type: str | None = None,
        max_cost: Cost | None = None,
        without: str | None = None,
    ) -> None:
        """Change a subscription, after the same checks as at first."""
        one = await self._announcing.find(guild_of(interaction), subscription)
        wish = SubscriptionWish(
            channel, role.id if role else None, what, item_type, max_cost, without
        )
        await answer(interaction, await self._setting_up.edit(interaction, one, wish))

    @slash(L("list"), L("Show this server's announcements"))
    async def list(self, interaction: Interaction) -> None:
        """List the subscriptions."""
        guild_id = guild_of(interaction)
        found = await self._announcing.subscriptions.of_guild(guild_id)
        listed = [
            (one, await self._directory.place(guild_id, PlaceKind.CATALOG, one.game_id))
            for one in found
        ]
        followed = [
            (one, await self._directory.place(guild_id, PlaceKind.THREAD, one.game_id))
            for one in await self._announcing.subscriptions.of_guild(guild_id, PlaceKind.THREAD)
        ]
        await answer(interaction, list_card(listed, followed))

    @slash(L("remove"), L("Stop an announcement"), OPTIONS)
    async def remove(self, interaction: Interaction, subscription: str) -> None:
        """Forget a subscription."""
        one = await self._announcing.find(guild_of(interaction), subscription)
        await self._announcing.subscriptions.remove(one)
        await answer(interaction, removed_card(one))

    @slash(L("pause"), L("Pause an announcement"), OPTIONS)
    async def pause(self, interaction: Interaction, subscription: str) -> None:
        """Pause a subscription."""
        one = await self._announcing.find(guild_of(interaction), subscription)
        await self._announcing.subscriptions.pause(one.id, now=self._announcing.clock())
        await answer(interaction, paused_card(one))

    @slash(L("resume"), L("Resume an announcement, and see what was missed"), OPTIONS)
    async def resume(self, interaction: Interaction, subscription: str) -> None:
        """Resume a subscription, and offer what was missed."""
        one = await self._announcing.find(guild_of(interaction), subscription)
        missed = await self._announcing.resume(one)
        await answer(interaction, resumed_card(one, missed))

    @slash(L("test"), L("Post a test announcement"), OPTIONS)
    async def test(self, interaction: Interaction, subscription: str) -> None:
        """Post an announcement of a real item that pings nobody."""
        one = await self._announcing.find(guild_of(interaction), subscription)
        await answer(interaction, await self._setting_up.test(interaction, one))

    @slash(L("why"), L("Why an item was announced, or wasn't"), OPTIONS)
    async def why(self, interaction: Interaction, item: str) -> None:
        """Show what is on record of an item."""
        guild_id = guild_of(interaction)
        histories = await self._announcing.why(guild_id, item)
        names = await self.catalog_names(guild_id, [each.catalog_id for each in histories])
        await answer(interaction, why_card(histories, names))

    @slash(L("status"), L("Whether the catalogs can be read, and what waits to be sent"))
    async def status(self, interaction: Interaction) -> None:
        """Show how the polls go, and what waits to be sent."""
        guild_id = guild_of(interaction)
        catalogs = await self._announcing.status(guild_id)
        names = await self.catalog_names(guild_id, [each.followed.game_id for each in catalogs])
        await answer(
            interaction, status_card(catalogs, names, await self._announcing.outbox.waiting())
        )

    @route(AnnounceMissed)
    async def on_announce_missed(self, press: Press[AnnounceMissed]) -> None:
        """Announce what was missed."""
        interaction, action = press.interaction, press.action
        guild_id = require_manager(interaction)
        one = await self._announcing.find(guild_id, str(action.subscription_id))
        count = await self._announcing.catch_up(one, action.after, interaction.id)
        await answer(interaction, caught_up_card(one, count))


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(AnnounceCog(bot))
