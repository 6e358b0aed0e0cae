"""Removals of comments from a server's chat, and mutes of players there.

Why moderators removed them isn't sealed: the steps of the database are SQL, which can't seal the
reasons that earlier versions wrote.
"""

import datetime as dt
from collections import abc
from typing import Any

import msgspec

from storage import hiding, moderation
from storage import rows as storage_rows
from storage.cases import Cases
from storage.database import Database, Row, Transaction, queries_beside
from storage.messages import Message, MessageState
from storage.shown import ShownMessages

QUERIES = queries_beside(__file__)
# The kind of log entries that are removals or mutes, not lines.
_REMOVAL = "removal"
MAX_REASON_LENGTH = 300


class Removal(msgspec.Struct, frozen=True):
    """A comment that is removed from a server's chat, or a player who is muted there.

    `moderator_id` is None once its data was erased, `locale` is the server's language, and `until`
    ends a mute by itself.
    """

    guild_id: int
    subject: moderation.Subject
    moderator_id: int | None
    reason: str
    locale: str
    until: dt.datetime | None = None
    # A rule of the server did it, not a person.
    is_by_rule: bool = False
    id: int = 0
    case_id: int = 0
    created_at: dt.datetime | None = None
    ended_at: dt.datetime | None = None
    ended_by: int | None = None


