"""Actions of the shop; each says by itself where it leads."""

from typing import ClassVar, Self
from urllib.parse import unquote

import discord

from bot.errors import OldButton
from bot.features.reading.catalogs import ItemFilter, ItemSort, Show
from bot.features.reading.shop import Address, Refresh
from bot.features.writing.orders import ANY_CURRENCY
from bot.ui.actions import A, Action, actions_in, quoted, read_number
from bot.ui.shared_actions import AskPurchase, AskRedemption, OfItem, OpenCatalog
from storage.names import ItemRef
from storage.writes import WriteKind

_ORDERS = "o"
_SEPARATOR = "."
NO_CATALOG = 0
# With any catalog's number, that leaves room for the kind of an action that carries it on.
LONGEST_NAME = 40
NO_COST = -1
# With any numbers, that leaves room for two of them; and what a quoted character takes.
_LONGEST_WATCHED, _LONGEST_QUOTED = 22, 3


class OfScreen(Action):
    catalog_id: int
    page: int
    offset: int = 0
    # A filter in a few characters, none of them for the whole catalog.
    picked: str = ""

    @classmethod
    def at(cls, address: Address) -> Self:
        each, picked = address.item_filter, ""
        if not each.is_everything:
            show, sort = list(Show).index(each.show), list(ItemSort).index(each.sort)
            parts = (show, each.type_id, each.max_cost, sort)
            picked = _SEPARATOR.join("" if part is None else str(part) for part in parts)
        return cls(address.catalog_id, address.page, address.offset, picked)

    @property
    def address(self) -> Address:
        """The screen's address. Raises OldButton."""
        picked = ItemFilter()
        try:
            if self.picked:
                show, type_id, max_cost, sort = self.picked.split(_SEPARATOR)
                picked = ItemFilter(
                    list(Show)[int(show)],
                    read_number(type_id) if type_id else None,
                    read_number(max_cost) if max_cost else None,
                    list(ItemSort)[int(sort)],
                )
        except (ValueError, IndexError) as error:
            raise OldButton from error
        return Address(self.catalog_id, self.page, self.offset, picked)


class ShowScreen(OfScreen, kind="screen"):
    mode: Refresh = Refresh.SHOW


# Open the form for a screen's filter.
OpenFilter = OfScreen.of_kind("filter")
SendFilter = OpenCatalog.of_kind("filter.send")
# Watch whatever comes in a catalog.
WatchCatalog = OpenCatalog.of_kind("watch.all")


class ShowOrders(Action, kind="orders"):
    offset: int


class FindItem(Action, kind="find"):
    """Find the item that a command names, and do with it what the action of kind `goal` does."""

    goal: str
    # NO_CATALOG for all that have a name.
    catalog_id: int
    # The name, quoted, or its beginning where no more has room: a part of a name is found, too.
    text: str


class WatchSearch(Action, kind="watch.find"):
    """Watch whatever fits a search in a catalog; the type and the part of a name are quoted."""

    catalog_id: int
    max_cost: int
    is_clearance: bool
    item_type: str
    name: str

    @classmethod
    def of(cls, max_cost: int | None, item_type: str, name: str, *, is_clearance: bool) -> Self:
        """Return the action for what was typed, in no catalog yet; NO_COST stands for any."""
        texts = [quoted(text, len(text) * _LONGEST_QUOTED) for text in (item_type, name)]
        return cls(NO_CATALOG, NO_COST if max_cost is None else max_cost, is_clearance, *texts)

    @property
    def is_anything(self) -> bool:
        texts = self.item_type + unquote(self.name).strip()
        return not texts and not self.is_clearance and self.max_cost == NO_COST

    @property
    def fits(self) -> bool:
        """True where a button or a list's entry can carry it, whatever the numbers."""
        return max(len(self.item_type), len(self.name)) <= _LONGEST_WATCHED


# What an item can be opened from, and its card leads back to.
Way = ShowScreen | ShowOrders


# Its kind is short, since a custom id of the largest numbers has no room left.
class ShowItem(OfItem, kind="at"):
    """Show an item's card; of a screen of a page as it is, `page` is that page: it was there."""

    offset: int = 0
    # The screen's filter in short, or _ORDERS.
    picked: str = ""

    @classmethod
    def of(cls, ref: ItemRef, way: Way) -> Self:
        if isinstance(way, ShowOrders):
            return cls(*ref, way.offset, _ORDERS)
        page = ref.page if way.picked else way.page
        return cls(ref.catalog_id, page, ref.item_id, way.offset, way.picked)


ShareItem = OfItem.of_kind("share")


def origin_of(message: discord.Message | None) -> ShowItem | Way | None:
    """Return where what follows a card leads back to, None where it came from nowhere."""
    if message is None:
        return None

    def first(kind: type[A]) -> A | None:
        return next(iter(actions_in(message, kind)), None)

    if (of_item := first(ShowItem)) is not None:
        return of_item
    if screen := first(OpenFilter):
        return ShowScreen.at(screen.address)
    way, item = first(ShowScreen) or first(ShowOrders), first(ShareItem)
    return ShowItem.of(item.ref, way) if way and item else way


ASK = {WriteKind.PURCHASE: AskPurchase, WriteKind.REDEEM: AskRedemption}


class ConfirmPurchase(OfItem, kind="buy"):
    """Buy at the cost that was shown; `confirmation` names the card, so that it counts once."""

    order_kind: ClassVar[WriteKind] = WriteKind.PURCHASE
    cost: int
    confirmation: int
    # What `orders.currency_digits` says.
    currency: int = ANY_CURRENCY


class ConfirmRedemption(OfItem, kind="redeem"):
    order_kind: ClassVar[WriteKind] = WriteKind.REDEEM
    cost: ClassVar[None] = None
    currency: ClassVar[int] = ANY_CURRENCY
    confirmation: int


class OfReceipt(Action):
    """The order of a receipt, which stands on the list from `offset` on."""

    order_id: int
    offset: int


ShowOrdered = OfReceipt.of_kind("ordered")
AskAgain = OfReceipt.of_kind("askagain")


class AskNow(Action, kind="asknow"):
    order_id: int


class StopReading(Action, kind="stop"):
    reading: str


def list_behind(way: ShowItem | Way) -> Way:
    if not isinstance(way, ShowItem):
        return way
    if way.picked == _ORDERS:
        return ShowOrders(way.offset)
    return ShowScreen(way.catalog_id, 1 if way.picked else way.page, way.offset, way.picked)


class EndWatch(Action, kind="unwatch"):
    watch_id: int
