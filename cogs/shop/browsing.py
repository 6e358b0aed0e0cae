"""Walking through catalogs, looking at items, and what the options of `/shop` mean."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from urllib.parse import unquote

from discord import app_commands
from discord.ext import commands
from msgspec.structs import replace

from bot.errors import AccountError, KioskError, NotLinkedToLook, OldButton, SeveralFit
from bot.features.items import numbered, read_query, types_in
from bot.features.matching import LABEL_SEPARATOR, holding
from bot.features.names import STAND_IN, Place
from bot.features.reading import catalogs
from bot.features.reading.shop import Address, Lists, ReadMode
from bot.game.models import Item
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui.actions import ListEntry, fold, quoted
from bot.ui.cards import Card, notice
from bot.ui.commands import (
    COMING,
    NO_CATALOG,
    NOT_LINKED,
    UNREACHABLE,
    Choices,
    L,
    Option,
    choices,
    suggest_names,
)
from bot.ui.error_cards import error_card
from bot.ui.here import Here
from bot.ui.items import price_of
from bot.ui.router import route
from bot.ui.sent_cards import OpenCards, publish_once
from bot.ui.shared_actions import OfItem, OpenCatalog, OpenItem
from cogs.shop import actions, cards
from storage.names import PlaceKind
from storage.shown import ShownComment
from storage.writes import ORDERS

_STAND_INS = {Lists.UNREACHABLE: UNREACHABLE, Lists.COMING: COMING}
# How many pages are read before the progress is shown again: at least so many, and a share.
_FEWEST_PAGES = 4


class BrowsingHandlers:
    def __init__(self, bot: Kiosk, open_cards: OpenCards) -> None:
        self._shop = bot.features.shop
        self._orders = bot.features.orders
        self._now = bot.now
        self._following = bot.features.announcing.following
        self._open_cards = open_cards
        self._readings: dict[str, asyncio.Timeout] = {}

    async def show_screen(
        self, here: Here, address: Address, mode: ReadMode = ReadMode.SHOW
    ) -> None:
        here.again = actions.ShowScreen.at(address)
        member_id = here.member_id
        if mode is ReadMode.READ_ON or not address.is_whole:
            await self.read(here, address.catalog_id, mode)
        catalog = await here.place(PlaceKind.CATALOG, address.catalog_id)
        gallery = await self._shop.screen(member_id, address, fresh=mode is ReadMode.REFRESH)
        watched = await self._watched(member_id, address.catalog_id)
        names = await here.names(PlaceKind.CATALOG)
        others = [name for name in names if name.game_id != address.catalog_id]
        await here.answer(cards.gallery_card(catalog, gallery, watched, others))
        self._open_cards.forget(here)

    async def show_item(
        self, here: Here, entry: catalogs.CatalogItem, way: actions.Way | None = None
    ) -> None:
        member_id = here.member_id
        way = way or actions.ShowScreen(entry.catalog_id, entry.page)
        catalog = await here.place(PlaceKind.CATALOG, entry.catalog_id)
        orders = {
            kind: await self._orders.find_blocking(member_id, entry.item.id, kind)
            for kind in ORDERS
        }
        is_watched = entry.item.id in await self._watched(member_id, entry.catalog_id)
        await here.answer(cards.item_card(entry, catalog, way, orders, is_watched=is_watched))
        self._open_cards.forget(here)

    async def _watched(self, member_id: int, catalog_id: int) -> Set[int | None]:
        watches = await self._following.watches_of(member_id, PlaceKind.CATALOG)
        parts = [part for watch in watches for part in watch.parts]
        return {part.subject_id for part in parts if part.place_id == catalog_id}

    async def read(
        self, here: Here, catalog_id: int, mode: ReadMode = ReadMode.SHOW
    ) -> Sequence[Item]:
        """Return a catalog's items, and show how far it is read meanwhile."""
        reading = secrets.token_hex(8)
        stop = asyncio.timeout(None)
        shown = 0
        length = self._shop.catalogs.length(catalog_id)
        begun_at = self._now()

        async def report(pages: int) -> None:
            nonlocal shown
            if shown == 0 or pages >= shown + max(_FEWEST_PAGES, shown // 4):
                shown = pages
                catalog = await here.place(PlaceKind.CATALOG, catalog_id)
                done_at = None
                if length is not None and length > pages:
                    now = self._now()
                    done_at = now + (now - begun_at) * ((length - pages) / pages)
                await here.answer(cards.progress_card(catalog, pages, reading, length, done_at))

        self._readings[reading] = stop
        try:
            read = await self._shop.read(here.member_id, catalog_id, mode, report=report, stop=stop)
        finally:
            del self._readings[reading]
        return [entry.item for entry in read.items]

    @route(actions.ShowScreen)
    async def _on_screen(self, here: Here, action: actions.ShowScreen) -> None:
        await self.show_screen(here, action.address, action.mode)

    @route(OpenCatalog)
    async def _on_open_catalog(self, here: Here, action: OpenCatalog) -> None:
        await self.show_screen(here, Address(action.catalog_id))

    @route(OpenItem)
    async def _on_open_item(self, here: Here, action: OpenItem) -> None:
        await self._open(here, action, actions.origin_of(here.interaction.message))

    @route(actions.ShowItem)
    async def _on_item(self, here: Here, action: actions.ShowItem) -> None:
        await self._open(here, action, action)

    async def _open(
        self,
        here: Here,
        action: OpenItem | actions.ShowItem,
        way: actions.ShowItem | actions.Way | None,
    ) -> None:
        message = here.interaction.message
        try:
            entry = await self._shop.item(here.member_id, action.ref)
        except NotLinkedToLook as error:
            number = message.id if message else 0
            event = await self._following.told_in(
                number, PlaceKind.CATALOG, action.catalog_id, action.item_id
            )
            if event is None:
                raise
            catalog = await here.place(PlaceKind.CATALOG, action.catalog_id)
            invitation = error_card(error, resume_id=fold(action.custom_id()))
            await here.answer(cards.announced_card(event, catalog, invitation))
            return
        await self.show_item(here, entry, way and actions.list_behind(way))

    @route(actions.OpenFilter, opens_form=True)
    async def _on_open_filter(self, here: Here, action: actions.OfScreen) -> None:
        catalog = await here.place(PlaceKind.CATALOG, action.catalog_id)
        at_hand = self._shop.catalogs.at_hand(here.member_id, action.catalog_id)
        items = [entry.item for entry in at_hand.items]
        is_whole = not at_hand.ending.is_early
        types = [item_type.name for item_type in types_in(items)] if is_whole else []
        wish = cards.FilterWish.of(action.address, items)
        await here.open_form(cards.filter_form(catalog, wish, types))

    @route(actions.SendFilter)
    async def _on_filter(self, here: Here, action: OpenCatalog) -> None:
        catalog_id = action.catalog_id
        wish = cards.FilterWish.read(here)
        here.again = actions.OpenFilter(catalog_id, 1)
        query = replace(actions.SHOWN[wish.show], name=wish.name)
        if wish.types or wish.max_cost:
            items = await self.read(here, catalog_id)
            query = numbered(read_query(query, items, types=wish.types, cost=wish.max_cost), items)
        address = Address(catalog_id, query=query, sort=wish.sort)
        actions.check_room(address)
        await self.show_screen(here, address)

    @route(actions.ShareItem)
    async def _on_share(self, here: Here, action: OfItem) -> None:
        async def draw() -> tuple[Card, Sequence[ShownComment]]:
            # What becomes public is asked anew: it may be gone since.
            entry = await self._shop.item(here.member_id, action.ref, fresh=True)
            catalog = await here.place(PlaceKind.CATALOG, entry.catalog_id)
            return cards.shared_card(entry, catalog, here.interaction.user), ()

        await publish_once(here, draw)

    @route(actions.StopReading)
    async def _on_stop(self, here: Here, action: actions.StopReading) -> None:
        stop = self._readings.get(action.reading)
        if stop is None:
            title = t("Nothing is being read any more")
            body = t("Use `/shop browse` again to see the catalog.")
            await here.answer(notice(title, body))
        else:
            stop.reschedule(0)


class ShopOptions(commands.Cog):
    """The cog brings, for each goal, what is done with the item that was found."""

    item_commands: Mapping[type[OfItem], Callable[[Here, catalogs.CatalogItem], Awaitable[None]]]

    async def find(self, here: Here, goal: type[OfItem], item: str, catalog: str | None) -> None:
        """Do with an item what an action does; of several that fit, each is offered with it."""

        def entry_of(meant: Place | catalogs.CatalogItem) -> ListEntry:
            if isinstance(meant, Place):
                return place_entry(meant)
            return ListEntry(meant.item.name, goal(*meant.ref), price_of(meant.item, plain=True))

        here.offer_candidates(entry_of)
        catalog_ids = await catalogs_meant(here, catalog)
        if item != STAND_IN:
            catalog_id = catalog_ids[0] if len(catalog_ids) == 1 else actions.NO_CATALOG
            name = quoted(item, actions.LONGEST_NAME)
            here.again = actions.FindItem(goal.kind, catalog_id, name)
        elif len(catalog_ids) == 1:
            here.again = actions.ShowScreen.at(Address(catalog_ids[0]))
        if goal in actions.ASK.values():
            await here.features.accounts.require(here.member_id)
        entry = await here.features.shop.find(here.member_id, item, catalog_ids)
        await self.item_commands[goal](here, entry)

    @route(actions.FindItem)
    async def _on_find(self, here: Here, action: actions.FindItem) -> None:
        goal = next((goal for goal in self.item_commands if goal.kind == action.goal), None)
        if goal is None:
            raise OldButton
        catalog = str(action.catalog_id) if action.catalog_id else None
        await self.find(here, goal, unquote(action.text), catalog)


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
    return choices([(type_.name, str(type_.id)) for type_ in fitting] or stand_in)


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
) -> tuple[Sequence[catalogs.CatalogItem], list[tuple[str, str]]]:
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
            for show, words in cards.SHOW_WORDS.items()
        ],
    ),
    "sort": Option(
        L("sort"),
        L("In which order"),
        choices=[
            app_commands.Choice(name=L(words), value=sort.value)
            for sort, words in cards.SORT_WORDS.items()
        ],
    ),
    "page": Option(L("page"), L("The card to start at, of five items each")),
    "name": Option(L("name"), L("Or: items whose name contains this")),
    "clearance": Option(L("clearance"), L("Only items on clearance")),
}


def place_entry(place: Place, address: Address | None = None) -> ListEntry:
    """Return a catalog as an entry of a list of what may be meant, and the screen it leads to."""
    return ListEntry(place.label, actions.ShowScreen.at(address or Address(place.game_id)))


def _entry(entry: catalogs.CatalogItem) -> tuple[str, str]:
    mark = " ✅" if entry.item.has_purchased else ""
    label = f"{entry.item.name}{LABEL_SEPARATOR}{price_of(entry.item, plain=True)}{mark}"
    return label, str(entry.item.id)
