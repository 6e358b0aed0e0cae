"""Actions of the shop. Each contains everything about its destination."""

import typing
from collections.abc import Mapping
from enum import StrEnum
from urllib.parse import unquote

import discord
from msgspec.structs import replace

from bot.errors import OldButton
from bot.features.feature_errors import FilterTooLong
from bot.features.item_queries import ANYTHING
from bot.features.matching import NUMBER_SIGN
from bot.features.reading import shop
from bot.features.reading.catalogs import ItemSort
from bot.game.models import MAX_NUMBER
from bot.ui import custom_ids, drawing, shared_actions
from storage import writes
from storage.names import ItemRef
from storage.subscriptions import ItemQuery

_ORDERS = "o"
# On buttons of 2.0.0, for items that are bought and not redeemed.
_NOT_REDEEMED = "r"
# Separates the parts of a filter. The next one separates its types.
_SEPARATOR = "."
_AND = "+"
NO_CATALOG = 0
# With any catalog's number, this leaves room for the kind of an action that contains the name.
MAX_NAME_LENGTH = 40
# The same for a name among orders.
MAX_ORDERED_LENGTH = 18
NO_COST = -1
# The largest offset of a screen: a filtered catalog is one long page.
_FARTHEST = 20_000
# With any numbers, this leaves room for two texts. The next is the length of a quoted character.
_MAX_WATCHED_LENGTH = 22
_MAX_QUOTED_LENGTH = 3


class ItemFilter(StrEnum):
    """The choices of items to show of a catalog."""

    ALL = "all"
    NOT_OWNED = "not owned"
    CLEARANCE = "clearance"
    SUBSCRIBERS = "members"


SHOWN: Mapping[ItemFilter, ItemQuery] = {
    ItemFilter.ALL: ANYTHING,
    ItemFilter.NOT_OWNED: ItemQuery(is_owned=False),
    ItemFilter.CLEARANCE: ItemQuery(is_clearance=True),
    ItemFilter.SUBSCRIBERS: ItemQuery(is_for_subscribers=True),
}


def show_of(query: ItemQuery) -> ItemFilter:
    chosen = ItemQuery(
        is_owned=query.is_owned,
        is_clearance=query.is_clearance,
        is_for_subscribers=query.is_for_subscribers,
    )
    return next(show for show, shown in SHOWN.items() if shown == chosen)


class OfScreen(custom_ids.Action):
    catalog_id: int
    page: int = 1
    offset: int = 0
    # A filter in a few characters, "" for the whole catalog.
    picked: str = ""

    @classmethod
    def at(cls, address: shop.Address) -> typing.Self:
        """Return the action for a screen, with numbers for its types and currency."""
        picked = ""
        if not address.is_whole:
            query = address.query
            parts = [
                str(list(ItemFilter).index(show_of(query))),
                _AND.join(_bare(number) for number in sorted(query.types)),
                "" if query.max_cost is None else str(query.max_cost),
                str(list(ItemSort).index(address.sort)),
            ]
            if query.currency or query.name:
                # Buttons of 1.0.0 don't have these.
                parts += [
                    _bare(query.currency),
                    custom_ids.quoted(query.name, custom_ids.MAX_CUSTOM_ID_LENGTH),
                ]
            picked = _SEPARATOR.join(parts)
        return cls(address.catalog_id, address.page, address.offset, picked)

    @property
    def address(self) -> shop.Address:
        """The screen's address. Raises OldButton."""
        address = shop.Address(self.catalog_id, self.page, self.offset)
        if not self.picked:
            return address
        try:
            show, types, max_cost, sort, *others = self.picked.split(_SEPARATOR, 5)
            currency, name = others or ("", "")
            query = replace(
                SHOWN[list(ItemFilter)[int(show)]],
                types=frozenset(_numbered(number) for number in types.split(_AND) if number),
                max_cost=custom_ids.read_number(max_cost) if max_cost else None,
                currency=currency and _numbered(currency),
                name=unquote(name),
            )
            return replace(address, query=query, sort=list(ItemSort)[int(sort)])
        except (ValueError, IndexError) as error:
            raise OldButton from error


