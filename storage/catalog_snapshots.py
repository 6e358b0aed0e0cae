"""How the items of followed catalogs were seen last, and what was new about them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

from bot.domain.announcing import Event, FollowedCatalog, NewEvent, SeenItem
from bot.domain.names import name_key
from storage.database import Database, Transaction, queries_beside
from storage.rows import read, to_row

QUERIES = queries_beside(__file__)

# Writes what is owed for events, in the transaction they are written in.
Owe = Callable[[Transaction, Sequence[Event]], Awaitable[None]]


class CatalogSnapshots:
    """All followed catalogs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def followed(self) -> Sequence[FollowedCatalog]:
        """Return every catalog that is polled."""
        rows = self._database.walk(QUERIES["followed"], by="catalog_id")
        return [read(FollowedCatalog, row) async for row in rows]

    async def find(self, catalog_id: int) -> FollowedCatalog | None:
        """Return a catalog, None where nobody follows it any more."""
        return await self._database.read_one(
            FollowedCatalog, QUERIES["find"], catalog_id=catalog_id
        )

    async def seen(self, catalog_id: int) -> Mapping[int, SeenItem]:
        """Return the items that were ever seen, by their ids."""
        rows = await self._database.fetch(QUERIES["seen"], catalog_id=catalog_id)
        return {row["item_id"]: read(SeenItem, row) for row in rows}

    async def record(
        self,
        catalog: FollowedCatalog,
        changed: Sequence[SeenItem],
        events: Sequence[NewEvent],
        *,
        now: datetime,
        is_late: bool,
        owe: Owe,
    ) -> bool:
        """Write what a poll has found and what is owed for it, all or nothing.

        Returns False, and writes nothing, where another has written since `catalog` was read.
        """
        rows = [
            {**to_row(item), "catalog_id": catalog.catalog_id, "name_key": name_key(item.name)}
            for item in changed
        ]
        async with self._database.transaction() as transaction:
            begun = await transaction.execute(
                QUERIES["begin"],
                catalog_id=catalog.catalog_id,
                followed_at=catalog.followed_at,
                version=catalog.version,
                read_at=now,
            )
            if not begun:
                return False
            await transaction.execute_many(QUERIES["keep_item"], rows)
            written: list[Event] = []
            for event in events:
                (row,) = await transaction.fetch(
                    QUERIES["add_event"],
                    catalog_id=catalog.catalog_id,
                    **to_row(event),
                    happened_at=now,
                    is_late=int(is_late),
                )
                written.append(read(Event, row))
            await owe(transaction, written)
        return True

    async def note_read(self, catalog_id: int, now: datetime) -> None:
        """Note that a catalog could be read."""
        await self._database.execute(QUERIES["note_read"], catalog_id=catalog_id, read_at=now)

    async def note_failure(self, catalog_id: int, failure: str, now: datetime) -> None:
        """Note that a catalog could not be read, and the name of the error."""
        await self._database.execute(
            QUERIES["note_failure"],
            catalog_id=catalog_id,
            failure=failure,
            failed_at=now,
        )
