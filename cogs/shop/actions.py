"""Actions of the shop; each says by itself where it leads."""

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
from bot.game.models import LARGEST
from bot.ui import custom_ids, drawing, shared_actions
from storage import writes
from storage.names import ItemRef
from storage.subscriptions import ItemQuery

_ORDERS = "o"
# On buttons of 2.0.0, for the orders that are bought and not redeemed.
_NOT_REDEEMED = "r"
# Between the parts of a filter, and between its types.
_SEPARATOR = "."
_AND = "+"
NO_CATALOG = 0
# With any catalog's number, that leaves room for the kind of an action that carries it on.
LONGEST_NAME = 40
# The same for a name among orders.
LONGEST_ORDERED = 18
NO_COST = -1
# The largest offset of a screen: a filtered catalog is one long page.
_FARTHEST = 20_000
# With any numbers, that leaves room for two of them; and what a quoted character takes.
_LONGEST_WATCHED = 22
_LONGEST_QUOTED = 3


class ItemFilter(StrEnum):
    """The choices of which items of a catalog are shown."""

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
    # A filter in a few characters, none of them for the whole catalog.
    picked: str = ""

    @classmethod
    def at(cls, address: shop.Address) -> typing.Self:
        """Return the action for a screen, the types and currency of which are numbers."""
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
                # Buttons of 1.0.0 end before these.
                parts += [
                    _bare(query.currency),
                    custom_ids.quoted(query.name, custom_ids.LONGEST_CUSTOM_ID),
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
    """Return a number without its sign, "" for a name: no item at hand is of that."""
    return number.removeprefix(NUMBER_SIGN) if number.startswith(NUMBER_SIGN) else ""


def _numbered(number: str) -> str:
    return f"{NUMBER_SIGN}{custom_ids.read_number(number)}"


class ShowItems(OfScreen, kind="screen"):
    """Show a screen.

    With `seen`, the ids that this screen showed (see `Seen`), show the next one, or where it
    `goes_back` the one before.
    """

    mode: shop.ReadMode = shop.ReadMode.SHOW
    seen: str = ""
    goes_back: bool = False

    @property
    def address(self) -> shop.Address:
        return replace(super().address, seen=self.seen, goes_back=self.goes_back)


class FilterCatalog(OfScreen, kind="filter"):
    """A form for what to show of a catalog, which starts with the filter of a screen."""


class ShowLastItems(OfScreen, kind="last"):
    """Show the last screen, which comes after this one."""


class GoToCatalogPage(OfScreen, kind="page"):
    """A form for the number of another screen of the same."""


class WatchFilter(OfScreen, kind="watch.pick"):
    """Watch what the filter of a screen picks."""


class WatchCatalog(shared_actions.OpenCatalog, kind="watch.all"):
    """Watch whatever comes in a catalog."""


class Which(StrEnum):
    """The choices of which orders are listed; buttons of 2.0.0 know the first two, as a bool."""

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
    """A form for which orders are listed, which starts with what a list shows."""


class FindItem(custom_ids.Action, kind="find"):
    """Find the item that a command names, and do with it what the action of kind `goal` does."""

    goal: str
    # NO_CATALOG for all that have a name.
    catalog_id: int
    # The name, quoted, or its beginning where no more has room: a part of a name is found, too.
    text: str


class WatchSearch(custom_ids.Action, kind="watch.find"):
    """Watch whatever fits a search in a catalog; the type and the part of a name are quoted."""

    catalog_id: int
    max_cost: int
    is_clearance: bool
    item_type: str
    name: str

    @classmethod
    def of(cls, query: ItemQuery) -> typing.Self:
        """Return the action for what was typed, in no catalog yet; NO_COST stands for any."""
        texts = [
            custom_ids.quoted(text, len(text) * _LONGEST_QUOTED)
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
        """True where a button or a list's entry can carry it, whatever the numbers."""
        return max(len(self.item_type), len(self.name)) <= _LONGEST_WATCHED


# An item can be opened from these, and its card leads back to them.
Way = ShowItems | ShowOrders


# Its kind is short, since a custom id of the largest numbers has no room left.
class ShowItem(shared_actions.OfItem, kind="at"):
    """Show an item's card; of a screen of a page as it is, `page` is that page: it was there."""

    offset: int = 0
    # The screen's filter in short, or _ORDERS with that of the list, or _NOT_REDEEMED.
    picked: str = ""

    @classmethod
    def of(cls, ref: ItemRef, way: Way) -> typing.Self:
        if isinstance(way, ShowOrders):
            return cls(ref, way.offset, f"{_ORDERS}{way.which}{way.name}")
        page = ref.page if way.picked else way.page
        return cls(ref._replace(page=page), way.offset, way.picked)


class ShareItem(shared_actions.OfItem, kind="share"):
    """Post an item for everybody in the channel."""


def check_room(address: shop.Address) -> None:
    """Raise FilterTooLong where a screen's filter has no room in the buttons of its items."""
    far = replace(address, page=shop.LAST_PAGE, offset=_FARTHEST)
    try:
        ShowItem.of(
            ItemRef(address.catalog_id, shop.LAST_PAGE, LARGEST), ShowItems.at(far)
        ).custom_id()
    except ValueError as error:
        raise FilterTooLong from error


def origin_of(message: discord.Message | None) -> ShowItem | Way | None:
    """Return where what follows a card leads back to, None where it came from nowhere."""
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
    """Buy at the cost that was shown; `confirmation` names the card, so that it counts once."""

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
    """The order of a receipt, which is on the list from `offset` on."""

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
    """Show once more what an order would be."""


class RedeemOrdered(OfReceipt, kind="redeem.ordered"):
    """Show what it would be to redeem what was bought."""


class ShareOrder(custom_ids.Action, kind="share.order"):
    """Tell everybody in the channel what one has bought."""

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
