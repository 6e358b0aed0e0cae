"""`/announce`: servers hear of what is new in the game's catalogs."""

from collections.abc import Sequence

from discord import Permissions, Role, app_commands
from discord.ext import commands
from msgspec.structs import replace

from bot.errors import KioskError
from bot.features.following.announcing import sample
from bot.features.reading.catalogs import CatalogItem, find_type
from bot.game.errors import GameError
from bot.game.models import Item, ItemType
from bot.i18n import nt, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import ListEntry
from bot.ui.answers import Interaction, answer
from bot.ui.cards import notice
from bot.ui.channels import (
    ChosenChannel,
    guild_of,
    lacking_card,
    language_of_server,
    look_at_place,
    look_at_role,
    require_manager,
)
from bot.ui.commands import Cost, L, slash
from bot.ui.error_cards import offer_candidates
from bot.ui.router import Press, route
from cogs.announce.cards import kept_card, list_card, resumed_card, status_card, why_card
from cogs.announce.kinds import AnnouncementKind, PauseNotice, PostKind, PublishKind, TestKind
from cogs.announce.wishes import (
    OPTIONS,
    USUAL,
    Announce,
    AnnounceMissed,
    AnnounceOptions,
    Channel,
    SubscriptionWish,
    read_news,
)
from storage.following import NewSubscription, Subscription
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
        wish = SubscriptionWish(role.id if role else None, what, item_type, max_cost)
        await self._add(interaction, catalog, channel, wish)

    async def _add(
        self, interaction: Interaction, catalog: str, channel_id: int, wish: SubscriptionWish
    ) -> None:
        """Keep a new subscription, once Discord would let it work."""
        offer_candidates(
            interaction,
            lambda meant: ListEntry(meant.label, Announce.wished(meant.game_id, channel_id, wish)),
        )
        place = await self._directory.resolve(interaction.guild_id, PlaceKind.CATALOG, catalog)

        def type_entry_of(meant: ItemType) -> ListEntry:
            typed = replace(wish, item_type=str(meant.id))
            return ListEntry(meant.name, Announce.wished(place.game_id, channel_id, typed))

        offer_candidates(interaction, type_entry_of)
        guild_id = guild_of(interaction)
        news = USUAL if wish.news is None else read_news(wish.news)
        channel = await look_at_place(interaction, channel_id, wish.role_id, place.name)
        if channel.lacks:
            await answer(interaction, lacking_card(channel))
            return
        items = await self._items(interaction, place.game_id, wish.item_type)
        type_id, type_name = _type(wish.item_type, items)
        new = NewSubscription(
            guild_id=guild_id,
            channel_id=channel.id,
            channel_kind=channel.kind,
            channel_name=channel.name,
            game_id=place.game_id,
            news=news,
            locale=language_of_server(interaction),
            created_by=interaction.user.id,
            role_id=wish.role_id,
            type_id=type_id,
            type_name=type_name,
            max_cost=wish.max_cost,
            tag_id=channel.tag_id,
        )
        added = await self._announcing.add(new)
        event = sample(added, items, self._announcing.clock())
        await answer(interaction, kept_card(added, place, channel, event))

    async def _items(
        self, interaction: Interaction, catalog_id: int, item_type: str | None
    ) -> Sequence[Item]:
        # Only the whole catalog knows all types.
        is_whole = item_type is not None
        return await self._announcing.items(catalog_id, interaction.user.id, whole=is_whole)

    @route(Announce)
    async def on_announce(self, press: Press[Announce]) -> None:
        """Announce the catalog that was meant."""
        interaction, action = press.interaction, press.action
        require_manager(interaction)
        await self._add(interaction, str(action.catalog_id), action.channel_id, action.wish)

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
        """Change a subscription, after the same checks; only a new type must be in the game."""
        one = await self._announcing.find(guild_of(interaction), subscription)
        catalog = await self._directory.place(one.guild_id, PlaceKind.CATALOG, one.game_id)
        changed = replace(one, locale=language_of_server(interaction))
        place: ChosenChannel | None = None
        if channel is not None:
            role_id = role.id if role else one.role_id
            place = await look_at_place(interaction, channel, role_id, catalog.name)
            changed = replace(
                changed,
                channel_id=place.id,
                channel_kind=place.kind,
                channel_name=place.name,
                tag_id=place.tag_id,
            )
        elif role is not None:
            place = look_at_role(
                interaction, one.channel_id or 0, one.channel_kind or 0, one.channel_name, role.id
            )
        if place is not None and place.lacks:
            await answer(interaction, lacking_card(place, changed=True))
            return
        items: Sequence[Item] = []
        try:
            items = await self._items(interaction, one.game_id, item_type)
        except (GameError, KioskError):
            if item_type is not None:
                raise
        wish = SubscriptionWish(role.id if role else None, what, item_type, max_cost)
        kept = await self._announcing.change(_changed(changed, wish, without, items))
        event = sample(kept, items, self._announcing.clock())
        await answer(interaction, kept_card(kept, catalog, place, event))

    @slash(L("list"), L("Show this server's announcements"))
    async def list(self, interaction: Interaction) -> None:
        """List the subscriptions."""
        guild_id = guild_of(interaction)
        listed = [
            (one, await self._directory.place(guild_id, kind, one.game_id))
            for kind in (PlaceKind.CATALOG, PlaceKind.THREAD)
            for one in await self._announcing.following.of_guild(guild_id, kind)
        ]
        await answer(interaction, list_card(listed))

    @slash(L("remove"), L("Stop an announcement"), OPTIONS)
    async def remove(self, interaction: Interaction, subscription: str) -> None:
        """Forget a subscription."""
        one = await self._announcing.find(guild_of(interaction), subscription)
        await self._announcing.following.remove(one)
        title = t("Nothing more is announced in %(channel)s", channel=f"<#{one.channel_id}>")
        await answer(interaction, notice(title, t("What was announced before stays.")))

    @slash(L("pause"), L("Pause an announcement"), OPTIONS)
    async def pause(self, interaction: Interaction, subscription: str) -> None:
        """Pause a subscription."""
        one = await self._announcing.find(guild_of(interaction), subscription)
        await self._announcing.following.pause(one.id, now=self._announcing.clock())
        title = t("Announcements in %(channel)s are paused", channel=f"<#{one.channel_id}>")
        body = t("Use `/announce resume` to go on: it says what was missed.")
        await answer(interaction, notice(title, body))

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
        items = await self._announcing.items(one.game_id, interaction.user.id, whole=False)
        event = sample(one, items, self._announcing.clock())
        if event is None:
            catalog = await self._directory.place(one.guild_id, PlaceKind.CATALOG, one.game_id)
            await answer(interaction, kept_card(one, catalog, None, None))
            return
        await self._announcing.owe_test(one, event, wish=interaction.id)
        title = t("A test is on its way to %(channel)s", channel=f"<#{one.channel_id}>")
        body = t("Nobody is pinged. If it doesn't come, `/announce list` says what is wrong.")
        await answer(interaction, notice(title, body, colour=theme.GOOD))

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
        names = await self.catalog_names(guild_id, [each.game_id for each, _ in catalogs])
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
        if not count:
            title, body = t("Nothing is missing any more"), t("It was announced already.")
            await answer(interaction, notice(title, body))
            return
        title = t("On its way to %(channel)s", channel=f"<#{one.channel_id}>")
        body = nt(
            "%(count)s piece of news is announced there now.",
            "%(count)s pieces of news are announced there now.",
            count,
        )
        await answer(interaction, notice(title, body, colour=theme.GOOD))


def _changed(
    one: Subscription, wish: SubscriptionWish, without: str | None, items: Sequence[Item]
) -> Subscription:
    if wish.news is not None:
        one = replace(one, news=read_news(wish.news))
    if wish.role_id is not None or without == "role":
        one = replace(one, role_id=wish.role_id)
    if wish.item_type is not None or without == "type":
        type_id, type_name = _type(wish.item_type, items)
        one = replace(one, type_id=type_id, type_name=type_name)
    if wish.max_cost is not None or without == "max_cost":
        one = replace(one, max_cost=wish.max_cost)
    return one


def _type(typed: str | None, items: Sequence[Item]) -> tuple[int | None, str | None]:
    """Return the type that is typed, and its name. Raises UnknownType, SeveralTypes."""
    if typed is None:
        return None, None
    found = find_type([CatalogItem(0, 1, item) for item in items], typed)
    return found.id, found.name


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(AnnounceCog(bot))
