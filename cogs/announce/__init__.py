"""`/announce`: servers hear of what is new in the game's catalogs and threads."""

from typing import Any

import discord
from discord.ext import commands

from bot.features import errors
from bot.features.names import Place
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import actions as ui_actions
from bot.ui import cards, error_cards, permissions, shared_actions, slash
from bot.ui.here import MANAGER, Here
from bot.ui.items import entry_name
from bot.ui.router import route, sent
from bot.ui.slash import L
from cogs.announce import (
    actions,
    adding,
    announcement,
    history,
    kinds,
    lines,
    listing,
    looks,
    notify,
    posted,
)
from storage import subscriptions
from storage.names import PlaceKind


async def suggest_items(here: Here, typed: str) -> slash.Choices:
    items = await here.features.announcing.suggest(here.guild_id, typed, cards.MOST_CHOICES)
    return slash.choices((entry_name(item.name), str(item.id)) for item in items)


Channel = discord.app_commands.Transform[int, slash.ChannelOption]
OPTIONS = {
    "catalog": slash.Option(
        L("catalog"), L("The catalog's name, or its number"), slash.suggest_names(PlaceKind.CATALOG)
    ),
    "thread": slash.Option(
        L("thread"), L("The thread's name, or its number"), slash.suggest_names(PlaceKind.THREAD)
    ),
    "channel": slash.Option(L("channel"), L("The channel, forum or thread to post them in")),
    "item": slash.Option(L("item"), L("The item's name, or its number"), suggest_items),
}


