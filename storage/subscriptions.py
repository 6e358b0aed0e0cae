"""What servers and members want to hear of the game's catalogs, and what is still to be told."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from bot.domain.announcing import (
    WATCH_KIND,
    Event,
    NewSubscription,
    NewWatch,
    Notice,
    Subscription,
    Watch,
)
from storage.database import Database, Transaction, Value, queries_beside
from storage.messages import Messages, NewMessage, Priority
from storage.names import name_key
from storage.rows import moment, read, to_row

QUERIES = queries_beside(__file__)
_WATCHES = queries_beside(__file__, "watches")


class Subscriptions(Struct, frozen=True):
    """The subscriptions of all servers; one for each channel and catalog."""

    database: Database

    async def add(self, new: NewSubscription, *, now: datetime) -> Subscription | None:
        """Keep a subscription, and follow its catalog; None where the channel has one for it."""
        values = {**to_row(new), "created_at": now}
        async with self.database.transaction() as transaction:
            await transaction.execute(QUERIES["follow"], catalog_id=new.catalog_id, followed_at=now)
            return await transaction.read_one(Subscription, QUERIES["add"], **values)

    async def find(
        self, subscription_id: int, transaction: Transaction | None = None
    ) -> Subscription | None:
        """Return a subscription, unless it is gone."""
        source = transaction or self.database
        return await source.read_one(Subscription, QUERIES["find"], subscription_id=subscription_id)

    async def of_guild(self, guild_id: int) -> Sequence[Subscription]:
        """Return a server's subscriptions, the oldest first."""
        return await self.database.read(Subscription, QUERIES["of_guild"], guild_id=guild_id)

    async def of_catalog(
        self, catalog_id: int, transaction: Transaction | None = None
    ) -> Sequence[Subscription]:
        """Return a catalog's subscriptions, the oldest first, paused ones too."""
        source = transaction or self.database
        return await source.read(Subscription, QUERIES["of_catalog"], catalog_id=catalog_id)

    async def change(self, changed: Subscription) -> Subscription | None:
        """Keep where and what a subscription is for from now on; None where it is gone.

        Raises NotUnique where the channel has another one for its catalog.
        """
        row = await self.database.change_one(QUERIES["change"], **to_row(changed))
        return read(Subscription, row)

    async def pause(
        self,
        subscription_id: int,
        *,
        now: datetime,
        reason: int | None = None,
        transaction: Transaction | None = None,
    ) -> bool:
        """Announce nothing from now on; return whether that is new."""
        changed = await (transaction or self.database).execute(
            QUERIES["pause"],
            subscription_id=subscription_id,
            paused_at=now,
            pause_reason=reason,
        )
        return changed > 0

    async def note_missed(
        self, transaction: Transaction, subscription_id: int, event_id: int
    ) -> None:
        """Note that an event from before a pause was not announced, either."""
        await transaction.execute(
            QUERIES["note_missed"], subscription_id=subscription_id, event_id=event_id
        )

    async def resume(self, subscription_id: int) -> bool:
        """Announce again; return whether it was paused."""
        changed = await self.database.execute(QUERIES["resume"], subscription_id=subscription_id)
        return changed > 0

    async def remove(self, subscription: Subscription) -> bool:
        """Forget a subscription, and with a catalog's last one all that was seen there."""
        async with self.database.transaction() as transaction:
            removed = await transaction.execute(QUERIES["remove"], subscription_id=subscription.id)
            await transaction.execute(QUERIES["unfollow"], catalog_id=subscription.catalog_id)
        return removed > 0


