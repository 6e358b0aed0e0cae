"""The comments that each public message shows, and the removals still to be done there."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import asdict

from storage.database import Database, Row, Transaction, queries_beside
from storage.database.interface import Source
from storage.messages import Messages, MessageState, NewMessage, Priority
from storage.moderation import Subject, lock
from storage.rows import read

QUERIES = queries_beside(__file__)
# The kind of messages by which public ones are gone through.
REMOVAL = "removal"
# Whoever began to share before is gone.
_LONGEST_SENDING = timedelta(minutes=1)
# Nobody presses a private card's button later: Discord has forgotten the card.
_PRESSED, _SHOWN = timedelta(days=7), timedelta(days=365)
# Why a message was not reached: a crash lost its number.
LOST = "lost"
# The ids of components that a comment's block is made of begin with a multiple of this.
BLOCK = 100


class ShownComment(Struct, frozen=True):
    """A comment that a message shows, and where: `part` is the id of a component.

    One that is whole has a block of its own, whose first part this is. Another one is only a `line`
    of a part, counted from 0, or from -1 backwards where it is quoted.
    """

    comment_id: int
    player_id: int | None = None
    part: int = BLOCK
    line: int = 0

    @property
    def is_whole(self) -> bool:
        return self.part % BLOCK == 0


class PublicMessage(Struct, frozen=True):
    """A public message, and whether each comment that it was posted with is hidden by now.

    `message_id` is None until Discord has told it; a crash in between leaves it so. It was
    about to be posted at `posted_at`.
    """

    id: int
    guild_id: int
    channel_id: int
    message_id: int | None
    posted_at: datetime
    comments: Mapping[ShownComment, bool]


class Unreached(Struct, frozen=True):
    """A public message not reached; `reason` is LOST, or begins with Discord's code."""

    channel_id: int
    message_id: int | None
    reason: str


class Progress(Struct, frozen=True):
    """How many of a removal's public messages are in each state."""

    done: int
    left: int
    refused: int
    total: int


class _Hidden(Exception):
    """The server hides one of the comments by now."""


