"""Walking through catalogs five items to a screen, their filter, and looking at an item."""

import asyncio
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

import discord
from msgspec import Struct
from msgspec.structs import replace

from bot.errors import NotLinkedToLook, OldButton
from bot.features.item_queries import named, numbered, read_query, types_in
from bot.features.names import Place
from bot.features.reading.catalogs import CatalogItem, Ending, ItemSort
from bot.features.reading.paging import Screen
from bot.features.reading.shop import Address, Gallery, ReadMode
from bot.features.writing.rules import is_open
from bot.game.models import Item
from bot.i18n import N_, number, pt, t
from bot.program.kiosk import Kiosk
from bot.ui import items, shared_actions, theme
from bot.ui.actions import ListEntry, action_button, action_list, fold, step_buttons
from bot.ui.cards import BLUE, GREY, Button, Card, notice
from bot.ui.error_cards import error_card
from bot.ui.forms import LONGEST_TITLE, ActionForm, FormOption
from bot.ui.here import Here
from bot.ui.markdown import one_line
from bot.ui.pictures import thumbnail
from bot.ui.router import route
from bot.ui.sent_cards import OpenCards, finish_shared, publish_once
from bot.ui.shared_actions import OpenCatalog, OpenItem
from cogs.shop import actions
from cogs.shop.actions import Show, show_of
from cogs.shop.order_cards import outcome, redeemed
from storage.names import Named, PlaceKind
from storage.shown import ShownComment
from storage.subscriptions import Event
from storage.writes import ORDERS, Order, WriteKind, WriteState

# How many pages are read before the progress is shown again: at least so many, and a share.
_FEWEST_PAGES = 4
_SHOW = "show"
_SORT = "sort"
_NAME = "name"
_LONGEST_NAME = 40
_ENDINGS = {
    Ending.UNREADABLE: N_("Kiosk can't read some of the items that the game sent."),
    Ending.STOPPED: N_("You stopped the reading, so later items are missing."),
    Ending.FAILED: N_("The game stopped answering, so later items are missing."),
    Ending.TOO_LONG: N_("The catalog goes on and on; what comes later is left out."),
}

