"""The rules of orders alone, without clock, game or storage: what an order has come to."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from bot.domain.orders import NewOrder, Order, OrderKind, OrderState, Settlement
from bot.errors import AccountError
from bot.features.shop.item_filter import CatalogItem, ItemRef
from bot.game import errors as game


class Reason(StrEnum):
    """Why an order came to nothing where no error says so; else its reason is an error's name."""

    # The game never answered, and the catalog shows that nothing was bought.
    NO_ANSWER = "no answer"
    # Kiosk was interrupted before it asked the game.
    NOT_SENT = "not sent"
    # Another account is linked now, so that nothing can be looked up.
    ACCOUNT_CHANGED = "account changed"


# The errors whose names are reasons: of any error, the first that fits, else Refused.
_REASONS = (
    AccountError,
    game.Conflict,
    game.Forbidden,
    game.NotFound,
    game.RateLimited,
    game.Unavailable,
)
DONE = Settlement(OrderState.DONE, is_open=False)

# After these, no look at the catalog can say more: the game was not reached, or won't be read.
_CERTAIN = (game.Unreachable, game.RateLimited, AccountError)


class Sight(StrEnum):
    """What the catalog shows of an item (Interface 2.3, `has_purchased`)."""

    OWNED = "owned"
    NOT_OWNED = "not owned"
    # The catalog could not be read, or no longer has the item.
    UNSEEN = "unseen"


@dataclass(frozen=True)
class Wish:
    """What a member confirmed: `cost` as the card showed it, `confirmation` to name the card.

    `cost` is None where nothing is paid; `locale` is the language to tell the outcome in.
    """

    member_id: int
    kind: OrderKind
    ref: ItemRef
    cost: int | None
    confirmation: int
    locale: str


@dataclass(frozen=True)
class Timings:
    """How long to wait for what.

    `lease` is for how long an order belongs to the process that handles it, and `renewal` how
    often that is extended while it does. A request whose answer is missing may still reach the
    game up to `arrival` after it was sent; until then "not owned" proves nothing. After a cut
    connection or a fault of the game, that time is `second_look`. What was taken for not bought
    is looked at again at the moments of `watch` after it was sent, and told if it was bought
    after all.
    """

    lease: timedelta = timedelta(seconds=8)
    renewal: timedelta = timedelta(seconds=2)
    arrival: timedelta = timedelta(seconds=35)
    second_look: timedelta = timedelta(seconds=0.5)
    watch: tuple[timedelta, ...] = (
        timedelta(minutes=1),
        timedelta(minutes=5),
        timedelta(minutes=15),
    )
    shortest_pause: timedelta = timedelta(seconds=10)
    longest_pause: timedelta = timedelta(minutes=10)
    # Long enough for a game that shows a purchase late.
    just_bought: timedelta = timedelta(minutes=1)


def new_order(wish: Wish, entry: CatalogItem, linked_at: datetime) -> NewOrder:
    """Return the order for a wish."""
    item = entry.item
    return NewOrder(
        member_id=wish.member_id,
        kind=wish.kind,
        item_id=item.id,
        catalog_id=entry.catalog_id,
        page=entry.page,
        item_name=item.name,
        cost=item.cost,
        currency_name=item.currency.name,
        currency_singular=item.currency.singular_name,
        confirmation=wish.confirmation,
        locale=wish.locale,
        linked_at=linked_at,
    )


def refusal(error: Exception) -> Settlement:
    """Return what an order has come to that met an error after which nothing has happened."""
    kind = next((kind for kind in _REASONS if isinstance(error, kind)), game.Refused)
    words = error.message if isinstance(error, game.GameError) else None
    return Settlement(OrderState.REFUSED, is_open=False, reason=kind.__name__, game_words=words)


def may_own_all_the_same(order: Order, error: Exception) -> bool:
    """Return whether an item may be owned though the game refused to sell it.

    A request that was repeated on its way is refused the second time, and only that answer may
    come back.
    """
    return order.kind is OrderKind.PURCHASE and not isinstance(error, _CERTAIN)


def needs_look(order: Order) -> bool:
    """Return whether the catalog decides what the order has come to."""
    if order.kind is OrderKind.REDEEM or order.sent_at is None:
        return False
    if order.state is OrderState.REFUSED:
        return order.reason == Reason.NO_ANSWER
    return order.is_open


def verdict_unseen(order: Order) -> Settlement:
    """Return what an interrupted order has come to that nothing can be looked up for."""
    if order.sent_at is None:
        return Settlement(OrderState.REFUSED, is_open=False, reason=Reason.NOT_SENT)
    return Settlement(OrderState.UNKNOWN, is_open=False)


def verdict(
    order: Order, sight: Sight, *, same_account: bool, now: datetime, believable: datetime
) -> Settlement:
    """Return what a purchase has come to by what the catalog shows.

    "Not owned" counts from `believable` on.
    """
    if sight is Sight.OWNED:
        return DONE
    if not same_account:
        return Settlement(OrderState.UNKNOWN, is_open=False, reason=Reason.ACCOUNT_CHANGED)
    if sight is Sight.NOT_OWNED and now >= believable:
        return Settlement(OrderState.REFUSED, is_open=False, reason=Reason.NO_ANSWER)
    if order.state is OrderState.REFUSED:
        return Settlement(OrderState.REFUSED, is_open=False, reason=order.reason)
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
    return now + min(max(age, timings.shortest_pause), timings.longest_pause)
