"""Watched words of each server."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, json

from storage.database import Database, Row, queries_beside
from storage.moderation import lock

QUERIES = queries_beside(__file__)
# As many, and as long, as AutoMod takes.
MOST_WORDS = 1000
LONGEST_WORD = 60

# Words as they were typed, by what is looked for, so that each is there once.
KeyedWords = Mapping[str, str]


class WatchedWords(Struct, frozen=True):
    database: Database

    async def words(self, guild_id: int) -> Sequence[str]:
        """Return a server's words as they were typed, sorted."""
        row = await self.database.fetch_one(QUERIES["watched"], guild_id=guild_id)
        return sorted(_keyed(row).values())

    async def change(
        self, guild_id: int, change: Callable[[KeyedWords], KeyedWords]
    ) -> tuple[KeyedWords, KeyedWords]:
        """Change what a server watches for; return it as it was and as it is."""
        async with self.database.transaction() as transaction:
            await lock(transaction, guild_id)
            before = _keyed(await transaction.fetch_one(QUERIES["watched"], guild_id=guild_id))
            after = change(before)
            words = json.encode(after).decode()
            await transaction.execute(QUERIES["save"], guild_id=guild_id, words=words)
        return before, after


def _keyed(row: Row | None) -> KeyedWords:
    return {} if row is None else json.decode(row["words"], type=dict[str, str])
