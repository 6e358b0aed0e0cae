"""The rules of orders alone, without clock, game or storage: what an order has come to."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from bot.domain.orders import NewOrder, Order, OrderKind, OrderState, Settlement
from bot.errors import AccountError
from bot.features.orders.timings import STANDARD, Timings
from bot.features.shop.item_filter import CatalogItem
from bot.game import errors as game
from bot.game.models import Item
from storage.links import Link
from storage.names import ItemRef


class Reason(StrEnum):
    """Why an order came to nothing where no error says so; else its reason is an error's name."""

    # The game never answered, and the catalog shows that nothing was bought.
    NO_ANSWER = "no answer"
    # Kiosk was interrupted before it asked the game.
    NOT_SENT = "not sent"
    # It would have had to wait for too long before it was sent.
    NO_TURN = "no turn"
    # Another account is linked now, so that nothing can be looked up.
    ACCOUNT_CHANGED = "account changed"
    # For a day, the catalog could not be read or did not have the item.
    NEVER_SEEN = "never seen"


# The errors whose names are reasons: of any error, the first that fits, else Refused.
_REASONS = (
    AccountError,
    game.Conflict,
    game.Forbidden,
    game.NotFound,
    game.RateLimited,
    game.Unavailable,
)
# A button with the largest numbers of the game has room for ten digits more.
_MOST_CURRENCIES = 10**10
ANY_CURRENCY = -1
DONE = Settlement(OrderState.DONE, is_open=False)


class Sight(StrEnum):
    """What the catalog shows of an item (Interface 2.3, `has_purchased`)."""

    OWNED = "owned"
    NOT_OWNED = "not owned"
    # The catalog could not be read, or no longer has the item.
    UNSEEN = "unseen"
    # Another account is linked by now, whose belongings say nothing.
    NOT_THEIRS = "not theirs"


class Wish(Struct, frozen=True):
    """What a member confirmed: `cost` as the card showed it, `confirmation` to name the card.

    `cost` is None where nothing is paid, and `currency` is what `currency_digits` says; `locale`
    is the language to tell the outcome in. `press_id` is the interaction that confirmed it.
    """

    member_id: int
    kind: OrderKind
    ref: ItemRef
    cost: int | None
    confirmation: int
    locale: str
    currency: int = ANY_CURRENCY
    press_id: int = 0


def currency_digits(item: Item) -> int:
    """Return the number of an item's currency; of the largest, what a button has room for."""
    return item.currency.id % _MOST_CURRENCIES


def new_order(wish: Wish, link: Link, seen: Item | None) -> NewOrder:
    """Return the order for a wish, with the words of the item as it was last seen, if it was."""
    return NewOrder(
        member_id=wish.member_id,
        kind=wish.kind,
        item_id=wish.ref.item_id,
        catalog_id=wish.ref.catalog_id,
        page=wish.ref.page,
        item_name=seen.name if seen else f"#{wish.ref.item_id}",
        cost=wish.cost or 0,
        currency_name=seen.currency.name if seen else "",
        currency_singular=seen.currency.singular_name if seen else "",
        confirmation=wish.confirmation,
        press_id=wish.press_id,
        locale=wish.locale,
        token_key=link.token_key,
        icon_url=seen.icon_url if seen else None,
    )


def as_confirmed(order: Order, wish: Wish, entry: CatalogItem) -> Order | None:
    """Return an order for an item as it is in its catalog now, if it can be had as confirmed."""
    item = entry.item
    is_in_currency = wish.currency in (ANY_CURRENCY, currency_digits(item))
    is_priced_so = item.cost == wish.cost and is_in_currency
    if wish.kind is OrderKind.PURCHASE and (item.has_purchased or not is_priced_so):
        return None
    return replace(
        order,
        page=entry.page,
        item_name=item.name,
        cost=item.cost,
        currency_name=item.currency.name,
        currency_singular=item.currency.singular_name,
        icon_url=item.icon_url,
    )


def refusal(error: Exception) -> Settlement:
    """Return what an order has come to that met an error after which nothing has happened."""
    kind = next((kind for kind in _REASONS if isinstance(error, kind)), game.Refused)
    reason = kind.__name__
    if isinstance(error, game.TooLate):
        reason = Reason.NOT_SENT
    elif isinstance(error, game.RateLimited) and error.status is None:
        reason = Reason.NO_TURN
    words = error.message if isinstance(error, game.GameError) else None
    return Settlement(OrderState.REFUSED, is_open=False, reason=reason, game_words=words)


def needs_look(order: Order) -> bool:
    """Return whether the catalog decides what the order has come to."""
    if order.kind is OrderKind.REDEEM or order.sent_at is None:
        return False
    return order.is_open or order.reason == Reason.NO_ANSWER


def may_arrive_until(order: Order, now: datetime) -> datetime | None:
    """Return until when an order without an answer may yet arrive, None if it no longer may."""
    is_in_doubt = order.state is OrderState.UNKNOWN or order.reason == Reason.NO_ANSWER
    if not is_in_doubt or order.sent_at is None:
        return None
    until = order.sent_at + STANDARD.doubt
    return until if now < until else None


def may_be_repeated(order: Order, now: datetime) -> bool:
    """Return whether an order came to nothing, or may have, and the same may be ordered again."""
    if order.is_open or order.state is OrderState.DONE:
        return False
    return order.kind is OrderKind.REDEEM or may_arrive_until(order, now) is None


def verdict_unseen(order: Order) -> Settlement:
    """Return what an interrupted order has come to that nothing can be looked up for."""
    if order.sent_at is None:
        return Settlement(OrderState.REFUSED, is_open=False, reason=Reason.NOT_SENT)
    return Settlement(OrderState.UNKNOWN, is_open=False)


def verdict(order: Order, sight: Sight, now: datetime, timings: Timings) -> Settlement:
    """Return what a purchase has come to by what the catalog showed, read after `now`."""
    age = now - (order.sent_at or now)
    if sight is Sight.OWNED:
        return DONE
    is_missing = sight is Sight.NOT_OWNED and age >= timings.arrival
    if is_missing or order.state is OrderState.REFUSED:
        return Settlement(OrderState.REFUSED, is_open=False, reason=Reason.NO_ANSWER)
    if sight is Sight.NOT_THEIRS:
        return Settlement(OrderState.UNKNOWN, is_open=False, reason=Reason.ACCOUNT_CHANGED)
    if age >= timings.patience:
        return Settlement(OrderState.UNKNOWN, is_open=False, reason=Reason.NEVER_SEEN)
    return Settlement(OrderState.UNKNOWN, is_open=True)


def next_look(order: Order, now: datetime, timings: Timings) -> datetime | None:
    """Return when to look at a settled order again, None when nothing is left to find out."""
    if not needs_look(order) or order.sent_at is None:
        return None
    if order.state is OrderState.REFUSED:
        moments = [order.sent_at + after for after in timings.watch]
        return min((moment for moment in moments if moment > now), default=None)
    certain = order.sent_at + timings.arrival
    if now < certain:
        return certain
    age = now - order.sent_at
    pause = min(age, timings.longest_pause, timings.patience - age)
    return now + max(pause, timings.shortest_pause)
