"""Browse and filter catalogs, eight items to a screen, and show an item."""

import asyncio
import secrets
import typing
from collections import abc

import discord
import msgspec

from bot import errors
from bot.features import item_queries
from bot.features.directory import Place
from bot.features.reading import shop
from bot.features.reading.catalogs import CatalogItem, ItemSort
from bot.features.writing.outcomes import is_open
from bot.game.models import Item
from bot.i18n import N_, nt, pt, t
from bot.ui import drawing, fields, forms, items, pages, sent_cards, shared_actions, theme, watches
from bot.ui.error_cards import told_card
from bot.ui.here import Here
from bot.ui.markdown import one_line
from bot.ui.router import route, sent
from cogs.shop import actions, order_cards, screen_cards
from storage import writes
from storage.names import PlaceKind
from storage.subscriptions import Event

# The fewest pages, besides a share of all, to read before the progress is shown again.
_MIN_PAGES = 4
PAGE_HINT = N_("You're on page %(page)s. Each page has up to eight items.")
_SHOW = fields.OneOf("show", actions.ItemFilter)
_SORT = fields.OneOf("sort", ItemSort)
_NAME = fields.TextInput("name", longest=40, is_line=True)


async def show_screen(
    here: Here, address: shop.Address, mode: shop.ReadMode = shop.ReadMode.SHOW, *, asked: int = 0
) -> None:
    """Answer with a screen, and say how many there are if more were `asked` for."""
    again = actions.ShowItems.at(address)
    here.again = msgspec.structs.replace(again, seen=address.seen, goes_back=address.goes_back)
    service = here.features.shop
    if mode is shop.ReadMode.READ_ON or not address.is_whole:
        await read(here, address.catalog_id, mode)
    catalog = await here.place(PlaceKind.CATALOG, address.catalog_id)
    gallery = await service.screen(here.member_id, address, fresh=mode is shop.ReadMode.REFRESH)
    watched = await _watched(here, address.catalog_id)
    names = await here.names(PlaceKind.CATALOG)
    others = [named for named in names if named.game_id != address.catalog_id]
    can_watch = here.features.own_account.is_there
    count = service.number_of(gallery.address)
    note = ""
    if gallery.screen.entries and gallery.screen.next is None and count < asked:
        note = nt("The catalog has %(count)s page.", "The catalog has %(count)s pages.", count)
        if not address.is_whole:
            note = nt("The list has %(count)s page.", "The list has %(count)s pages.", count)
    card = screen_cards.gallery_card(
        catalog, gallery, watched, others, can_watch=can_watch, note=note
    )
    await here.answer(card)
    here.open_cards.forget(here)


async def show_item(here: Here, entry: CatalogItem, way: actions.Way | None) -> None:
    way = way or actions.ShowItems(entry.catalog_id, entry.page)
    catalog = await here.place(PlaceKind.CATALOG, entry.catalog_id)
    orders = {
        kind: await here.features.orders.find_blocking(here.member_id, entry.item.id, kind)
        for kind in writes.ORDERS
    }
    is_watched = entry.item.id in await _watched(here, entry.catalog_id)
    can_watch = here.features.own_account.is_there
    await here.answer(
        item_card(entry, catalog, way, orders, is_watched=is_watched, can_watch=can_watch)
    )
    here.open_cards.forget(here)


async def _watched(here: Here, catalog_id: int) -> abc.Set[int | None]:
    stored = here.features.watching.watches
    watches = await stored.of_member(here.member_id, PlaceKind.CATALOG)
    parts = [part for watch in watches for part in watch.parts]
    return {part.subject_id for part in parts if part.place_id == catalog_id}


