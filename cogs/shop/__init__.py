"""`/shop`: browse catalogs, and open, buy, redeem and watch items."""

from collections import abc

from discord import app_commands
from discord.ext import commands
from msgspec import Struct
from msgspec.structs import replace

from bot.features import feature_errors, item_queries, matching
from bot.features.directory import Directory, Place
from bot.features.reading import catalogs, shop
from bot.game import models
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import drawing, shared_actions, slash, theme, watches
from bot.ui.here import Here
from bot.ui.items import order_buttons, say_event, say_news
from bot.ui.slash import L
from cogs.shop import actions, browsing, item_search, item_watches, ordering, screen_cards
from storage import messages, subscriptions
from storage.member_watches import Notice, Watch
from storage.names import PlaceKind

# The longest part of a name, in characters.
_MAX_NAME_LENGTH = 100

OPTIONS = {
    "item": slash.Option(L("item"), L("The item's name or number"), item_search.suggest_items),
    "buyable": slash.Option(
        L("item"), L("The item's name or number"), item_search.suggest_items_to_buy
    ),
    "catalog": slash.Option(
        L("catalog"), L("The catalog to search"), slash.suggest_names(PlaceKind.CATALOG)
    ),
    "browsed": slash.Option(
        L("catalog"), L("The catalog's name or number"), slash.suggest_names(PlaceKind.CATALOG)
    ),
    "item_type": slash.Option(L("type"), L("Only items of this type"), item_search.suggest_types),
    "max_cost": slash.Option(L("max_cost"), L("Only items up to this price")),
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
        L("How to sort the items"),
        choices=[
            app_commands.Choice(name=L(words), value=sort.value)
            for sort, words in screen_cards.SORT_WORDS.items()
        ],
    ),
    "page": slash.Option(L("page"), L("The page to open (eight items per page)")),
    "name": slash.Option(L("name"), L("Only items whose name contains this")),
    "clearance": slash.Option(L("clearance"), L("Only items on clearance")),
}


class ShopCog(
    commands.GroupCog, name=L("shop"), description=L("Browse the game's shop, buy and redeem items")
):
    def __init__(self, bot: Kiosk) -> None:
        bot.router.add(browsing, ordering, item_search, item_watches)
        bot.dispatcher.add(ordering.OrderNews(bot))
        bot.member_news.sections[PlaceKind.CATALOG] = ShopSection(bot.features.directory)

    @slash.command(L("browse"), L("Browse a catalog's items"), OPTIONS)
    async def browse(
        self,
        here: Here,
        browsed: str | None = None,
        show: str = actions.ItemFilter.ALL.value,
        item_type: str | None = None,
        max_cost: slash.Cost | None = None,
        sort: str = catalogs.ItemSort.CATALOG.value,
        page: app_commands.Range[int, 1, shop.LAST_PAGE] = 1,
    ) -> None:
        query = replace(actions.SHOWN[actions.ItemFilter(show)], max_cost=max_cost)

        def address_in(place: Place, item_type: models.ItemType | None = None) -> shop.Address:
            types = frozenset([f"{matching.NUMBER_SIGN}{item_type.id}"] if item_type else [])
            address = shop.Address(
                place.game_id, query=replace(query, types=types), sort=catalogs.ItemSort(sort)
            )
            return here.features.shop.at_number(address, page)

        placeholder = "" if browsed else t("Browse a catalog…")
        here.offer_candidates(
            lambda place: drawing.Entry(place.label, actions.ShowItems.at(address_in(place))),
            placeholder,
        )
        place = await here.find_by_name(PlaceKind.CATALOG, browsed or "")
        address = address_in(place)
        if item_type is not None:
            here.offer_candidates(
                lambda meant: drawing.Entry(
                    meant.name, actions.ShowItems.at(address_in(place, meant))
                )
            )
            items = await browsing.read(here, place.game_id)
            address = address_in(
                place, item_queries.type_named(item_type, item_queries.types_in(items))
            )
        await browsing.show_screen(here, address, asked=page)

    @slash.command(L("item"), L("Show an item's details"), OPTIONS)
    async def item(self, here: Here, item: str, catalog: str | None = None) -> None:
        await item_search.find_item(here, shared_actions.OpenItem, item, catalog)

    @slash.command(L("buy"), L("Buy an item"), OPTIONS)
    async def buy(self, here: Here, buyable: str, catalog: str | None = None) -> None:
        await item_search.find_item(here, shared_actions.AskPurchase, buyable, catalog)

    @slash.command(L("redeem"), L("Redeem an item at your current park"), OPTIONS)
    async def redeem(self, here: Here, item: str, catalog: str | None = None) -> None:
        await item_search.find_item(here, shared_actions.AskRedemption, item, catalog)

    @slash.command(L("orders"), L("Show your orders"))
    async def orders(self, here: Here) -> None:
        await ordering.show_orders(here, actions.ShowOrders(0))

    @slash.command(
        L("watch"), L("Get a DM about one item, or about every item that matches"), OPTIONS
    )
    async def watch(
        self,
        here: Here,
        item: str | None = None,
        name: app_commands.Range[str, 1, _MAX_NAME_LENGTH] | None = None,
        item_type: str | None = None,
        max_cost: slash.Cost | None = None,
        clearance: bool = False,
        catalog: str | None = None,
    ) -> None:
        if item is not None:
            if name or item_type or max_cost is not None or clearance:
                raise feature_errors.ItemOrSearch
            await item_search.find_item(here, shared_actions.WatchItem, item, catalog)
            return
        query = subscriptions.ItemQuery(
            name=name or "",
            types=frozenset([item_type] if item_type else []),
            max_cost=max_cost,
            is_clearance=clearance,
        )
        search = actions.WatchSearch.of(query)
        await item_watches.watch_search(
            here, search, await item_search.catalogs_meant(here, catalog)
        )


class ToldItem(Struct, frozen=True):
    """A member's news about an item, and the title of its catalog."""

    event: subscriptions.Event
    catalog: str


class ShopSection:
    """The section of a member's news about items."""

    colour = theme.SHOP

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def ways(self, *, has_account: bool) -> abc.Sequence[str]:
        if not has_account:
            return []
        return [
            t("An item: press **Watch** on its card."),
            t("Every item that matches: use `/shop watch`."),
        ]

    async def prepare(
        self, message: messages.Message, notices: abc.Sequence[Notice]
    ) -> abc.Sequence[tuple[Watch, ToldItem]]:
        return [
            (watch, ToldItem(event, await watches.title_of(self._directory, watch.part_of(event))))
            for watch, event in notices
        ]

    def say(
        self,
        card: drawing.Card,
        told: abc.Sequence[tuple[Watch, ToldItem]],
        *,
        ends: drawing.Button | None,
        is_short: bool,
    ) -> None:
        if ends is None:
            say_news(card, [item.event for _, item in told], in_lines=is_short)
            return
        ((watch, item),) = told
        ref = item_queries.ref_of(item.event)
        say_event(card, item.event, item.catalog)
        if watch.first.subject_id is None:
            card.say("-# " + t("You're watching %(what)s.", what=watches.watch_words(watch)))
        opening = drawing.button(shared_actions.OpenItem(ref), t("Open"))
        card.buttons(*order_buttons(ref)[:2], opening, ends)


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(ShopCog(bot))
