"""Buy and redeem: what orders know of the game, and what is confirmed on a card, once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from bot.errors import AccountError, KioskError, OldButton
from bot.features.accounts import Accounts
from bot.features.reading.catalogs import CatalogItem, Catalogs
from bot.features.writing.errors import (
    AccountChanged,
    AnswerNotTaken,
    Interrupted,
    NotKept,
    WriteBusy,
)
from bot.features.writing.ledger import Ledger
from bot.features.writing.rules import COUNTS_FOR, LEASE, NO_ANSWER, Failure, Outcome, is_open
from bot.game import errors as game
from bot.game.client import GameClient
from bot.game.errors import GameError, UnknownOutcome
from bot.game.models import Item
from storage.errors import DatabaseError, StatementFailed
from storage.links import Link
from storage.names import ItemRef
from storage.writes import UNLISTED, OrderedItem, Write, WriteKind, WriteState

log = logging.getLogger(__name__)

NEWS = "order"
# What blocks an order may be settled between the try to keep it and the look at what blocks.
_MOST_TRIES = 2
# A button with the largest numbers of the game has room for ten digits more.
_MOST_CURRENCIES = 10**10
ANY_CURRENCY = -1


class Reason(StrEnum):
    """Why an order came to nothing where no error says so; else its reason is an error's code."""

    # The game never answered, and the catalog shows that nothing was bought.
    NOT_THERE = "not there"
    # Kiosk was interrupted before it asked the game.
    NOT_SENT = "not sent"
    # It would have had to wait for too long before it was sent.
    NO_TURN = "no turn"
    # Another account is linked now, so that nothing can be looked up.
    ACCOUNT_CHANGED = "account changed"
    # The catalog could not be read or did not have the item.
    NEVER_SEEN = "never seen"


# The errors whose codes are reasons: of any error, the first that fits, else Refused.
_REASONS = (
    AccountChanged,
    AccountError,
    game.Conflict,
    game.Forbidden,
    game.NotFound,
    game.RateLimited,
    game.Unavailable,
)


class Wish(Struct, frozen=True):
    """An order as a member confirmed it on a card, with the interaction `press_id`.

    `cost` is None where nothing is paid, and `currency` is what `currency_digits` says.
    """

    member_id: int
    kind: WriteKind
    ref: ItemRef
    cost: int | None
    card_id: int
    locale: str
    press_id: int
    currency: int = ANY_CURRENCY


def currency_digits(item: Item) -> int:
    """Return the number of an item's currency; of the largest, what a button has room for."""
    return item.currency.id % _MOST_CURRENCIES


def new_order(wish: Wish, link: Link, known: Item | None) -> Write:
    order = Write(wish.press_id, wish.member_id, wish.kind, wish.ref.catalog_id, wish.ref.item_id)
    item = OrderedItem(wish.ref.page, f"#{wish.ref.item_id}", wish.cost or 0, "", "")
    if known is not None:
        item = replace(_as_shown(known, wish.ref.page), cost=item.cost)
    return replace(
        order, card_id=wish.card_id, item=item, locale=wish.locale, token_key=link.token_key
    )


def as_confirmed(order: Write, wish: Wish, entry: CatalogItem) -> Write | None:
    """Return an order for an item as it is in its catalog now, if it can be had as confirmed."""
    item = entry.item
    is_in_currency = wish.currency in (ANY_CURRENCY, currency_digits(item))
    is_priced_so = item.cost == wish.cost and is_in_currency
    if wish.kind is WriteKind.PURCHASE and (item.has_purchased or not is_priced_so):
        return None
    return replace(order, item=_as_shown(item, entry.page))


def _as_shown(item: Item, page: int) -> OrderedItem:
    currency = item.currency
    return OrderedItem(
        page, item.name, item.cost, currency.name, currency.singular_name, item.icon_url
    )


class OrderDoing(Struct, frozen=True):
    """Asks the game for purchases and redemptions, and looks them up (Interface 4.6 and 4.7)."""

    client: GameClient
    accounts: Accounts
    catalogs: Catalogs
    now: Callable[[], datetime]
    news: str = NEWS

    async def prepare(self, claimed: Write) -> Write:
        link = await self.accounts.require(claimed.member_id)
        if link.token_key != claimed.token_key:
            raise AccountChanged
        return replace(claimed, sent_at=self.now())

    async def ask(self, sent: Write, send_before: float) -> Outcome:
        item_id = sent.target_id or 0
        link = await self.accounts.require(sent.member_id)
        async with self.accounts.using(link) as caller:
            if sent.kind is WriteKind.REDEEM:
                await self.client.redeem(caller, item_id, send_before=send_before)
                return Outcome(WriteState.DONE)
            bought = await self.client.purchase(caller, item_id, send_before=send_before)
            return Outcome(WriteState.DONE, cost=bought.cost)

    async def find_out(self, write: Write) -> Outcome | None:
        if write.kind in UNLISTED:
            return None
        try:
            link = await self.accounts.find(write.member_id)
            if link is not None and link.token_key != write.token_key:
                return Outcome(WriteState.UNKNOWN, reason=Reason.ACCOUNT_CHANGED)
            if link is None or link.is_refused:
                return None
            # No longer than the lease lasts, however long the catalog is.
            async with asyncio.timeout(LEASE.total_seconds()), self.accounts.using(link) as caller:
                entry = await self.catalogs.find_again(caller, write.ref, fresh=True)
        except (GameError, KioskError, DatabaseError, TimeoutError):
            return None
        if entry.item.has_purchased:
            return Outcome(WriteState.DONE)
        return Outcome(WriteState.REFUSED, reason=Reason.NOT_THERE)

    def failed(self, write: Write, error: Failure) -> Outcome:
        del write
        if isinstance(error, UnknownOutcome):
            return Outcome(WriteState.UNKNOWN, error, NO_ANSWER)
        cause = NotKept() if isinstance(error, StatementFailed) else error
        kind = next((kind for kind in _REASONS if isinstance(cause, kind)), game.Refused)
        reason = kind.code
        if isinstance(cause, game.TooLate | NotKept | Interrupted):
            reason = Reason.NOT_SENT
        elif isinstance(cause, game.RateLimited) and cause.status is None:
            reason = Reason.NO_TURN
        return Outcome(WriteState.REFUSED, cause, reason)

    def given_up(self, write: Write) -> Outcome:
        reason = NO_ANSWER if write.kind in UNLISTED else Reason.NEVER_SEEN
        return Outcome(WriteState.UNKNOWN, reason=reason)


