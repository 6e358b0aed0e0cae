"""`/shop`: browse catalogs, look at items, buy and redeem them."""

from collections.abc import Callable
from typing import Any, TypeVar

from discord import app_commands
from discord.ext import commands
from msgspec.structs import replace

from bot.features.names import Place
from bot.features.shop import LAST_PAGE, Address
from bot.features.shop.item_filter import ItemFilter, ItemSort, Show, find_type
from bot.game.models import ItemType
from bot.kiosk import Kiosk
from bot.ui.actions import ListEntry
from bot.ui.answers import Interaction, acknowledge
from bot.ui.commands import L
from bot.ui.next_steps import offer_candidates
from bot.ui.sent_cards import OpenCards
from bot.ui.shared_actions import AskPurchase, AskRedemption, OpenItem
from cogs.shop.actions import ShowScreen
from cogs.shop.autocomplete import Autocomplete, Choices
from cogs.shop.handlers.browsing import BrowsingHandlers
from cogs.shop.handlers.finding import FindingHandlers, place_entry
from cogs.shop.handlers.ordering import OrderHandlers
from cogs.shop.handlers.watching import WatchHandlers
from cogs.shop.news import OrderNews
from cogs.shop.notifier import Notifier
from cogs.shop.watch_commands import HIGHEST_COST, WatchCommands
from cogs.shop.watch_news import WatchNews

Command = TypeVar("Command", bound=Callable[..., Any])

# Of the worker's term; with the usual one, shorter than any time after which an order is looked at.
_BETWEEN_LOOKS = 0.5
_SHOW_CHOICES = [
    app_commands.Choice(name=L("all"), value=Show.ALL.value),
    app_commands.Choice(name=L("not owned"), value=Show.NOT_OWNED.value),
    app_commands.Choice(name=L("clearance"), value=Show.CLEARANCE.value),
    app_commands.Choice(name=L("members"), value=Show.MEMBERS.value),
]
_SORT_CHOICES = [
    app_commands.Choice(name=L("catalog order"), value=ItemSort.CATALOG.value),
    app_commands.Choice(name=L("by cost"), value=ItemSort.COST.value),
    app_commands.Choice(name=L("by name"), value=ItemSort.NAME.value),
]


def _takes_item(command: Command) -> Command:
    """Name and describe the options of a command for one item."""
    names = app_commands.rename(item=L("item"), catalog=L("catalog"))
    words = app_commands.describe(
        item=L("The item's name, or its number"), catalog=L("The catalog it is in")
    )
    return names(words(command))