SHOW_WORDS = {
    Show.ALL: N_("All items"),
    Show.NOT_OWNED: N_("Not owned yet"),
    Show.CLEARANCE: N_("On clearance"),
    Show.SUBSCRIBERS: N_("Subscribers only"),
}
SORT_WORDS = {
    ItemSort.CATALOG: N_("As in the catalog"),
    ItemSort.COST: N_("Cheapest first"),
    ItemSort.NAME: N_("From A to Z"),
}


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
        others = [named for named in names if named.game_id != address.catalog_id]
        await here.answer(gallery_card(catalog, gallery, watched, others))
        self._open_cards.forget(here)

    async def show_item(
        self, here: Here, entry: CatalogItem, way: actions.Way | None = None
    ) -> None:
        member_id = here.member_id
        way = way or actions.ShowScreen(entry.catalog_id, entry.page)
        catalog = await here.place(PlaceKind.CATALOG, entry.catalog_id)
        orders = {
            kind: await self._orders.find_blocking(member_id, entry.item.id, kind)
            for kind in ORDERS
        }
        is_watched = entry.item.id in await self._watched(member_id, entry.catalog_id)
        await here.answer(item_card(entry, catalog, way, orders, is_watched=is_watched))
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
                await here.answer(progress_card(catalog, pages, reading, length, done_at))

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

    @route(OpenItem, actions.ShowItem)
    async def _on_item(self, here: Here, action: OpenItem | actions.ShowItem) -> None:
        message = here.interaction.message
        try:
            entry = await self._shop.item(here.member_id, action.ref)
        except NotLinkedToLook as error:
            message_id = message.id if message else 0
            event = await self._following.told_in(
                message_id, PlaceKind.CATALOG, action.catalog_id, action.item_id
            )
            if event is None:
                raise
            catalog = await here.place(PlaceKind.CATALOG, action.catalog_id)
            invitation = error_card(error, resume_id=fold(action.custom_id()))
            await here.answer(announced_card(event, catalog, invitation))
            return
        way = action if isinstance(action, actions.ShowItem) else actions.origin_of(message)
        await self.show_item(here, entry, way and actions.list_behind(way))

    @route(actions.OpenFilter, opens_form=True)
    async def _on_open_filter(self, here: Here, action: actions.OpenFilter) -> None:
        catalog = await here.place(PlaceKind.CATALOG, action.catalog_id)
        at_hand = self._shop.catalogs.at_hand(here.member_id, action.catalog_id)
        known = [entry.item for entry in at_hand.items]
        is_whole = not at_hand.ending.is_early
        types = [item_type.name for item_type in types_in(known)] if is_whole else []
        fields = FilterFields.of(action.address, known)
        await here.open_form(filter_form(catalog, fields, types))

    @route(actions.SendFilter)
    async def _on_filter(self, here: Here, action: OpenCatalog) -> None:
        catalog_id = action.catalog_id
        fields = FilterFields.read(here)
        here.again = actions.OpenFilter(catalog_id, 1)
        query = replace(actions.SHOWN[fields.show], name=fields.name)
        if fields.types or fields.max_cost:
            read = await self.read(here, catalog_id)
            query = read_query(query, read, types=fields.types, cost=fields.max_cost)
            query = numbered(query, read)
        address = Address(catalog_id, query=query, sort=fields.sort)
        actions.check_room(address)
        await self.show_screen(here, address)

    @route(actions.ShareItem)
    async def _on_share(self, here: Here, action: actions.ShareItem) -> None:
        async def draw() -> tuple[Card, Sequence[ShownComment]]:
            # What becomes public is asked anew: it may be gone since.
            entry = await self._shop.item(here.member_id, action.ref, fresh=True)
            catalog = await here.place(PlaceKind.CATALOG, entry.catalog_id)
            return shared_card(entry, catalog, here.interaction.user), ()

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


def gallery_card(
    catalog: Place, gallery: Gallery, watched: Set[int | None], others: Sequence[Named]
) -> Card:
    card = Card(theme.SHOP)
    address = gallery.address
    screen = gallery.screen
    title = f"## {items.catalog_title(catalog.game_id, catalog.name)}"
    where = [_position(screen)] if screen.entries else []
    sort = "" if address.sort is ItemSort.CATALOG else t(SORT_WORDS[address.sort])
    facts = filter(None, [items.query_words(address.query, gallery.items), sort])
    if words := " · ".join(facts):
        where.append(f"**{words}**")
    nothing = "" if screen.entries else _nothing(address)
    card.say("\n".join(filter(None, [title, " · ".join(where), nothing])))
    for entry in screen.entries:
        item = entry.item
        marks = [items.marks(item), t("🔔 You watch it") if item.id in watched else ""]
        marked = " · ".join(filter(None, marks))
        facts = " · ".join(filter(None, [items.price_of(item), items.type_of(item)]))
        lines = [f"**{items.name_of(item.name)}**", facts]
        card.say("\n".join([*lines, f"-# {marked}"] if marked else lines), thumbnail(item.icon_url))
    if screen.entries:
        listed = action_list(
            _deeds(screen.entries, watched), placeholder=t("Open, buy, redeem or watch…")
        )
        card.choose(listed)
    if gallery.ending in _ENDINGS:
        card.say(f"-# ⚠️ {t(_ENDINGS[gallery.ending])}")
    catalogs = [ListEntry(named.name, OpenCatalog(named.game_id)) for named in others]
    if catalogs:
        card.choose(action_list(catalogs, placeholder=t("Another catalog…"), name="catalogs"))
    card.buttons(*_buttons(gallery))
    return card


def _position(screen: Screen[CatalogItem]) -> str:
    first = number(screen.first)
    last = number(screen.first + len(screen.entries) - 1)
    if screen.total is None:
        return t("%(first)s to %(last)s", first=first, last=last)
    count = number(screen.total)
    return t("%(first)s to %(last)s of %(count)s", first=first, last=last, count=count)