def _bare(number: str) -> str:
    """Return a number without its sign, "" for a name, which no loaded item has."""
    return number.removeprefix(NUMBER_SIGN) if number.startswith(NUMBER_SIGN) else ""


def _numbered(number: str) -> str:
    return f"{NUMBER_SIGN}{custom_ids.read_number(number)}"


class ShowItems(OfScreen, kind="screen"):
    """Show a screen.

    `seen` are the ids that this screen showed (see `Seen`). With them, show the next screen, or
    the previous one if it `goes_back`.
    """

    mode: shop.ReadMode = shop.ReadMode.SHOW
    seen: str = ""
    goes_back: bool = False

    @property
    def address(self) -> shop.Address:
        return replace(super().address, seen=self.seen, goes_back=self.goes_back)


class FilterCatalog(OfScreen, kind="filter"):
    """A form for the filter of a catalog, which starts with a screen's filter."""


class ShowLastItems(OfScreen, kind="last"):
    """Show the last screen, which comes after this one."""


class GoToCatalogPage(OfScreen, kind="page"):
    """A form for the number of another screen of the same list."""


class WatchFilter(OfScreen, kind="watch.pick"):
    """Watch the items that a screen's filter matches."""


class WatchCatalog(shared_actions.OpenCatalog, kind="watch.all"):
    """Watch all new items of a catalog."""


class Which(StrEnum):
    """The choices of orders to list. Buttons of 2.0.0 have the first two, as a bool."""

    ALL = "0"
    NOT_REDEEMED = "1"
    BOUGHT = "2"
    REDEEMED = "3"
    UNKNOWN = "4"
    REFUSED = "5"


class ShowOrders(custom_ids.Action, kind="orders"):
    offset: int
    which: Which = Which.ALL
    # A part of the items' names, quoted.
    name: str = ""

    @property
    def is_whole(self) -> bool:
        return self.which is Which.ALL and not self.name

    @property
    def typed(self) -> str:
        return unquote(self.name)

    def at(self, offset: int) -> "ShowOrders":
        return ShowOrders(offset, self.which, self.name)


class FilterOrders(ShowOrders, kind="orders.filter"):
    """A form for the filter of orders, which starts with a list's filter."""


class FindItem(custom_ids.Action, kind="find"):
    """Find the item that a command names, and do the action of kind `goal` with it."""

    goal: str
    # NO_CATALOG for all that have a name.
    catalog_id: int
    # The name, quoted, or as much of its start as fits: a part of a name is found, too.
    text: str


class WatchSearch(custom_ids.Action, kind="watch.find"):
    """Watch items that match a search in a catalog. The type and the part of a name are quoted."""

    catalog_id: int
    max_cost: int
    is_clearance: bool
    item_type: str
    name: str

    @classmethod
    def of(cls, query: ItemQuery) -> typing.Self:
        """Return the action for what was typed, without a catalog yet. NO_COST means any cost."""
        texts = [
            custom_ids.quoted(text, len(text) * _MAX_QUOTED_LENGTH)
            for text in ("".join(query.types), query.name)
        ]
        max_cost = NO_COST if query.max_cost is None else query.max_cost
        return cls(NO_CATALOG, max_cost, query.is_clearance, *texts)

    @property
    def query(self) -> ItemQuery:
        return ItemQuery(
            name=unquote(self.name).strip(),
            types=frozenset([unquote(self.item_type)] if self.item_type else []),
            max_cost=None if self.max_cost == NO_COST else self.max_cost,
            is_clearance=self.is_clearance,
        )

    @property
    def has_room(self) -> bool:
        """Whether the action fits in a button or a list's entry, with any numbers."""
        return max(len(self.item_type), len(self.name)) <= _MAX_WATCHED_LENGTH


# An item can be opened from these, and its card leads back to them.
Way = ShowItems | ShowOrders


