"""`/shop`: browse catalogs, look at items, buy, redeem and watch them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

from discord import app_commands
from discord.ext import commands
from discord.utils import format_dt
from msgspec.structs import replace

from bot.errors import AccountError, KioskError, OldButton, SeveralFit
from bot.features.errors import CatalogNeeded, ItemOrSearch, NothingToWait, NothingToWatch
from bot.features.following.rules import WATCHED
from bot.features.item_queries import ANYTHING, ref_of, type_named, types_in
from bot.features.matching import LABEL_SEPARATOR, NUMBER_SIGN, holding
from bot.features.names import STAND_IN, Place
from bot.features.reading.catalogs import CatalogItem, ItemSort
from bot.features.reading.paging import SCREEN_SIZE
from bot.features.reading.shop import LAST_PAGE, Address, Lists
from bot.game.errors import GameError
from bot.game.models import Item, ItemType
from bot.i18n import N_, speak, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import ListEntry, action_button, quoted
from bot.ui.cards import Card, notice
from bot.ui.here import Here
from bot.ui.items import (
    Titles,
    order_buttons,
    price_of,
    say_event,
    say_news,
    stop_list,
    titles_of,
    watch_words,
)
from bot.ui.messages.kinds import Drawn, Kind
from bot.ui.messages.verdicts import TryAgain
from bot.ui.router import route
from bot.ui.sent_cards import OpenCards
from bot.ui.shared_actions import (
    AskPurchase,
    AskRedemption,
    EndWatch,
    OfItem,
    OpenItem,
    ShowMyOrders,
    StopWatching,
    WatchItem,
)
from bot.ui.slash import (
    COMING,
    NO_CATALOG,
    NOT_LINKED,
    UNREACHABLE,
    Choices,
    Cost,
    L,
    Option,
    choices,
    command,
    suggest_names,
)
from cogs.shop import actions
from cogs.shop.actions import SHOWN, Show, ShowScreen
from cogs.shop.browsing import SHOW_WORDS, SORT_WORDS, BrowsingHandlers
from cogs.shop.ordering import OrderHandlers, OrderNews
from storage.messages import Message, MessageState, Priority
from storage.names import PlaceKind
from storage.subscriptions import WATCH_KIND, ItemQuery, NewSubscription, Notice, Watch
from storage.writes import WriteKind

# Characters of a part of a name.
_LONGEST_NAME = 100
_STAND_INS = {Lists.UNREACHABLE: UNREACHABLE, Lists.COMING: COMING}


async def suggest_items(here: Here, typed: str) -> Choices:
    items, stand_in = await _suggestions(here, typed)
    return choices(map(_entry, items) if items else stand_in)


async def suggest_items_to_buy(here: Here, typed: str) -> Choices:
    items, stand_in = await _suggestions(here, typed)
    to_buy = [_entry(entry) for entry in items if not entry.item.has_purchased]
    return choices(to_buy or stand_in)


async def suggest_types(here: Here, typed: str) -> Choices:
    items, stand_in = await _suggestions(here, "")
    types = types_in(entry.item for entry in items)
    fitting = holding(typed, types, lambda item_type: item_type.name)
    return choices([(item_type.name, str(item_type.id)) for item_type in fitting] or stand_in)


async def catalogs_meant(here: Here, catalog: str | None) -> list[int]:
    """Return the catalogs that may be meant, else all with a name. Raises UnknownName."""
    if catalog:
        try:
            return [(await here.find_by_name(PlaceKind.CATALOG, catalog)).game_id]
        except SeveralFit as error:
            return [place.game_id for place in error.candidates if isinstance(place, Place)]
    names = await here.names(PlaceKind.CATALOG)
    return list(dict.fromkeys(named.game_id for named in names))


async def _suggestions(
    here: Here, typed: str
) -> tuple[Sequence[CatalogItem], list[tuple[str, str]]]:
    """Return the items that fit, and the entry that says why where none does."""
    try:
        catalog_ids = await catalogs_meant(here, here.typed("catalog"))
        items, lists = await here.features.shop.suggest(here.member_id, typed, catalog_ids)
    except AccountError:
        return [], [(t(NOT_LINKED), STAND_IN)]
    except KioskError:
        return [], [(t(NO_CATALOG), STAND_IN)]
    why = _STAND_INS.get(lists)
    return items, [(t(why), STAND_IN)] if why else []


def _entry(entry: CatalogItem) -> tuple[str, str]:
    mark = " ✅" if entry.item.has_purchased else ""
    label = f"{entry.item.name}{LABEL_SEPARATOR}{price_of(entry.item, plain=True)}{mark}"
    return label, str(entry.item.id)


OPTIONS = {
    "item": Option(L("item"), L("The item's name, or its number"), suggest_items),
    "buyable": Option(L("item"), L("The item's name, or its number"), suggest_items_to_buy),
    "catalog": Option(L("catalog"), L("The catalog it is in"), suggest_names(PlaceKind.CATALOG)),
    "browsed": Option(
        L("catalog"), L("The catalog's name, or its number"), suggest_names(PlaceKind.CATALOG)
    ),
    "item_type": Option(L("type"), L("Only items of this type"), suggest_types),
    "max_cost": Option(L("max_cost"), L("Only items that cost at most this")),
    "show": Option(
        L("show"),
        L("Which items to show"),
        choices=[
            app_commands.Choice(name=L(words), value=show.value)
            for show, words in SHOW_WORDS.items()
        ],
    ),
    "sort": Option(
        L("sort"),
        L("In which order"),
        choices=[
            app_commands.Choice(name=L(words), value=sort.value)
            for sort, words in SORT_WORDS.items()
        ],
    ),
    "page": Option(L("page"), L("The card to start at, of five items each")),
    "name": Option(L("name"), L("Or: items whose name contains this")),
    "clearance": Option(L("clearance"), L("Only items on clearance")),
}


class ShopCog(commands.GroupCog, name=L("shop"), description=L("The game's shop")):
    def __init__(self, bot: Kiosk) -> None:
        open_cards = OpenCards()
        self._browsing = BrowsingHandlers(bot, open_cards)
        self._ordering = OrderHandlers(bot, open_cards, self._browsing)
        self._goals: Mapping[type[OfItem], Callable[[Here, CatalogItem], Awaitable[None]]] = {
            OpenItem: self._browsing.show_item,
            AskPurchase: partial(self._ordering.ask, kind=WriteKind.PURCHASE),
            AskRedemption: partial(self._ordering.ask, kind=WriteKind.REDEEM),
            WatchItem: self.watch_item,
        }
        bot.router.add(self, self._browsing, self._ordering)
        bot.dispatcher.add(OrderNews(bot, self._ordering), WatchNews(bot))

    @command(L("browse"), L("Browse a catalog's items"), OPTIONS)
    async def browse(
        self,
        here: Here,
        browsed: str | None = None,
        show: str = Show.ALL.value,
        item_type: str | None = None,
        max_cost: Cost | None = None,
        sort: str = ItemSort.CATALOG.value,
        page: app_commands.Range[int, 1, LAST_PAGE] = 1,
    ) -> None:
        query = replace(SHOWN[Show(show)], max_cost=max_cost)

        def address_in(place: Place, item_type: ItemType | None = None) -> Address:
            types = frozenset([f"{NUMBER_SIGN}{item_type.id}"] if item_type else [])
            offset = (page - 1) * SCREEN_SIZE
            return Address(place.game_id, 1, offset, replace(query, types=types), ItemSort(sort))

        placeholder = "" if browsed else t("Browse a catalog…")
        here.offer_candidates(
            lambda place: ListEntry(place.label, ShowScreen.at(address_in(place))), placeholder
        )
        place = await here.find_by_name(PlaceKind.CATALOG, browsed or "")
        address = address_in(place)
        if item_type is not None:
            here.offer_candidates(
                lambda meant: ListEntry(meant.name, ShowScreen.at(address_in(place, meant)))
            )
            items = await self._browsing.read(here, place.game_id)
            address = address_in(place, type_named(item_type, types_in(items)))
        await self._browsing.show_screen(here, address)

    @command(L("item"), L("Look at one item closely"), OPTIONS)
    async def item(self, here: Here, item: str, catalog: str | None = None) -> None:
        await self.find_item(here, OpenItem, item, catalog)

    @command(L("buy"), L("Buy an item"), OPTIONS)
    async def buy(self, here: Here, buyable: str, catalog: str | None = None) -> None:
        await self.find_item(here, AskPurchase, buyable, catalog)

    @command(L("redeem"), L("Redeem an item at your current park"), OPTIONS)
    async def redeem(self, here: Here, item: str, catalog: str | None = None) -> None:
        await self.find_item(here, AskRedemption, item, catalog)

    @command(L("orders"), L("What you bought and redeemed here"))
    async def orders(self, here: Here) -> None:
        await self._ordering.show_orders(here, ShowMyOrders())

    @command(L("watch"), L("Hear of an item, or of all that fit, by direct message"), OPTIONS)
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
            await self.find_item(here, WatchItem, item, catalog)
            return
        query = ItemQuery(
            name=name or "",
            types=frozenset([item_type] if item_type else []),
            max_cost=max_cost,
            is_clearance=clearance,
        )
        search = actions.WatchSearch.of(query)
        await self.watch_search(here, search, await catalogs_meant(here, catalog))

    async def watch_item(self, here: Here, entry: CatalogItem) -> None:
        item = entry.item
        way = actions.origin_of(here.interaction.message)
        if item.has_purchased:
            raise NothingToWait(name=item.name)
        await self._keep_watch(here, [entry.catalog_id], subject_id=item.id, subject_name=item.name)
        await self._browsing.show_item(here, entry, way and actions.list_behind(way))

    async def watch_search(
        self, here: Here, search: actions.WatchSearch, catalog_ids: Sequence[int]
    ) -> None:
        """Watch whatever fits a search, as one watch of all the catalogs."""
        query = search.query
        if query == ANYTHING:
            raise NothingToWatch
        if not catalog_ids:
            raise CatalogNeeded
        if len(catalog_ids) == 1:
            search = replace(search, catalog_id=catalog_ids[0])
        if search.has_room:
            here.again = search
            here.offer_candidates(
                lambda meant: ListEntry(meant.name, replace(search, item_type=str(meant.id)))
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
        watch, is_new = await self._keep_watch(here, catalog_ids, query=query)
        titles = await titles_of(here.features.directory, [watch])
        await here.answer(watched_card(watch, titles, is_new=is_new))

    async def _keep_watch(
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

    @route(WatchItem)
    async def on_watch(self, here: Here, action: WatchItem) -> None:
        entry = await here.features.shop.item(here.member_id, action.ref)
        await self.watch_item(here, entry)

    @route(StopWatching)
    async def on_stop_watching(self, here: Here, action: StopWatching) -> None:
        entry = await here.features.shop.item(here.member_id, action.ref)
        await here.features.announcing.end_watches_of(here.member_id, action.item_id)
        way = actions.origin_of(here.interaction.message)
        await self._browsing.show_item(here, entry, way and actions.list_behind(way))

    @route(actions.WatchCatalog)
    async def on_watch_catalog(self, here: Here, action: actions.WatchCatalog) -> None:
        await self._watch_all(here, [action.catalog_id], ANYTHING)

    @route(actions.WatchSearch)
    async def on_watch_search(self, here: Here, action: actions.WatchSearch) -> None:
        meant = [action.catalog_id] if action.catalog_id else await catalogs_meant(here, None)
        await self.watch_search(here, action, meant)

    async def find_item(
        self, here: Here, goal: type[OfItem], item: str, catalog: str | None
    ) -> None:
        """Do with an item what an action does; of several that fit, each is offered with it."""

        def entry_of(meant: Place | CatalogItem) -> ListEntry:
            if isinstance(meant, Place):
                return ListEntry(meant.label, ShowScreen.at(Address(meant.game_id)))
            return ListEntry(meant.item.name, goal(*meant.ref), price_of(meant.item, plain=True))

        here.offer_candidates(entry_of)
        catalog_ids = await catalogs_meant(here, catalog)
        if item != STAND_IN:
            catalog_id = catalog_ids[0] if len(catalog_ids) == 1 else actions.NO_CATALOG
            name = quoted(item, actions.LONGEST_NAME)
            here.again = actions.FindItem(goal.kind, catalog_id, name)
        elif len(catalog_ids) == 1:
            here.again = ShowScreen.at(Address(catalog_ids[0]))
        if goal in actions.ASK.values():
            await here.features.accounts.require(here.member_id)
        entry = await here.features.shop.find(here.member_id, item, catalog_ids)
        await self._goals[goal](here, entry)

    @route(actions.FindItem)
    async def _on_find(self, here: Here, action: actions.FindItem) -> None:
        goal = next((goal for goal in self._goals if goal.kind == action.goal), None)
        if goal is None:
            raise OldButton
        catalog = str(action.catalog_id) if action.catalog_id else None
        await self.find_item(here, goal, unquote(action.text), catalog)


def watched_card(watch: Watch, titles: Titles, *, is_new: bool) -> Card:
    what = watch_words(watch)
    where = titles[watch.first.id]
    button = action_button(EndWatch(watch.first.id), t("Stop watching"), emoji="🔕")
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
        opening = action_button(OpenItem(*ref), t("Open"))
        card.buttons(*order_buttons(ref)[:2], opening)
    if len(watches) == 1:
        end = EndWatch(watches[0].first.id)
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


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(ShopCog(bot))
