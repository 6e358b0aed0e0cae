"""What members asked to buy and to redeem, written before the game is asked."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from bot.domain.orders import NewOrder, Order, OrderKind, OrderState, Settlement
from storage.database import Database, Row, load_queries
from storage.times import from_micros, to_micros

QUERIES = load_queries(Path(__file__).parent / "sql" / "orders.sql")


class Orders:
    """The orders of all members. `claimed_by` names the running process that handles an order."""

    def __init__(self, database: Database, claimed_by: str) -> None:
        self._database = database
        self._claimed_by = claimed_by

    async def start(
        self, new: NewOrder, *, now: datetime, due_at: datetime, done_since: datetime
    ) -> Order | None:
        """Write an order, `started`, before anything is asked of the game.

        None when one is open for the same member, item and kind, when one was done since
        `done_since`, or when the card was confirmed before.
        """
        async with self._database.transaction() as transaction:
            row = await transaction.fetch_one(
                QUERIES["start"],
                member_id=new.member_id,
                kind=new.kind,
                item_id=new.item_id,
                catalog_id=new.catalog_id,
                page=new.page,
                item_name=new.item_name,
                cost=new.cost,
                currency_name=new.currency_name,
                currency_singular=new.currency_singular,
                confirmation=new.confirmation,
                locale=new.locale,
                linked_at=to_micros(new.linked_at),
                created_at=to_micros(now),
                claimed_by=self._claimed_by,
                due_at=to_micros(due_at),
                done_since=to_micros(done_since),
            )
        return None if row is None else _read(row)

    async def mark_sent(self, order: Order, *, now: datetime, due_at: datetime) -> bool:
        """Note that the game is about to be asked; False when it must not be any more."""
        changed = await self._database.execute(
            QUERIES["mark_sent"],
            order_id=order.id,
            claimed_by=self._claimed_by,
            sent_at=to_micros(now),
            due_at=to_micros(due_at),
        )
        return changed > 0

    async def renew(self, order: Order, due_at: datetime) -> None:
        """Keep other processes from taking the order over for a while longer."""
        await self._database.execute(
            QUERIES["renew"],
            order_id=order.id,
            claimed_by=self._claimed_by,
            due_at=to_micros(due_at),
        )

    async def claim(self, order: Order, due_at: datetime) -> bool:
        """Take over an order that was seen due; of several who try, one succeeds."""
        changed = await self._database.execute(
            QUERIES["claim"],
            order_id=order.id,
            claimed_by=self._claimed_by,
            seen_due_at=_micros_or_none(order.due_at),
            due_at=to_micros(due_at),
        )
        return changed > 0

    async def settle(
        self, order: Order, found: Settlement, *, settled_at: datetime | None, due_at: datetime
    ) -> Order:
        """Write what an order came to, unless it is known to be done; gives it as it then is."""
        await self._database.execute(
            QUERIES["settle"],
            order_id=order.id,
            state=found.state,
            reason=found.reason,
            game_words=found.game_words,
            cost=order.cost if found.cost is None else found.cost,
            is_open=found.is_open,
            settled_at=_micros_or_none(settled_at),
            due_at=to_micros(due_at),
        )
        return await self.find(order.id) or order

    async def mark_told(self, order: Order, *, due_at: datetime | None) -> None:
        """Note that the member knows the order's state."""
        await self._database.execute(
            QUERIES["mark_told"],
            order_id=order.id,
            state=order.state,
            due_at=_micros_or_none(due_at),
        )

    async def find(self, order_id: int) -> Order | None:
        """Give an order."""
        return _read_or_none(await self._database.fetch_one(QUERIES["find"], order_id=order_id))

    async def find_by_confirmation(self, member_id: int, confirmation: int) -> Order | None:
        """Give the order that was confirmed on a card."""
        row = await self._database.fetch_one(
            QUERIES["find_by_confirmation"], member_id=member_id, confirmation=confirmation
        )
        return _read_or_none(row)

    async def find_open(self, member_id: int, item_id: int, kind: OrderKind) -> Order | None:
        """Give the member's open order for an item."""
        row = await self._database.fetch_one(
            QUERIES["find_open"], member_id=member_id, item_id=item_id, kind=kind
        )
        return _read_or_none(row)

    async def find_latest(self, member_id: int, item_id: int, kind: OrderKind) -> Order | None:
        """Give the member's last order for an item."""
        row = await self._database.fetch_one(
            QUERIES["find_latest"], member_id=member_id, item_id=item_id, kind=kind
        )
        return _read_or_none(row)

    async def find_done_since(
        self, member_id: int, item_id: int, kind: OrderKind, since: datetime
    ) -> Order | None:
        """Give an order for an item that was settled as done since a moment."""
        row = await self._database.fetch_one(
            QUERIES["find_done_since"],
            member_id=member_id,
            item_id=item_id,
            kind=kind,
            since=to_micros(since),
        )
        return _read_or_none(row)

    async def due(self, now: datetime, most: int) -> Sequence[Order]:
        """Give orders that somebody must look at, those that wait longest first."""
        rows = await self._database.fetch(QUERIES["due"], now=to_micros(now), most=most)
        return [_read(row) for row in rows]

    async def history(self, member_id: int, *, most: int, offset: int) -> Sequence[Order]:
        """Give a member's orders, newest first."""
        rows = await self._database.fetch(
            QUERIES["history"], member_id=member_id, most=most, offset=offset
        )
        return [_read(row) for row in rows]


def _read_or_none(row: Row | None) -> Order | None:
    return None if row is None else _read(row)


def _read(row: Row) -> Order:
    return Order(
        id=row["id"],
        member_id=row["member_id"],
        kind=OrderKind(row["kind"]),
        item_id=row["item_id"],
        catalog_id=row["catalog_id"],
        page=row["page"],
        item_name=row["item_name"],
        cost=row["cost"],
        currency_name=row["currency_name"],
        currency_singular=row["currency_singular"],
        confirmation=row["confirmation"],
        locale=row["locale"],
        linked_at=from_micros(row["linked_at"]),
        state=OrderState(row["state"]),
        reason=row["reason"],
        game_words=row["game_words"],
        is_open=bool(row["is_open"]),
        told_state=None if row["told_state"] is None else OrderState(row["told_state"]),
        created_at=from_micros(row["created_at"]),
        sent_at=_moment_or_none(row["sent_at"]),
        settled_at=_moment_or_none(row["settled_at"]),
        due_at=_moment_or_none(row["due_at"]),
    )


def _micros_or_none(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _moment_or_none(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
