"""Walking through catalogs and looking at items."""

import asyncio
import secrets

from bot.domain.names import Kind
from bot.domain.orders import OrderKind
from bot.features.names import Place, read_id
from bot.features.shop.catalog_cache import Ending, Listing
from bot.features.shop.catalogs import Progress
from bot.features.shop.errors import UnknownType
from bot.features.shop.item_filter import CatalogItem, ItemFilter, types_of
from bot.features.shop.screens import Address, filtered_screen, page_screen
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer, publish
from bot.ui.cards import Card
from bot.ui.open_cards import OpenCards
from bot.ui.router import Press, route
from cogs.shop.actions import (
    Mode,
    OpenItem,
    PickItem,
    ShareItem,
    ShowScreen,
    StopReading,
    read_item_value,
)
from cogs.shop.views.gallery import gallery_card, not_reading_card, progress_card
from cogs.shop.views.item import item_card, shared_card

# How many pages are read before the progress is shown again: at least so many, and a share.
_FEWEST_PAGES = 4


class BrowsingHandlers:
    """Shows screens and items."""

    def __init__(self, bot: Kiosk, open_cards: OpenCards) -> None:
        self._shop = bot.features.shop
        self._orders = bot.features.orders
        self._directory = bot.features.directory
        self._open_cards = open_cards
        self._readings: dict[str, asyncio.Event] = {}

    async def show_screen(
        self, interaction: Interaction, address: Address, mode: Mode = Mode.SHOW
    ) -> None:
        """Show a screen, after reading the whole catalog where a filter is set."""
        if not address.item_filter.is_everything:
            await self.listing(interaction, address.catalog_id, mode)
        elif mode is Mode.REFRESH:
            await self._shop.catalogs.page(
                interaction.user.id, address.catalog_id, address.page, fresh=True
            )
        card, items = await self._screen(interaction, address)
        await answer(interaction, card)

        async def redraw() -> Card:
            return (await self._screen(interaction, address))[0]

        self._open_cards.note(interaction, [item.item.id for item in items], redraw)

    async def show_item(self, interaction: Interaction, entry: CatalogItem, back: Address) -> None:
        """Show an item's card."""
        await answer(interaction, await self._item_card(interaction, entry, back))

        async def redraw() -> Card:
            seen = await self._shop.catalogs.find_again(interaction.user.id, entry.ref)
            return await self._item_card(interaction, seen, back)

        self._open_cards.note(interaction, [entry.item.id], redraw)

    async def listing(
        self, interaction: Interaction, catalog_id: int, mode: Mode = Mode.SHOW
    ) -> Listing:
        """Return all items of a catalog, as read minutes ago or now, with progress shown."""
        member_id = interaction.user.id
        kept = await self._shop.catalogs.listing(member_id, catalog_id)
        if kept is not None and mode is Mode.SHOW:
            return kept
        catalog = await self._catalog(interaction, catalog_id)
        reading, stop, shown = secrets.token_hex(8), asyncio.Event(), 0
        self._readings[reading] = stop

        async def report(progress: Progress) -> None:
            nonlocal shown
            if shown == 0 or progress.read >= shown + max(_FEWEST_PAGES, shown // 4):
                shown = progress.read
                await answer(interaction, progress_card(catalog, progress, reading))

        try:
            return await self._shop.catalogs.read(
                member_id, catalog_id, report=report, stop=stop, fresh=mode is Mode.REFRESH
            )
        finally:
            del self._readings[reading]

    async def type_named(self, interaction: Interaction, catalog_id: int, text: str) -> int:
        """Return the id of the type that is typed, by name or number. Raises UnknownType."""
        listing = await self.listing(interaction, catalog_id)
        types = types_of(listing.items)
        for item_type in types:
            if item_type.id == read_id(text):
                return item_type.id
        key = " ".join(text.casefold().split())
        for starts in (str.__eq__, str.startswith):
            for item_type in types:
                if starts(item_type.name.casefold(), key):
                    return item_type.id
        raise UnknownType(name=text, known=", ".join(each.name for each in types) or "-")

    @route(ShowScreen)
    async def on_screen(self, press: Press[ShowScreen]) -> None:
        """Walk on."""
        await self.show_screen(press.interaction, press.action.address, press.action.mode)

    @route(PickItem)
    async def on_pick(self, press: Press[PickItem]) -> None:
        """Open what was chosen from a list."""
        ref = read_item_value(press.action.catalog_id, press.values[0])
        entry = await self._shop.catalogs.find_again(press.member_id, ref)
        await self.show_item(press.interaction, entry, press.action.address)

    @route(OpenItem)
    async def on_open(self, press: Press[OpenItem]) -> None:
        """Open an item."""
        entry = await self._shop.catalogs.find_again(press.member_id, press.action.ref)
        back = Address(entry.catalog_id, entry.page)
        await self.show_item(press.interaction, entry, back)

    @route(ShareItem)
    async def on_share(self, press: Press[ShareItem]) -> None:
        """Post an item in the channel."""
        interaction = press.interaction
        entry = await self._shop.catalogs.find_again(press.member_id, press.action.ref)
        catalog = await self._catalog(interaction, entry.catalog_id)
        await publish(interaction, shared_card(entry, catalog, interaction.user.mention))

    @route(StopReading)
    async def on_stop(self, press: Press[StopReading]) -> None:
        """Stop reading; the command that reads shows what it has."""
        stop = self._readings.get(press.action.reading)
        if stop is None:
            await answer(press.interaction, not_reading_card())
        else:
            stop.set()

    async def _catalog(self, interaction: Interaction, catalog_id: int) -> Place:
        return await self._directory.place(interaction.guild_id, Kind.CATALOG, catalog_id)

    async def _screen(
        self, interaction: Interaction, address: Address
    ) -> tuple[Card, list[CatalogItem]]:
        member_id = interaction.user.id
        catalogs = self._shop.catalogs
        catalog = await self._catalog(interaction, address.catalog_id)
        if address.item_filter.is_everything:
            screen = await page_screen(catalogs, member_id, address)
            return gallery_card(catalog, screen, None), list(screen.items)
        listing = await catalogs.listing(member_id, address.catalog_id)
        listing = listing or Listing((), 0, Ending.FAILED)
        screen = filtered_screen(listing, address)
        card = gallery_card(catalog, screen, _type_name(listing, address.item_filter))
        return card, list(screen.items)

    async def _item_card(self, interaction: Interaction, entry: CatalogItem, back: Address) -> Card:
        catalog = await self._catalog(interaction, entry.catalog_id)
        orders = {
            kind: await self._orders.find_latest(interaction.user.id, entry.item.id, kind)
            for kind in OrderKind
        }
        return item_card(entry, catalog, back, orders)


def _type_name(listing: Listing, item_filter: ItemFilter) -> str | None:
    for item_type in types_of(listing.items):
        if item_type.id == item_filter.type_id:
            return item_type.name
    return None if item_filter.type_id is None else f"#{item_filter.type_id}"
