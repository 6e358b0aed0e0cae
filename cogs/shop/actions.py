"""What can be pressed in the shop; each action says by itself where it leads."""

from dataclasses import dataclass
from typing import ClassVar, Self

from bot.domain.orders import OrderKind
from bot.errors import OldButton
from bot.features.shop import Mode
from bot.features.shop.item_filter import ItemFilter, ItemSort, Show
from bot.features.shop.screens import Address
from bot.ui.actions import Action
from bot.ui.shared_actions import OfItem

_SEPARATOR = "."


@dataclass(frozen=True)
class _OfScreen(Action):
    catalog_id: int
    page: int
    offset: int = 0
    # A filter in short.
    picked: str = ""

    @classmethod
    def at(cls, address: Address) -> Self:
        """Return the action for the screen at an address."""
        return cls(address.catalog_id, address.page, address.offset, shorten(address.item_filter))

    @property
    def address(self) -> Address:
        """The screen's address. Raises OldButton."""
        return Address(self.catalog_id, self.page, self.offset, lengthen(self.picked))


@dataclass(frozen=True)
class ShowScreen(_OfScreen):
    """Show a screen of a catalog."""

    kind: ClassVar[str] = "screen"
    mode: Mode = Mode.SHOW


@dataclass(frozen=True)
class PickItem(_OfScreen):
    """An item was chosen from a screen's list; the value is what `item_value` wrote."""

    kind: ClassVar[str] = "pick"


@dataclass(frozen=True)
class ShareItem(OfItem):
    """Post an item's card in the channel."""

    kind: ClassVar[str] = "share"


@dataclass(frozen=True)
class ConfirmPurchase(OfItem):
    """Buy at the cost that was shown; `confirmation` names the card, so that it counts once."""

    kind: ClassVar[str] = "buy"
    order_kind: ClassVar[OrderKind] = OrderKind.PURCHASE
    cost: int
    confirmation: int


@dataclass(frozen=True)
class ConfirmRedemption(OfItem):
    """Redeem; `confirmation` names the card, so that it counts once."""

    kind: ClassVar[str] = "redeem"
    order_kind: ClassVar[OrderKind] = OrderKind.REDEEM
    cost: ClassVar[None] = None
    confirmation: int


@dataclass(frozen=True)
class AskAnyway(Action):
    """Show what ordering the same would be in spite of an order, to be confirmed."""

    kind: ClassVar[str] = "askanyway"
    order_id: int


@dataclass(frozen=True)
class ConfirmAnyway(Action):
    """Order the same in spite of an order; otherwise as the other confirmations."""

    kind: ClassVar[str] = "anyway"
    order_id: int
    cost: int
    confirmation: int


@dataclass(frozen=True)
class CancelOrder(Action):
    """Order nothing."""

    kind: ClassVar[str] = "cancel"


@dataclass(frozen=True)
class StopReading(Action):
    """Stop reading a catalog."""

    kind: ClassVar[str] = "stop"
    reading: str


@dataclass(frozen=True)
class ShowOrders(Action):
    """Show a member's orders, from an offset on."""

    kind: ClassVar[str] = "orders"
    offset: int


def shorten(item_filter: ItemFilter) -> str:
    """Return a filter in a few characters, none of them for the whole catalog."""
    if item_filter.is_everything:
        return ""
    show, sort = list(Show).index(item_filter.show), list(ItemSort).index(item_filter.sort)
    parts = (show, item_filter.type_id, item_filter.max_cost, sort)
    return _SEPARATOR.join("" if part is None else str(part) for part in parts)


def lengthen(text: str) -> ItemFilter:
    """Return a filter that was shortened. Raises OldButton."""
    if not text:
        return ItemFilter()
    try:
        show, type_id, max_cost, sort = text.split(_SEPARATOR)
        return ItemFilter(
            list(Show)[int(show)],
            int(type_id) if type_id else None,
            int(max_cost) if max_cost else None,
            list(ItemSort)[int(sort)],
        )
    except (ValueError, IndexError) as error:
        raise OldButton from error


@dataclass(frozen=True)
class EndWatch(Action):
    """Watch something no more."""

    kind: ClassVar[str] = "unwatch"
    watch_id: int


@dataclass(frozen=True)
class ChooseEndedWatch(Action):
    """A watch was chosen to be ended; the value is its number."""

    kind: ClassVar[str] = "unwatch_one"