class Removals(msgspec.Struct, frozen=True):
    database: Database
    cases: Cases
    shown: ShownMessages
    # Called with each removal that begins or is undone, in its transaction.
    decided: abc.Callable[[Transaction, Removal], abc.Awaitable[object]]
    now: abc.Callable[[], dt.datetime]

    async def add(self, new: Removal, *, deletes: bool = True) -> Removal:
        """Hide something in a server, and delete the public messages there that show it.

        Unless it `deletes`, earlier posts stay. Returns the removal in force: of two at once, there
        is one. A mute that is made again has the end of the last time, and the reason and moderator
        of the last one who gave a reason.
        """
        async with self.database.transaction() as transaction:
            await moderation.lock(transaction, new.guild_id)
            return await self.add_in(transaction, new, deletes=deletes)

    async def add_in(self, transaction: Transaction, new: Removal, *, deletes: bool) -> Removal:
        now = self.now()
        case_id = await self.cases.open(transaction, new.guild_id, new.subject, new.locale)
        values: dict[str, Any] = msgspec.structs.asdict(new)
        values |= {"case_id": case_id, "created_at": now}
        of = {"guild_id": new.guild_id, "case_id": case_id}
        await hiding.change(transaction, "end_expired", **of, now=now)
        rows = await hiding.change(transaction, "remove", **values)
        if rows:
            await self.cases.owe_cards_of(transaction, new.guild_id, new.subject)
            added = msgspec.structs.replace(new, id=rows[0]["id"], case_id=case_id)
            await self.decided(transaction, added)
        elif new.subject.comment_id is None:
            latest: dict[str, Any] = {
                "moderator_id": new.moderator_id,
                "reason": new.reason,
                "until": new.until,
            }
            await hiding.change(transaction, "change_mute", **of, **latest)
            ends = "" if new.until is None else str(storage_rows.to_micros(new.until))
            line = moderation.NewLine(
                new.guild_id, new.moderator_id, moderation.ModerationAction.MUTE, case_id, ends
            )
            await moderation.add_line(transaction, line.at(self.now()))
        (kept,) = await transaction.fetch(
            QUERIES["latest"], guild_id=new.guild_id, subject=new.subject.key
        )
        removal = self._read(kept)
        if deletes:
            await self._delete_messages(transaction, removal)
        await self.cases.owe(transaction, case_id)
        return removal

    async def end(self, removal: Removal, moderator_id: int) -> bool:
        """Undo a removal, except its deletions. Return whether it was in force until now."""
        async with self.database.transaction() as transaction:
            await moderation.lock(transaction, removal.guild_id)
            by = {"ended_at": self.now(), "ended_by": moderator_id}
            guild_id = removal.guild_id
            undone = await hiding.change(
                transaction, "undo", guild_id=guild_id, removal_id=removal.id, **by
            )
            if undone:
                await self.cases.owe(transaction, removal.case_id)
                await self.cases.owe_cards_of(transaction, removal.guild_id, removal.subject)
                await self.decided(transaction, msgspec.structs.replace(removal, **by))
        return bool(undone)

    async def end_expired(self) -> None:
        """Record mutes that ended by themselves, and queue the cards that they hid and closed."""
        for row in await self.database.fetch(QUERIES["expired"], now=self.now()):
            async with self.database.transaction() as transaction:
                await moderation.lock(transaction, row["guild_id"])
                of = {"guild_id": row["guild_id"], "case_id": row["case_id"]}
                # It may have been made longer since.
                if await hiding.change(transaction, "end_expired", **of, now=self.now()):
                    (kept,) = await transaction.fetch(QUERIES["find"], removal_id=row["id"])
                    await self.cases.owe(transaction, row["case_id"])
                    await self.cases.owe_cards_of(
                        transaction, row["guild_id"], self.cases.subject_of(kept)
                    )

    async def try_again(self, removal: Removal) -> None:
        """Try again to delete the public messages that Discord refused to delete."""
        async with self.database.transaction() as transaction:
            await self._delete_messages(transaction, removal)
            await self.cases.owe(transaction, removal.case_id)

    async def _delete_messages(self, transaction: Transaction, removal: Removal) -> None:
        ids = removal.subject.ids
        whose = {"guild_id": removal.guild_id, "removal_id": removal.id}
        await self.cases.outbox.remove(transaction, **ids, **whose)

    async def on_settled(
        self, transaction: Transaction, message: Message, state: MessageState
    ) -> None:
        """Redraw a removal's card if a message was not reached, or if it was the last one."""
        row = await transaction.fetch_one(QUERIES["case_of"], removal_id=message.removal_id)
        if row is None:
            return
        progress = await self.shown.progress(row["id"], transaction)
        if not progress.left or state is MessageState.REFUSED:
            await self.cases.owe(transaction, row["case_id"])

    async def hidden(self, guild_id: int) -> moderation.Hidden:
        rows = await self.database.fetch(QUERIES["hidden"], guild_id=guild_id, now=self.now())
        ends = [row["until"] for row in rows if row["until"] is not None]
        return moderation.Hidden(
            frozenset(row["comment_id"] for row in rows if row["comment_id"] is not None),
            frozenset(row["player_id"] for row in rows if row["comment_id"] is None),
            storage_rows.moment(min(ends, default=None)),
        )

    async def find(self, removal_id: int) -> Removal | None:
        row = await self.database.fetch_one(QUERIES["find"], removal_id=removal_id)
        return None if row is None else self._read(row)

    async def latest(self, guild_id: int, subject: moderation.Subject) -> Removal | None:
        """Return the last removal of a comment, or mute of a player: only that may be in force."""
        row = await self.database.fetch_one(
            QUERIES["latest"], guild_id=guild_id, subject=subject.key
        )
        return None if row is None else self._read(row)

    async def in_force(self, guild_id: int, most: int) -> abc.Sequence[Removal]:
        rows = await self.database.fetch(QUERIES["in_force"], guild_id=guild_id, most=most)
        return [self._read(row) for row in rows]

    async def mutes(self, guild_id: int, most: int, skip: int = 0) -> abc.Sequence[Removal]:
        """Return mutes that are in force, the newest first."""
        of = {"guild_id": guild_id, "now": self.now()}
        rows = await self.database.fetch(QUERIES["mutes"], **of, most=most, skip=skip)
        return [self._read(row) for row in rows]

    async def count_mutes(self, guild_id: int) -> int:
        of = {"guild_id": guild_id, "now": self.now()}
        (row,) = await self.database.fetch(QUERIES["count_mutes"], **of)
        return row["count"]

    async def log(
        self,
        guild_id: int,
        *,
        most: int,
        since: dt.datetime,
        before: moderation.LogPlace = moderation.NEWEST,
        moderator_id: int | None = None,
        player_id: int | None = None,
        wanted: moderation.Entries = moderation.Entries.ALL,
    ) -> abc.Sequence[tuple[moderation.LogPlace, Removal | moderation.LogLine]]:
        """Return a server's log entries `before` a place, each with its own, the newest first."""
        rows = await self.database.fetch(
            QUERIES["log"],
            guild_id=guild_id,
            moderator_id=moderator_id,
            player_id=player_id,
            since=since,
            at=before.at,
            number=before.number,
            whats=None if wanted is moderation.Entries.ALL else _whats(wanted),
            most=most,
        )
        return [
            (
                moderation.LogPlace(row["created_at"], row["number"]),
                self._read(row) if row["what"] == _REMOVAL else _read_line(row),
            )
            for row in rows
        ]

    async def players(self, guild_id: int) -> abc.Sequence[tuple[str, int | None]]:
        rows = await self.database.fetch(QUERIES["players"], guild_id=guild_id)
        return [(row["player_name"], row["player_id"]) for row in rows]

    async def line(self, line_id: int) -> moderation.LogLine | None:
        row = await self.database.fetch_one(QUERIES["line"], line_id=line_id)
        return None if row is None else _read_line(row)

    def _read(self, row: Row) -> Removal:
        removal = storage_rows.read(
            Removal,
            row,
            subject=self.cases.subject_of(row),
            moderator_id=row["moderator_id"] or None,
            ended_by=row["ended_by"] or None,
        )
        is_over = removal.until is not None and removal.until <= self.now()
        if is_over and removal.ended_at is None:
            # It ended by itself, and that isn't on record yet.
            return msgspec.structs.replace(removal, ended_at=removal.until)
        return removal


def _whats(wanted: moderation.Entries) -> str:
    """Return the kinds of the wanted entries of the log, with a space around each."""
    whats = [deed for deed in moderation.ModerationAction if deed.entries is wanted]
    removals = [_REMOVAL] if wanted is moderation.Entries.REMOVALS else []
    return f" {' '.join([*removals, *whats])} "


def _read_line(row: Row) -> moderation.LogLine:
    has_case = row["case_id"] is not None
    return storage_rows.read(
        moderation.LogLine,
        row,
        member_id=row["moderator_id"] or None,
        detail=row["reason"],
        subject=storage_rows.read(moderation.Subject, row, text=None) if has_case else None,
    )