async def read(
    here: Here, catalog_id: int, mode: shop.ReadMode = shop.ReadMode.SHOW
) -> abc.Sequence[Item]:
    """Return a catalog's items, and show the progress of reading."""
    reading = secrets.token_hex(8)
    stop = asyncio.timeout(None)
    shown = 0
    service = here.features.shop
    length = service.catalogs.length(catalog_id)
    begun_at = here.clock.now()

    async def report(pages: int) -> None:
        nonlocal shown
        if shown == 0 or pages >= shown + max(_MIN_PAGES, shown // 4):
            shown = pages
            catalog = await here.place(PlaceKind.CATALOG, catalog_id)
            done_at = None
            if length is not None and length > pages:
                now = here.clock.now()
                done_at = now + (now - begun_at) * ((length - pages) / pages)
            await here.answer(screen_cards.progress_card(catalog, pages, reading, length, done_at))

    service.readings[reading] = stop
    try:
        listing = await service.read(here.member_id, catalog_id, mode, report=report, stop=stop)
    finally:
        del service.readings[reading]
    return [entry.item for entry in listing.items]


@route(actions.ShowItems)
async def on_screen(here: Here, action: actions.ShowItems) -> None:
    await show_screen(here, action.address, action.mode)


@route(shared_actions.OpenCatalog)
async def on_open_catalog(here: Here, action: shared_actions.OpenCatalog) -> None:
    await show_screen(here, shop.Address(action.catalog_id))


@route(shared_actions.OpenItem, actions.ShowItem)
async def on_item(here: Here, action: shared_actions.OpenItem | actions.ShowItem) -> None:
    message = here.interaction.message
    try:
        entry = await here.features.shop.item(here.member_id, action.ref)
    except errors.AccountError as error:
        message_id = message.id if message else 0
        event = await here.features.announcing.deliveries.told_in(
            message_id, PlaceKind.CATALOG, action.ref.catalog_id, action.ref.item_id
        )
        if event is None:
            raise
        catalog = await here.place(PlaceKind.CATALOG, action.ref.catalog_id)
        invitation = told_card(here, error, "")
        await here.answer(announced_card(event, catalog, invitation))
        return
    way = action if isinstance(action, actions.ShowItem) else actions.origin_of(message)
    await show_item(here, entry, way and actions.list_behind(way))


@route(actions.FilterCatalog, opens_form=True)
async def open_filter_form(here: Here, action: actions.FilterCatalog) -> None:
    catalog = await here.place(PlaceKind.CATALOG, action.catalog_id)
    at_hand = here.features.shop.catalogs.at_hand(here.member_id, action.catalog_id)
    known = [entry.item for entry in at_hand.items]
    is_whole = not at_hand.ending.is_early
    types = [item_type.name for item_type in item_queries.types_in(known)] if is_whole else []
    wanted = FilterFields.of(action.address, known)
    if items.TYPES.name in here.filled:
        wanted = msgspec.structs.replace(wanted, types=items.TYPES.read(here))
    example = item_queries.cost_example(known)
    await here.open_form(filter_form(catalog, wanted, types, example))


@sent(actions.FilterCatalog)
async def on_filter(here: Here, action: actions.FilterCatalog) -> None:
    catalog_id = action.catalog_id
    wanted = FilterFields.read(here)
    query = msgspec.structs.replace(actions.SHOWN[wanted.show], name=wanted.name)
    if wanted.types or wanted.max_cost:
        known = await read(here, catalog_id)
        query = item_queries.read_query(query, known, types=wanted.types, cost=wanted.max_cost)
        query = item_queries.numbered(query, known)
    address = shop.Address(catalog_id, query=query, sort=wanted.sort)
    actions.check_room(address)
    await show_screen(here, address)


@route(actions.GoToCatalogPage, opens_form=True)
async def open_page_form(here: Here, action: actions.GoToCatalogPage) -> None:
    page = here.features.shop.number_of(action.address)
    await here.open_form(pages.page_form(action, PAGE_HINT, page))


@sent(actions.GoToCatalogPage)
async def on_page(here: Here, action: actions.GoToCatalogPage) -> None:
    page = pages.read_page(here, shop.LAST_PAGE)
    await show_screen(here, here.features.shop.at_number(action.address, page), asked=page)


@route(actions.ShowLastItems)
async def on_last(here: Here, action: actions.ShowLastItems) -> None:
    await show_screen(here, await here.features.shop.last(here.member_id, action.address))


@route(actions.ShareItem)
async def on_share(here: Here, action: actions.ShareItem) -> None:
    async def draw() -> tuple[drawing.Card, tuple[()]]:
        # An item that becomes public is read again: it may be gone since.
        entry = await here.features.shop.item(here.member_id, action.ref, fresh=True)
        catalog = await here.place(PlaceKind.CATALOG, entry.catalog_id)
        can_watch = here.features.own_account.is_there
        return shared_card(entry, catalog, here.interaction.user, can_watch=can_watch), ()

    await sent_cards.publish_once(here, draw)


@route(actions.StopReading)
async def on_stop(here: Here, action: actions.StopReading) -> None:
    stop = here.features.shop.readings.get(action.reading)
    if stop is None:
        title = t("Reading has already ended")
        body = t("To see the catalog, use `/shop browse` again.")
        await here.answer(drawing.notice(title, body))
    else:
        stop.reschedule(0)


class FilterFields(msgspec.Struct, frozen=True):
    """The fields of the Filter form, with types, highest cost and name as chosen or typed."""

    show: actions.ItemFilter = actions.ItemFilter.ALL
    sort: ItemSort = ItemSort.CATALOG
    types: frozenset[str] = frozenset()
    max_cost: str = ""
    name: str = ""

    @classmethod
    def of(cls, address: shop.Address, known: abc.Sequence[Item]) -> typing.Self:
        query = item_queries.named(address.query, known)
        return cls(
            actions.show_of(query), address.sort, query.types, items.cost_typed(query), query.name
        )

    @classmethod
    def read(cls, here: Here) -> typing.Self:
        """Return what was filled in. Raises OldButton."""
        return cls(
            _SHOW.read(here),
            _SORT.read(here),
            items.TYPES.read(here),
            items.COST.read(here),
            _NAME.read(here),
        )


def filter_form(
    catalog: Place, wanted: FilterFields, types: abc.Collection[str], example: str
) -> forms.ActionForm:
    """Ask for the filter of a catalog, with types and a cost such as the `example`.

    If no `types` are known, the member types them.
    """
    name = catalog.name or f"#{catalog.game_id}"
    title = one_line(t("Filter %(catalog)s", catalog=name), forms.MAX_TITLE_LENGTH, plain=True)
    form = forms.ActionForm(actions.FilterCatalog(catalog.game_id), title=title)
    _SHOW.ask(form, pt("items", "Show"), screen_cards.SHOW_WORDS, wanted.show)
    _SORT.ask(form, t("Sort by"), screen_cards.SORT_WORDS, wanted.sort)
    items.ask_query(form, types, wanted.types, wanted.max_cost, example)
    hint = t("Part of the name. Leave empty for any.")
    _NAME.ask(form, t("Name"), hint, text=wanted.name)
    return form


def item_card(
    entry: CatalogItem,
    catalog: Place,
    way: actions.Way,
    orders: abc.Mapping[writes.WriteKind, writes.Order | None],
    *,
    is_watched: bool,
    can_watch: bool = True,
) -> drawing.Card:
    """Show an item. `orders` are the order that blocks a purchase, and the last redemption."""
    card = drawing.Card(theme.SHOP)
    item = entry.item
    reasons = {kind: _reason(kind, orders.get(kind)) for kind in writes.ORDERS}
    watching: tuple[str, ...] = ()
    if is_watched:
        said = t("🔔 You're watching this item. You get a direct message when something changes.")
        watching = (said, watches.first_message_line())
    place = items.place_line(item, items.catalog_title(catalog.game_id, catalog.name))
    items.say_facts(card, item, items.marks(item), *reasons.values(), *watching, place)
    buy, redeem, watch = items.order_buttons(entry.ref)
    if is_watched:
        stop = shared_actions.StopWatching(entry.ref)
        watch = drawing.button(stop, t("Stop watching"), emoji="🔕")
    redemption = orders.get(writes.WriteKind.REDEEM)
    offered = [
        (buy, not (item.has_purchased or reasons[writes.WriteKind.PURCHASE])),
        (redeem, redemption is None or not is_open(redemption)),
        (watch, is_watched or (can_watch and not item.has_purchased)),
    ]
    card.buttons(
        *(button for button, is_offered in offered if is_offered),
        drawing.button(actions.ShareItem(entry.ref), t("Share")),
        drawing.button(way, t("Back")),
    )
    return card


def announced_card(event: Event, catalog: Place, invitation: drawing.Card) -> drawing.Card:
    """Show an announcement's news about an item, and below it an invitation, such as to link."""
    card = drawing.Card(theme.SHOP)
    items.say_event(card, event, items.catalog_title(catalog.game_id, catalog.name))
    card.divide()
    for part in invitation.components[-1]["components"]:
        card.add(part)
    return card


def shared_card(
    entry: CatalogItem, catalog: Place, sharer: discord.abc.User, *, can_watch: bool = True
) -> drawing.Card:
    card = drawing.Card(theme.SHOP)
    item = entry.item
    place = items.place_line(item, items.catalog_title(catalog.game_id, catalog.name))
    items.say_facts(card, item, items.marks(item, personal=False), place)
    opening = drawing.button(shared_actions.OpenItem(entry.ref), t("Open"))
    buttons = items.order_buttons(entry.ref)[: None if can_watch else 2]
    return sent_cards.finish_shared(card, sharer, *buttons, opening)


def shared_order_card(
    order: writes.Order, catalog: Place, sharer: discord.abc.User
) -> drawing.Card:
    card = drawing.Card(theme.SHOP)
    item = order.item
    name = items.name_of(item.name)
    title = t("%(member)s got the %(name)s", member=sent_cards.name_of(sharer), name=name)
    cost = items.price(item.cost, item.currency_singular, item.currency_name)
    place = items.catalog_title(catalog.game_id, catalog.name)
    card.say(f"### {title}\n**{cost}**\n-# {place}", items.picture(item))
    opening = drawing.button(shared_actions.OpenItem(order.ref), t("Open"))
    return sent_cards.finish_shared(card, sharer, *items.order_buttons(order.ref), opening)


def _reason(kind: writes.WriteKind, order: writes.Order | None) -> str:
    """Return what blocks a purchase, or what to know before redeeming, "" for nothing."""
    is_purchase = kind is writes.WriteKind.PURCHASE
    if order is None or (is_purchase and order.state is writes.WriteState.DONE):
        # A purchase with another account says nothing about this account.
        return ""
    if order.state not in (writes.WriteState.KEPT, writes.WriteState.SENT):
        return order_cards.outcome(order).state if is_purchase else order_cards.redeemed(order)
    if is_purchase:
        return t("You're already buying this item. See `/shop orders`.")
    return t("You're already redeeming this item. See `/shop orders`.")