def _nothing(address: Address) -> str:
    if not address.is_whole:
        return t("Nothing here fits.")
    if address.page > 1:
        return t("There is nothing on this page: the catalog ended before it.")
    return t("This catalog is empty just now. Watch it, and a direct message tells you what comes.")


def _deeds(entries: Sequence[CatalogItem], watched: Set[int | None]) -> Iterator[ListEntry]:
    shown = [(entry.ref, entry.item) for entry in entries]
    buyable = [(ref, item) for ref, item in shown if not item.has_purchased]
    yield from items.deed(OpenItem, shown)
    yield from items.deed(shared_actions.AskPurchase, buyable)
    yield from items.deed(shared_actions.AskRedemption, shown)
    to_watch = [(ref, item) for ref, item in buyable if item.id not in watched]
    yield from items.deed(shared_actions.WatchItem, to_watch)
    to_end = [(ref, item) for ref, item in shown if item.id in watched]
    yield from items.deed(shared_actions.StopWatching, to_end)


def _buttons(gallery: Gallery) -> Iterator[Button]:
    address = gallery.address
    screen = gallery.screen
    again = actions.ShowScreen.at(address)
    everything = actions.ShowScreen.at(Address(address.catalog_id))
    is_filtered = not address.is_whole
    if screen.entries or screen.previous:
        ways = (screen.previous, screen.next)
        yield from step_buttons(*(way and actions.ShowScreen.at(address.at(way)) for way in ways))
        yield action_button(actions.OpenFilter.at(address), t("Filter"))
        if is_filtered:
            yield action_button(everything, t("Show all"))
    elif is_filtered:
        # One button of a card is blue: what isn't read yet may hold what fits.
        style = GREY if gallery.ending.is_early else BLUE
        yield action_button(everything, t("Show all"), style=style)
        yield action_button(actions.OpenFilter.at(address), t("Filter"))
    else:
        watch = actions.WatchCatalog(address.catalog_id)
        yield action_button(watch, t("Watch"), style=BLUE, emoji="🔔")
    if gallery.ending.is_early:
        yield action_button(replace(again, mode=ReadMode.READ_ON), t("Read on"), style=BLUE)
    else:
        yield action_button(replace(again, mode=ReadMode.REFRESH), t("Refresh"))


class FilterFields(Struct, frozen=True):
    """The fields of the Filter form; types, the highest cost and a name as chosen or typed."""

    show: Show = Show.ALL
    sort: ItemSort = ItemSort.CATALOG
    types: frozenset[str] = frozenset()
    max_cost: str = ""
    name: str = ""

    @classmethod
    def of(cls, address: Address, known: Sequence[Item]) -> Self:
        query = named(address.query, known)
        return cls(show_of(query), address.sort, query.types, items.cost_typed(query), query.name)

    @classmethod
    def read(cls, here: Here) -> Self:
        """Return what was filled in. Raises OldButton."""
        try:
            show = Show(here.text(_SHOW))
            sort = ItemSort(here.text(_SORT))
        except ValueError as error:
            raise OldButton from error
        types = frozenset(here.filled.get(items.TYPES, ())) - {""}
        cost = here.texts.get(items.COST, "").strip()
        return cls(show, sort, types, cost, here.texts.get(_NAME, "").strip())


def filter_form(catalog: Place, fields: FilterFields, types: Collection[str]) -> ActionForm:
    """Ask what to show of a catalog; without `types` at hand, they are typed."""
    name = catalog.name or f"#{catalog.game_id}"
    title = one_line(t("Filter %(catalog)s", catalog=name), LONGEST_TITLE, plain=True)
    form = ActionForm(actions.SendFilter(catalog.game_id), title=title)
    form.ask_one(pt("items", "Show"), _SHOW, _options(SHOW_WORDS, fields.show))
    form.ask_one(t("Order"), _SORT, _options(SORT_WORDS, fields.sort))
    items.ask_query(form, types, fields.types, fields.max_cost)
    hint = t("A part of the name. Empty: any.")
    form.ask_line(t("Name"), _NAME, hint, longest=_LONGEST_NAME, text=fields.name)
    return form


