"""The rules of orders alone, without clock, game or storage: what an order has come to."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from bot.domain.links import Link
from bot.domain.names import ItemRef
from bot.domain.orders import NewOrder, Order, OrderKind, OrderState, Settlement
from bot.errors import AccountError
from bot.features.orders.timings import STANDARD, Timings
from bot.features.shop.item_filter import CatalogItem
from bot.game import errors as game
from bot.game.models import Item


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
DONE = Settlement(OrderState.DONE, is_open=False)

# After these the game has certainly not carried an order out: it was never asked, or it did not
# know the token. Every other refusal may be the answer to a request that was repeated on its way.
_CERTAIN = (Reason.NOT_SENT, Reason.NO_TURN, "Unavailable", "AccountError")


class Sight(StrEnum):
    """What the catalog shows of an item (Interface 2.3, `has_purchased`)."""

    OWNED = "owned"
    NOT_OWNED = "not owned"
    # The catalog could not be read, or no longer has the item.
    UNSEEN = "unseen"


class Wish(Struct, frozen=True):
    """What a member confirmed: `cost` as the card showed it, `confirmation` to name the card.

    `cost` is None where nothing is paid; `locale` is the language to tell the outcome in. `despite`
    is the last order for the same that the member was shown and wants to order in spite of.
    `currency` tells the one that was shown from most others (`currency_mark`), where it is known.
    """

    member_id: int
    kind: OrderKind
    ref: ItemRef
    cost: int | None
    confirmation: int
    locale: str
    despite: int = 0
    currency: int = 0


def currency_mark(item: Item) -> int:
    """Return a digit for an item's currency: a button with the largest numbers holds no more."""
    return item.currency.id % 9 + 1


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
        locale=wish.locale,
        linked_at=link.linked_at,
        player_id=link.player_id,
        token_key=link.token_key,
        icon_url=seen.icon_url if seen else None,
    )


def as_confirmed(order: Order, wish: Wish, entry: CatalogItem) -> Order | None:
    """Return an order for an item as it is in its catalog now, if it can be had as confirmed."""
    item = entry.item
    is_priced_so = item.cost == wish.cost and wish.currency in (0, currency_mark(item))
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


def is_same_account(order: Order, link: Link) -> bool:
    """Return whether what a link's account owns may settle an order."""
    return (
        (order.member_id, order.linked_at) == (link.member_id, link.linked_at)
        or order.token_key == link.token_key
        or (order.player_id is not None and order.player_id == link.player_id)
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


def is_certain(found: Settlement | Order) -> bool:
    """Return whether an order that was refused has certainly not been carried out."""
    return found.reason in _CERTAIN


def needs_look(order: Order) -> bool:
    """Return whether the catalog decides what the order has come to."""
    if order.kind is OrderKind.REDEEM or order.sent_at is None:
        return False
    if order.state is OrderState.REFUSED:
        return not is_certain(order)
    return order.is_open


def may_arrive_until(order: Order, now: datetime) -> datetime | None:
    """Return until when an order without an answer may yet arrive, None if it no longer may."""
    is_in_doubt = order.state is OrderState.UNKNOWN or order.reason == Reason.NO_ANSWER
    if not is_in_doubt or order.sent_at is None:
        return None
    until = order.sent_at + STANDARD.doubt
    return until if now < until else None


def is_disputed(order: Order, now: datetime) -> bool:
    """Return whether an order was done long ago, so that the game should know it by now."""
    done_at = order.settled_at or order.created_at
    return order.state is OrderState.DONE and now >= done_at + STANDARD.dispute


def may_insist(order: Order, now: datetime, entry: CatalogItem | None = None) -> bool:
    """Return whether the member may order the same in spite of this, in a step of its own.

    What was bought can be bought again only where the game denies it; `entry` is the item as it is
    shown, where it is at hand.
    """
    if order.is_open:
        return False
    if order.kind is OrderKind.PURCHASE:
        is_disowned = entry is not None and entry.is_disowned
        is_owned = order.state is OrderState.DONE or (entry and entry.item.has_purchased)
        if is_owned and not is_disowned:
            return False
    return (
        order.state is OrderState.UNKNOWN
        or is_disputed(order, now)
        or may_arrive_until(order, now) is not None
    )


def verdict_unseen(order: Order) -> Settlement:
    """Return what an interrupted order has come to that nothing can be looked up for."""
    if order.sent_at is None:
        return Settlement(OrderState.REFUSED, is_open=False, reason=Reason.NOT_SENT)
    return Settlement(OrderState.UNKNOWN, is_open=False)


def was_seen_missing(order: Order, timings: Timings) -> bool:
    """Return whether a refused order holds though nothing shows it: said so, or seen late."""
    sent_at = order.sent_at or order.created_at
    seen_at = order.settled_at or sent_at
    return order.reason != Reason.NO_ANSWER or seen_at >= sent_at + timings.doubt


def verdict(
    order: Order, sight: Sight, *, same_account: bool, now: datetime, timings: Timings
) -> Settlement:
    """Return what a purchase has come to by what the catalog showed, read after `now`."""
    age = now - (order.sent_at or now)
    if sight is Sight.OWNED and same_account:
        return DONE
    if order.state is OrderState.REFUSED:
        looks_for = timings.patience if same_account else timings.doubt
        if was_seen_missing(order, timings) or sight is Sight.NOT_OWNED or age < looks_for:
            return Settlement(order.state, False, order.reason, order.game_words)
    if not same_account:
        return Settlement(OrderState.UNKNOWN, is_open=False, reason=Reason.ACCOUNT_CHANGED)
    if sight is Sight.NOT_OWNED and age >= timings.arrival:
        return Settlement(OrderState.REFUSED, is_open=False, reason=Reason.NO_ANSWER)
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
