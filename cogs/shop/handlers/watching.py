"""Watching items, and ending that."""

from collections.abc import Sequence

from bot.domain.announcing import NewWatch, Watch
from bot.domain.names import PlaceKind
from bot.features.names import Directory
from bot.features.shop.item_filter import CatalogItem
from bot.kiosk import Kiosk
from bot.ui.actions import ListEntry
from bot.ui.answers import Interaction, answer
from bot.ui.next_steps import offer_candidates
from bot.ui.router import Press, route
from bot.ui.shared_actions import WatchItem
from cogs.shop.actions import ChooseEndedWatch, EndWatch
from cogs.shop.views.watching import Names, ended_card, watch_words, watched_card, watching_card


class WatchHandlers:
    """Keeps and ends the watches of members."""

    def __init__(self, bot: Kiosk) -> None:
        self._shop = bot.features.shop
        self._watching = bot.features.watching
        self._directory = bot.features.directory

    async def watch(self, interaction: Interaction, new: NewWatch) -> None:
        """Watch something."""
        watch = await self._watching.add(new)
        catalog = await self._directory.place(
            interaction.guild_id, PlaceKind.CATALOG, watch.catalog_id
        )
        await answer(interaction, watched_card(watch, catalog))

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
        await self.watch(interaction, new)

    async def show(self, interaction: Interaction) -> None:
        """List what a member watches."""
        watches = await self._watching.of_member(interaction.user.id)
        await answer(interaction, watching_card(watches, await names_of(self._directory, watches)))

    async def end(self, interaction: Interaction, text: str) -> None:
        """End a watch; of one that is not there, offer those that are."""
        offer_candidates(interaction, _to_end)
        ended = await self._watching.end(interaction.user.id, text)
        await answer(interaction, ended_card(ended))

    @route(WatchItem, in_place=False)
    async def on_watch(self, press: Press[WatchItem]) -> None:
        """Watch the item of a card."""
        entry = await self._shop.item(press.member_id, press.action.ref)
        await self.watch_item(press.interaction, entry)

    @route(EndWatch)
    async def on_end(self, press: Press[EndWatch]) -> None:
        """End the watch of a card."""
        await self.end(press.interaction, str(press.action.watch_id))

    @route(ChooseEndedWatch)
    async def on_choose_ended(self, press: Press[ChooseEndedWatch]) -> None:
        """End the watch that was chosen."""
        await self.end(press.interaction, press.value)


def _to_end(watch: Watch) -> ListEntry:
    return ListEntry(watch_words(watch, plain=True), EndWatch(watch.id))


async def names_of(directory: Directory, watches: Sequence[Watch]) -> Names:
    """Return what the catalogs of watches are called where they were made."""
    return {
        (watch.named_in, watch.catalog_id): (
            await directory.place(watch.named_in, PlaceKind.CATALOG, watch.catalog_id)
        ).name
        for watch in watches
    }