# Its kind is short, since a custom id of the largest numbers has no room left.
class ShowItem(shared_actions.OfItem, kind="at"):
    """Show an item's card. From a screen without a filter, `page` is the page of that screen."""

    offset: int = 0
    # The screen's filter in short form, or _ORDERS with the list's filter, or _NOT_REDEEMED.
    picked: str = ""

    @classmethod
    def of(cls, ref: ItemRef, way: Way) -> typing.Self:
        if isinstance(way, ShowOrders):
            return cls(ref, way.offset, f"{_ORDERS}{way.which}{way.name}")
        page = ref.page if way.picked else way.page
        return cls(ref._replace(page=page), way.offset, way.picked)


class ShareItem(shared_actions.OfItem, kind="share"):
    """Post an item for everyone in the channel."""


def check_room(address: shop.Address) -> None:
    """Raise FilterTooLong if a screen's filter doesn't fit in the buttons of its items."""
    far = replace(address, page=shop.LAST_PAGE, offset=_FARTHEST)
    try:
        ShowItem.of(
            ItemRef(address.catalog_id, shop.LAST_PAGE, MAX_NUMBER), ShowItems.at(far)
        ).custom_id()
    except ValueError as error:
        raise FilterTooLong from error


def origin_of(message: discord.Message | None) -> ShowItem | Way | None:
    """Return the action to go back to from the card after this message, None if there is none."""
    if message is None:
        return None
    if items := drawing.actions_in(message, ShowItem):
        return items[0]
    if filters := drawing.actions_in(message, FilterCatalog):
        return ShowItems.at(filters[0].address)
    ways = [*drawing.actions_in(message, ShowItems), *drawing.actions_in(message, ShowOrders)]
    shared = drawing.actions_in(message, ShareItem)
    if ways and shared:
        return ShowItem.of(shared[0].ref, ways[0])
    return ways[0] if ways else None


ASK = {
    writes.WriteKind.PURCHASE: shared_actions.AskPurchase,
    writes.WriteKind.REDEEM: shared_actions.AskRedemption,
}


class ConfirmPurchase(shared_actions.OfItem, kind="buy"):
    """Buy at the cost that was shown. `confirmation` is the card's id, so that it counts once."""

    order_kind: typing.ClassVar[writes.WriteKind] = writes.WriteKind.PURCHASE
    cost: int
    confirmation: int
    # See `orders.currency_digits`.
    currency: int = writes.ANY_CURRENCY


class ConfirmRedemption(shared_actions.OfItem, kind="redeem"):
    order_kind: typing.ClassVar[writes.WriteKind] = writes.WriteKind.REDEEM
    cost: typing.ClassVar[int] = 0
    currency: typing.ClassVar[int] = writes.ANY_CURRENCY
    confirmation: int


class OfReceipt(custom_ids.Action):
    """The order of a receipt on the list that starts at `offset`."""

    order_id: int
    offset: int
    which: Which = Which.ALL
    name: str = ""

    @property
    def way(self) -> ShowOrders:
        return ShowOrders(self.offset, self.which, self.name)


class ShowOrdered(OfReceipt, kind="ordered"):
    """Show the item that was ordered."""


class AskAgain(OfReceipt, kind="askagain"):
    """Show an order to confirm again."""


class RedeemOrdered(OfReceipt, kind="redeem.ordered"):
    """Show the redemption of a bought item, to confirm."""


class ShareOrder(custom_ids.Action, kind="share.order"):
    """Post a member's purchase for everyone in the channel."""

    order_id: int


class AskNow(custom_ids.Action, kind="asknow"):
    order_id: int


class StopReading(custom_ids.Action, kind="stop"):
    reading: str


def list_behind(way: ShowItem | Way) -> Way:
    if not isinstance(way, ShowItem):
        return way
    if way.picked == _NOT_REDEEMED:
        return ShowOrders(way.offset, Which.NOT_REDEEMED)
    if way.picked.startswith(_ORDERS):
        which = Which(way.picked[1:2] or Which.ALL)
        return ShowOrders(way.offset, which, way.picked[2:])
    page = 1 if way.picked else way.ref.page
    return ShowItems(way.ref.catalog_id, page, way.offset, way.picked)
