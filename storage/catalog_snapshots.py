"""How the items of followed catalogs were seen last, and what was new about them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from bot.domain.announcing import Event, FollowedCatalog, NewEvent, News, SeenItem
from bot.domain.names import name_key
from storage.database import Database, Row, Transaction, Value, load_queries
from storage.times import from_micros, moment, to_micros

QUERIES = load_queries(Path(__file__).parent / "sql" / "catalog_snapshots.sql")
_SEPARATOR = ","

# Writes what is owed for events, in the transaction they are written in.
Owe = Callable[[Transaction, Sequence[Event]], Awaitable[None]]


class CatalogSnapshots:
    """All followed catalogs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def followed(self) -> Sequence[FollowedCatalog]:
        """Return every catalog that is polled."""
        return [_read_catalog(row) for row in await self._database.fetch(QUERIES["followed"])]

    async def find(self, catalog_id: int) -> FollowedCatalog | None:
        """Return a catalog, None where nobody follows it any more."""
        row = await self._database.fetch_one(QUERIES["find"], catalog_id=catalog_id)
        return None if row is None else _read_catalog(row)

    async def seen(self, catalog_id: int) -> Mapping[int, SeenItem]:
        """Return the items that were ever seen, by their ids."""
        rows = await self._database.fetch(QUERIES["seen"], catalog_id=catalog_id)
        return {row["item_id"]: read_item(row) for row in rows}

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
        rows = [_item_row(catalog.catalog_id, item) for item in changed]
        async with self._database.transaction() as transaction:
            begun = await transaction.execute(
                QUERIES["begin"],
                catalog_id=catalog.catalog_id,
                followed_at=to_micros(catalog.followed_at),
                version=catalog.version,
                read_at=to_micros(now),
            )
            if not begun:
                return False
            await transaction.execute_many(QUERIES["keep_item"], rows)
            written: list[Event] = []
            for event in events:
                row = await transaction.fetch_one(
                    QUERIES["add_event"],
                    catalog_id=catalog.catalog_id,
                    item_id=event.item_id,
                    news=join_news(event.news),
                    item=event.item,
                    page=event.page,
                    old_cost=event.old_cost,
                    happened_at=to_micros(now),
                    is_late=int(is_late),
                )
                assert row is not None  # noqa: S101 - RETURNING gives the row that was inserted
                written.append(read_event(row))
            await owe(transaction, written)
        return True

    async def note_read(self, catalog_id: int, now: datetime) -> None:
        """Note that a catalog could be read."""
        await self._database.execute(
            QUERIES["note_read"], catalog_id=catalog_id, read_at=to_micros(now)
        )

    async def note_failure(self, catalog_id: int, failure: str, now: datetime) -> None:
        """Note that a catalog could not be read, and the name of the error."""
        await self._database.execute(
            QUERIES["note_failure"],
            catalog_id=catalog_id,
            failure=failure,
            failed_at=to_micros(now),
        )


def read_event(row: Row) -> Event:
    """Return the event of a row."""
    return Event(
        id=row["id"],
        catalog_id=row["catalog_id"],
        item_id=row["item_id"],
        news=split_news(row["news"]),
        item=row["item"],
        page=row["page"],
        old_cost=row["old_cost"],
        happened_at=from_micros(row["happened_at"]),
        is_late=bool(row["is_late"]),
    )


def join_news(news: frozenset[News]) -> str:
    """Return kinds of news as a column holds them."""
    return _SEPARATOR.join(each for each in News if each in news)


def split_news(text: str) -> frozenset[News]:
    """Return the kinds of news in a column; those of a later version are left out."""
    names = text.split(_SEPARATOR)
    return frozenset(each for each in News if each in names)


def _read_catalog(row: Row) -> FollowedCatalog:
    return FollowedCatalog(
        catalog_id=row["catalog_id"],
        followed_at=from_micros(row["followed_at"]),
        version=row["version"],
        read_at=moment(row["read_at"]),
        failing_since=moment(row["failing_since"]),
        failed_at=moment(row["failed_at"]),
        failures=row["failures"],
        failure=row["failure"],
    )


def read_item(row: Row) -> SeenItem:
    """Return the item of a row."""
    return SeenItem(
        item_id=row["item_id"],
        name=row["name"],
        cost=row["cost"],
        currency_id=row["currency_id"],
        is_clearance=bool(row["is_clearance"]),
        is_member_item=bool(row["is_member_item"]),
        base_cost=row["base_cost"],
        first_seen_at=from_micros(row["first_seen_at"]),
        risen_at=moment(row["risen_at"]),
        clearance_ended_at=moment(row["clearance_ended_at"]),
        gone_at=moment(row["gone_at"]),
    )


def _item_row(catalog_id: int, item: SeenItem) -> Mapping[str, Value]:
    values = {
        name: to_micros(value) if isinstance(value, datetime) else value
        for name, value in vars(item).items()
    }
    flags = {name: int(values[name]) for name in ("is_clearance", "is_member_item")}
    return {**values, **flags, "catalog_id": catalog_id, "name_key": name_key(item.name)}
