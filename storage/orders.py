"""What members asked to buy and to redeem, written before the game is asked."""

from collections.abc import Sequence
from datetime import datetime
from secrets import token_hex

from msgspec.structs import asdict

from bot.domain.links import Link
from bot.domain.orders import NewOrder, Order, OrderKind, Settlement
from bot.domain.outbox import Owed, Priority
from storage.database import Database, Value, queries_beside
from storage.leases import Leases
from storage.outbox import Outbox
from storage.rows import read

# The kind of entry by which members are told.
NEWS = "order"
QUERIES = queries_beside(__file__)


class Orders:
    """The orders of all members, each in the hands of one process at a time."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._outbox = outbox
        self._leases = Leases("orders")

    async def start(
        self,
        new: NewOrder,
        *,
        now: datetime,
        due_at: datetime,
        doubted_since: datetime,
        disputed_since: datetime,
        despite: int = 0,
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
                QUERIES["find_ended"],
                **_whose(new),
                order_id=row["id"],
                item_id=new.item_id,
                kind=new.kind,
                despite=despite,
                doubted_since=doubted_since,
                disputed_since=disputed_since,
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
        self,
        order: Order,
        found: Settlement,
        *,
        settled_at: datetime | None,
        due_at: datetime,
        was_seen: bool = False,
    ) -> Order:
        """Write what an order came to, unless it is known to be done; return it as it then is.

        What only `was_seen` in the catalog is not owed to a refused order beside one that is done.
        Whoever knows it may write it: what the game has said holds after a lease, too.
        """
        values = {**asdict(found), "cost": order.cost if found.cost is None else found.cost}
        async with self._database.transaction() as transaction:
            if was_seen:
                # Of two that are seen at once, the second is to know of the first.
                await transaction.execute(QUERIES["hold_alike"], order_id=order.id)
            row = await transaction.fetch_one(
                QUERIES["settle"],
                order_id=order.id,
                **values,
                settled_at=settled_at,
                due_at=due_at,
                was_seen=was_seen,
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
                owed = Owed(
                    NEWS,
                    news,
                    Priority.DIRECT_MESSAGE,
                    member_id=order.member_id,
                    payload={"order": order.id, **told},
                )
                await self._outbox.owe(transaction, owed)

    async def find(self, order_id: int) -> Order | None:
        """Return an order."""
        return await self._database.read_one(Order, QUERIES["find"], order_id=order_id)

    async def find_standing(
        self,
        link: Link,
        item_id: int,
        kind: OrderKind,
        *,
        doubted_since: datetime,
        disputed_since: datetime,
        confirmation: int = 0,
        despite: int = 0,
    ) -> Order | None:
        """Return what stands in the way of a new order: why `start` returned None.

        That is the order confirmed on the same card, the open one for the item, one that is done,
        or one in doubt: unknown, or not seen in the catalog after it was sent since
        `doubted_since`. The orders are the account's, whoever confirmed them; of those that are
        settled only later ones than `despite` count, and what was done since `disputed_since`.
        """
        return await self._database.read_one(
            Order,
            QUERIES["find_standing"],
            **_whose(link),
            item_id=item_id,
            kind=kind,
            confirmation=confirmation,
            despite=despite,
            doubted_since=doubted_since,
            disputed_since=disputed_since,
        )

    async def bought(self, link: Link) -> frozenset[int]:
        """Return the ids of the items that were bought here for a link's account."""
        rows = await self._database.fetch(QUERIES["bought"], **_whose(link))
        return frozenset(row["item_id"] for row in rows)

    async def is_bought_otherwise(self, order: Order) -> bool:
        """Return whether another order of the same account for the same is done."""
        row = await self._database.fetch_one(
            QUERIES["find_bought_otherwise"],
            **_whose(order),
            order_id=order.id,
            item_id=order.item_id,
            kind=order.kind,
        )
        return row is not None

    async def due(self, now: datetime, most: int) -> Sequence[Order]:
        """Return orders that somebody must look at, those that wait longest first."""
        return await self._database.read(Order, QUERIES["due"], now=now, most=most)

    async def history(self, member_id: int, *, most: int, offset: int) -> Sequence[Order]:
        """Return a member's orders, the open ones first, each newest first."""
        return await self._database.read(
            Order, QUERIES["history"], member_id=member_id, most=most, offset=offset
        )


def _whose(owner: Link | NewOrder) -> dict[str, Value]:
    return {
        "member_id": owner.member_id,
        "linked_at": owner.linked_at,
        "player_id": owner.player_id,
        "token_key": owner.token_key,
    }
