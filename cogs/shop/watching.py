"""`/shop watch`, `/shop unwatch` and `/shop watching`."""

from collections.abc import Sequence
from functools import partial

from discord import app_commands
from msgspec.structs import replace

from bot.features.errors import CatalogNeeded, NothingToWatch, WhichCatalog
from bot.features.names import Directory, Place
from bot.features.shop.item_filter import CatalogItem, find_type
from bot.game.models import ItemType
from bot.ui.actions import ListEntry, unquoted
from bot.ui.answers import Interaction, answer
from bot.ui.commands import Choices, Cost, L, Option, choices, slash
from bot.ui.next_steps import offer_again, offer_candidates
from bot.ui.router import Press, route
from bot.ui.shared_actions import WatchItem
from cogs.shop.actions import NO_COST, ChooseEndedWatch, EndWatch, WatchSearch
from cogs.shop.browsing import BrowsingHandlers
from cogs.shop.options import OPTIONS, ShopOptions
from cogs.shop.views.watching import Names, ended_card, watch_words, watched_card, watching_card
from storage.following import NewWatch, Watch
from storage.names import PlaceKind

_LONGEST_NAME = 100


class WatchCommands(ShopOptions):
    """The part of `/shop` that is about watching; the cog brings what it stands on."""

    _browsing: BrowsingHandlers

    async def suggest_watches(self, interaction: Interaction, typed: str) -> Choices:
        """Offer what the member watches."""
        watches = await self._bot.features.watching.subscriptions.of_member(interaction.user.id)
        entries = [(watch_words(each, plain=True), str(each.id)) for each in watches]
        return choices(each for each in entries if typed.casefold() in each[0].casefold())

    @slash(L("watch"), L("Hear of an item, or of all that fit, by direct message"), OPTIONS)
    async def watch(
        self,
        interaction: Interaction,
        item: str | None = None,
        name: app_commands.Range[str, 1, _LONGEST_NAME] | None = None,
        item_type: str | None = None,
        max_cost: Cost | None = None,
        clearance: bool = False,
        catalog: str | None = None,
    ) -> None:
        """Watch an item, or what fits a search."""
        if item is not None:
            await self.find(interaction, WatchItem, item, catalog)
            return
        wanted = WatchSearch.of(max_cost, item_type or "", name or "", is_clearance=clearance)
        catalog_ids = await self.catalogs_meant(interaction, catalog)
        await self.watch_search(interaction, wanted, catalog_ids)

    @slash(
        L("unwatch"),
        L("Stop watching something"),
        {"watch": Option(L("watched"), L("What you watch"), suggest_watches)},
    )
    async def unwatch(self, interaction: Interaction, watch: str) -> None:
        """End a watch."""
        await self._end(interaction, watch)

    @slash(L("watching"), L("See what you watch"))
    async def watching(self, interaction: Interaction) -> None:
        """List what the member watches."""
        features = self._bot.features
        watches = await features.watching.subscriptions.of_member(interaction.user.id)
        await answer(
            interaction, watching_card(watches, await names_of(features.directory, watches))
        )

    async def watch_item(self, interaction: Interaction, entry: CatalogItem) -> None:
        """Watch one item."""
        new = NewWatch(
            interaction.user.id,
            entry.catalog_id,
            str(interaction.locale),
            item_id=entry.item.id,
            name=entry.item.name,
            named_in=interaction.guild_id,
        )
        await self._keep(interaction, new)

    async def watch_search(
        self, interaction: Interaction, wanted: WatchSearch, catalog_ids: Sequence[int]
    ) -> None:
        """Watch whatever fits a search; of several catalogs or types, each is offered with it."""
        guild_id, member_id = interaction.guild_id, interaction.user.id
        if wanted.is_anything:
            raise NothingToWatch
        if len(catalog_ids) != 1:
            places = [
                await self._bot.features.directory.place(
                    guild_id, PlaceKind.CATALOG, each, member_id=member_id
                )
                for each in catalog_ids
            ]
            if wanted.fits:
                offer_candidates(interaction, partial(_in_catalog, wanted))
            raise WhichCatalog(candidates=places) if places else CatalogNeeded
        wanted = replace(wanted, catalog_id=catalog_ids[0])
        if wanted.fits:
            offer_again(interaction, wanted)
            offer_candidates(interaction, partial(_of_type, wanted))
        found = None
        if wanted.item_type:
            listing = await self._browsing.listing(interaction, wanted.catalog_id)
            found = find_type(listing.items, unquoted(wanted.item_type))
        new = NewWatch(
            member_id,
            wanted.catalog_id,
            str(interaction.locale),
            name=unquoted(wanted.name),
            type_id=found and found.id,
            type_name=found and found.name,
            max_cost=None if wanted.max_cost == NO_COST else wanted.max_cost,
            is_clearance=wanted.is_clearance,
            named_in=guild_id,
        )
        await self._keep(interaction, new)

    async def _keep(self, interaction: Interaction, new: NewWatch) -> None:
        watch = await self._bot.features.watching.add(new)
        catalog = await self._bot.features.directory.place(
            interaction.guild_id, PlaceKind.CATALOG, watch.game_id
        )
        await answer(interaction, watched_card(watch, catalog))

    async def _end(self, interaction: Interaction, text: str) -> None:
        """End a watch; of one that is not there, offer those that are."""
        offer_candidates(interaction, _to_end)
        ended = await self._bot.features.watching.end(interaction.user.id, text)
        await answer(interaction, ended_card(ended))

    @route(WatchItem, in_place=False)
    async def on_watch(self, press: Press[WatchItem]) -> None:
        """Watch the item of a card."""
        entry = await self._bot.features.shop.item(press.member_id, press.action.ref)
        await self.watch_item(press.interaction, entry)

    @route(WatchSearch)
    async def on_watch_search(self, press: Press[WatchSearch]) -> None:
        """Watch what was meant, or do it after linking."""
        await self.watch_search(press.interaction, press.action, [press.action.catalog_id])

    @route(EndWatch)
    async def on_end(self, press: Press[EndWatch]) -> None:
        """End the watch of a card."""
        await self._end(press.interaction, str(press.action.watch_id))

    @route(ChooseEndedWatch)
    async def on_choose_ended(self, press: Press[ChooseEndedWatch]) -> None:
        """End the watch that was chosen."""
        await self._end(press.interaction, press.value)


def _in_catalog(wanted: WatchSearch, place: Place) -> ListEntry:
    return ListEntry(place.label, replace(wanted, catalog_id=place.game_id))


def _of_type(wanted: WatchSearch, item_type: ItemType) -> ListEntry:
    return ListEntry(item_type.name, replace(wanted, item_type=str(item_type.id)))


def _to_end(watch: Watch) -> ListEntry:
    return ListEntry(watch_words(watch, plain=True), EndWatch(watch.id))


async def names_of(directory: Directory, watches: Sequence[Watch]) -> Names:
    """Return what the catalogs of watches are called where they were made."""
    return {
        (watch.named_in, watch.game_id): (
            await directory.place(watch.named_in, PlaceKind.CATALOG, watch.game_id)
        ).name
        for watch in watches
    }
