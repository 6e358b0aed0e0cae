"""`/announce`: servers get news about the game's catalogs and threads."""

from functools import partial

import discord
from discord.ext import commands

from bot.program.kiosk import Kiosk
from bot.ui import drawing, shared_actions, slash
from bot.ui.here import MANAGER, Here
from bot.ui.items import entry_name
from bot.ui.slash import L
from cogs.announce import (
    actions,
    adding,
    announcement,
    announcement_messages,
    history,
    listing,
    notify,
    posted,
    style,
)
from storage.names import PlaceKind


async def suggest_items(here: Here, typed: str) -> slash.Choices:
    items = await here.features.announcing.suggest(here.guild_id, typed, drawing.MAX_CHOICES)
    return slash.choices((entry_name(item.name), str(item.id)) for item in items)


Channel = discord.app_commands.Transform[int, slash.ChannelOption]
OPTIONS = {
    "catalog": slash.Option(
        L("catalog"), L("The catalog's name or number"), slash.suggest_names(PlaceKind.CATALOG)
    ),
    "thread": slash.Option(
        L("thread"), L("The thread's name or number"), slash.suggest_names(PlaceKind.THREAD)
    ),
    "channel": slash.Option(
        L("channel"), L("The channel, forum or thread to post the comments in")
    ),
    "item": slash.Option(L("item"), L("The item's name or number"), suggest_items),
}


@slash.for_staff(MANAGER)
class AnnounceCog(
    commands.GroupCog,
    name=L("announce"),
    description=L("Announce news from the game's catalogs and threads"),
):
    def __init__(self, bot: Kiosk) -> None:
        bot.router.add(adding, announcement, history, listing, notify, posted, style)
        bot.dispatcher.add(
            announcement_messages.AnnouncementKind(bot.features),
            announcement_messages.PostKind(bot.features),
            announcement_messages.NewestKind(bot.features),
            announcement_messages.PublishKind(),
            announcement_messages.StopNotice(bot),
            announcement_messages.GoneNotice(bot),
        )
        poller = bot.features.poller
        bot.worker.add("polls", poller.run, poller.is_idle)

    @slash.command(
        L("add"), L("Announce a catalog's news in a channel"), OPTIONS, acknowledges=False
    )
    async def add(self, here: Here, catalog: str) -> None:
        here.offer_candidates(
            lambda meant: drawing.Entry(meant.label, actions.ChooseCatalog(meant.game_id))
        )
        place = await here.find_by_name(PlaceKind.CATALOG, catalog)
        await adding.open_announce_form(here, shared_actions.AnnounceCatalog(place.game_id))

    @slash.command(L("thread"), L("Post a thread's new comments in a channel"), OPTIONS)
    async def thread(self, here: Here, thread: str, channel: Channel) -> None:
        await adding.follow(here, thread, channel)

    @slash.command(L("list"), L("List this server's announcements and check for problems"))
    async def list(self, here: Here) -> None:
        await listing.show(here, shared_actions.ShowAnnouncements())

    @slash.command(L("history"), L("Show what was announced, what wasn't, and why"), OPTIONS)
    async def history(self, here: Here, item: str | None = None) -> None:
        await history.show(here, item)


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(AnnounceCog(bot))
    bot.hooks.setup_sections.add(notify.section)
    bot.hooks.given_roles.add(partial(notify.given_roles, bot.features.announcing))
