"""What moderators removed from their servers: what, who, when and why; what it said is sealed."""

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from storage.database import Database, Row, Transaction, Value, queries_beside
from storage.moderation import LogCards, Subject, lock
from storage.rows import read
from storage.shown import ShownMessages
from storage.vault import Vault

# Texts that one statement forgets, so that nobody waits long for it.
_AT_ONCE = 500
QUERIES = queries_beside(__file__)
_PURPOSE = "removed comment"
_NOTE = "note"
# Above every id.
_NO_BOUND = 2**62
LONGEST_REASON = 300
LONGEST_NOTE = 1000


class GameAnswer(StrEnum):
    """What the game said when it was asked to delete a removed comment."""

    # Asked, or about to be; after a crash nobody can say.
    ASKED = "asked"
    DELETED = "deleted"
    NOT_ALLOWED = "not allowed"
    NOT_THERE = "not there"
    NOT_LINKED = "not linked"
    NO_ANSWER = "no answer"


class Removal(Struct, frozen=True):
    """A comment that is removed from a server's chat, or a player who is muted there.

    `moderator_id` is None once its data was erased, `locale` is the server's language, and `until`
    ends a mute by itself. A new one that asks the game for more says so by its `game_answer`.
    """

    guild_id: int
    subject: Subject
    moderator_id: int | None
    reason: str
    locale: str
    game_answer: GameAnswer | None = None
    until: datetime | None = None
    id: int = 0
    case_id: int = 0
    created_at: datetime | None = None
    ended_at: datetime | None = None
    ended_by: int | None = None


class Note(Struct, frozen=True):
    """What a moderator noted on a case."""

    moderator_id: int | None
    text: str
    created_at: datetime


