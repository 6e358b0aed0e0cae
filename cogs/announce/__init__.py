"""`/announce`: servers hear of what is new in the game's catalogs and threads."""

from typing import Any

from discord import Permissions, app_commands
from discord.ext import commands

from bot.features.names import Place
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui.actions import MOST_CHOICES, Action, ListEntry
from bot.ui.commands import ChannelOption, Choices, L, Option, choices, slash, suggest_names
from bot.ui.here import MANAGER, Here
from bot.ui.permissions import Judged, Use, usable
from bot.ui.router import route
from bot.ui.shared_actions import OpenCatalog, ShowAnnouncements
from cogs.announce import actions
from cogs.announce.history_cards import why_card
from cogs.announce.kinds import AnnouncementKind, PauseNotice, PostKind, PublishKind, TestKind
from cogs.announce.list_cards import catalogs_card
from cogs.announce.opened import AnnouncementHandlers
from storage.names import PlaceKind
from storage.subscriptions import News, NewSubscription


async def suggest_items(here: Here, typed: str) -> Choices:
    found = await here.features.announcing.suggest(here.guild_id, typed, MOST_CHOICES)
    return choices((each.name, str(each.id)) for each in found)


Channel = app_commands.Transform[int, ChannelOption]
OPTIONS = {
    "catalog": Option(
        L("catalog"), L("The catalog's name, or its number"), suggest_names(PlaceKind.CATALOG)
    ),
    "thread": Option(
        L("thread"), L("The thread's name, or its number"), suggest_names(PlaceKind.THREAD)
    ),
    "channel": Option(L("channel"), L("The channel, forum or thread to post them in")),
    "item": Option(L("item"), L("The item's name, or its number"), suggest_items),
}