class Watches(Struct, frozen=True):
    """The watches of all members."""

    database: Database
    outbox: Messages

    async def add(self, new: NewWatch, *, now: datetime, most: int) -> Watch | None:
        """Keep a watch, and follow its catalog; None where the member has `most` others.

        What is watched already stays one watch.
        """
        values = {**to_row(new), "key": _key(new), "created_at": now}
        async with self.database.transaction() as transaction:
            await transaction.execute(QUERIES["follow"], catalog_id=new.catalog_id, followed_at=now)
            row = await transaction.fetch_one(_WATCHES["add"], **values)
            count = await transaction.fetch_one(_WATCHES["count"], member_id=new.member_id)
            if row is None or count is None or count["count"] <= most:
                return read(Watch, row)
            await self._remove(transaction, row["id"], new.member_id)
        return None

    async def of_member(self, member_id: int) -> Sequence[Watch]:
        """Return a member's watches, the oldest first."""
        return await self.database.read(Watch, _WATCHES["of_member"], member_id=member_id)

    async def of_catalog(self, catalog_id: int) -> Sequence[Watch]:
        """Return who watches what in a catalog."""
        return await self.database.read(Watch, _WATCHES["of_catalog"], catalog_id=catalog_id)

    async def watchers(self, catalog_id: int, most: int) -> Sequence[int]:
        """Return the members who began last to watch something in a catalog."""
        rows = await self.database.fetch(_WATCHES["watchers"], catalog_id=catalog_id, most=most)
        return [row["member_id"] for row in rows]

    async def remove(self, watch_id: int, member_id: int) -> Watch | None:
        """End a member's watch and return it, None where there is none."""
        async with self.database.transaction() as transaction:
            return await self._remove(transaction, watch_id, member_id)

    async def owe(self, transaction: Transaction, notices: Iterable[Notice], now: datetime) -> None:
        """Owe each member one message for all that is new to them."""
        first: dict[int, int] = {}
        rows: list[dict[str, Value]] = []
        for watch, event in notices:
            first.setdefault(watch.member_id, event.id)
            rows.append({"watch_id": watch.id, "event_id": event.id, "created_at": now})
        if not rows:
            return
        await transaction.execute_many(_WATCHES["note"], rows)
        owed = [
            NewMessage(WATCH_KIND, f"watch:{member}:{event}", Priority.WATCH, member_id=member)
            for member, event in first.items()
        ]
        await self.outbox.want(transaction, *owed)

    async def gather(self, delivery: str, member_id: int, last: datetime) -> datetime | None:
        """Put all that a member is to be told into one message, unless one went after `last`.

        Returns when that one went. What is in the message already stays as it is.
        """
        async with self.database.transaction() as transaction:
            place = {"member_id": member_id, "delivery": delivery}
            if await transaction.fetch_one(_WATCHES["to_assign"], **place) is None:
                return None
            row = await transaction.fetch_one(
                _WATCHES["last_told"], member_id=member_id, kind=WATCH_KIND
            )
            told_at = None if row is None else moment(row["told_at"])
            if told_at is not None and told_at > last:
                return told_at
            await transaction.execute(_WATCHES["assign"], **place)
        return None

    async def told_in(
        self, delivery: str, transaction: Transaction | None = None
    ) -> Sequence[Notice]:
        """Return what a message tells, in order; what is watched no more is not in it."""
        source = transaction or self.database
        watched = await source.read(Watch, _WATCHES["watches_in"], delivery=delivery)
        watches = {each.id: each for each in watched}
        rows = await source.fetch(_WATCHES["told_in"], delivery=delivery)
        return [
            (watches[row["watch_id"]], read(Event, row))
            for row in rows
            if row["watch_id"] in watches
        ]

    async def _remove(
        self, transaction: Transaction, watch_id: int, member_id: int
    ) -> Watch | None:
        query, ids = _WATCHES["remove"], {"watch_id": watch_id, "member_id": member_id}
        watch = await transaction.read_one(Watch, query, **ids)
        if watch is not None:
            await transaction.execute(QUERIES["unfollow"], catalog_id=watch.catalog_id)
        return watch


def _key(new: NewWatch) -> str:
    if new.item_id is not None:
        return f"item {new.item_id}"
    parts = (new.type_id, new.max_cost, int(new.is_clearance), name_key(new.name))
    return "search " + " ".join("-" if part is None else str(part) for part in parts)
