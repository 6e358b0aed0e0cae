"""What became of members' texts, and what they were not told yet."""

from collections.abc import Callable, Sequence, Set
from datetime import datetime

from msgspec import Struct
from msgspec.structs import asdict

from bot.domain.drafts import Authored, Draft, Outcome
from storage.database import Database, Row, Transaction, queries_beside
from storage.errors import NotUnique
from storage.messages import Message, Messages, NewMessage, Priority
from storage.rows import read, to_micros
from storage.vault import Vault

_UNTOLD = queries_beside(__file__, "untold")
_INBOX = queries_beside(__file__, "inbox")
_AUTHORED = queries_beside(__file__, "authored")
# The kinds of entries by which members are told.
TEXT, OUTCOME = "text", "outcome"
# NewMessage in one transaction.
_AT_ONCE = 500
_PURPOSE = "inbox"


class Untold(Struct, frozen=True):
    """The texts, and what others came to, that their writers were not told of.

    A message that is owed for one changes nothing: until Discord has it, the member may be told in
    another way instead.
    """

    database: Database
    outbox: Messages

    async def is_any(self, member_id: int) -> bool:
        """Return whether a text, what became of one, or a message waits for a member."""
        return await self.database.fetch_one(_UNTOLD["any"], member_id=member_id) is not None

    async def outcomes(self, member_id: int, *, oldest: datetime) -> Sequence[Outcome]:
        """Return what a member's texts came to (see `Drafts.settle`), the oldest first."""
        return await self.database.read(
            Outcome, _UNTOLD["of_member"], member_id=member_id, oldest=oldest
        )

    async def remove_outcome(self, draft_id: int) -> None:
        """Forget the outcome of a draft, once the member was told."""
        await self.database.execute(_UNTOLD["tell_outcome"], draft_id=draft_id)

    async def owe(self, *, before: datetime, oldest: datetime) -> None:
        """Owe a message for each that stands as it does since `before`, younger than `oldest`."""
        bounds = {"before": before, "oldest": oldest, "most": _AT_ONCE}
        for kind, query in ((TEXT, "drafts"), (OUTCOME, "outcomes")):
            while rows := await self.database.fetch(_UNTOLD[query], **bounds):
                async with self.database.transaction() as transaction:
                    await self.outbox.want(transaction, *(_owed(kind, row) for row in rows))

    async def take_back(self, one: Draft | Outcome) -> bool:
        """Return whether a member may be told otherwise, and owe them no message if so."""
        key = f"{OUTCOME} {one.id}"
        if isinstance(one, Draft):
            key = f"{TEXT} {one.id} {to_micros(one.due_at)}"
        async with self.database.transaction() as transaction:
            return await self.outbox.drop(transaction, key)

    async def is_text_left(self, entry: Message) -> bool:
        """Return whether the text that a message was owed for still waits, untold."""
        draft_id = int(entry.payload["draft"])
        return await self.database.fetch_one(_UNTOLD["draft"], draft_id=draft_id) is not None

    async def outcome(self, entry: Message) -> Outcome | None:
        """Return the outcome that a message was owed for, None where it was told."""
        draft_id = int(entry.payload["draft"])
        return await self.database.read_one(Outcome, _UNTOLD["outcome"], draft_id=draft_id)

    async def note_told(self, transaction: Transaction, entry: Message) -> None:
        """Note that Discord took a message that was owed."""
        if entry.kind == OUTCOME:
            draft_id = int(entry.payload["draft"])
            await transaction.execute(_UNTOLD["tell_outcome"], draft_id=draft_id)
        else:
            await transaction.execute(
                _UNTOLD["tell_drafts"], member_id=entry.member_id, before=entry.wanted_at
            )


def _owed(kind: str, row: Row) -> NewMessage:
    return NewMessage(
        kind,
        row["key"],
        Priority.DIRECT_MESSAGE,
        member_id=row["member_id"],
        payload={"draft": row["id"], "locale": row["locale"]},
    )


