"""What members asked to buy and to redeem, written before the game is asked."""

from collections.abc import Sequence
from datetime import datetime
from secrets import token_hex

from msgspec.structs import asdict

from bot.domain.orders import NewOrder, Order, OrderKind, Settlement
from storage.database import Database, Value, queries_beside
from storage.leases import Leases
from storage.messages import Messages, NewMessage, Priority
from storage.rows import read

# The kind of entry by which members are told.
NEWS = "order"
QUERIES = queries_beside(__file__)


class Orders:
    """The orders of all members, each in the hands of one process at a time."""

    def __init__(self, database: Database, outbox: Messages) -> None:
        self._database = database
        self._outbox = outbox
        self._leases = Leases("orders")

    async def start(
        self, new: NewOrder, *, now: datetime, due_at: datetime, since: datetime
    ) -> Order | None:
        """Write an order, `started` and held until `due_at`, before the game is asked for it.

        Returns None when another one stands in the way (see `find_standing`), or when the card was
        confirmed before.
        """
        async with self._database.transaction() as transaction:
            row = await transaction.fetch_one(
                QUERIES["start"],
                **asdict(new),
                created_at=now,
                claimed_by=token_hex(8),
                due_at=due_at,
            )
            # Only now: what ended while this one was written was still open for that statement.
            if row and await transaction.fetch_one(
                QUERIES["find_standing"],
                **asdict(new),
                order_id=row["id"],
                since=since,
            ):
                await transaction.execute(
                    QUERIES["withdraw"], order_id=row["id"], claimed_by=row["claimed_by"]
                )
                row = None
        return read(Order, row)

    async def withdraw(self, order: Order) -> None:
        """Forget an order that the game was not asked for, unless it was taken over."""
        await self._database.execute(
            QUERIES["withdraw"], order_id=order.id, claimed_by=order.claimed_by
        )

    async def take(self, order: Order, *, now: datetime, until: datetime) -> Order | None:
        """Take over an order that is due; of several who try, one gets it."""
        async with self._database.transaction() as transaction:
            return read(Order, await self._leases.take(transaction, order.id, now=now, until=until))

    async def renew(self, order: Order, until: datetime) -> bool:
        """Hold an order for longer, and return whether it is still held."""
        async with self._database.transaction() as transaction:
            return await self._leases.renew(transaction, order.id, order.claimed_by, until=until)

    async def mark_sent(self, order: Order, *, now: datetime, due_at: datetime) -> Order | None:
        """Note that the game is about to be asked, and for what; None when it must not be any more.

        What the order is for is written as `order` has it.
        """
        row = await self._database.change_one(
            QUERIES["mark_sent"],
            order_id=order.id,
            **{**asdict(order), "sent_at": now, "due_at": due_at},
        )
        return read(Order, row)

    async def settle(
        self, order: Order, found: Settlement, *, settled_at: datetime | None, due_at: datetime
    ) -> Order:
        """Write what an order came to, unless it is known to be done; return it as it then is.

        Whoever knows it may write it: what the game has said holds after a lease, too.
        """
        values = {**asdict(found), "cost": order.cost if found.cost is None else found.cost}
        row = await self._database.change_one(
            QUERIES["settle"], order_id=order.id, **values, settled_at=settled_at, due_at=due_at
        )
        return read(Order, row) or await self.find(order.id) or order

    async def mark_told(
        self, order: Order, *, due_at: datetime | None, by_message: bool = False
    ) -> None:
        """Note that the member knows the order's state, or is owed the news of it from here on.

        The news of a state comes once. Nothing is owed where the order has another one by now.
        """
        news = f"order {order.id} {order.state} {order.is_open:d}"
        told: dict[str, Value] = {"state": order.state, "is_open": order.is_open}
        async with self._database.transaction() as transaction:
            changed = await transaction.fetch_one(
                QUERIES["mark_told"], order_id=order.id, due_at=due_at, **told
            )
            if not by_message:
                await self._outbox.drop(transaction, news)
            elif changed:
                owed = NewMessage(
                    NEWS,
                    news,
                    Priority.DIRECT_MESSAGE,
                    member_id=order.member_id,
                    payload={"order": order.id, **told},
                )
                await self._outbox.want(transaction, owed)

    async def find(self, order_id: int) -> Order | None:
        """Return an order."""
        return await self._database.read_one(Order, QUERIES["find"], order_id=order_id)

    async def find_standing(
        self,
        member_id: int,
        token_key: str,
        item_id: int,
        kind: OrderKind,
        *,
        confirmation: int,
        since: datetime,
    ) -> Order | None:
        """Return what stands in the way of a new order: why `start` returned None.

        That is the order confirmed on the same card, or the member's or account's last one for the
        item: an open one; a purchase that the game was asked for after `since` and that is done
        or in doubt; a redemption that is, and that the card could not tell of.
        """
        return await self._database.read_one(
            Order,
            QUERIES["find_standing"],
            order_id=0,
            member_id=member_id,
            token_key=token_key,
            item_id=item_id,
            kind=kind,
            confirmation=confirmation,
            since=since,
        )

    async def bought(self, token_key: str, since: datetime) -> frozenset[int]:
        """Return the ids of the items that were bought here for an account `since` then."""
        rows = await self._database.fetch(QUERIES["bought"], token_key=token_key, since=since)
        return frozenset(row["item_id"] for row in rows)

    async def due(self, now: datetime, most: int) -> Sequence[Order]:
        """Return orders that somebody must look at, those that wait longest first."""
        return await self._database.read(Order, QUERIES["due"], now=now, most=most)

    async def history(self, member_id: int, *, most: int, offset: int) -> Sequence[Order]:
        """Return a member's orders, the open ones first, each newest first."""
        return await self._database.read(
            Order, QUERIES["history"], member_id=member_id, most=most, offset=offset
        )
