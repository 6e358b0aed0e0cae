"""Buy and redeem: save, send and look up orders, and find what is in their way."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from bot import errors
from bot.features.accounts import Accounts
from bot.features.reading.catalogs import Catalogs
from bot.features.writing import outcomes, writing_errors
from bot.game.game_client import GameClient
from bot.game.game_errors import GameError
from bot.game.models import Item
from storage.links import Link
from storage.storage_errors import DatabaseError
from storage.writes import ANY_CURRENCY, LEASE, UNLISTED, Order, OrderedItem, WriteKind, Writes

ORDER_NEWS = "order"
# A button with the largest numbers of the game has room for ten digits more.
_MAX_CURRENCIES = 10**10


def currency_digits(item: Item) -> int:
    """Return the last digits of an item's currency number: as many as fit into a button."""
    return item.currency.id % _MAX_CURRENCIES


def as_shown(item: Item, page: int) -> OrderedItem:
    currency = item.currency
    digits = currency_digits(item)
    names = (currency.name, currency.singular_name)
    return OrderedItem(page, item.name, item.cost, *names, item.icon_url, digits)


def is_as_confirmed(order: Order, item: Item) -> bool:
    """Return whether an item can be had as it was confirmed. A redemption has no price."""
    if order.kind is WriteKind.REDEEM:
        return True
    is_in_currency = order.item.currency in (ANY_CURRENCY, currency_digits(item))
    return not item.has_purchased and item.cost == order.item.cost and is_in_currency


class Orders(Struct, frozen=True):
    """Keeps, sends and looks up purchases and redemptions (docs/connect-your-game.md#items)."""

    client: GameClient
    accounts: Accounts
    catalogs: Catalogs
    writes: Writes
    now: Callable[[], datetime]
    news: str = ORDER_NEWS

    async def keep(self, new: Order) -> Order | None:
        """Save an order, or return what is in its way. None: another process has saved it.

        Raises AccountError, OldButton.
        """
        link = await self.accounts.require(new.member_id)
        item = new.item
        known = self.catalogs.known_item(new.member_id, new.ref)
        if known is not None:
            shown = as_shown(known, item.page)
            item = replace(shown, cost=item.cost, currency=item.currency)
        new = replace(new, item=item, token_key=link.token_key)
        now = self.now()
        kept = await self.writes.keep_order(new, now=now, since=now - outcomes.COUNTS_FOR)
        if kept is None:
            raise errors.OldButton
        if not kept.holder and kept.id == new.id:
            # Another process has kept this very press.
            return None
        # Ours, or what is in its way.
        return kept

    async def prepare(self, held: Order) -> tuple[Order, Link]:
        """Return an order for the item as it is now. Raises NotAsConfirmed, ItemGone."""
        link = await self.accounts.require(held.member_id)
        if link.token_key != held.token_key:
            raise writing_errors.AccountChanged
        async with self.accounts.using(link) as caller:
            entry = await self.catalogs.find_again(caller, held.ref, fresh=True)
        if not is_as_confirmed(held, entry.item):
            raise writing_errors.NotAsConfirmed(entry)
        return replace(held, item=as_shown(entry.item, entry.page)), link

    async def send(self, sent: Order, link: Link, send_before: float) -> outcomes.Outcome:
        async with self.accounts.using(link) as caller:
            if sent.kind is WriteKind.REDEEM:
                await self.client.redeem(caller, sent.item_id, send_before=send_before)
                return outcomes.Outcome(outcomes.Result.YES)
            bought = await self.client.purchase(caller, sent.item_id, send_before=send_before)
            return outcomes.Outcome(outcomes.Result.YES, cost=bought.cost)

    async def look_up(self, write: Order, link: Link | None = None) -> outcomes.Outcome:
        if write.kind in UNLISTED:
            return outcomes.Outcome(outcomes.Result.UNSEEN)
        try:
            link = link or await self.accounts.find(write.member_id)
            if link is not None and link.token_key != write.token_key:
                return outcomes.Outcome(outcomes.Result.OTHER_ACCOUNT)
            if link is None or link.is_refused:
                return outcomes.Outcome(outcomes.Result.UNSEEN)
            # No longer than the lease lasts, however long the catalog is.
            async with asyncio.timeout(LEASE.total_seconds()), self.accounts.using(link) as caller:
                entry = await self.catalogs.find_again(caller, write.ref, fresh=True)
        except (GameError, errors.KioskError, DatabaseError, TimeoutError):
            return outcomes.Outcome(outcomes.Result.UNSEEN)
        return outcomes.Outcome(
            outcomes.Result.FOUND if entry.item.has_purchased else outcomes.Result.MISSING
        )

    async def spent(self, member_id: int, token_key: str) -> dict[tuple[str, str], int]:
        """Add up what a member's purchases cost, by a currency's names for one and for many.

        A currency is missing if nothing was bought with it in the time that purchases are kept.
        """
        spent = dict[tuple[str, str], int]()
        for item in await self.writes.purchases_of(member_id, token_key):
            currency = (item.currency_singular, item.currency_name)
            spent[currency] = spent.get(currency, 0) + item.cost
        return spent

    async def find_blocking(
        self, member_id: int, item_id: int, kind: WriteKind, *, card_id: int = 0
    ) -> Order | None:
        """Return what blocks a member's order (`Writes.find_blocking`). Raises LinkUnreadable.

        Without a card, every earlier redemption counts, so that the last one is returned.
        """
        link = await self.accounts.find(member_id)
        if link is None:
            return None
        since = self.now() - outcomes.COUNTS_FOR
        whose = (member_id, link.token_key)
        return await self.writes.find_blocking(*whose, kind, item_id, card_id=card_id, since=since)
