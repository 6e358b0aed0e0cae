"""Walking through catalogs and looking at items."""

import asyncio
import secrets

from bot.features.names import Place
from bot.features.shop import Address, Mode
from bot.features.shop.catalogs import Listing
from bot.features.shop.item_filter import CatalogItem
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer, publish
from bot.ui.channels import require_may_write, server_of
from bot.ui.next_steps import offer_again
from bot.ui.router import Press, route
from bot.ui.sent_cards import OpenCards, Sharer, press_name
from bot.ui.shared_actions import ChooseItem, OpenCatalog, OpenItem, read_item_value
from cogs.shop.actions import ShareItem, ShowItem, ShowScreen, StopReading, Way, beyond
from cogs.shop.cards import gallery_card, item_card, not_reading_card, progress_card, shared_card
from storage.names import PlaceKind
from storage.writes import ORDERS

# How many pages are read before the progress is shown again: at least so many, and a share.
_FEWEST_PAGES = 4


class BrowsingHandlers:
    """Shows screens and items."""

    def __init__(self, bot: Kiosk, open_cards: OpenCards) -> None:
        self._shop = bot.features.shop
        self._orders = bot.features.orders
        self._now = bot.now
        self._sharing = bot.features.sharing
        self._directory = bot.features.directory
        self._open_cards = open_cards
        self._readings: dict[str, asyncio.Timeout] = {}

    async def show_screen(
        self, interaction: Interaction, address: Address, mode: Mode = Mode.SHOW
    ) -> None:
        """Show a screen, after reading the whole catalog where a filter is set."""
        offer_again(interaction, ShowScreen.at(address))
        member_id = interaction.user.id
        if mode is Mode.READ_ON or not address.item_filter.is_everything:
            await self.listing(interaction, address.catalog_id, mode)
        catalog = await self._catalog(interaction, address.catalog_id)
        screen = await self._shop.screen(member_id, address, fresh=mode is Mode.REFRESH)
        await answer(interaction, gallery_card(catalog, screen))
        self._open_cards.forget(interaction)

    async def show_item(
        self, interaction: Interaction, entry: CatalogItem, way: Way | None = None
    ) -> None:
        """Show an item's card to a member who came this way, by default from nowhere."""
        member_id, way = interaction.user.id, way or ShowScreen(entry.catalog_id, entry.page)
        catalog = await self._catalog(interaction, entry.catalog_id)
        orders = {
            kind: await self._orders.standing(member_id, entry.item.id, kind) for kind in ORDERS
        }
        await answer(interaction, item_card(entry, catalog, way, orders))
        self._open_cards.forget(interaction)

    async def listing(
        self, interaction: Interaction, catalog_id: int, mode: Mode = Mode.SHOW
    ) -> Listing:
        """Return all items of a catalog, as read minutes ago or now, with progress shown."""
        reading, stop, shown = secrets.token_hex(8), asyncio.timeout(None), 0
        length, begun_at = self._shop.catalogs.length(catalog_id), self._now()

        async def report(pages: int) -> None:
            nonlocal shown
            if shown == 0 or pages >= shown + max(_FEWEST_PAGES, shown // 4):
                shown = pages
                catalog = await self._catalog(interaction, catalog_id)
                done_at = None
                if length is not None and length > pages:
                    now = self._now()
                    done_at = now + (now - begun_at) * ((length - pages) / pages)
                await answer(interaction, progress_card(catalog, pages, reading, length, done_at))

        self._readings[reading] = stop
        try:
            return await self._shop.read(
                interaction.user.id, catalog_id, mode, report=report, stop=stop
            )
        finally:
            del self._readings[reading]

    @route(ShowScreen)
    async def _on_screen(self, press: Press[ShowScreen]) -> None:
        await self.show_screen(press.interaction, press.action.address, press.action.mode)

    @route(OpenCatalog)
    async def _on_open_catalog(self, press: Press[OpenCatalog]) -> None:
        await self.show_screen(press.interaction, Address(press.action.catalog_id))

    @route(OpenItem, ShowItem, ChooseItem)
    async def _on_item(self, press: Press[OpenItem | ShowItem | ChooseItem]) -> None:
        action = press.action
        if isinstance(action, ChooseItem):
            ref = read_item_value(action.catalog_id, press.value)
        else:
            ref = action.ref
        entry = await self._shop.item(press.member_id, ref)
        way = beyond(action) if isinstance(action, ShowItem) else None
        await self.show_item(press.interaction, entry, way)

    @route(ShareItem)
    async def _on_share(self, press: Press[ShareItem]) -> None:
        interaction = press.interaction
        require_may_write(interaction)
        # What becomes public is asked anew: it may be gone since.
        entry = await self._shop.item(press.member_id, press.action.ref, fresh=True)
        catalog = await self._catalog(interaction, entry.catalog_id)
        pressed, guild_id = press_name(interaction), interaction.guild_id
        async with self._sharing.once(pressed, guild_id, interaction.channel_id) as posting:
            card = shared_card(entry, catalog, Sharer.of(interaction))
            await posting.note(await publish(interaction, card))

    @route(StopReading)
    async def _on_stop(self, press: Press[StopReading]) -> None:
        stop = self._readings.get(press.action.reading)
        if stop is None:
            await answer(press.interaction, not_reading_card())
        else:
            stop.reschedule(0)

    async def _catalog(self, interaction: Interaction, catalog_id: int) -> Place:
        return await self._directory.place(
            server_of(interaction), PlaceKind.CATALOG, catalog_id, member_id=interaction.user.id
        )