@slash.for_staff(MANAGER)
class AnnounceCog(
    commands.GroupCog,
    name=L("announce"),
    description=L("Announce what is new in the game's catalogs and threads"),
):
    def __init__(self, bot: Kiosk) -> None:
        self._announcing = bot.features.announcing
        self._following = bot.features.announcing.following
        bot.router.add(self, announcement, history, looks, notify, posted)
        bot.dispatcher.add(
            kinds.AnnouncementKind(bot.features),
            kinds.PostKind(bot.features),
            kinds.NewestKind(bot.features),
            kinds.PublishKind(),
            kinds.StopNotice(bot),
            kinds.GoneNotice(bot),
        )
        poller = bot.features.poller
        bot.worker.add("polls", poller.run, poller.is_idle)

    @slash.command(
        L("add"), L("Announce a catalog's news in a channel"), OPTIONS, acknowledges=False
    )
    async def add(self, here: Here, catalog: str) -> None:
        here.offer_candidates(
            lambda meant: cards.Entry(meant.label, actions.ChooseCatalog(meant.game_id))
        )
        place = await here.find_by_name(PlaceKind.CATALOG, catalog)
        await self.on_open_form(here, shared_actions.OpenAnnounceForm(place.game_id))

    @slash.command(L("thread"), L("Post a thread's new comments in a channel"), OPTIONS)
    async def thread(self, here: Here, thread: str, channel: Channel) -> None:
        await self._follow(here, thread, channel)

    @slash.command(L("list"), L("What this server announces, and whether all is well"))
    async def list(self, here: Here) -> None:
        await self._show_list(here, shared_actions.ShowAnnouncements())

    @slash.command(L("history"), L("What was announced or wasn't, and why"), OPTIONS)
    async def history(self, here: Here, item: str | None = None) -> None:
        await history.show(here, item)

    @route(announcement.Remove, needs=MANAGER)
    async def on_remove(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        number = action.subscription_id
        subscription = await self._announcing.find(here.guild_id, number)
        await self._following.remove(subscription, line_of=await lines.line_of(here))
        await here.features.panels.redraw(here.guild_id)
        await self._show_list(here, shared_actions.ShowAnnouncements())

    @route(shared_actions.ShowAnnouncements, needs=MANAGER)
    async def _show_list(self, here: Here, action: shared_actions.ShowAnnouncements) -> None:
        all_of_them = await self._following.of_guild(here.guild_id)
        # Some may have gone since the card was drawn.
        page = min(max(0, action.page), max(0, len(all_of_them) - 1) // listing.PER_PAGE)
        listed = all_of_them[page * listing.PER_PAGE : (page + 1) * listing.PER_PAGE]
        gone = await permissions.gone_roles(here, *(subscription.pinged for subscription in listed))
        await self._following.note_gone_roles(listed, gone)
        channel_ids = [subscription.channel_id or 0 for subscription in listed]
        channels = await permissions.channels_at_hand(here, channel_ids)
        shown = [
            await announcement.shown_of(here, subscription, all_of_them) for subscription in listed
        ]
        has_account = self._announcing.has_account
        card = listing.list_card(
            shown, page, len(all_of_them), gone, channels, has_account=has_account
        )
        if not has_account:
            error_cards.offer_report(here, card, errors.NoOwnAccount())
        await here.answer(card)

    @route(actions.ChooseCatalog, needs=MANAGER)
    async def on_choose_catalog(self, here: Here, action: actions.ChooseCatalog) -> None:
        chosen = None
        if action.catalog_id:
            chosen = await here.place(PlaceKind.CATALOG, action.catalog_id)
        named = await here.names(PlaceKind.CATALOG)
        places = [Place(PlaceKind.CATALOG, name.game_id, name.name) for name in named]
        if chosen is not None and all(place.game_id != chosen.game_id for place in places):
            places.append(chosen)
        await here.answer(adding.catalogs_card(places, chosen, here.features.contact.number_words))

    @route(shared_actions.OpenAnnounceForm, opens_form=True, needs=MANAGER)
    async def on_open_form(self, here: Here, action: shared_actions.OpenCatalog) -> None:
        if not self._announcing.has_account:
            raise errors.NoOwnAccount
        catalog_id = action.catalog_id
        send = actions.SendAnnounce(catalog_id)
        fields = actions.AnnounceFields(channel_id=0)
        await here.open_form(await actions.form_for(here, send, catalog_id, fields))

    @sent(actions.SendAnnounce, needs=MANAGER)
    async def on_announce(self, here: Here, action: shared_actions.OpenCatalog) -> None:
        again = shared_actions.OpenAnnounceForm(action.catalog_id)
        here.again = again
        fields = actions.AnnounceFields.read(here)
        place = await here.place(PlaceKind.CATALOG, action.catalog_id)
        channel = await permissions.usable(
            here,
            fields.channel_id,
            permissions.Use.ANNOUNCE,
            again,
            role_ids=fields.role_ids,
            name=place.name,
        )
        if channel is None:
            return
        # What Kiosk's own account isn't shown is told before, not by silence after.
        await self._announcing.items(place.game_id, whole=False)
        filters = await actions.filters_of(here, place.game_id, fields)
        wanted = _subscription(
            here, place, channel, news=fields.news, role_ids=fields.role_ids, **filters
        )
        added = await self._announcing.add(wanted, await lines.line_of(here))
        await announcement.show(here, added.id, t("Announced from now on."))

    @route(shared_actions.OpenFollowForm, opens_form=True, needs=MANAGER)
    async def on_open_follow(self, here: Here, action: shared_actions.OpenFollowForm) -> None:
        threads = await here.names(PlaceKind.THREAD)
        words = here.features.contact.number_words
        await here.open_form(actions.follow_form(threads, words, action.thread_id))

    @sent(actions.SendFollow, needs=MANAGER)
    async def on_follow(self, here: Here, action: ui_actions.Action) -> None:
        here.again = shared_actions.OpenFollowForm()
        channel_id = here.id_of(actions.CHANNEL_FIELD) or 0
        await self._follow(here, here.text(actions.THREAD_FIELD), channel_id)

    @route(actions.FollowThread, needs=MANAGER)
    async def on_follow_meant(self, here: Here, action: actions.FollowThread) -> None:
        await self._follow(here, str(action.thread_id), action.channel_id)

    async def _follow(self, here: Here, thread: str, channel_id: int) -> None:
        here.offer_candidates(
            lambda place: cards.Entry(place.label, actions.FollowThread(place.game_id, channel_id))
        )
        place = await here.find_by_name(PlaceKind.THREAD, thread)
        again = actions.FollowThread(place.game_id, channel_id)
        channel = await permissions.usable(
            here, channel_id, permissions.Use.FOLLOW, again, name=place.name
        )
        if channel is None:
            return
        wanted = _subscription(here, place, channel, news=frozenset())
        followed, is_new = await self._announcing.follow(wanted, await lines.line_of(here))
        said = t("Each new comment comes there, with Reply.")
        if not is_new:
            said = t("The thread is followed there already.")
        await announcement.go_on(here, followed, changed=said)


def _subscription(
    here: Here,
    place: Place,
    channel: permissions.Judged,
    *,
    news: frozenset[subscriptions.News],
    **filters: Any,
) -> subscriptions.NewSubscription:
    return subscriptions.NewSubscription(
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
