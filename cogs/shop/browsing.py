"""Walking through catalogs and looking at items: what commands and presses lead to."""

import asyncio
import secrets

from bot.app import Kiosk
from bot.features.checkout import OrderKind
from bot.features.names import LARGEST_ID, Kind, read_id
from bot.features.shop.catalog_cache import Ending, Listing
from bot.features.shop.catalogs import Progress
from bot.features.shop.errors import UnknownType
from bot.features.shop.item_filter import CatalogItem, ItemFilter, types_of
from bot.features.shop.screens import Address, page_screen, selection_screen
from bot.ui.actions import Given, Interaction
from bot.ui.cards import Card
from bot.ui.open_cards import OpenCards
from bot.ui.respond import respond, show, think, turn
from cogs.shop.actions import (
    Mode,
    OpenItem,
    PickItem,
    ShareItem,
    ShowScreen,
    StopReading,
    read_item_value,
)
from cogs.shop.gallery import gallery_card, not_reading_card, progress_card
from cogs.shop.item_card import item_card, shared_card

# How many pages are read before the progress is shown again: at least so many, and a share.
_FEWEST_PAGES = 4


class Browsing:
    """Shows screens and items."""

    def __init__(self, bot: Kiosk, open_cards: OpenCards) -> None:
        self._shop = bot.features.shop
        self._checkout = bot.features.checkout
        self._directory = bot.features.directory
        self._open_cards = open_cards
        self._readings: dict[str, asyncio.Event] = {}
        bot.router.handle(ShowScreen, self.on_screen)
        bot.router.handle(PickItem, self.on_pick)
        bot.router.handle(OpenItem, self.on_open)
        bot.router.handle(ShareItem, self.on_share)
        bot.router.handle(StopReading, self.on_stop)

    async def show_screen(
        self, interaction: Interaction, address: Address, mode: Mode = Mode.SHOW
    ) -> None:
        """Show a screen, after reading the whole catalog where a selection is wanted."""
        if not address.selection.is_everything:
            await self.listing(interaction, address.catalog_id, mode)
        elif mode is Mode.REFRESH:
            await self._shop.catalogs.page(
                interaction.user.id, address.catalog_id, address.page, fresh=True
            )
        card, items = await self._screen(interaction, address)
        await show(interaction, card)

        async def redraw() -> Card:
            return (await self._screen(interaction, address))[0]

        self._open_cards.note(interaction, [item.item.id for item in items], redraw)

    async def show_item(
        self, interaction: Interaction, shelved: CatalogItem, back: Address
    ) -> None:
        """Show an item's card."""
        await show(interaction, await self._item_card(interaction, shelved, back))

        async def redraw() -> Card:
            seen = await self._shop.catalogs.find_again(interaction.user.id, shelved.place)
            return await self._item_card(interaction, seen, back)

        self._open_cards.note(interaction, [shelved.item.id], redraw)

    async def listing(
        self, interaction: Interaction, catalog_id: int, mode: Mode = Mode.SHOW
    ) -> Listing:
        """Give all items of a catalog, as read minutes ago or now, with progress shown."""
        member_id = interaction.user.id
        kept = await self._shop.catalogs.listing(member_id, catalog_id)
        if kept is not None and mode is Mode.SHOW:
            return kept
        catalog = await self._directory.place(interaction.guild_id, Kind.CATALOG, catalog_id)
        reading, stop, shown = secrets.token_hex(8), asyncio.Event(), 0
        self._readings[reading] = stop

        async def report(progress: Progress) -> None:
            nonlocal shown
            if shown == 0 or progress.read >= shown + max(_FEWEST_PAGES, shown // 4):
                shown = progress.read
                await show(interaction, progress_card(catalog, progress, reading))

        try:
            return await self._shop.catalogs.read(
                member_id, catalog_id, report=report, stop=stop, fresh=mode is Mode.REFRESH
            )
        finally:
            del self._readings[reading]

    async def type_named(self, interaction: Interaction, catalog_id: int, text: str) -> int:
        """Give the id of the type that is typed, by name or number. Raises UnknownType."""
        listing = await self.listing(interaction, catalog_id)
        types = [each for each in types_of(listing.items) if each.id <= LARGEST_ID]
        for item_type in types:
            if item_type.id == read_id(text):
                return item_type.id
        key = " ".join(text.casefold().split())
        for starts in (str.__eq__, str.startswith):
            for item_type in types:
                if starts(item_type.name.casefold(), key):
                    return item_type.id
        raise UnknownType(name=text, known=", ".join(each.name for each in types) or "-")

    async def on_screen(self, interaction: Interaction, action: ShowScreen, _given: Given) -> None:
        """Walk on."""
        await turn(interaction)
        await self.show_screen(interaction, action.address, action.mode)

    async def on_pick(self, interaction: Interaction, action: PickItem, given: Given) -> None:
        """Open what was chosen from a list."""
        await turn(interaction)
        place = read_item_value(action.catalog_id, given.values[0])
        shelved = await self._shop.catalogs.find_again(interaction.user.id, place)
        await self.show_item(interaction, shelved, action.address)

    async def on_open(self, interaction: Interaction, action: OpenItem, _given: Given) -> None:
        """Open an item."""
        await turn(interaction)
        shelved = await self._shop.catalogs.find_again(interaction.user.id, action.place)
        await self.show_item(interaction, shelved, Address(shelved.catalog_id, shelved.page))

    async def on_share(self, interaction: Interaction, action: ShareItem, _given: Given) -> None:
        """Post an item in the channel."""
        await think(interaction, public=True)
        shelved = await self._shop.catalogs.find_again(interaction.user.id, action.place)
        catalog = await self._directory.place(
            interaction.guild_id, Kind.CATALOG, shelved.catalog_id
        )
        card = shared_card(shelved, catalog, interaction.user.mention)
        await respond(interaction, card, public=True)

    async def on_stop(self, interaction: Interaction, action: StopReading, _given: Given) -> None:
        """Stop reading; the command that reads shows what it has."""
        stop = self._readings.get(action.reading)
        if stop is None:
            await show(interaction, not_reading_card())
            return
        await interaction.response.defer()
        stop.set()

    async def _screen(
        self, interaction: Interaction, address: Address
    ) -> tuple[Card, list[CatalogItem]]:
        member_id = interaction.user.id
        catalogs = self._shop.catalogs
        catalog = await self._directory.place(
            interaction.guild_id, Kind.CATALOG, address.catalog_id
        )
        if address.selection.is_everything:
            screen = await page_screen(catalogs, member_id, address)
            return gallery_card(catalog, screen, None), list(screen.items)
        listing = await catalogs.listing(member_id, address.catalog_id)
        listing = listing or Listing((), 0, Ending.FAILED)
        screen = selection_screen(listing, address)
        card = gallery_card(catalog, screen, _type_name(listing, address.selection))
        return card, list(screen.items)

    async def _item_card(
        self, interaction: Interaction, shelved: CatalogItem, back: Address
    ) -> Card:
        catalog = await self._directory.place(
            interaction.guild_id, Kind.CATALOG, shelved.catalog_id
        )
        orders = {
            kind: await self._checkout.find_latest(interaction.user.id, shelved.item.id, kind)
            for kind in OrderKind
        }
        return item_card(shelved, catalog, back, orders)


def _type_name(listing: Listing, selection: ItemFilter) -> str | None:
    for item_type in types_of(listing.items):
        if item_type.id == selection.type_id:
            return item_type.name
    return None if selection.type_id is None else f"#{selection.type_id}"
