"""`/shop watch` and `/shop watches`, and the message that tells of news."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from discord import app_commands
from discord.utils import format_dt
from msgspec.structs import replace

from bot.features.errors import CatalogNeeded, ItemOrSearch, NothingToWait, NothingToWatch
from bot.features.following.rules import WATCHED
from bot.features.names import Directory
from bot.features.reading.catalogs import CatalogItem, find_type
from bot.i18n import N_, listed, number, speak, t
from bot.program.kiosk import Kiosk
from bot.ui import shared_actions, theme
from bot.ui.actions import Action, ListEntry, action_button, action_list
from bot.ui.cards import BLUE, Card, Select, notice
from bot.ui.commands import Cost, L, slash
from bot.ui.here import Here
from bot.ui.items import catalog_title, name_of, order_buttons, say_event, say_news, word
from bot.ui.messages.kinds import Drawn, Kind
from bot.ui.messages.verdicts import TryAgain
from bot.ui.router import route
from bot.ui.text import one_line, unescape
from cogs.shop import actions
from cogs.shop.browsing import OPTIONS, BrowsingHandlers, ShopOptions, catalogs_meant
from storage.messages import Message, MessageState, Priority
from storage.names import PlaceKind
from storage.subscriptions import WATCH_KIND, NewSubscription, Notice, Subscription

_LONGEST_NAME = 100
_LONGEST_LABEL = 80

# Of the catalogs of watches, by the watches' ids.
Titles = Mapping[int, str]


class WatchCommands(ShopOptions):
    _browsing: BrowsingHandlers

    @slash(L("watch"), L("Hear of an item, or of all that fit, by direct message"), OPTIONS)
    async def watch(
        self,
        here: Here,
        item: str | None = None,
        name: app_commands.Range[str, 1, _LONGEST_NAME] | None = None,
        item_type: str | None = None,
        max_cost: Cost | None = None,
        clearance: bool = False,
        catalog: str | None = None,
    ) -> None:
        if item is not None:
            if name or item_type or max_cost is not None or clearance:
                raise ItemOrSearch
            await self.find(here, shared_actions.WatchItem, item, catalog)
            return
        wanted = actions.WatchSearch.of(
            max_cost, item_type or "", name or "", is_clearance=clearance
        )
        catalog_ids = await catalogs_meant(here, catalog)
        await self.watch_search(here, wanted, catalog_ids)

    @slash(L("watches"), L("What you watch"))
    async def watches(self, here: Here) -> None:
        await self._list(here)

    async def _list(self, here: Here, changed: str = "") -> None:
        watches = await here.features.announcing.following.of_member(here.member_id)
        titles = await titles_of(here.features.directory, watches)
        await here.answer(watches_card(watches, titles, changed))

    async def watch_item(self, here: Here, entry: CatalogItem) -> None:
        item, way = entry.item, actions.origin_of(here.interaction.message)
        if item.has_purchased:
            raise NothingToWait(name=item.name)
        await self._keep(here, [entry.catalog_id], item_id=item.id, name=item.name)
        await self._browsing.show_item(here, entry, way and actions.list_behind(way))

    async def watch_search(
        self, here: Here, wanted: actions.WatchSearch, catalog_ids: Sequence[int]
    ) -> None:
        """Watch whatever fits a search; a type is one of a single catalog, which is asked for."""
        if wanted.is_anything:
            raise NothingToWatch
        if not catalog_ids or (len(catalog_ids) > 1 and wanted.item_type):
            places = [await here.place(PlaceKind.CATALOG, each) for each in catalog_ids]
            if wanted.fits:
                here.offer_candidates(
                    lambda place: ListEntry(place.label, replace(wanted, catalog_id=place.game_id)),
                    t("Watch in…"),
                )
            raise CatalogNeeded(candidates=places)
        if len(catalog_ids) == 1:
            wanted = replace(wanted, catalog_id=catalog_ids[0])
        if wanted.fits:
            here.again = wanted
            here.offer_candidates(
                lambda meant: ListEntry(meant.name, replace(wanted, item_type=str(meant.id)))
            )
        found = None
        if wanted.item_type:
            listing = await self._browsing.listing(here, wanted.catalog_id)
            found = find_type(listing.items, unquote(wanted.item_type))
        wish: dict[str, Any] = {
            "name": unquote(wanted.name),
            "types": frozenset([found.name] if found else []),
            "max_cost": None if wanted.max_cost == actions.NO_COST else wanted.max_cost,
            "is_clearance": wanted.is_clearance,
        }
        await self._watch_all(here, catalog_ids, **wish)

    async def _watch_all(self, here: Here, catalog_ids: Sequence[int], **wish: Any) -> None:
        watches, is_new = await self._keep(here, catalog_ids, **wish)
        titles = await titles_of(here.features.directory, watches)
        await here.answer(watched_card(watches, titles, is_new=is_new))

    async def _keep(
        self, here: Here, catalog_ids: Sequence[int], **wish: Any
    ) -> tuple[Sequence[Subscription], bool]:
        new = [
            NewSubscription(
                game_id=catalog_id,
                news=WATCHED,
                locale=here.locale,
                created_by=here.member_id,
                member_id=here.member_id,
                named_in=here.server,
                **wish,
            )
            for catalog_id in catalog_ids
        ]
        return await here.features.announcing.watch(*new)

    @route(shared_actions.ShowWatches)
    async def on_watches(self, here: Here, action: Action) -> None:
        await self._list(here)

    @route(shared_actions.WatchItem)
    async def on_watch(self, here: Here, action: shared_actions.OfItem) -> None:
        entry = await here.features.shop.item(here.member_id, action.ref)
        await self.watch_item(here, entry)

    @route(shared_actions.StopWatching)
    async def on_stop_watching(self, here: Here, action: shared_actions.OfItem) -> None:
        ref = action.ref
        entry = await here.features.shop.item(here.member_id, ref)
        await here.features.announcing.end_watches_of(here.member_id, ref.item_id)
        way = actions.origin_of(here.interaction.message)
        await self._browsing.show_item(here, entry, way and actions.list_behind(way))

    @route(actions.WatchCatalog)
    async def on_watch_catalog(self, here: Here, action: shared_actions.OpenCatalog) -> None:
        await self._watch_all(here, [action.catalog_id])

    @route(actions.WatchSearch)
    async def on_watch_search(self, here: Here, action: actions.WatchSearch) -> None:
        meant = [action.catalog_id] if action.catalog_id else await catalogs_meant(here, None)
        await self.watch_search(here, action, meant)

    @route(actions.EndWatch)
    async def on_end(self, here: Here, action: actions.EndWatch) -> None:
        ended = await here.features.announcing.end_watch(here.member_id, action.watch_id)
        changed = t("You no longer watch %(what)s.", what=f"**{watch_words(ended)}**")
        await self._list(here, changed)


async def titles_of(directory: Directory, watches: Sequence[Subscription]) -> Titles:
    titles: dict[int, str] = {}
    for watch in watches:
        # In a direct message, names are those of the servers that the member has used.
        member_id = watch.member_id if watch.named_in is None else None
        place = await directory.place(
            watch.named_in, PlaceKind.CATALOG, watch.game_id, member_id=member_id
        )
        titles[watch.id] = catalog_title(watch.game_id, place.name)
    return titles


def watch_words(watch: NewSubscription, *, plain: bool = False) -> str:
    """Return what is watched, as harmless markdown or `plain`, where Discord formats nothing."""
    name = one_line(watch.name, _LONGEST_LABEL, plain=True) if plain else name_of(watch.name)
    if watch.item_id is not None:
        return name
    parts = [t("“%(name)s”", name=name)] if watch.name else []
    for kind in sorted(watch.types):
        named = one_line(kind, _LONGEST_LABEL, plain=True) if plain else word(kind)
        parts.append(named if parts else t("all of the type %(type)s", type=named))
    if watch.max_cost is not None:
        most = N_("up to %(cost)s") if parts else N_("all that costs up to %(cost)s")
        parts.append(t(most, cost=number(watch.max_cost)))
    if watch.is_clearance:
        parts.append(t("on clearance") if parts else t("all that is on clearance"))
    return " · ".join(parts) or t("all that comes")


def watches_card(watches: Sequence[Subscription], titles: Titles, changed: str) -> Card:
    card = Card(theme.SHOP)
    lines = [f"- **{watch_words(watch)}** · {titles[watch.id]}" for watch in watches]
    if not watches:
        lines = [t("Nothing yet. Press Watch on an item, or use `/shop watch`.")]
    card.say("\n".join(filter(None, ["## " + t("What you watch"), changed, *lines])))
    if watches:
        card.choose(_endings(watches, titles))
    else:
        card.buttons(shared_actions.places_button(t("Choose a catalog"), style=BLUE))
    return card


def watched_card(watches: Sequence[Subscription], titles: Titles, *, is_new: bool) -> Card:
    what, where = watch_words(watches[0]), listed(list(dict.fromkeys(titles.values())))
    button = shared_actions.watches_button()
    if len(watches) == 1:
        button = action_button(actions.EndWatch(watches[0].id), t("Stop watching"), emoji="🔕")
    if not is_new:
        title = t("You watch it already: %(what)s", what=what)
        return notice(title, where, colour=theme.GOOD, buttons=(button,))
    promise = N_(
        "Kiosk sends you a direct message when such an item appears in %(catalog)s, gets cheaper"
        " or goes on clearance."
    )
    if watches[0].is_clearance:
        promise = N_(
            "Kiosk sends you a direct message when such an item appears in %(catalog)s, or gets"
            " cheaper."
        )
    note = t("Not when you own it already. At most one message an hour.")
    title, body = t("You watch %(what)s", what=what), t(promise, catalog=where)
    return notice(title, body, colour=theme.GOOD, footer=note, buttons=(button,))


def news_card(notices: Sequence[Notice], titles: Titles) -> Card:
    card = Card(theme.SHOP)
    if len(notices) > 1:
        card.say("## " + t("News of what you watch"))
        say_news(card, [event for _, event in notices])
    else:
        watch, event = notices[0]
        say_event(card, event, titles[watch.id])
        if watch.item_id is None:
            card.say("-# " + t("You watch %(what)s.", what=watch_words(watch)))
        opening = action_button(shared_actions.OpenItem(*event.ref), t("Open"))
        card.buttons(*order_buttons(event.ref)[:2], opening)
    watches = list({watch.id: watch for watch, _ in notices}.values())
    if len(watches) == 1:
        card.buttons(action_button(actions.EndWatch(watches[0].id), t("Stop watching"), emoji="🔕"))
    else:
        card.choose(_endings(watches, titles))
    return card


def _endings(watches: Sequence[Subscription], titles: Titles) -> Select:
    entries = [
        ListEntry(
            watch_words(watch, plain=True),
            actions.EndWatch(watch.id),
            unescape(titles[watch.id]),
            emoji="🔕",
        )
        for watch in watches
    ]
    return action_list(entries, placeholder=t("Stop watching…"), name="watches")


class WatchNews(Kind):
    name = WATCH_KIND
    priority = Priority.WATCH

    def __init__(self, bot: Kiosk) -> None:
        self._features = bot.features

    async def draw(self, message: Message) -> Drawn | None:
        """Return all that waits for the member, None where it is told already or owned."""
        notices, pause = await self._features.announcing.to_tell(message)
        if pause is not None:
            raise TryAgain("one went within the hour", pause)
        if not notices:
            return None
        speak(notices[-1][0].locale)
        watches = [watch for watch, _ in notices]
        card = news_card(notices, await titles_of(self._features.directory, watches))
        if message.state is not MessageState.OWED:
            when = format_dt(message.wanted_at, "R")
            told = t("This is from %(when)s: Kiosk's message may not have reached you.", when=when)
            card.say(f"-# {told}")
        return Drawn(card)
