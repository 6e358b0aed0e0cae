"""What members watch, and the news that messages tell them."""

from collections import abc, defaultdict
from datetime import datetime

import msgspec

from storage.database import Database, Row, Transaction, queries_beside
from storage.database.interface import Source
from storage.following import SeenComment, place_comments
from storage.names import PlaceKind
from storage.rows import moment, read
from storage.subscriptions import (
    Event,
    NewSubscription,
    Subscription,
    add_subscription,
    remove_subscriptions,
)

QUERIES = queries_beside(__file__)
# The kind of messages that tell members the news.
WATCH_KIND = "watch"


class Watch(msgspec.Struct, frozen=True):
    """What a member watches, as a subscription to each of its places."""

    parts: tuple[Subscription, ...]

    @property
    def first(self) -> Subscription:
        return self.parts[0]

    def part_of(self, event: Event) -> Subscription:
        """Return the part to which an event of one of its places belongs."""
        return next(part for part in self.parts if part.place_id == event.place_id)

    @property
    def sort(self) -> tuple[PlaceKind, bool]:
        """The sort whose number is limited: threads, replies and words count separately."""
        is_of_comment = self.first.kind is PlaceKind.THREAD and self.first.subject_id is not None
        return self.first.kind, is_of_comment


# An event, and the watch to which it belongs.
Notice = tuple[Watch, Event]


class MemberWatches(msgspec.Struct, frozen=True):
    database: Database

    async def add(
        self,
        parts: abc.Mapping[str, NewSubscription],
        *,
        now: datetime,
        most: int,
        displaces: bool = False,
        branch: abc.Sequence[SeenComment] = (),
    ) -> tuple[Watch, bool] | None:
        """Keep a member's watch in each place, by keys. Return it, and whether it is new.

        If the member has `most` others of its sort, the oldest is deleted if it `displaces` that.
        Otherwise this returns None. `branch` is where replies are waited for.
        """
        first = next(iter(parts.values()))
        member_id = first.member_id or 0
        kind = first.kind
        async with self.database.transaction() as transaction:
            before = await self.of_member(member_id, kind, transaction)
            known = {part.id for watch in before for part in watch.parts}
            rows = [
                await add_subscription(transaction, part, key, now, renews=True)
                for key, part in parts.items()
            ]
            kept = {row.id for row in rows if row is not None}
            watches = await self.of_member(member_id, kind, transaction)
            watch = next(watch for watch in watches if any(part.id in kept for part in watch.parts))
            new = kept - known
            rivals = [other for other in watches if other.sort == watch.sort]
            if new and len(rivals) > most:
                if not displaces:
                    await remove_subscriptions(transaction, [*new])
                    return None
                await remove_subscriptions(transaction, [part.id for part in rivals[0].parts])
            await place_comments(transaction, first.place_id, branch)
        return watch, bool(new)

    async def of_member(
        self, member_id: int, kind: PlaceKind, source: Source | None = None
    ) -> abc.Sequence[Watch]:
        """Return what a member watches in places of a kind, the oldest first."""
        of = {"member_id": member_id, "kind": kind}
        rows = await (source or self.database).fetch(QUERIES["of_member"], **of)
        watches: dict[str, list[Subscription]] = defaultdict(list)
        for row in rows:
            # A key names the member, the kind, the place, and then the wish.
            _, _, _, wish = row["key"].split(" ", 3)
            watches[wish].append(read(Subscription, row))
        return [Watch(tuple(parts)) for parts in watches.values()]

    async def end(self, *ended: Subscription) -> bool:
        """Forget parts of watches. Return whether any was there."""
        async with self.database.transaction() as transaction:
            return await remove_subscriptions(transaction, [part.id for part in ended])

    async def gone_places(self, member_id: int) -> abc.Set[tuple[str, int]]:
        """Return the places of a member's watches that the game no longer has."""
        rows = await self.database.fetch(QUERIES["gone_places"], member_id=member_id)
        return {(row["kind"], row["place_id"]) for row in rows}

    async def gather(self, key: str, member_id: int) -> None:
        """Gather all untried news for a member in one message."""
        await self.database.execute(QUERIES["gather"], message_key=key, member_id=member_id)

    async def count_only(self, key: str, *, before: datetime) -> None:
        """Make a message only count, not tell, what happened before a moment."""
        await self.database.execute(QUERIES["count_only"], message_key=key, before=before)

    async def move(self, transaction: Transaction, key: str, into: str, kind: PlaceKind) -> None:
        """Move one message's news about places of a kind into another message."""
        await transaction.execute(QUERIES["move"], message_key=key, into=into, kind=kind)

    async def note_looks(self, key: str, left_out: abc.Iterable[Notice]) -> None:
        """Note that all items of a message were checked, and leave these notices out of it."""
        rows = [
            {"message_key": key, "subscription_id": part.id, "event_id": event.id}
            for watch, event in left_out
            for part in watch.parts
        ]
        async with self.database.transaction() as transaction:
            await transaction.execute_many(QUERIES["leave_out"], rows)
            await transaction.execute(QUERIES["note_looks"], message_key=key)

    async def notices_of(
        self, key: str, member_id: int
    ) -> tuple[abc.Sequence[Notice], abc.Sequence[Notice]]:
        """Return the notices that a message tells a member, in order, and those that it counts.

        Neither contains what is no longer watched.
        """
        rows = await self.database.fetch(QUERIES["notices"], message_key=key)
        notices: dict[bool, list[Notice]] = {False: [], True: []}
        for row, notice in zip(rows, await self._notices(rows, member_id), strict=True):
            notices[bool(row["is_counted"])].append(notice)
        return notices[False], notices[True]

    async def unlooked(self, key: str, member_id: int) -> abc.Sequence[Notice]:
        """Return a message's notices about items that weren't checked for it yet."""
        rows = await self.database.fetch(QUERIES["unlooked"], message_key=key)
        return await self._notices(rows, member_id)

    async def _notices(self, rows: abc.Sequence[Row], member_id: int) -> abc.Sequence[Notice]:
        watches = {
            (kind, part.id): watch
            for kind in {row["kind"] for row in rows}
            for watch in await self.of_member(member_id, kind)
            for part in watch.parts
        }
        return [(watches[row["kind"], row["subscription_id"]], read(Event, row)) for row in rows]

    async def last_told(self, member_id: int, kind: str) -> datetime | None:
        row = await self.database.fetch_one(QUERIES["last_told"], member_id=member_id, kind=kind)
        return None if row is None else moment(row["told_at"])