class ShownMessages(Struct, frozen=True):
    database: Database
    outbox: Messages
    now: Callable[[], datetime]

    async def begin(self, key: str, guild_id: int | None, channel_id: int | None) -> int | None:
        """Record what is to be posted; return its row's id, None where it was or is being."""
        now = self.now()
        async with self.database.transaction() as transaction:
            await transaction.execute(QUERIES["free_stale"], key=key, stale=now - _LONGEST_SENDING)
            row = await transaction.fetch_one(
                QUERIES["begin"],
                key=key,
                guild_id=guild_id,
                channel_id=channel_id,
                now=now,
                kept_until=now + _PRESSED,
            )
        return None if row is None else int(row["id"])

    async def free(self, shown_id: int) -> None:
        """Let what was not posted, as far as anybody knows, be posted once more."""
        await self.database.execute(QUERIES["free"], id=shown_id)

    async def claim(
        self, shown_id: int, guild_id: int, channel_id: int, comments: Iterable[ShownComment]
    ) -> bool:
        """Record what is about to be sent; return False where the server hides some of it."""
        rows = [{"shown_id": shown_id, **asdict(comment)} for comment in comments]
        kept_until = self.now() + _SHOWN
        with suppress(_Hidden):
            async with self.database.transaction() as transaction:
                await lock(transaction, guild_id)
                await transaction.execute(QUERIES["forget_comments"], shown_id=shown_id)
                await transaction.execute_many(QUERIES["add_comment"], rows)
                if any((await self._contents(transaction, shown_id)).values()):
                    raise _Hidden
                await transaction.execute(
                    QUERIES["place"], id=shown_id, channel_id=channel_id, kept_until=kept_until
                )
                return True
        return False

    async def complete(self, shown_id: int, message_id: int, guild_id: int | None) -> None:
        async with self.database.transaction() as transaction:
            if guild_id is not None:
                await lock(transaction, guild_id)
            await self.complete_in(transaction, shown_id, message_id)

    async def complete_in(
        self, transaction: Transaction, shown_id: int, message_id: int, post_id: int | None = None
    ) -> None:
        """Note it, with the post it stands in; what was removed of it meanwhile is owed anew."""
        await transaction.execute(
            QUERIES["complete"], id=shown_id, message_id=message_id, channel_id=post_id
        )
        for row in await transaction.fetch(QUERIES["removals_of"], shown_id=shown_id):
            await self.owe(transaction, row["removal_id"], row["case_id"], [row])

    async def find(self, shown_id: int | None) -> PublicMessage | None:
        row = await self.database.fetch_one(QUERIES["find"], id=shown_id)
        if row is None:
            return None
        return read(PublicMessage, row, comments=await self._contents(self.database, row["id"]))

    async def forget(self, message_id: int) -> None:
        """Forget a message that was taken back, so that it can be shared again."""
        await self.database.execute(QUERIES["forget"], message_id=message_id)

    async def forget_comments(self, shown_id: int) -> None:
        """Note that a message is no more, and shows nothing."""
        await self.database.execute(QUERIES["forget_comments"], shown_id=shown_id)

    async def shown_in(self, message_id: int) -> Sequence[ShownComment]:
        return await self.database.read(ShownComment, QUERIES["shown_in"], message_id=message_id)

    async def place_of(self, guild_id: int, comment_id: int) -> tuple[int, int] | None:
        """Return the channel and the number of the last message that shows a comment."""
        rows = await self.showing(self.database, guild_id, Subject(comment_id))
        places = ((row["channel_id"], row["message_id"]) for row in rows if row["message_id"])
        return next(places, None)

    async def known_ids(self, channel_id: int, first: int, last: int) -> frozenset[int]:
        rows = await self.database.fetch(
            QUERIES["known_ids"], channel_id=channel_id, first=first, last=last
        )
        return frozenset(row["message_id"] for row in rows)

    async def showing(self, source: Source, guild_id: int, subject: Subject) -> Sequence[Row]:
        """Return the public messages that show a comment, or a player's, the newest first."""
        player_id = subject.player_id if subject.comment_id is None else None
        ids = {"comment_id": subject.comment_id, "player_id": player_id}
        return await source.fetch(QUERIES["showing"], guild_id=guild_id, **ids)

    async def progress(self, removal_id: int, source: Source | None = None) -> Progress:
        rows = await (source or self.database).fetch(QUERIES["states"], removal_id=removal_id)
        counts = {row["state"]: row["messages"] for row in rows}
        return Progress(
            counts.get(MessageState.SENT, 0),
            counts.get(MessageState.OWED, 0),
            counts.get(MessageState.REFUSED, 0),
            sum(counts.values()),
        )

    async def unreached(self, removal_id: int, most: int) -> Sequence[Unreached]:
        query = QUERIES["unreached"]
        return await self.database.read(Unreached, query, removal_id=removal_id, most=most)

    async def owe(
        self, transaction: Transaction, removal_id: int, case_id: int, rows: Iterable[Row]
    ) -> None:
        owed = [
            NewMessage(
                REMOVAL,
                f"{REMOVAL} {removal_id} {row['shown_id']}",
                Priority.REMOVAL,
                guild_id=row["guild_id"],
                channel_id=row["channel_id"],
                payload={"case": case_id},
                stays=True,
                removal_id=removal_id,
                shown_id=row["shown_id"],
            )
            for row in rows
        ]
        await self.outbox.want(transaction, *owed)

    async def _contents(self, source: Source, shown_id: int) -> Mapping[ShownComment, bool]:
        rows = await source.fetch(QUERIES["contents"], shown_id=shown_id, now=self.now())
        return {read(ShownComment, row): bool(row["is_hidden"]) for row in rows}