class Removals(Struct, frozen=True):
    """The removals of all servers; `now` tells the time, aware."""

    database: Database
    vault: Vault
    messages: ShownMessages
    cards: LogCards
    now: Callable[[], datetime]

    async def add(self, new: Removal) -> tuple[Removal, bool]:
        """Hide something in a server, and owe every public message that shows it.

        Returns the removal, and whether it is new: of two at once one is in force.
        """
        now = self.now()
        async with self.database.transaction() as transaction:
            await lock(transaction, new.guild_id)
            case_id = await self.open_case(transaction, new.guild_id, new.subject, new.locale)
            await transaction.execute(QUERIES["end_expired"], case_id=case_id, now=now)
            row = await transaction.fetch_one(
                QUERIES["add"],
                case_id=case_id,
                guild_id=new.guild_id,
                moderator_id=new.moderator_id,
                reason=new.reason,
                locale=new.locale,
                game_answer=new.game_answer,
                created_at=now,
                until=new.until,
            )
            if row is not None:
                await self.messages.gather(transaction, row["id"], new.guild_id, new.subject)
                await self.cards.owe(transaction, case_id)
            kept = await transaction.fetch_one(
                QUERIES["in_force"], guild_id=new.guild_id, subject=subject_key(new.subject)
            )
            assert kept is not None  # noqa: S101 - one is in force, this or the one before
            return self._read(kept), row is not None

    async def end(self, removal: Removal, moderator_id: int) -> bool:
        """Undo a removal; return whether it was in force until now."""
        async with self.database.transaction() as transaction:
            await lock(transaction, removal.guild_id)
            changed = await transaction.execute(
                QUERIES["end"], removal_id=removal.id, ended_at=self.now(), ended_by=moderator_id
            )
            if changed:
                await self.messages.drop(transaction, removal.id)
                await self.cards.owe(transaction, removal.case_id)
        return changed > 0

    async def note_answer(self, removal: Removal, answer: GameAnswer) -> None:
        """Note what the game said when it was asked to delete a comment."""
        async with self.database.transaction() as transaction:
            await transaction.execute(
                QUERIES["note_answer"], removal_id=removal.id, game_answer=answer
            )
            await self.cards.owe(transaction, removal.case_id)

    async def find(self, guild_id: int, removal_id: int) -> Removal | None:
        """Return a removal of a server."""
        return await self._find("find", removal_id=removal_id, guild_id=guild_id)

    async def latest(self, case_id: int) -> Removal | None:
        """Return the last removal of a case."""
        return await self._find("latest", case_id=case_id)

    async def in_force(self, guild_id: int, subject: Subject) -> Removal | None:
        """Return the removal that hides a comment, or mutes a player."""
        return await self._find("in_force", guild_id=guild_id, subject=subject_key(subject))

    async def all_in_force(self, guild_id: int, most: int) -> Sequence[Removal]:
        """Return what a server hides, the newest first."""
        rows = await self.database.fetch(QUERIES["all_in_force"], guild_id=guild_id, most=most)
        return [self._read(row) for row in rows]

    async def log(
        self,
        guild_id: int,
        *,
        since: datetime,
        most: int,
        moderator_id: int | None = None,
        player_id: int | None = None,
        before_id: int | None = None,
    ) -> Sequence[Removal]:
        """Return a server's removals, the newest first."""
        rows = await self.database.fetch(
            QUERIES["log"],
            guild_id=guild_id,
            moderator_id=moderator_id,
            player_id=player_id,
            since=since,
            before_id=before_id or _NO_BOUND,
            most=most,
        )
        return [self._read(row) for row in rows]

    async def players(self, guild_id: int) -> Sequence[tuple[str, int | None]]:
        """Return the players that a server's moderators had to do with, the latest first."""
        rows = await self.database.fetch(QUERIES["players"], guild_id=guild_id)
        return [(row["player_name"], row["player_id"]) for row in rows]

    async def add_note(self, removal: Removal, moderator_id: int, text: str) -> None:
        """Keep a note on a removal's case."""
        owner, purpose = removal.guild_id, f"{_NOTE} {removal.case_id}"
        async with self.database.transaction() as transaction:
            await transaction.execute(
                QUERIES["add_note"],
                case_id=removal.case_id,
                moderator_id=moderator_id,
                sealed_text=self.vault.seal(text, owner=owner, purpose=purpose),
                created_at=self.now(),
            )
            await self.cards.owe(transaction, removal.case_id)

    async def notes(self, removal: Removal) -> Sequence[Note]:
        """Return the notes on a removal's case, the oldest first."""
        owner, purpose = removal.guild_id, f"{_NOTE} {removal.case_id}"
        rows = await self.database.fetch(QUERIES["notes"], case_id=removal.case_id)
        return [
            read(
                Note,
                row,
                moderator_id=row["moderator_id"] or None,
                text=self.vault.try_open(row["sealed_text"], purpose, owner=owner) or "",
            )
            for row in rows
        ]

    async def purge(self) -> int:
        """Forget what comments said whose days are over; return how many texts went."""
        forgotten, batch, now = 0, _AT_ONCE, self.now()
        while batch == _AT_ONCE:
            batch = await self.database.execute(QUERIES["forget_texts"], now=now, most=_AT_ONCE)
            forgotten += batch
        return forgotten

    async def open_case(
        self, transaction: Transaction, guild_id: int, subject: Subject, locale: str
    ) -> int:
        """Return the id of a subject's case, with what is known of it now."""
        (row,) = await transaction.fetch(
            QUERIES["open_case"],
            guild_id=guild_id,
            subject=subject_key(subject),
            comment_id=subject.comment_id,
            thread_id=subject.thread_id,
            player_id=subject.player_id,
            player_name=subject.player_name,
            locale=locale,
            touched_at=self.now(),
        )
        case_id = int(row["id"])
        if subject.text is not None:
            sealed = self.vault.seal(subject.text, owner=guild_id, purpose=f"{_PURPOSE} {case_id}")
            await transaction.execute(
                QUERIES["keep_text"], case_id=case_id, sealed_text=sealed, is_part=subject.is_part
            )
        return case_id

    def subject_of(self, row: Row, case_id: int) -> Subject:
        """Return what a case is about, with what the comment said as far as that is kept."""
        purpose = f"{_PURPOSE} {case_id}"
        text = self.vault.try_open(row["sealed_text"], purpose, owner=row["guild_id"])
        return read(Subject, row, text=text, is_part=False)

    async def _find(self, query: str, **values: Value) -> Removal | None:
        row = await self.database.fetch_one(QUERIES[query], **values)
        return None if row is None else self._read(row)

    def _read(self, row: Row) -> Removal:
        removal = read(
            Removal,
            row,
            subject=self.subject_of(row, row["case_id"]),
            moderator_id=row["moderator_id"] or None,
            ended_by=row["ended_by"] or None,
        )
        is_over = removal.until is not None and removal.until <= self.now()
        if is_over and removal.ended_at is None:
            # By itself, which nothing has written down.
            return replace(removal, ended_at=removal.until)
        return removal


def subject_key(subject: Subject) -> str:
    """Return what names a subject among all of its server."""
    if subject.comment_id is None:
        return f"player {subject.player_id}"
    return f"comment {subject.comment_id}"
