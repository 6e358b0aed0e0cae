"""What servers want to hear of the game's catalogs, and where."""

from collections.abc import Sequence
from datetime import datetime

from bot.domain.announcing import NewSubscription, Subscription
from storage.database import Database, Transaction, queries_beside
from storage.rows import read, to_row

QUERIES = queries_beside(__file__)


class Subscriptions:
    """The subscriptions of all servers; one for each channel and catalog."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, new: NewSubscription, *, now: datetime) -> Subscription | None:
        """Keep a subscription, and follow its catalog; None where the channel has one for it."""
        values = {**to_row(new), "created_at": now}
        async with self._database.transaction() as transaction:
            await transaction.execute(QUERIES["follow"], catalog_id=new.catalog_id, followed_at=now)
            return await transaction.read_one(Subscription, QUERIES["add"], **values)

    async def find(
        self, subscription_id: int, transaction: Transaction | None = None
    ) -> Subscription | None:
        """Return a subscription, unless it is gone."""
        source = transaction or self._database
        return await source.read_one(Subscription, QUERIES["find"], subscription_id=subscription_id)

    async def of_guild(self, guild_id: int) -> Sequence[Subscription]:
        """Return a server's subscriptions, the oldest first."""
        return await self._database.read(Subscription, QUERIES["of_guild"], guild_id=guild_id)

    async def of_catalog(
        self, catalog_id: int, transaction: Transaction | None = None
    ) -> Sequence[Subscription]:
        """Return a catalog's subscriptions, the oldest first, paused ones too."""
        source = transaction or self._database
        return await source.read(Subscription, QUERIES["of_catalog"], catalog_id=catalog_id)

    async def change(self, changed: Subscription) -> Subscription | None:
        """Keep where and what a subscription is for from now on; None where it is gone.

        Raises NotUnique where the channel has another one for its catalog.
        """
        row = await self._database.change_one(QUERIES["change"], **to_row(changed))
        return read(Subscription, row)

    async def pause(
        self,
        subscription_id: int,
        *,
        now: datetime,
        reason: int | None = None,
        after: int | None = None,
        transaction: Transaction | None = None,
    ) -> bool:
        """Announce nothing from now on, or from after an event on; return whether that is new."""
        changed = await (transaction or self._database).execute(
            QUERIES["pause"],
            subscription_id=subscription_id,
            paused_at=now,
            pause_reason=reason,
            paused_after=after,
        )
        return changed > 0

    async def resume(self, subscription_id: int) -> bool:
        """Announce again; return whether it was paused."""
        changed = await self._database.execute(QUERIES["resume"], subscription_id=subscription_id)
        return changed > 0

    async def remove(self, subscription: Subscription) -> bool:
        """Forget a subscription, and with a catalog's last one all that was seen there."""
        async with self._database.transaction() as transaction:
            removed = await transaction.execute(QUERIES["remove"], subscription_id=subscription.id)
            await transaction.execute(QUERIES["unfollow"], catalog_id=subscription.catalog_id)
        return removed > 0