class InboxEntry(Struct, frozen=True):
    """A title and a body in Discord's markdown, in the member's language when it was written."""

    id: int
    title: str
    body: str
    created_at: datetime


class Inbox(Struct, frozen=True):
    """The waiting messages of all members."""

    database: Database
    vault: Vault
    now: Callable[[], datetime]

    async def put(self, transaction: Transaction, member_id: int, title: str, body: str) -> None:
        """Keep a message for a member."""
        await transaction.execute(
            _INBOX["put"],
            member_id=member_id,
            title=title,
            sealed_body=self.vault.seal(body, owner=member_id, purpose=_PURPOSE),
            created_at=self.now(),
        )

    async def of_member(self, member_id: int, most: int) -> Sequence[InboxEntry]:
        """Return a member's oldest messages, without those that wait for a key to open them."""
        found: list[InboxEntry] = []
        for row in await self.database.fetch(_INBOX["of_member"], member_id=member_id):
            body = self.vault.try_open(row["sealed_body"], _PURPOSE, owner=member_id)
            if body is not None:
                found.append(read(InboxEntry, row, body=body))
        return found[:most]

    async def remove(self, message_id: int) -> None:
        """Take a message out, once it was shown."""
        await self.database.execute(_INBOX["remove"], message_id=message_id)


class AuthoredComments(Struct, frozen=True):
    """The comments of all members, as far as Kiosk wrote them: the game lists nobody's own.

    Of each text the start is kept, sealed for its writer; `Drafts.settle` notes it.
    """

    database: Database
    vault: Vault

    async def latest(self, member_id: int, limit: int) -> Sequence[Authored]:
        """Return the comments a member wrote last, the newest first."""
        rows = await self.database.fetch(_AUTHORED["latest"], member_id=member_id, limit=limit)
        return [self._read(row) for row in rows]

    async def find(self, comment_id: int) -> Authored | None:
        """Return what is known of a comment, whoever wrote it."""
        row = await self.database.fetch_one(_AUTHORED["find"], comment_id=comment_id)
        return self._read(row) if row else None

    async def known_among(self, comment_ids: Sequence[int]) -> Set[int]:
        """Return those of the comments that Kiosk wrote, for whomever."""
        if not comment_ids:
            return set()
        rows = await self.database.fetch(
            _AUTHORED["known_between"], first=min(comment_ids), last=max(comment_ids)
        )
        return {row["comment_id"] for row in rows}.intersection(comment_ids)

    async def reword(self, comment_id: int, excerpt: str) -> None:
        """Note that a comment's text has changed."""
        async with self.database.transaction() as transaction:
            for row in await transaction.fetch(_AUTHORED["writers"], comment_id=comment_id):
                await transaction.execute(
                    _AUTHORED["reword"],
                    comment_id=comment_id,
                    member_id=row["member_id"],
                    sealed_excerpt=self.vault.seal(
                        excerpt, owner=row["member_id"], purpose=f"excerpt {comment_id}"
                    ),
                )

    async def remove(self, comment_id: int) -> None:
        """Forget a comment that is no more."""
        await self.database.execute(_AUTHORED["remove"], comment_id=comment_id)

    def _read(self, row: Row) -> Authored:
        purpose = f"excerpt {row['comment_id']}"
        excerpt = self.vault.try_open(row["sealed_excerpt"], purpose, owner=row["member_id"])
        return read(Authored, row, excerpt=excerpt or "")


async def remember(
    transaction: Transaction, vault: Vault, written: Authored, *, known_before: datetime
) -> None:
    """Note a comment that a member wrote, with the start of its text, sealed for its row.

    Raises NotUnique where it was not `known_before`, but is now.
    """
    purpose = f"excerpt {written.comment_id}"
    sealed = vault.seal(written.excerpt, owner=written.member_id, purpose=purpose)
    noted = await transaction.execute(
        _AUTHORED["remember"],
        **asdict(written),
        sealed_excerpt=sealed,
        known_before=known_before,
    )
    if not noted:
        raise NotUnique("another text has become this comment")
