"""`/announce`: servers hear of what is new in the game's catalogs and threads."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from discord import Permissions, app_commands
from discord.ext import commands

from bot.features.names import Place
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import shared_actions, theme
from bot.ui.actions import MOST_CHOICES, Action, ListEntry, action_button, action_list, step_buttons
from bot.ui.cards import BLUE, Card
from bot.ui.here import MANAGER, Here
from bot.ui.items import catalog_title
from bot.ui.markdown import fitting
from bot.ui.permissions import Judged, Looked, Use, channels_at_hand, gone_roles, role_words, usable
from bot.ui.problems import Problem, announcement_problems
from bot.ui.router import route
from bot.ui.shared_actions import OpenCatalog
from bot.ui.slash import ChannelOption, Choices, L, Option, choices, command, suggest_names
from cogs.announce import actions
from cogs.announce.announcement import (
    AnnouncementHandlers,
    Remove,
    Shown,
    shown_of,
    stopped_words,
    wanted_words,
)
from cogs.announce.history import HistoryHandlers
from cogs.announce.kinds import AnnouncementKind, PostKind, PublishKind, StopNotice, TestKind
from storage.names import PlaceKind
from storage.subscriptions import News, NewSubscription

PER_PAGE = 8
# Characters for the types of items, in an entry of the list.
_ROOM_FOR_TYPES = 100


async def suggest_items(here: Here, typed: str) -> Choices:
    items = await here.features.announcing.suggest(here.guild_id, typed, MOST_CHOICES)
    return choices((item.name, str(item.id)) for item in items)


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
        self._following = bot.features.announcing.following
        self._handlers = AnnouncementHandlers(bot)
        self._history = HistoryHandlers(bot)
        bot.router.add(self, self._handlers, self._history)
        bot.dispatcher.add(
            AnnouncementKind(bot.features),
            PostKind(bot.features),
            TestKind(bot.features),
            PublishKind(),
            StopNotice(bot),
        )
        bot.worker.add("polls", bot.features.poller.run)

    @command(L("add"), L("Announce a catalog's news in a channel"), OPTIONS, acknowledges=False)
    async def add(self, here: Here, catalog: str) -> None:
        here.offer_candidates(
            lambda meant: ListEntry(meant.label, actions.ChooseCatalog(meant.game_id))
        )
        place = await here.find_by_name(PlaceKind.CATALOG, catalog)
        await self.on_open_form(here, actions.OpenAnnounceForm(place.game_id))

    @command(L("thread"), L("Post a thread's new comments in a channel"), OPTIONS)
    async def thread(self, here: Here, thread: str, channel: Channel) -> None:
        await self._follow(here, thread, channel)

    @command(L("list"), L("What this server announces, and whether all is well"))
    async def list(self, here: Here) -> None:
        await self._show_list(here, shared_actions.ShowAnnouncements())

    @command(L("history"), L("What was announced or wasn't, and why"), OPTIONS)
    async def history(self, here: Here, item: str | None = None) -> None:
        await self._history.show(here, item)

    @route(Remove, needs=MANAGER)
    async def on_remove(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        number = action.subscription_id
        await self._following.remove(await self._announcing.find(here.guild_id, number))
        await self._show_list(here, shared_actions.ShowAnnouncements())

    @route(shared_actions.ShowAnnouncements, needs=MANAGER)
    async def _show_list(self, here: Here, action: shared_actions.ShowAnnouncements) -> None:
        page = max(0, action.page)
        all_of_them = await self._following.of_guild(here.guild_id)
        listed = all_of_them[page * PER_PAGE : (page + 1) * PER_PAGE]
        gone = await gone_roles(here, [subscription.role_id for subscription in listed])
        channel_ids = [subscription.channel_id or 0 for subscription in listed]
        channels = await channels_at_hand(here, channel_ids)
        shown = [await shown_of(here, subscription, all_of_them) for subscription in listed]
        await here.answer(list_card(shown, page, len(all_of_them), gone, channels))

    @route(actions.ChooseCatalog, needs=MANAGER)
    async def on_choose_catalog(self, here: Here, action: actions.ChooseCatalog) -> None:
        chosen = None
        if action.catalog_id:
            chosen = await here.place(PlaceKind.CATALOG, action.catalog_id)
        named = await here.names(PlaceKind.CATALOG)
        places = [Place(PlaceKind.CATALOG, name.game_id, name.name) for name in named]
        if chosen is not None and all(place.game_id != chosen.game_id for place in places):
            places.append(chosen)
        await here.answer(catalogs_card(places, chosen))

    @route(actions.OpenAnnounceForm, opens_form=True, needs=MANAGER)
    async def on_open_form(self, here: Here, action: OpenCatalog) -> None:
        catalog_id = action.catalog_id
        send = actions.SendAnnounce(catalog_id)
        fields = actions.AnnounceFields(channel_id=0)
        await here.open_form(await actions.form_for(here, send, catalog_id, fields))

    @route(actions.SendAnnounce, needs=MANAGER)
    async def on_announce(self, here: Here, action: OpenCatalog) -> None:
        again = actions.OpenAnnounceForm(action.catalog_id)
        here.again = again
        fields = actions.AnnounceFields.read(here)
        place = await here.place(PlaceKind.CATALOG, action.catalog_id)
        channel = await usable(
            here, fields.channel_id, Use.ANNOUNCE, again, role_id=fields.role_id, name=place.name
        )
        if channel is None:
            return
        # A member who has no account is told before, not by silence after.
        await here.features.announcing.items(place.game_id, here.member_id, whole=False)
        filters = await actions.filters_of(here, place.game_id, fields)
        wanted = _subscription(
            here, place, channel, news=fields.news, role_id=fields.role_id, **filters
        )
        added = await self._announcing.add(wanted)
        await self._handlers.show(here, added.id, t("Announced from now on."))

    @route(actions.OpenFollowForm, opens_form=True, needs=MANAGER)
    async def on_open_follow(self, here: Here, action: Action) -> None:
        form = actions.follow_form(await here.names(PlaceKind.THREAD))
        await here.open_form(form)

    @route(actions.SendFollow, needs=MANAGER)
    async def on_follow(self, here: Here, action: Action) -> None:
        here.again = actions.OpenFollowForm()
        channel_id = here.id_of(actions.CHANNEL_FIELD) or 0
        await self._follow(here, here.text(actions.THREAD_FIELD), channel_id)

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
        said = t("Each new comment comes there, with Reply.")
        await self._handlers.go_on(here, followed, changed=said)


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


def list_card(
    shown: Sequence[Shown],
    page: int,
    count: int,
    gone_roles: Collection[int],
    channels: Mapping[int, Looked],
) -> Card:
    """Show a page; `channels` are those of it, as far as Discord shows them."""
    problems = [
        next(announcement_problems([(entry.subscription, entry.title)], channels, gone_roles), None)
        for entry in shown
    ]
    card = Card(theme.PROBLEM if any(problems) else theme.SHOP)
    card.say("## " + t("Announcements"))
    for number, (entry, problem) in enumerate(zip(shown, problems, strict=True)):
        if number:
            card.gap()
        room = card.room // (len(shown) - number)
        lines = fitting(_entry(entry, problem, gone_roles), room)
        card.say("\n".join(lines), problem and problem.button())
    if not shown:
        card.say(t("Nothing is announced here yet."))
    else:
        entries = [
            ListEntry(
                f"{title} → #{subscription.channel_name or subscription.channel_id}",
                shared_actions.OpenAnnouncement(subscription.id),
            )
            for subscription, title, _ in shown
        ]
        card.choose(action_list(entries, placeholder=t("Open…")))
    start = action_button(actions.ChooseCatalog(), t("Announce a catalog"), style=BLUE, emoji="📣")
    buttons = [start, action_button(actions.OpenFollowForm(), t("Follow a thread"))]
    if page or count > PER_PAGE:
        before = shared_actions.ShowAnnouncements(page - 1) if page else None
        has_more = count > (page + 1) * PER_PAGE
        after = shared_actions.ShowAnnouncements(page + 1) if has_more else None
        buttons += step_buttons(before, after)
    card.buttons(*buttons)
    return card


def _entry(shown: Shown, problem: Problem | None, gone_roles: Collection[int]) -> list[str]:
    subscription = shown.subscription
    channel = f"<#{subscription.channel_id}>"
    head = t("**%(name)s** in %(channel)s", name=shown.title, channel=channel)
    lines = [f"⚠️ {head}", problem.why] if problem else [head]
    if subscription.stopped_at is not None:
        mark = "" if problem else "⏸️ "
        return [f"{mark}{lines[0]}", *lines[1:], stopped_words(shown)]
    words = wanted_words(subscription, _ROOM_FOR_TYPES)
    if subscription.role_id is not None:
        words += " · " + t("pings %(role)s", role=role_words(subscription.role_id, gone_roles))
    return [*lines, words]


def catalogs_card(places: Sequence[Place], chosen: Place | None) -> Card:
    """Let a catalog be chosen, then its form be opened: no list opens a form."""
    card = Card(theme.SHOP)
    card.say("## " + t("Announce a catalog"))
    if not places:
        card.say(t("This server has named no catalog. Use `/announce add` with a number."))
    else:
        entries = [
            ListEntry(
                catalog_title(place.game_id, place.name),
                actions.ChooseCatalog(place.game_id),
                is_chosen=chosen is not None and chosen.game_id == place.game_id,
            )
            for place in places
        ]
        card.choose(action_list(entries, placeholder=t("Choose a catalog…")))
    buttons = [action_button(shared_actions.ShowAnnouncements(), t("Back"))]
    if chosen is not None:
        form = actions.OpenAnnounceForm(chosen.game_id)
        label = t("Announce")
        buttons.insert(0, action_button(form, label, style=BLUE, emoji="📣"))
    card.buttons(*buttons)
    return card


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(AnnounceCog(bot))
