"""A number for each topic that processes remember something of: how often it was changed.

Whoever changes what processes remember counts its topic up, in the same transaction.
"""

from collections.abc import Mapping

from storage.database import Database, Transaction, queries_beside

QUERIES = queries_beside(__file__)


async def note_change(transaction: Transaction, topic: str) -> int:
    """Let other processes know of a change once it lasts; return the topic's new number.

    Numbers of one topic come to last in their order.
    """
    (row,) = await transaction.fetch(QUERIES["count"], topic=topic)
    if transaction.hint:
        await transaction.fetch(transaction.hint)
    return int(row["number"])


async def read_numbers(database: Database) -> Mapping[str, int]:
    """Return the number of every topic that was ever changed."""
    return {row["topic"]: row["number"] for row in await database.fetch(QUERIES["numbers"])}