class Ordered(Struct, frozen=True):
    """The card's own order, or the one for the same item that blocked it, as it is by now."""

    order: Write


class Changed(Struct, frozen=True):
    """Nothing was ordered: the item is owned by now, or its price has changed."""

    entry: CatalogItem


class AnsweredElsewhere(Struct, frozen=True):
    """Another process has heard the same press."""


class OrderService(Struct, frozen=True):
    ledger: Ledger
    catalogs: Catalogs
    accounts: Accounts
    under_way: dict[int, asyncio.Task[Ordered | Changed]] = field(
        default_factory=dict[int, asyncio.Task[Ordered | Changed]]
    )

    async def confirm(
        self, wish: Wish, say_asking: Callable[[], Awaitable[bool]]
    ) -> Ordered | Changed | AnsweredElsewhere:
        """Order what is confirmed, or wait for the order that blocks it.

        `say_asking` tells Discord once an order is kept, and returns whether Discord took it.
        Nothing was ordered after AnswerNotTaken, NotLinked, LinkExpired, ItemGone, OldButton, or a
        GameError.
        """
        for _ in range(_MOST_TRIES):
            link, order = await self.accounts.find(wish.member_id), None
            if link is not None and not link.is_refused:
                now = self.ledger.now()
                known = self.catalogs.known_item(wish.member_id, wish.ref)
                order = await self.ledger.writes.keep_order(
                    new_order(wish, link, known), now=now, until=now + LEASE, since=now - COUNTS_FOR
                )
            if order is not None:
                self.ledger.in_hand.add(order.id)
                # With the press's own language, and not cancelled with whoever waits for it.
                saying = asyncio.ensure_future(say_asking())
                task = self.ledger.tasks.start(self._carry_out(order, wish, saying), finish=True)
                self.under_way[order.id] = task
                return await asyncio.shield(task)
            blocking = await self.blocking(
                wish.member_id, wish.ref.item_id, wish.kind, card=wish.card_id
            )
            if blocking is not None:
                task = self.under_way.get(blocking.id)
                if is_open(blocking):
                    if task is None and blocking.id == wish.press_id:
                        return AnsweredElsewhere()
                    await say_asking()
                return Ordered(blocking) if task is None else await asyncio.shield(task)
            await self.accounts.require(wish.member_id)
            # A valid link, and nothing blocks any more: what did was settled meanwhile.
        raise OldButton

    async def _carry_out(
        self, order: Write, wish: Wish, saying: asyncio.Future[bool]
    ) -> Ordered | Changed:
        is_settled_here = False
        try:
            if not await saying:
                raise AnswerNotTaken
            link = await self.accounts.require(wish.member_id)
            async with self.accounts.using(link) as caller:
                entry = await self.catalogs.find_again(caller, wish.ref, fresh=True)
            confirmed = as_confirmed(order, wish, entry)
            if confirmed is None:
                await self._withdraw(order)
                return Changed(entry)
            settled = (await self.ledger.carry_out(confirmed)).write
            is_settled_here = True
            return Ordered(settled)
        except WriteBusy:
            # Its lease ran out: another process took it over, and settles it.
            return Ordered(await self.ledger.writes.find(order.id) or order)
        except (GameError, KioskError):
            await self._withdraw(order)
            raise
        finally:
            del self.under_way[order.id]
            if not is_settled_here:
                self.ledger.in_hand.discard(order.id)

    async def _withdraw(self, order: Write) -> None:
        """Forget an order that the game is not asked for; one that can't be is refused later."""
        try:
            await self.ledger.writes.withdraw(order)
        except DatabaseError as error:
            log.warning("%s can't be withdrawn: %s", order, error)

    async def blocking(
        self, member_id: int, item_id: int, kind: WriteKind, *, card: int = 0
    ) -> Write | None:
        """Return what blocks a member's order, once it is settled if it was due for a look.

        Without a card, every earlier redemption counts, so that the last one is returned. See
        `Writes.find_blocking`. Raises LinkUnreadable.
        """
        link = await self.accounts.find(member_id)
        if link is None:
            return None
        wanted = Write(0, member_id, kind, 0, item_id, token_key=link.token_key, card_id=card)
        since = self.ledger.now() - COUNTS_FOR
        order = await self.ledger.writes.find_blocking(wanted, since=since)
        is_due = order is not None and order.due_at and order.due_at <= self.ledger.now()
        if order is None or not is_due or order.id in self.ledger.in_hand:
            return order
        # Its process is gone, or the time for a look has come.
        looked_at = await self.ledger.take_up(order)
        if looked_at is not None:
            await self.ledger.save_told(looked_at, by_message=True)
        return await self.ledger.writes.find_blocking(wanted, since=since)
