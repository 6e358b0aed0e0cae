"""`/shop`: browse catalogs, look at items, buy, redeem and watch them."""

from collections import abc
from typing import Any
from urllib.parse import unquote

from discord import app_commands
from discord.ext import commands
from msgspec import Struct
from msgspec.structs import replace

from bot import errors
from bot.features import errors as feature_errors
from bot.features import item_queries, matching
from bot.features import names as features_names
from bot.features.following.rules import WATCHED
from bot.features.reading import catalogs, shop
from bot.game import models
from bot.game.errors import GameError
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import actions as ui_actions
from bot.ui import cards, shared_actions, slash, theme, watches
from bot.ui import items as ui_items
from bot.ui.here import Here
from bot.ui.router import route
from bot.ui.slash import L
from cogs.shop import actions, browsing, ordering, screen_cards
from storage import messages, subscriptions
from storage.names import ItemRef, PlaceKind

# Characters of a part of a name.
_LONGEST_NAME = 100
_STAND_INS = {shop.Lists.UNREACHABLE: slash.UNREACHABLE, shop.Lists.COMING: slash.COMING}


async def suggest_items(here: Here, typed: str) -> slash.Choices:
    items, stand_in = await _suggestions(here, typed)
    return slash.choices(map(_entry, items) if items else stand_in)


async def suggest_items_to_buy(here: Here, typed: str) -> slash.Choices:
    items, stand_in = await _suggestions(here, typed)
    to_buy = [_entry(entry) for entry in items if not entry.item.has_purchased]
    return slash.choices(to_buy or stand_in)


async def suggest_types(here: Here, typed: str) -> slash.Choices:
    items, stand_in = await _suggestions(here, "")
    types = item_queries.types_in(entry.item for entry in items)
    fitting = matching.holding(typed, types, lambda item_type: item_type.name)
    return slash.choices([(item_type.name, str(item_type.id)) for item_type in fitting] or stand_in)


async def catalogs_meant(here: Here, catalog: str | None) -> list[int]:
    """Return the catalogs that may be meant, else all with a name, else those read lately.

    Raises UnknownName, NothingNamed, NoNamesKnown.
    """
    if catalog:
        try:
            return [(await here.find_by_name(PlaceKind.CATALOG, catalog)).game_id]
        except (errors.SeveralFit, errors.ChoiceNeeded) as error:
            return [
                place.game_id
                for place in error.candidates
                if isinstance(place, features_names.Place)
            ]
    names = await here.names(PlaceKind.CATALOG)
    meant = [named.game_id for named in names] or here.features.shop.catalogs.recent(here.member_id)
    if not meant:
        raise errors.NothingNamed if here.server else errors.NoNamesKnown
    return list(dict.fromkeys(meant))


async def _suggestions(
    here: Here, typed: str
) -> tuple[abc.Sequence[catalogs.CatalogItem], list[tuple[str, str]]]:
    """Return the items that fit, and the entry that says why where none does."""
    try:
        catalog_ids = await catalogs_meant(here, here.typed("catalog"))
        items, lists = await here.features.shop.suggest(here.member_id, typed, catalog_ids)
    except errors.AccountError:
        return [], [(t(slash.NOT_LINKED), features_names.STAND_IN)]
    except (errors.NothingNamed, errors.NoNamesKnown) as error:
        return [], [(t(error.title), features_names.STAND_IN)]
    except errors.KioskError:
        return [], [(t(slash.NO_CATALOG), features_names.STAND_IN)]
    why = _STAND_INS.get(lists)
    return items, [(t(why), features_names.STAND_IN)] if why else []


def _entry(entry: catalogs.CatalogItem) -> tuple[str, str]:
    mark = " ✅" if entry.item.has_purchased else ""
    price = ui_items.price_of(entry.item, plain=True)
    label = f"{ui_items.entry_name(entry.item.name)}{matching.LABEL_SEPARATOR}{price}{mark}"
    return label, str(entry.item.id)


