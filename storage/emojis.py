"""Which of the game's pictures are emojis of the application, and which are to be."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from storage.changes import note_change
from storage.database import Database, queries_beside

QUERIES = queries_beside(__file__)
TOPIC = "emojis"
# Discord lets an application have no more.
_MOST_MADE = 2_000


@dataclass(frozen=True)
class Picture:
    """A picture of the game's, and the emoji it has become, if it has."""

    key: str
    url: str
    name: str | None
    emoji_id: int | None
    failures: int


class Emojis:
    """All pictures that are or may be emojis."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, pictures: Mapping[str, str], now: datetime) -> None:
        """Have these addresses looked at by their keys, those that are new."""
        rows = [{"key": key, "url": url, "due_at": now} for key, url in pictures.items()]
        async with self._database.transaction() as transaction:
            await transaction.execute_many(QUERIES["note"], rows)

    async def made(self) -> Mapping[str, tuple[str, int]]:
        """Return the names and ids of the emojis there are, by the keys of their pictures."""
        rows = await self._database.fetch(QUERIES["made"], most=_MOST_MADE)
        return {row["key"]: (row["name"], row["emoji_id"]) for row in rows}

    async def next(self, now: datetime) -> Picture | None:
        """Return a picture that is to be looked at now."""
        return await self._database.read_one(Picture, QUERIES["next"], now=now)

    async def keep(self, picture: Picture, name: str, emoji_id: int) -> None:
        """Note the emoji that a picture has become."""
        async with self._database.transaction() as transaction:
            await transaction.execute(
                QUERIES["keep"], key=picture.key, url=picture.url, name=name, emoji_id=emoji_id
            )
            await note_change(transaction, TOPIC)

    async def put_off(self, picture: Picture, until: datetime | None) -> None:
        """Look at a picture again later, or never, unless it gets another address."""
        await self._database.execute(
            QUERIES["put_off"], key=picture.key, url=picture.url, due_at=until
        )
