"""What Kiosk owes to Discord, written where it becomes owed and kept until it is settled."""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime

from msgspec import Struct

from bot.domain.operating import Queue
from bot.domain.outbox import Entry, EntryState, Owed, Priority
from storage.database import Database, Row, Transaction, queries_beside
from storage.rows import from_micros, read

QUERIES = queries_beside(__file__)


class Outbox:
    """All that is owed; `news` is set whenever this process has come to owe something."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self.news = asyncio.Event()

    async def owe(self, transaction: Transaction, *owed: Owed) -> None:
        """Owe these from the end of the transaction on; what is owed already stays as it is."""
        created_at = self._now()
        rows = [
            {
                "kind": one.kind,
                "key": one.key,
                "priority": int(one.priority),
                "channel_id": one.channel_id,
                "member_id": one.member_id,
                "lane": one.channel_id or one.member_id or 0,
                "payload": json.dumps(one.payload),
                "created_at": created_at,
            }
            for one in owed
        ]
        await transaction.execute_many(QUERIES["owe"], rows)
        transaction.on_commit(self.news.set)

    async def drop(self, transaction: Transaction, key: str) -> bool:
        """Owe something no more; return whether it may be told in another way.

        It may not where it was sent, or is being sent.
        """
        row = await transaction.fetch_one(QUERIES["find"], key=key)
        if row is None or row["state"] not in (EntryState.OWED, EntryState.SENT):
            return True
        return await transaction.execute(QUERIES["drop"], key=key, settled_at=self._now()) > 0

    async def find(self, key: str) -> Entry | None:
        """Return what is or was owed under a key."""
        return _read(await self._database.fetch_one(QUERIES["find"], key=key))

    async def heads(
        self, priority: Priority, after_lane: int, most: int, now: datetime
    ) -> Sequence[Entry]:
        """Return the first entry of each of the next so many lanes, in the order of lanes."""
        rows = await self._database.fetch(
            QUERIES["heads"], priority=int(priority), after_lane=after_lane, most=most, now=now
        )
        return [entry for row in rows if (entry := _read(row))]

    async def next_due(self, *, after: datetime) -> datetime | None:
        """Return the first moment after another when something may be tried, if there is one."""
        row = await self._database.fetch_one(QUERIES["next_due"], after=after)
        return None if row is None or row["due_at"] is None else from_micros(row["due_at"])

    async def waiting(self) -> Queue:
        """Return how many entries are owed, and how the oldest of them stands."""
        (queue,) = await self._database.read(Queue, QUERIES["waiting"])
        return queue

    async def claim(self, transaction: Transaction, entry: Entry, *, now: datetime) -> bool:
        """Note that an entry is about to be sent; return whether it may be, and by the caller.

        The caller holds it by a number of tries that is one higher from here on.
        """
        changed = await transaction.execute(
            QUERIES["claim"], entry_id=entry.id, attempts=entry.attempts, now=now
        )
        return changed > 0

    async def settle(
        self,
        transaction: Transaction,
        entry: Entry,
        state: EntryState,
        *,
        message_id: int | None = None,
        reason: str | None = None,
    ) -> bool:
        """End an entry; return whether the caller still held it."""
        changed = await transaction.execute(
            QUERIES["settle"],
            entry_id=entry.id,
            attempts=entry.attempts,
            state=state,
            settled_at=self._now(),
            message_id=message_id,
            reason=reason,
        )
        return changed > 0

    async def put_off(
        self,
        transaction: Transaction,
        entry: Entry,
        due_at: datetime,
        reason: str,
        *,
        is_doubtful: bool,
        lets_pass: bool = False,
    ) -> bool:
        """Let an entry be tried again from `due_at` on; return whether the caller still held it.

        Unless it `is_doubtful`, it is certain that no try got through. Others of its lane wait for
        it until then, unless it `lets_pass`.
        """
        changed = await transaction.execute(
            QUERIES["put_off"],
            entry_id=entry.id,
            attempts=entry.attempts,
            due_at=due_at,
            is_doubtful=is_doubtful,
            lets_pass=lets_pass,
            reason=reason,
        )
        return changed > 0

    def transaction(self) -> AbstractAsyncContextManager[Transaction]:
        """Open a transaction, for several of these at once."""
        return self._database.transaction()


class DirectChannels(Struct, frozen=True):
    """The channels of direct messages that were opened."""

    database: Database

    async def find(self, member_id: int) -> int | None:
        """Return the channel with a member, None where none is known."""
        row = await self.database.fetch_one(QUERIES["direct_channel"], member_id=member_id)
        return None if row is None else int(row["channel_id"])

    async def keep(self, member_id: int, channel_id: int) -> None:
        """Remember the channel with a member."""
        await self.database.execute(
            QUERIES["keep_direct_channel"], member_id=member_id, channel_id=channel_id
        )

    async def forget(self, member_id: int) -> None:
        """Forget a channel that is there no more."""
        await self.database.execute(QUERIES["forget_direct_channel"], member_id=member_id)


def _read(row: Row | None) -> Entry | None:
    return None if row is None else read(Entry, row, payload=json.loads(row["payload"]))