OPTIONS = {
    "item": slash.Option(L("item"), L("The item's name, or its number"), suggest_items),
    "buyable": slash.Option(L("item"), L("The item's name, or its number"), suggest_items_to_buy),
    "catalog": slash.Option(
        L("catalog"), L("The catalog it is in"), slash.suggest_names(PlaceKind.CATALOG)
    ),
    "browsed": slash.Option(
        L("catalog"), L("The catalog's name, or its number"), slash.suggest_names(PlaceKind.CATALOG)
    ),
    "item_type": slash.Option(L("type"), L("Only items of this type"), suggest_types),
    "max_cost": slash.Option(L("max_cost"), L("Only items that cost at most this")),
    "show": slash.Option(
        L("show"),
        L("Which items to show"),
        choices=[
            app_commands.Choice(name=L(words), value=show.value)
            for show, words in screen_cards.SHOW_WORDS.items()
        ],
    ),
    "sort": slash.Option(
        L("sort"),
        L("In which order"),
        choices=[
            app_commands.Choice(name=L(words), value=sort.value)
            for sort, words in screen_cards.SORT_WORDS.items()
        ],
    ),
    "page": slash.Option(L("page"), L("The page to start at, of eight items each")),
    "name": slash.Option(L("name"), L("Or: items whose name contains this")),
    "clearance": slash.Option(L("clearance"), L("Only items on clearance")),
}