@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.default_permissions(Permissions(manage_guild=True))
class AnnounceCog(
    commands.GroupCog,
    name=L("announce"),
    description=L("Announce what is new in the game's catalogs and threads"),
):
    def __init__(self, bot: Kiosk) -> None:
        self._announcing = bot.features.announcing
        self._opened = AnnouncementHandlers(bot)
        bot.router.add(self, self._opened)
        bot.dispatcher.add(
            AnnouncementKind(bot.features),
            PostKind(bot.features),
            TestKind(bot.features),
            PublishKind(),
            PauseNotice(bot),
        )
        bot.worker.add("polls", bot.features.poller.run)

    @slash(L("add"), L("Announce a catalog's news in a channel"), OPTIONS, acknowledges=False)
    async def add(self, here: Here, catalog: str) -> None:
        here.offer_candidates(
            lambda meant: ListEntry(meant.label, actions.ChooseCatalog(meant.game_id))
        )
        place = await here.find_by_name(PlaceKind.CATALOG, catalog)
        await self.on_open_form(here, actions.OpenAnnounceForm(place.game_id))

    @slash(L("thread"), L("Post a thread's new comments in a channel"), OPTIONS)
    async def thread(self, here: Here, thread: str, channel: Channel) -> None:
        await self._follow(here, thread, channel)

    @slash(L("list"), L("What this server announces, and whether all is well"))
    async def list(self, here: Here) -> None:
        await self._opened.on_list(here, ShowAnnouncements())

    @slash(L("why"), L("Why an item was announced, or wasn't"), OPTIONS)
    async def why(self, here: Here, item: str) -> None:
        here.offer_candidates(
            lambda seen: ListEntry(seen.name, actions.TellWhy(seen.id), f"#{seen.id}")
        )
        await self._tell_why(here, item)

    @route(actions.TellWhy, needs=MANAGER)
    async def on_tell_why(self, here: Here, action: actions.TellWhy) -> None:
        await self._tell_why(here, str(action.item_id))

    async def _tell_why(self, here: Here, item: str) -> None:
        histories = await self._announcing.why(here.guild_id, item)
        places = {
            each.catalog_id: await here.place(PlaceKind.CATALOG, each.catalog_id)
            for each in histories
        }
        await here.answer(why_card(histories, places))

    @route(actions.ChooseCatalog, needs=MANAGER)
    async def on_choose_catalog(self, here: Here, action: actions.ChooseCatalog) -> None:
        chosen = None
        if action.catalog_id:
            chosen = await here.place(PlaceKind.CATALOG, action.catalog_id)
        named = await here.names(PlaceKind.CATALOG)
        places = [Place(PlaceKind.CATALOG, each.game_id, each.name) for each in named]
        if chosen is not None and all(each.game_id != chosen.game_id for each in places):
            places.append(chosen)
        await here.answer(catalogs_card(places, chosen))

    @route(actions.OpenAnnounceForm, opens_form=True, needs=MANAGER)
    async def on_open_form(self, here: Here, action: OpenCatalog) -> None:
        catalog_id = action.catalog_id
        send = actions.SendAnnounce(catalog_id)
        await here.open_form(await self._opened.form(here, send, catalog_id, actions.Wish(0)))

    @route(actions.SendAnnounce, needs=MANAGER)
    async def on_announce(self, here: Here, action: OpenCatalog) -> None:
        again = actions.OpenAnnounceForm(action.catalog_id)
        here.again = again
        wish = actions.Wish.read(here)
        place = await here.place(PlaceKind.CATALOG, action.catalog_id)
        channel = await usable(
            here, wish.channel_id, Use.ANNOUNCE, again, role_id=wish.role_id, name=place.name
        )
        if channel is None:
            return
        # Whoever has no account is told before, not by silence after.
        await here.features.announcing.items(place.game_id, here.member_id, whole=False)
        filters = await self._opened.filters(here, place.game_id, wish)
        wanted = _subscription(
            here, place, channel, news=wish.news, role_id=wish.role_id, **filters
        )
        added = await self._announcing.add(wanted)
        await self._opened.show(here, added, t("Announced from now on."))

    @route(actions.OpenFollowForm, opens_form=True, needs=MANAGER)
    async def on_open_follow(self, here: Here, action: Action) -> None:
        form = actions.follow_form(await here.names(PlaceKind.THREAD))
        await here.open_form(form)

    @route(actions.SendFollow, needs=MANAGER)
    async def on_follow(self, here: Here, action: Action) -> None:
        here.again = actions.OpenFollowForm()
        channel_id = here.id_of(actions.CHANNEL) or 0
        await self._follow(here, here.text(actions.THREAD), channel_id)

    @route(actions.FollowThread, needs=MANAGER)
    async def on_follow_meant(self, here: Here, action: actions.FollowThread) -> None:
        await self._follow(here, str(action.thread_id), action.channel_id)

    async def _follow(self, here: Here, thread: str, channel_id: int) -> None:
        here.offer_candidates(
            lambda place: ListEntry(place.label, actions.FollowThread(place.game_id, channel_id))
        )
        place = await here.find_by_name(PlaceKind.THREAD, thread)
        again = actions.FollowThread(place.game_id, channel_id)
        channel = await usable(here, channel_id, Use.FOLLOW, again, name=place.name)
        if channel is None:
            return
        wanted = _subscription(here, place, channel, news=frozenset())
        followed = await self._announcing.follow(wanted)
        await self._opened.show(here, followed, t("Each new comment comes there, with Reply."))


def _subscription(
    here: Here, place: Place, channel: Judged, *, news: frozenset[News], **filters: Any
) -> NewSubscription:
    return NewSubscription(
        guild_id=here.guild_id,
        channel_id=channel.id,
        channel_kind=channel.kind,
        channel_name=channel.name,
        tag_id=channel.tag_id,
        kind=place.kind,
        place_id=place.game_id,
        news=news,
        locale=here.server_locale,
        created_by=here.member_id,
        **filters,
    )


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(AnnounceCog(bot))