class ShopCog(WatchCommands, commands.GroupCog, name=L("shop"), description=L("The game's shop")):
    """Browsing, buying and redeeming."""

    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._shop = bot.features.shop
        self._orders = bot.features.orders
        self._directory = bot.features.directory
        open_cards = OpenCards(bot.tasks)
        self._notifier = Notifier(bot, open_cards)
        self._browsing = BrowsingHandlers(bot, open_cards)
        self._ordering = OrderHandlers(bot, open_cards, self._notifier, self._browsing)
        bot.tellers.append(self._notifier.show_inbox)
        self._autocomplete = Autocomplete(bot)
        self._watching = bot.features.watching
        self._watch_handlers = WatchHandlers(bot)
        self._finding = FindingHandlers(
            bot, self._autocomplete, self._browsing, self._ordering, self._watch_handlers
        )
        bot.router.add(self._browsing, self._ordering, self._watch_handlers, self._finding)

    async def cog_load(self) -> None:
        """Look after orders that an earlier run left behind."""
        await self._orders.ledger.bring_back(self._orders.clock())
        self._bot.dispatcher.add(OrderNews(self._bot), WatchNews(self._bot))
        worker = self._bot.worker
        self._looks = worker.add_looks(
            "orders", self._notifier.look_after_orders, worker.term * _BETWEEN_LOOKS
        )

    async def cog_unload(self) -> None:
        """Stop looking after orders."""
        self._looks.cancel()

    @app_commands.command(name=L("browse"), description=L("Browse a catalog's items"))
    @app_commands.rename(
        catalog=L("catalog"),
        show=L("show"),
        item_type=L("type"),
        max_cost=L("max_cost"),
        sort=L("sort"),
        page=L("page"),
    )
    @app_commands.describe(
        catalog=L("The catalog's name, or its number"),
        show=L("Which items to show"),
        item_type=L("Only items of this type"),
        max_cost=L("Only items that cost at most this"),
        sort=L("In which order"),
        page=L("The catalog's page to start at"),
    )
    @app_commands.choices(show=_SHOW_CHOICES, sort=_SORT_CHOICES)
    async def browse(
        self,
        interaction: Interaction,
        catalog: str,
        show: str = Show.ALL.value,
        item_type: str | None = None,
        max_cost: app_commands.Range[int, 0, HIGHEST_COST] | None = None,
        sort: str = ItemSort.CATALOG.value,
        page: app_commands.Range[int, 1, LAST_PAGE] = 1,
    ) -> None:
        """Show the gallery."""
        acknowledge(interaction)
        picked = ItemFilter(Show(show), None, max_cost, ItemSort(sort))

        def address_in(place: Place, item_type: ItemType | None = None) -> Address:
            type_id = None if item_type is None else item_type.id
            return Address(place.game_id, page, item_filter=replace(picked, type_id=type_id))

        offer_candidates(interaction, lambda place: place_entry(place, address_in(place)))
        place = await self._autocomplete.catalog_meant(interaction, catalog)
        address = address_in(place)
        if item_type is not None:
            offer_candidates(
                interaction,
                lambda each: ListEntry(each.name, ShowScreen.at(address_in(place, each))),
            )
            listing = await self._browsing.listing(interaction, place.game_id)
            address = address_in(place, find_type(listing.items, item_type))
        await self._browsing.show_screen(interaction, address)

    @app_commands.command(name=L("item"), description=L("Look at one item closely"))
    @_takes_item
    async def item(self, interaction: Interaction, item: str, catalog: str | None = None) -> None:
        """Show an item's card."""
        acknowledge(interaction)
        await self._finding.find(interaction, OpenItem, item, catalog)

    @app_commands.command(name=L("buy"), description=L("Buy an item"))
    @_takes_item
    async def buy(self, interaction: Interaction, item: str, catalog: str | None = None) -> None:
        """Ask for a confirmation."""
        acknowledge(interaction)
        await self._finding.find(interaction, AskPurchase, item, catalog)

    @app_commands.command(name=L("redeem"), description=L("Redeem an item at your current park"))
    @_takes_item
    async def redeem(self, interaction: Interaction, item: str, catalog: str | None = None) -> None:
        """Ask for a confirmation."""
        acknowledge(interaction)
        await self._finding.find(interaction, AskRedemption, item, catalog)

    @app_commands.command(name=L("orders"), description=L("What you bought and redeemed here"))
    async def orders(self, interaction: Interaction) -> None:
        """List the member's orders."""
        acknowledge(interaction)
        await self._ordering.show_orders(interaction, 0)

    @browse.autocomplete("catalog")
    @item.autocomplete("catalog")
    @buy.autocomplete("catalog")
    @redeem.autocomplete("catalog")
    async def suggest_catalogs(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named catalogs."""
        return await self._autocomplete.catalogs(interaction, typed)

    @browse.autocomplete("item_type")
    async def suggest_types(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the types that are known of the chosen catalog."""
        return await self._autocomplete.types(interaction, typed)

    @item.autocomplete("item")
    @redeem.autocomplete("item")
    async def suggest_items(self, interaction: Interaction, typed: str) -> Choices:
        """Offer items."""
        return await self._autocomplete.items(interaction, typed)

    @buy.autocomplete("item")
    async def suggest_items_to_buy(self, interaction: Interaction, typed: str) -> Choices:
        """Offer items that can still be bought."""
        return await self._autocomplete.items(interaction, typed, owned=False)
