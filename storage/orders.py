"""What members asked to buy and to redeem, written before the game is asked."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.domain.orders import NewOrder, Order, OrderKind, OrderState, Settlement
from storage.database import Database, Row, load_queries
from storage.leases import Leases, new_holder
from storage.times import from_micros, to_micros

QUERIES = load_queries(Path(__file__).parent / "sql" / "orders.sql")


class Orders:
    """The orders of all members, each in the hands of one process at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._leases = Leases("orders")

    async def start(
        self, new: NewOrder, *, now: datetime, due_at: datetime, done_since: datetime
    ) -> Order | None:
        """Write an order, `started` and held until `due_at`, before the game is asked for it.

        Returns None when one is open for the same member, item and kind, when one was done since
        `done_since`, or when the card was confirmed before.
        """
        values = {**vars(new), "linked_at": to_micros(new.linked_at)}
        row = await self._database.change_one(
            QUERIES["start"],
            **values,
            created_at=to_micros(now),
            claimed_by=new_holder(),
            due_at=to_micros(due_at),
            done_since=to_micros(done_since),
        )
        return _read(row)

    async def take(self, order: Order, *, now: datetime, until: datetime) -> Order | None:
        """Take over an order that is due; of several who try, one gets it."""
        async with self._database.transaction() as transaction:
            return _read(await self._leases.take(transaction, order.id, now=now, until=until))

    async def renew(self, order: Order, until: datetime) -> bool:
        """Hold an order for longer, and return whether it is still held."""
        async with self._database.transaction() as transaction:
            return await self._leases.renew(transaction, order.id, order.claimed_by, until=until)

    async def mark_sent(self, order: Order, *, now: datetime, due_at: datetime) -> Order | None:
        """Note that the game is about to be asked; None when it must not be any more."""
        row = await self._database.change_one(
            QUERIES["mark_sent"],
            order_id=order.id,
            claimed_by=order.claimed_by,
            sent_at=to_micros(now),
            due_at=to_micros(due_at),
        )
        return _read(row)

    async def settle(
        self, order: Order, found: Settlement, *, settled_at: datetime | None, due_at: datetime
    ) -> Order:
        """Write what an order came to, unless it is known to be done; return it as it then is.

        Whoever knows it may write it: what the game has said holds after a lease, too.
        """
        row = await self._database.change_one(
            QUERIES["settle"],
            order_id=order.id,
            state=found.state,
            reason=found.reason,
            game_words=found.game_words,
            cost=order.cost if found.cost is None else found.cost,
            is_open=found.is_open,
            settled_at=None if settled_at is None else to_micros(settled_at),
            due_at=to_micros(due_at),
        )
        return _read(row) or await self.find(order.id) or order

    async def mark_told(self, order: Order, *, due_at: datetime | None) -> None:
        """Note that the member knows the order's state."""
        await self._database.execute(
            QUERIES["mark_told"],
            order_id=order.id,
            state=order.state,
            due_at=None if due_at is None else to_micros(due_at),
        )

    async def find(self, order_id: int) -> Order | None:
        """Return an order."""
        return _read(await self._database.fetch_one(QUERIES["find"], order_id=order_id))

    async def find_standing(
        self,
        member_id: int,
        item_id: int,
        kind: OrderKind,
        confirmation: int,
        *,
        done_since: datetime | None = None,
    ) -> Order | None:
        """Return what stands in the way of a new order: why `start` returned None.

        That is the order confirmed on the same card, the open one for the item, or, where
        `done_since` is given, one that was done since.
        """
        row = await self._database.fetch_one(
            QUERIES["find_standing"],
            member_id=member_id,
            item_id=item_id,
            kind=kind,
            confirmation=confirmation,
            done_since=None if done_since is None else to_micros(done_since),
        )
        return _read(row)

    async def find_latest(self, member_id: int, item_id: int, kind: OrderKind) -> Order | None:
        """Return the member's last order for an item."""
        row = await self._database.fetch_one(
            QUERIES["find_latest"], member_id=member_id, item_id=item_id, kind=kind
        )
        return _read(row)

    async def due(self, now: datetime, most: int) -> Sequence[Order]:
        """Return orders that somebody must look at, those that wait longest first."""
        rows = await self._database.fetch(QUERIES["due"], now=to_micros(now), most=most)
        return [order for row in rows if (order := _read(row))]

    async def history(self, member_id: int, *, most: int, offset: int) -> Sequence[Order]:
        """Return a member's orders, newest first."""
        rows = await self._database.fetch(
            QUERIES["history"], member_id=member_id, most=most, offset=offset
        )
        return [order for row in rows if (order := _read(row))]


def _read(row: Row | None) -> Order | None:
    if row is None:
        return None
    values: dict[str, Any] = dict(row)
    for name in ("linked_at", "created_at", "sent_at", "settled_at", "due_at"):
        if values[name] is not None:
            values[name] = from_micros(values[name])
    values["kind"] = OrderKind(values["kind"])
    values["state"] = OrderState(values["state"])
    values["is_open"] = bool(values["is_open"])
    if values["told_state"] is not None:
        values["told_state"] = OrderState(values["told_state"])
    return Order(**values)
