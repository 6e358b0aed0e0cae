"""`/shop watch`, and the message that tells of news."""

from collections.abc import Sequence
from typing import Any

from discord import app_commands
from discord.utils import format_dt
from msgspec.structs import replace

from bot.errors import KioskError
from bot.features.errors import CatalogNeeded, ItemOrSearch, NothingToWait, NothingToWatch
from bot.features.following.rules import WATCHED
from bot.features.items import ANYTHING, ref_of, type_named, types_in
from bot.features.reading.catalogs import CatalogItem
from bot.game.errors import GameError
from bot.game.models import Item
from bot.i18n import N_, speak, t
from bot.program.kiosk import Kiosk
from bot.ui import shared_actions, theme
from bot.ui.actions import ListEntry, action_button
from bot.ui.cards import Card, notice
from bot.ui.commands import Cost, L, slash
from bot.ui.here import Here
from bot.ui.items import (
    Titles,
    order_buttons,
    say_event,
    say_news,
    stop_list,
    titles_of,
    watch_words,
)
from bot.ui.messages.kinds import Drawn, Kind
from bot.ui.messages.verdicts import TryAgain
from bot.ui.router import route
from cogs.shop import actions
from cogs.shop.browsing import OPTIONS, BrowsingHandlers, ShopOptions, catalogs_meant
from storage.messages import Message, MessageState, Priority
from storage.subscriptions import WATCH_KIND, ItemQuery, NewSubscription, Notice, Watch

_LONGEST_NAME = 100


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
        query = ItemQuery(
            name=name or "",
            types=frozenset([item_type] if item_type else []),
            max_cost=max_cost,
            is_clearance=clearance,
        )
        wanted = actions.WatchSearch.of(query)
        catalog_ids = await catalogs_meant(here, catalog)
        await self.watch_search(here, wanted, catalog_ids)

    async def watch_item(self, here: Here, entry: CatalogItem) -> None:
        item = entry.item
        way = actions.origin_of(here.interaction.message)
        if item.has_purchased:
            raise NothingToWait(name=item.name)
        await self._keep(here, [entry.catalog_id], subject_id=item.id, subject_name=item.name)
        await self._browsing.show_item(here, entry, way and actions.list_behind(way))

    async def watch_search(
        self, here: Here, wanted: actions.WatchSearch, catalog_ids: Sequence[int]
    ) -> None:
        """Watch whatever fits a search, as one watch of all the catalogs."""
        query = wanted.query
        if query == ANYTHING:
            raise NothingToWatch
        if not catalog_ids:
            raise CatalogNeeded
        if len(catalog_ids) == 1:
            wanted = replace(wanted, catalog_id=catalog_ids[0])
        if wanted.has_room:
            here.again = wanted
            here.offer_candidates(
                lambda meant: ListEntry(meant.name, replace(wanted, item_type=str(meant.id)))
            )
        if query.types:
            await here.features.accounts.require(here.member_id, to_look=True)
            (typed,) = query.types
            meant = type_named(typed, types_in(await self._items_in(here, catalog_ids)))
            query = replace(query, types=frozenset([meant.name]))
        await self._watch_all(here, catalog_ids, query)

    async def _items_in(self, here: Here, catalog_ids: Sequence[int]) -> Sequence[Item]:
        items: list[Item] = []
        for catalog_id in catalog_ids:
            try:
                items += await self._browsing.read(here, catalog_id)
            except (GameError, KioskError):
                if len(catalog_ids) == 1:
                    raise
        return items

    async def _watch_all(self, here: Here, catalog_ids: Sequence[int], query: ItemQuery) -> None:
        watch, is_new = await self._keep(here, catalog_ids, query=query)
        titles = await titles_of(here.features.directory, [watch])
        await here.answer(watched_card(watch, titles, is_new=is_new))

    async def _keep(
        self, here: Here, catalog_ids: Sequence[int], **subject: Any
    ) -> tuple[Watch, bool]:
        parts = [
            NewSubscription(
                place_id=catalog_id,
                news=WATCHED,
                locale=here.locale,
                created_by=here.member_id,
                member_id=here.member_id,
                asked_in=here.server,
                **subject,
            )
            for catalog_id in catalog_ids
        ]
        return await here.features.announcing.watch(*parts)

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
        await self._watch_all(here, [action.catalog_id], ANYTHING)

    @route(actions.WatchSearch)
    async def on_watch_search(self, here: Here, action: actions.WatchSearch) -> None:
        meant = [action.catalog_id] if action.catalog_id else await catalogs_meant(here, None)
        await self.watch_search(here, action, meant)


def watched_card(watch: Watch, titles: Titles, *, is_new: bool) -> Card:
    what = watch_words(watch)
    where = titles[watch.first.id]
    button = action_button(shared_actions.EndWatch(watch.first.id), t("Stop watching"), emoji="🔕")
    if not is_new:
        title = t("You watch it already: %(what)s", what=what)
        return notice(title, where, colour=theme.GOOD, buttons=(button,))
    promise = N_(
        "Kiosk sends you a direct message when such an item appears in %(catalog)s, gets cheaper"
        " or goes on clearance."
    )
    if watch.first.query.is_clearance:
        promise = N_(
            "Kiosk sends you a direct message when such an item appears in %(catalog)s, or gets"
            " cheaper."
        )
    note = t("Not when you own it already. At most one message an hour.")
    title = t("You watch %(what)s", what=what)
    body = t(promise, catalog=where)
    return notice(title, body, colour=theme.GOOD, footer=note, buttons=(button,))


def news_card(notices: Sequence[Notice], titles: Titles) -> Card:
    card = Card(theme.SHOP)
    watches = list({watch.first.id: watch for watch, _ in notices}.values())
    if len(notices) > 1:
        card.say("## " + t("News of what you watch"))
        say_news(card, [event for _, event in notices])
    else:
        watch, event = notices[0]
        ref = ref_of(event)
        say_event(card, event, titles[watch.first.id])
        if watch.first.subject_id is None:
            card.say("-# " + t("You watch %(what)s.", what=watch_words(watch)))
        opening = action_button(shared_actions.OpenItem(*ref), t("Open"))
        card.buttons(*order_buttons(ref)[:2], opening)
    if len(watches) == 1:
        end = shared_actions.EndWatch(watches[0].first.id)
        card.buttons(action_button(end, t("Stop watching"), emoji="🔕"))
    else:
        card.choose(stop_list(watches, titles))
    return card


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
        speak(notices[-1][0].first.locale)
        watches = [watch for watch, _ in notices]
        card = news_card(notices, await titles_of(self._features.directory, watches))
        if message.state is not MessageState.OWED:
            when = format_dt(message.wanted_at, "R")
            told = t("This is from %(when)s: Kiosk's message may not have reached you.", when=when)
            card.say(f"-# {told}")
        return Drawn(card)
