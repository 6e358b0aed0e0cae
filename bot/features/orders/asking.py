"""Ask the game for an order, once: held meanwhile, and given up where somebody else asks."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from bot.background import BackgroundTasks
from bot.domain.links import Link
from bot.domain.orders import Order, OrderKind, OrderState, Settlement
from bot.errors import KioskError
from bot.features.accounts import Accounts
from bot.features.orders import rules
from bot.features.orders.looks import Looks
from bot.features.orders.rules import Sight, Timings, Wish
from bot.features.orders.settling import Settling
from bot.features.shop.catalogs import Catalogs
from bot.features.shop.item_filter import CatalogItem
from bot.game.client import GameClient
from bot.game.errors import GameError, UnknownOutcome
from storage.errors import DatabaseError
from storage.orders import Orders

log = logging.getLogger(__name__)

# In seconds: by then Discord has taken a press's first answer, or takes none any more.
_PATIENCE_WITH_DISCORD = 3.0


class Asking:
    """Carries out what was confirmed; `count_processes` counts those on this database."""

    def __init__(
        self,
        orders: Orders,
        catalogs: Catalogs,
        accounts: Accounts,
        client: GameClient,
        tasks: BackgroundTasks,
        count_processes: Callable[[], Awaitable[int]],
        settling: Settling,
        looks: Looks,
        timings: Timings,
        clock: Callable[[], datetime],
    ) -> None:
        self._orders = orders
        self._catalogs = catalogs
        self._accounts = accounts
        self._client = client
        self._tasks = tasks
        self._count_processes = count_processes
        self._settling = settling
        self._looks = looks
        self._timings = timings
        self._clock = clock

    async def carry_out(
        self, order: Order, wish: Wish, link: Link, saying: asyncio.Future[bool]
    ) -> Order | CatalogItem | None:
        """Return what a new order came to, or the item where it is not to be had as confirmed.

        `saying` tells whether this process was the first to answer the press; None is returned
        where a bot on another database was. Raises the KioskError or GameError for which nothing
        was ordered.
        """
        keeping = self._tasks.start(self._keep_lease(order))
        try:
            if not await self._is_heard_here_alone(saying):
                await self._orders.withdraw(order)
                return None
            try:
                async with self._accounts.using(link) as caller:
                    entry = await self._catalogs.find_again(caller, wish.ref, fresh=True)
            except (GameError, KioskError):
                await self._orders.withdraw(order)
                raise
            if rules.is_outdated(wish, entry):
                await self._orders.withdraw(order)
                return entry
            return await self._ask(rules.as_read_again(order, entry), link)
        finally:
            keeping.cancel()

    async def _is_heard_here_alone(self, saying: asyncio.Future[bool]) -> bool:
        """Return whether no bot on another database has answered the press before this one."""
        await asyncio.wait({saying}, timeout=_PATIENCE_WITH_DISCORD)
        if not saying.done() or saying.cancelled() or saying.exception() or saying.result():
            return True
        with suppress(DatabaseError):
            if await self._count_processes() > 1:
                return True
        log.error("another bot with this token answers members, on a database of its own: end one")
        return False

    async def _ask(self, order: Order, link: Link) -> Order:
        """Ask the game for an order, unless its lease is over before the request leaves."""
        send_before = time.monotonic() + self._timings.lease.total_seconds()
        now = self._clock()
        sent = await self._orders.mark_sent(order, now=now, due_at=now + self._timings.lease)
        if sent is None:
            # This process stood still: whoever took the order over settles it.
            return await self._orders.find(order.id) or order
        found = rules.DONE
        try:
            async with self._accounts.using(link) as caller:
                if order.kind is OrderKind.REDEEM:
                    await self._client.redeem(caller, order.item_id, send_before=send_before)
                else:
                    bought = await self._client.purchase(
                        caller, order.item_id, send_before=send_before
                    )
                    found = replace(found, cost=bought.cost)
        except UnknownOutcome as error:
            if order.kind is OrderKind.PURCHASE:
                return await self._looks.settle(sent)
            found = Settlement(OrderState.UNKNOWN, is_open=False, game_words=error.message)
        except (GameError, KioskError) as error:
            found = rules.refusal(error)
            if order.kind is OrderKind.PURCHASE and not rules.is_certain(found):
                sight, _ = await self._looks.look(sent)
                found = rules.DONE if sight is Sight.OWNED else found
        return await self._settling.settle(sent, found)

    async def _keep_lease(self, order: Order) -> None:
        is_held = True
        while is_held:
            await asyncio.sleep(self._timings.renewal.total_seconds())
            try:
                is_held = await self._orders.renew(order, self._clock() + self._timings.lease)
            except DatabaseError as error:
                log.warning("order %s can't be held for longer: %s", order.id, error)
