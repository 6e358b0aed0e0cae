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
from bot.ui.cards import notice
from bot.ui.commands import Cost, L, slash
from bot.ui.error_cards import offer_candidates
from bot.ui.here import MANAGER, Here
from bot.ui.permissions import Use, judge, lacking_card
from bot.ui.router import Press, route
from cogs.announce.cards import kept_card, list_card, resumed_card, status_card, why_card
from cogs.announce.kinds import AnnouncementKind, PauseNotice, PostKind, PublishKind, TestKind
from cogs.announce.wishes import (
    OPTIONS,
    USUAL,
    Announce,
    AnnounceMissed,
    Channel,
    SubscriptionWish,
    catalog_names,
    read_news,
)
from storage.following import NewSubscription, Subscription
from storage.names import PlaceKind


@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.default_permissions(Permissions(manage_guild=True))
class AnnounceCog(
    commands.GroupCog,
    name=L("announce"),
    description=L("Announce what is new in the game's catalogs"),
):
    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._announcing = bot.features.announcing
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
        here: Here,
        catalog: str,
        channel: Channel,
        role: Role | None = None,
        what: str | None = None,
        item_type: str | None = None,
        max_cost: Cost | None = None,
    ) -> None:
        wish = SubscriptionWish(role.id if role else None, what, item_type, max_cost)
        await self._add(here, catalog, channel, wish)

    async def _add(self, here: Here, catalog: str, channel_id: int, wish: SubscriptionWish) -> None:
        """Keep a new subscription, once Discord would let it work."""
        offer_candidates(
            here.interaction,
            lambda meant: ListEntry(meant.label, Announce.wished(meant.game_id, channel_id, wish)),
        )
        place = await here.find_by_name(PlaceKind.CATALOG, catalog)

        def type_entry_of(meant: ItemType) -> ListEntry:
            typed = replace(wish, item_type=str(meant.id))
            return ListEntry(meant.name, Announce.wished(place.game_id, channel_id, typed))

        offer_candidates(here.interaction, type_entry_of)
        news = USUAL if wish.news is None else read_news(wish.news)
        channel = await judge(here, channel_id, Use.ANNOUNCE, role_id=wish.role_id, name=place.name)
        if channel.lacks:
            await here.answer(lacking_card(channel))
            return
        items = await self._items(here, place.game_id, wish.item_type)
        type_id, type_name = _type(wish.item_type, items)
        new = NewSubscription(
            guild_id=here.guild_id,
            channel_id=channel.id,
            channel_kind=channel.kind,
            channel_name=channel.name,
            game_id=place.game_id,
            news=news,
            locale=here.server_locale,
            created_by=here.member_id,
            role_id=wish.role_id,
            type_id=type_id,
            type_name=type_name,
            max_cost=wish.max_cost,
            tag_id=channel.tag_id,
        )
        added = await self._announcing.add(new)
        event = sample(added, items, self._announcing.clock())
        await here.answer(kept_card(added, place, event))

    async def _items(self, here: Here, catalog_id: int, item_type: str | None) -> Sequence[Item]:
        # Only the whole catalog knows all types.
        is_whole = item_type is not None
        return await self._announcing.items(catalog_id, here.member_id, whole=is_whole)

    @route(Announce, needs=MANAGER)
    async def on_announce(self, press: Press[Announce]) -> None:
        here, action = press.here, press.action
        await self._add(here, str(action.catalog_id), action.channel_id, action.wish)

    @slash(L("edit"), L("Change an announcement"), OPTIONS)
    async def edit(
        self,
        here: Here,
        subscription: str,
        channel: Channel | None = None,
        role: Role | None = None,
        what: str | None = None,
        item_type: str | None = None,
        max_cost: Cost | None = None,
        without: str | None = None,
    ) -> None:
        """Change a subscription, after the same checks; only a new type must be in the game."""
        one = await self._announcing.find(here.guild_id, subscription)
        catalog = await here.place(PlaceKind.CATALOG, one.game_id)
        changed = replace(one, locale=here.server_locale)
        if channel is not None or role is not None:
            channel_id = one.channel_id or 0 if channel is None else channel
            role_id = role.id if role else one.role_id
            place = await judge(here, channel_id, Use.ANNOUNCE, role_id=role_id, name=catalog.name)
            if place.lacks:
                await here.answer(lacking_card(place))
                return
            changed = replace(
                changed,
                channel_id=place.id,
                channel_kind=place.kind,
                channel_name=place.name,
                tag_id=place.tag_id,
            )
        items: Sequence[Item] = []
        try:
            items = await self._items(here, one.game_id, item_type)
        except (GameError, KioskError):
            if item_type is not None:
                raise
        wish = SubscriptionWish(role.id if role else None, what, item_type, max_cost)
        kept = await self._announcing.change(_changed(changed, wish, without, items))
        event = sample(kept, items, self._announcing.clock())
        await here.answer(kept_card(kept, catalog, event))

    @slash(L("list"), L("Show this server's announcements"))
    async def list(self, here: Here) -> None:
        listed = [
            (one, await here.place(kind, one.game_id))
            for kind in (PlaceKind.CATALOG, PlaceKind.THREAD)
            for one in await self._announcing.following.of_guild(here.guild_id, kind)
        ]
        await here.answer(list_card(listed))

    @slash(L("remove"), L("Stop an announcement"), OPTIONS)
    async def remove(self, here: Here, subscription: str) -> None:
        one = await self._announcing.find(here.guild_id, subscription)
        await self._announcing.following.remove(one)
        title = t("Nothing more is announced in %(channel)s", channel=f"<#{one.channel_id}>")
        await here.answer(notice(title, t("What was announced before stays.")))

    @slash(L("pause"), L("Pause an announcement"), OPTIONS)
    async def pause(self, here: Here, subscription: str) -> None:
        one = await self._announcing.find(here.guild_id, subscription)
        await self._announcing.following.pause(one.id, now=self._announcing.clock())
        title = t("Announcements in %(channel)s are paused", channel=f"<#{one.channel_id}>")
        body = t("Use `/announce resume` to go on: it says what was missed.")
        await here.answer(notice(title, body))

    @slash(L("resume"), L("Resume an announcement, and see what was missed"), OPTIONS)
    async def resume(self, here: Here, subscription: str) -> None:
        one = await self._announcing.find(here.guild_id, subscription)
        missed = await self._announcing.resume(one)
        await here.answer(resumed_card(one, missed))

    @slash(L("test"), L("Post a test announcement"), OPTIONS)
    async def test(self, here: Here, subscription: str) -> None:
        one = await self._announcing.find(here.guild_id, subscription)
        items = await self._announcing.items(one.game_id, here.member_id, whole=False)
        event = sample(one, items, self._announcing.clock())
        if event is None:
            catalog = await here.place(PlaceKind.CATALOG, one.game_id)
            await here.answer(kept_card(one, catalog, None))
            return
        await self._announcing.owe_test(one, event, wish=here.interaction.id)
        title = t("A test is on its way to %(channel)s", channel=f"<#{one.channel_id}>")
        body = t("Nobody is pinged. If it doesn't come, `/announce list` says what is wrong.")
        await here.answer(notice(title, body, colour=theme.GOOD))

    @slash(L("why"), L("Why an item was announced, or wasn't"), OPTIONS)
    async def why(self, here: Here, item: str) -> None:
        histories = await self._announcing.why(here.guild_id, item)
        names = await catalog_names(here, [each.catalog_id for each in histories])
        await here.answer(why_card(histories, names))

    @slash(L("status"), L("Whether the catalogs can be read, and what waits to be sent"))
    async def status(self, here: Here) -> None:
        catalogs = await self._announcing.status(here.guild_id)
        names = await catalog_names(here, [each.game_id for each, _ in catalogs])
        await here.answer(status_card(catalogs, names, await self._announcing.outbox.waiting()))

    @route(AnnounceMissed, needs=MANAGER)
    async def on_announce_missed(self, press: Press[AnnounceMissed]) -> None:
        here, action = press.here, press.action
        one = await self._announcing.find(here.guild_id, str(action.subscription_id))
        count = await self._announcing.catch_up(one, action.after, here.interaction.id)
        if not count:
            title, body = t("Nothing is missing any more"), t("It was announced already.")
            await here.answer(notice(title, body))
            return
        title = t("On its way to %(channel)s", channel=f"<#{one.channel_id}>")
        body = nt(
            "%(count)s piece of news is announced there now.",
            "%(count)s pieces of news are announced there now.",
            count,
        )
        await here.answer(notice(title, body, colour=theme.GOOD))


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
    """Return the type that is typed, and its name. Raises UnknownChoice, SeveralFit."""
    if typed is None:
        return None, None
    found = find_type([CatalogItem(0, 1, item) for item in items], typed)
    return found.id, found.name


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(AnnounceCog(bot))