class ShopCog(commands.GroupCog, name=L("shop"), description=L("The game's shop")):
    def __init__(self, bot: Kiosk) -> None:
        self._router = bot.router
        bot.router.add(self, browsing, ordering)
        bot.dispatcher.add(ordering.OrderNews(bot))
        bot.member_news.sections[PlaceKind.CATALOG] = ShopSection(bot.features.directory)

    @slash.command(L("browse"), L("Browse a catalog's items"), OPTIONS)
    async def browse(
        self,
        here: Here,
        browsed: str | None = None,
        show: str = actions.Show.ALL.value,
        item_type: str | None = None,
        max_cost: slash.Cost | None = None,
        sort: str = catalogs.ItemSort.CATALOG.value,
        page: app_commands.Range[int, 1, shop.LAST_PAGE] = 1,
    ) -> None:
        query = replace(actions.SHOWN[actions.Show(show)], max_cost=max_cost)

        def address_in(
            place: features_names.Place, item_type: models.ItemType | None = None
        ) -> shop.Address:
            types = frozenset([f"{matching.NUMBER_SIGN}{item_type.id}"] if item_type else [])
            address = shop.Address(
                place.game_id, query=replace(query, types=types), sort=catalogs.ItemSort(sort)
            )
            return here.features.shop.at_number(address, page)

        placeholder = "" if browsed else t("Browse a catalog…")
        here.offer_candidates(
            lambda place: cards.Entry(place.label, actions.ShowScreen.at(address_in(place))),
            placeholder,
        )
        place = await here.find_by_name(PlaceKind.CATALOG, browsed or "")
        address = address_in(place)
        if item_type is not None:
            here.offer_candidates(
                lambda meant: cards.Entry(
                    meant.name, actions.ShowScreen.at(address_in(place, meant))
                )
            )
            items = await browsing.read(here, place.game_id)
            address = address_in(
                place, item_queries.type_named(item_type, item_queries.types_in(items))
            )
        await browsing.show_screen(here, address, asked=page)

    @slash.command(L("item"), L("Look at one item closely"), OPTIONS)
    async def item(self, here: Here, item: str, catalog: str | None = None) -> None:
        await self.find_item(here, shared_actions.OpenItem, item, catalog)

    @slash.command(L("buy"), L("Buy an item"), OPTIONS)
    async def buy(self, here: Here, buyable: str, catalog: str | None = None) -> None:
        await self.find_item(here, shared_actions.AskPurchase, buyable, catalog)

    @slash.command(L("redeem"), L("Redeem an item at your current park"), OPTIONS)
    async def redeem(self, here: Here, item: str, catalog: str | None = None) -> None:
        await self.find_item(here, shared_actions.AskRedemption, item, catalog)

    @slash.command(L("orders"), L("What you bought and redeemed here"))
    async def orders(self, here: Here) -> None:
        await ordering.show_orders(here, actions.ShowOrders(0))

    @slash.command(L("watch"), L("Hear of an item, or of all that fit, by direct message"), OPTIONS)
    async def watch(
        self,
        here: Here,
        item: str | None = None,
        name: app_commands.Range[str, 1, _LONGEST_NAME] | None = None,
        item_type: str | None = None,
        max_cost: slash.Cost | None = None,
        clearance: bool = False,
        catalog: str | None = None,
    ) -> None:
        if item is not None:
            if name or item_type or max_cost is not None or clearance:
                raise feature_errors.ItemOrSearch
            await self.find_item(here, shared_actions.WatchItem, item, catalog)
            return
        query = subscriptions.ItemQuery(
            name=name or "",
            types=frozenset([item_type] if item_type else []),
            max_cost=max_cost,
            is_clearance=clearance,
        )
        search = actions.WatchSearch.of(query)
        await self.watch_search(here, search, await catalogs_meant(here, catalog))

    async def watch_search(
        self, here: Here, search: actions.WatchSearch, catalog_ids: abc.Sequence[int]
    ) -> None:
        """Watch whatever fits a search, as one watch of all the catalogs."""
        query = search.query
        if query == item_queries.ANYTHING:
            raise feature_errors.NothingToWatch
        if len(catalog_ids) == 1:
            search = replace(search, catalog_id=catalog_ids[0])
        if search.has_room:
            here.again = search
            here.offer_candidates(
                lambda meant: cards.Entry(meant.name, replace(search, item_type=str(meant.id)))
            )
        if query.types:
            await here.features.accounts.require(here.member_id, to_look=True)
            (typed,) = query.types
            meant = item_queries.type_named(
                typed, item_queries.types_in(await self._items_in(here, catalog_ids))
            )
            query = replace(query, types=frozenset([meant.name]))
        await self._watch_all(here, catalog_ids, query)

    async def _items_in(
        self, here: Here, catalog_ids: abc.Sequence[int]
    ) -> abc.Sequence[models.Item]:
        items: list[models.Item] = []
        for catalog_id in catalog_ids:
            try:
                items += await browsing.read(here, catalog_id)
            except (GameError, errors.KioskError):
                if len(catalog_ids) == 1:
                    raise
        return items

    async def _watch_all(
        self, here: Here, catalog_ids: abc.Sequence[int], query: subscriptions.ItemQuery
    ) -> None:
        watch, is_new = await self._keep_watch(here, catalog_ids, query=query)
        titles = await watches.titles_of(here.features.directory, [watch])
        way = actions.origin_of(here.interaction.message)
        back = [cards.button(way, t("Back"))] if way else []
        await here.answer(watched_card(watch, titles, *back, is_new=is_new))

    async def _keep_watch(
        self, here: Here, catalog_ids: abc.Sequence[int], ref: ItemRef | None = None, **subject: Any
    ) -> tuple[subscriptions.Watch, bool]:
        parts = [
            subscriptions.NewSubscription(
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
        return await here.features.announcing.watch(*parts, ref=ref)

    @route(shared_actions.WatchItem)
    async def on_watch(self, here: Here, action: shared_actions.WatchItem) -> None:
        entry = await here.features.shop.item(here.member_id, action.ref)
        item = entry.item
        way = actions.origin_of(here.interaction.message)
        if item.has_purchased:
            raise feature_errors.NothingToWait(name=item.name)
        await self._keep_watch(
            here, [entry.catalog_id], entry.ref, subject_id=item.id, subject_name=item.name
        )
        await browsing.show_item(here, entry, way and actions.list_behind(way))

    @route(shared_actions.StopWatching)
    async def on_stop_watching(self, here: Here, action: shared_actions.StopWatching) -> None:
        await here.features.announcing.end_watches_of(
            here.member_id, PlaceKind.CATALOG, action.item_id
        )
        try:
            entry = await here.features.shop.item(here.member_id, action.ref)
        except (errors.KioskError, GameError):
            # It has ended, whether the item can be shown or not.
            ended = t("🔕 You no longer watch it.")
            await here.answer(cards.notice(ended, buttons=(shared_actions.watches_button(),)))
            return
        way = actions.origin_of(here.interaction.message)
        await browsing.show_item(here, entry, way and actions.list_behind(way))

    @route(actions.WatchCatalog)
    async def on_watch_catalog(self, here: Here, action: actions.WatchCatalog) -> None:
        await self._watch_all(here, [action.catalog_id], item_queries.ANYTHING)

    @route(actions.WatchFilter)
    async def on_watch_filter(self, here: Here, action: actions.WatchFilter) -> None:
        # What the member owns is no news of a watch anyway.
        query = replace(action.address.query, is_owned=None)
        if query.types or query.currency:
            query = item_queries.named(query, await self._items_in(here, [action.catalog_id]))
        await self._watch_all(here, [action.catalog_id], query)

    @route(actions.WatchSearch)
    async def on_watch_search(self, here: Here, action: actions.WatchSearch) -> None:
        meant = [action.catalog_id] if action.catalog_id else await catalogs_meant(here, None)
        await self.watch_search(here, action, meant)

    async def find_item(
        self, here: Here, goal: type[shared_actions.OfItem], item: str, catalog: str | None
    ) -> None:
        """Do with an item what an action does; of several that fit, each is offered with it."""

        def entry_of(meant: features_names.Place | catalogs.CatalogItem) -> cards.Entry:
            if isinstance(meant, features_names.Place):
                return cards.Entry(meant.label, actions.ShowScreen.at(shop.Address(meant.game_id)))
            return cards.Entry(
                ui_items.entry_name(meant.item.name),
                goal(*meant.ref),
                ui_items.price_of(meant.item, plain=True),
            )

        here.offer_candidates(entry_of)
        catalog_ids = await catalogs_meant(here, catalog)
        if item != features_names.STAND_IN:
            catalog_id = catalog_ids[0] if len(catalog_ids) == 1 else actions.NO_CATALOG
            name = ui_actions.quoted(item, actions.LONGEST_NAME)
            here.again = actions.FindItem(goal.kind, catalog_id, name)
        elif len(catalog_ids) == 1:
            here.again = actions.ShowScreen.at(shop.Address(catalog_ids[0]))
        if goal in actions.ASK.values():
            await here.features.accounts.require(here.member_id)
        entry = await here.features.shop.find(here.member_id, item, catalog_ids)
        await self._router.press(here, goal(*entry.ref).custom_id())

    @route(actions.FindItem)
    async def _on_find(self, here: Here, action: actions.FindItem) -> None:
        goal = next((deed for deed in ui_items.DEEDS if deed.kind == action.goal), None)
        if goal is None:
            raise errors.OldButton
        catalog = str(action.catalog_id) if action.catalog_id else None
        await self.find_item(here, goal, unquote(action.text), catalog)


def watched_card(
    watch: subscriptions.Watch, titles: watches.Titles, *back: cards.Button, is_new: bool
) -> cards.Card:
    what = watches.watch_words(watch)
    where = titles[watch.first.id]
    button = cards.button(
        shared_actions.AskEndWatch(watch.first.id), t("Stop watching…"), emoji="🔕"
    )
    if not is_new:
        title = t("You watch it already: %(what)s", what=what)
        return cards.notice(title, where, colour=theme.GOOD, buttons=(button, *back))
    if watch.first.query.is_clearance:
        body = t(
            "Kiosk sends you a direct message when such an item appears in %(catalog)s, or gets"
            " cheaper.",
            catalog=where,
        )
    else:
        body = t(
            "Kiosk sends you a direct message when such an item appears in %(catalog)s, gets"
            " cheaper or goes on clearance.",
            catalog=where,
        )
    note = t("Not when you own it already. At most one message an hour.")
    title = t("You watch %(what)s", what=what)
    return cards.notice(title, body, colour=theme.GOOD, footer=note, buttons=(button, *back))


class ToldItem(Struct, frozen=True):
    """News of an item that a member is told, and the title of its catalog."""

    event: subscriptions.Event
    catalog: str


class ShopSection:
    """The section of a member's news about items."""

    colour = theme.SHOP

    def __init__(self, directory: features_names.Directory) -> None:
        self._directory = directory

    async def prepare(
        self, message: messages.Message, notices: abc.Sequence[subscriptions.Notice]
    ) -> abc.Sequence[tuple[subscriptions.Watch, ToldItem]]:
        return [
            (watch, ToldItem(event, await watches.title_of(self._directory, watch.part_of(event))))
            for watch, event in notices
        ]

    def say(
        self,
        card: cards.Card,
        told: abc.Sequence[tuple[subscriptions.Watch, ToldItem]],
        *,
        ends: cards.Button | None,
        is_short: bool,
    ) -> None:
        if ends is None:
            ui_items.say_news(card, [item.event for _, item in told], in_lines=is_short)
            return
        ((watch, item),) = told
        ref = item_queries.ref_of(item.event)
        ui_items.say_event(card, item.event, item.catalog)
        if watch.first.subject_id is None:
            card.say("-# " + t("You watch %(what)s.", what=watches.watch_words(watch)))
        opening = cards.button(shared_actions.OpenItem(*ref), t("Open"))
        card.buttons(*ui_items.order_buttons(ref)[:2], opening, ends)


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(ShopCog(bot))