def _options(words: Mapping[Any, str], chosen: StrEnum) -> Iterator[FormOption]:
    for value, text in words.items():
        yield FormOption(value.value, t(text), value is chosen)


def progress_card(
    catalog: Place, pages: int, reading: str, length: int | None, done_at: datetime | None
) -> Card:
    """Say how far a catalog was read; its length is known where somebody has read it before."""
    if length is None or done_at is None:
        share = t(
            "Reading page %(next)s: %(read)s of %(known)s known pages read.",
            next=number(pages + 1),
            read=number(pages),
            known=number(pages + 1),
        )
    else:
        share = t(
            "Reading page %(next)s of about %(length)s. Done %(when)s.",
            next=number(pages + 1),
            length=number(length),
            when=discord.utils.format_dt(done_at, "R"),
        )
    title = items.catalog_title(catalog.game_id, catalog.name)
    body = t("Looking through the whole catalog for what fits.") + "\n" + share
    stop = action_button(actions.StopReading(reading), t("Stop"))
    return notice(title, body, colour=theme.SHOP, buttons=(stop,))


def item_card(
    entry: CatalogItem,
    catalog: Place,
    way: actions.Way,
    orders: Mapping[WriteKind, Order | None],
    *,
    is_watched: bool,
) -> Card:
    """Show an item; `orders` are what stands in the way of a purchase, and the last redemption."""
    card = Card(theme.SHOP)
    item = entry.item
    reasons = {kind: _reason(kind, orders.get(kind)) for kind in ORDERS}
    watching = t("🔔 You watch it: a direct message tells you what changes.") if is_watched else ""
    place = items.place_line(item, items.catalog_title(catalog.game_id, catalog.name))
    items.say_facts(card, item, items.marks(item), *reasons.values(), watching, place)
    buy, redeem, watch = items.order_buttons(entry.ref)
    if is_watched:
        stop = shared_actions.StopWatching(*entry.ref)
        watch = action_button(stop, t("Stop watching"), emoji="🔕")
    redemption = orders.get(WriteKind.REDEEM)
    offered = [
        (buy, not (item.has_purchased or reasons[WriteKind.PURCHASE])),
        (redeem, redemption is None or not is_open(redemption)),
        (watch, is_watched or not item.has_purchased),
    ]
    card.buttons(
        *(button for button, is_offered in offered if is_offered),
        action_button(actions.ShareItem(*entry.ref), t("Share")),
        action_button(way, t("Back")),
    )
    return card


def announced_card(event: Event, catalog: Place, invitation: Card) -> Card:
    """Show what an announcement says of an item, and below it what leads to more."""
    card = Card(theme.SHOP)
    items.say_event(card, event, items.catalog_title(catalog.game_id, catalog.name))
    card.divide()
    for part in invitation.components[-1]["components"]:
        card.add(part)
    return card


def shared_card(entry: CatalogItem, catalog: Place, sharer: discord.abc.User) -> Card:
    card = Card(theme.SHOP)
    item = entry.item
    place = items.place_line(item, items.catalog_title(catalog.game_id, catalog.name))
    items.say_facts(card, item, items.marks(item, personal=False), place)
    opening = action_button(OpenItem(*entry.ref), t("Open"))
    return finish_shared(card, sharer, *items.order_buttons(entry.ref), opening)


def _reason(kind: WriteKind, order: Order | None) -> str:
    """Return what stands against buying, or is to be known before redeeming; or nothing."""
    is_purchase = kind is WriteKind.PURCHASE
    if order is None or (is_purchase and order.state is WriteState.DONE):
        # What was bought with another account says nothing of this one's.
        return ""
    if order.state not in (WriteState.KEPT, WriteState.SENT):
        return outcome(order).state if is_purchase else redeemed(order)
    if is_purchase:
        return t("You are buying it already: see `/shop orders`.")
    return t("You are redeeming it already: see `/shop orders`.")
