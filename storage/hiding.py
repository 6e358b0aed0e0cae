"""Count the changes of what each server hides, so that it is read again only after one."""

from collections import abc

from storage.database import Row, Transaction, Value, queries_beside
from storage.database.interface import Source

_QUERIES = queries_beside(__file__)


async def change(
    transaction: Transaction, statement: str, *, guild_id: int, **values: Value
) -> abc.Sequence[Row]:
    """Run and count a `statement` of hiding.sql. Return a row for each row that it changed."""
    # This comes first, like `moderation.lock`: transactions then wait for each other in one order.
    await transaction.execute(_QUERIES["count"], guild_id=guild_id)
    return await transaction.fetch(_QUERIES[statement], guild_id=guild_id, **values)


async def version(source: Source, guild_id: int) -> int | None:
    """Return how many changes were counted, None if the server has no settings or removals."""
    row = await source.fetch_one(_QUERIES["version"], guild_id=guild_id)
    return None if row is None else int(row["hidden_version"])
