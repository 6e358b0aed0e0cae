"""What all processes of a Kiosk know: facts, figures, identifies and emojis."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from bot.domain.operating import Numbers, Waiting
from storage.database import Database, queries_beside
from storage.messages import Messages

_FACTS = queries_beside(__file__, "facts")
FIGURES = queries_beside(__file__, "figures")
_IDENTIFIES = queries_beside(__file__, "identifies")
_EMOJIS = queries_beside(__file__, "emojis")

_DAY = timedelta(days=1)


class Facts(Struct, frozen=True):
    """Short texts by name."""

    database: Database

    async def find(self, name: str) -> str | None:
        """Return the text kept under a name, or None."""
        row = await self.database.fetch_one(_FACTS["find"], name=name)
        return None if row is None else str(row["value"])

    async def save(self, name: str, value: str) -> None:
        """Keep a text under a name, in place of the one before."""
        await self.database.execute(_FACTS["save"], name=name, value=value)


class Figures(Struct, frozen=True):
    """Counts what is under way in the database."""

    database: Database
    outbox: Messages

    async def count(self, now: datetime) -> Numbers:
        """Count. Raises DatabaseError."""
        rows = await self.database.fetch(FIGURES["orders"], since=now - _DAY)
        return Numbers(
            orders={row["state"]: row["count"] for row in rows},
            open_orders=await self._waiting("open_orders"),
            texts=await self._waiting("texts"),
            outbox=await self.outbox.waiting(),
        )

    async def answers(self) -> bool:
        """Return whether the database answers. Raises DatabaseError."""
        return await self.database.fetch_one("SELECT 1 AS one") is not None

    async def _waiting(self, name: str) -> Waiting:
        (waiting,) = await self.database.read(Waiting, FIGURES[name])
        return waiting


class Recent(Struct, frozen=True):
    """How often a shard identified of late, and when it, and any shard at all, last did."""

    number: int
    last: datetime | None
    last_of_any: datetime | None


class Identifies(Struct, frozen=True):
    """The identifies of the last day."""

    database: Database

    async def add(self, shard_id: int, now: datetime) -> None:
        """Note one."""
        await self.database.execute(_IDENTIFIES["add"], shard_id=shard_id, identified_at=now)

    async def recent(self, shard_id: int, since: datetime) -> Recent:
        """Return what is known of a shard since a moment."""
        (recent,) = await self.database.read(
            Recent, _IDENTIFIES["recent"], shard_id=shard_id, since=since
        )
        return recent


class Picture(Struct, frozen=True):
    """A picture of the game's, and the emoji it has become, if it has."""

    key: str
    url: str
    name: str | None
    emoji_id: int | None
    failures: int


class Emojis(Struct, frozen=True):
    """All pictures that are or may be emojis."""

    database: Database

    async def note(self, pictures: Mapping[str, str], now: datetime) -> None:
        """Have these addresses looked at by their keys, those that are new."""
        rows = [{"key": key, "url": url, "due_at": now} for key, url in pictures.items()]
        async with self.database.transaction() as transaction:
            await transaction.execute_many(_EMOJIS["note"], rows)

    async def made(self) -> Mapping[str, tuple[str, int]]:
        """Return the names and ids of the emojis there are, by the keys of their pictures."""
        rows = await self.database.fetch(_EMOJIS["made"])
        return {row["key"]: (row["name"], row["emoji_id"]) for row in rows}

    async def next(self, now: datetime) -> Picture | None:
        """Return a picture that is to be looked at now."""
        return await self.database.read_one(Picture, _EMOJIS["next"], now=now)

    async def keep(self, picture: Picture, name: str, emoji_id: int) -> None:
        """Note the emoji that a picture has become."""
        async with self.database.transaction() as transaction:
            await transaction.execute(
                _EMOJIS["keep"], key=picture.key, url=picture.url, name=name, emoji_id=emoji_id
            )

    async def forget_made(self) -> None:
        """Forget all of them; each is made anew once its picture is seen."""
        async with self.database.transaction() as transaction:
            await transaction.execute(_EMOJIS["forget_all"])

    async def put_off(self, picture: Picture, until: datetime | None) -> None:
        """Look at a picture again later, or never, unless it gets another address."""
        await self.database.execute(
            _EMOJIS["put_off"], key=picture.key, url=picture.url, due_at=until
        )
