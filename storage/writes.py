"""Writes: what members ask the game to do, kept from before it is sent until it is settled."""

from collections import deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from secrets import token_hex
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from storage.database import Database, Row, Transaction, Value, queries_beside
from storage.database.interface import Source
from storage.errors import NotUnique
from storage.messages import Messages, NewMessage
from storage.names import ItemRef
from storage.rows import read
from storage.vault import Vault

QUERIES = queries_beside(__file__)

# How long an unsent text is kept, and how many of a member's.
TEXT_KEPT = timedelta(hours=24)
MOST_TEXTS = 20
# What only keeps its interaction from being heard twice.
_HEARD_KEPT = timedelta(days=1)
_DONE_KEPT = timedelta(days=365)
_EXCERPT_LENGTH = 90
_MOST_KNOWN = 1_000
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class WriteKind(StrEnum):
    """Kinds of writes (Interface 4.2 to 4.4, 4.6 and 4.7)."""

    POST = "post"
    REPLY = "reply"
    EDIT = "edit"
    DELETE = "delete"
    PURCHASE = "purchase"
    REDEEM = "redeem"


# What changes a comment that stands; made twice, it does no harm.
CHANGES = (WriteKind.EDIT, WriteKind.DELETE)
TEXTS = (WriteKind.POST, WriteKind.REPLY, *CHANGES)
ORDERS = (WriteKind.PURCHASE, WriteKind.REDEEM)
# The game has no list in which what became of it can be looked up (Interface 4.7).
UNLISTED = (WriteKind.REDEEM,)


class WriteState(StrEnum):
    # The game was not asked, or has not got it: a text can be sent again.
    KEPT = "kept"
    SENT = "sent"
    DONE = "done"
    # It came to nothing, and will not be sent again.
    REFUSED = "refused"
    # The game may have it.
    UNKNOWN = "unknown"


class OrderedItem(Struct, frozen=True):
    """An item as the confirmed card showed it; `page` is where the catalog had it."""

    page: int
    name: str
    cost: int
    currency_name: str
    currency_singular: str
    icon_url: str | None = None


class Write(Struct, frozen=True):
    """A member's write; `id` is the interaction that brought it, 0 before it is kept.

    `place_id` is the thread or catalog, `target_id` the comment replied to or changed, or the item.
    An order has an `item` and the card that it was confirmed on.

    It is sent as the player of `player_id` with the account of `token_key`, when `newest_before` is
    the newest comment known; a text's `sent_at` is by the game's own clock where that is known. Its
    writer has said that it became none of the comments `ruled_out`. The body of what is done is
    only its start; one that is not `is_readable` was sealed with a key that is gone.

    `told` is the state and reason that the member was told last. A `holder` alone may change it,
    until `due_at`; without one, that is when Kiosk looks at it next.
    """

    id: int
    member_id: int
    kind: WriteKind
    place_id: int
    target_id: int | None = None
    body: str = ""
    locale: str = ""
    state: WriteState = WriteState.KEPT
    reason: str | None = None
    game_words: str | None = None
    result_id: int | None = None
    token_key: str = ""
    player_id: int | None = None
    newest_before: int | None = None
    ruled_out: AbstractSet[int] = frozenset()
    card_id: int | None = None
    item: OrderedItem | None = None
    told: str = ""
    holder: str = ""
    due_at: datetime | None = None
    created_at: datetime = _NEVER
    sent_at: datetime | None = None
    asked_at: datetime | None = None
    is_readable: bool = True

    @property
    def ordered(self) -> OrderedItem:
        return self.item or OrderedItem(1, f"#{self.target_id}", 0, "", "")

    @property
    def ref(self) -> ItemRef:
        return ItemRef(self.place_id, self.ordered.page, self.target_id or 0)

    @property
    def state_and_reason(self) -> str:
        return f"{self.state} {self.reason or ''}"

    @property
    def is_told(self) -> bool:
        return self.told == self.state_and_reason

    def __repr__(self) -> str:
        # What members write is not for logs.
        return f"<Write {self.id}: {self.kind} {self.target_id} in {self.place_id}, {self.state}>"


class Writes:
    """The writes of all members, each in the hands of one process at a time."""

    def __init__(self, database: Database, vault: Vault, messages: Messages) -> None:
        self._database = database
        # A file is used by one process alone.
        self.is_shared = database.engine != "sqlite"
        self._vault = vault
        self._messages = messages
        # What was done by this process, or is known to it, of late.
        self._known_done: deque[int] = deque(maxlen=_MOST_KNOWN)

    async def keep_text(self, new: Write, *, now: datetime, until: datetime) -> Write | None:
        """Keep a text that is sent next, and hold it; None where too many are kept already.

        Raises NotUnique where what brought it was heard before.
        """
        held = replace(new, holder=token_hex(8), due_at=until, created_at=now)
        async with self._database.transaction() as transaction:
            kept = await transaction.fetch(
                QUERIES["unsent"], member_id=new.member_id, oldest=now - TEXT_KEPT
            )
            if len(kept) >= MOST_TEXTS:
                return None
            await transaction.execute(QUERIES["keep"], **self._row(held))
        return held

    async def keep_order(
        self, new: Write, *, now: datetime, until: datetime, since: datetime
    ) -> Write | None:
        """Keep an order that is sent next, and hold it; None where another blocks it.

        So does one that its card, or the same interaction, has brought.
        """
        held = replace(new, holder=token_hex(8), due_at=until, created_at=now)
        try:
            async with self._database.transaction() as transaction:
                await transaction.execute(QUERIES["keep"], **self._row(held))
                if await self.find_blocking(new, since=since, source=transaction) is None:
                    return held
                await transaction.execute(QUERIES["withdraw"], id=new.id)
        except NotUnique:
            pass
        return None

    async def withdraw(self, held: Write) -> None:
        """Forget an order that the game was not asked for; its card may be confirmed again."""
        await self._database.execute(QUERIES["withdraw"], id=held.id)

    async def find_blocking(
        self, wanted: Write, *, since: datetime, source: Source | None = None
    ) -> Write | None:
        """Return the order that blocks another one: why `keep_order` returned None.

        An order of the same card does. Of the member's or the account's orders for the item, so
        does an open one, a purchase that was done after `since`, and a redemption that is newer
        than the card.
        """
        row = await (source or self._database).fetch_one(
            QUERIES["find_blocking"],
            id=wanted.id,
            member_id=wanted.member_id,
            token_key=wanted.token_key,
            item_id=wanted.target_id,
            kind=wanted.kind,
            card_id=wanted.card_id,
            since=since,
        )
        return self._read(row)

    async def bought(self, token_key: str, since: datetime) -> frozenset[int]:
        """Return the ids of the items that were bought here for an account `since` then."""
        rows = await self._database.fetch(QUERIES["bought"], token_key=token_key, since=since)
        return frozenset(row["target_id"] for row in rows)

    async def orders_of(
        self, member_id: int, token_key: str, *, refused_since: datetime, most: int, offset: int
    ) -> Sequence[Write]:
        """Return what a member ordered with an account, what is open first."""
        return await self._all(
            "orders_of",
            member_id=member_id,
            token_key=token_key,
            refused_since=refused_since,
            most=most,
            offset=offset,
        )

    async def find(self, write_id: int) -> Write | None:
        return self._read(await self._database.fetch_one(QUERIES["find"], id=write_id))

    async def unsent(self, member_id: int, *, oldest: datetime) -> Sequence[Write]:
        """Return the texts of a member that the game may not have, the newest first."""
        return await self._all("unsent", member_id=member_id, oldest=oldest)

    async def due(self, now: datetime, most: int) -> Sequence[Write]:
        """Return what somebody must look at, what waits longest first."""
        return await self._all("due", now=now, most=most)

    async def take(self, write_id: int, *, now: datetime, until: datetime) -> Write | None:
        """Hold a write; None where somebody else does."""
        holder = token_hex(8)
        row = await self._database.change_one(
            QUERIES["take"], id=write_id, now=now, holder=holder, due_at=until
        )
        return self._read(row, holder)

    async def save(self, held: Write) -> Write | None:
        """Keep a held write as it is given here; None where another has taken it over.

        That it is done can be written by anybody, since the game has said so, and of its body only
        the start stays; of what is refused, nothing. Raises NotUnique where another text has become
        that comment.
        """
        is_done, comment_id = held.state is WriteState.DONE, held.target_id
        if is_done:
            self._known_done.append(held.id)
            held = replace(held, body=" ".join(held.body.split())[:_EXCERPT_LENGTH])
        elif held.state is WriteState.REFUSED:
            held = replace(held, body="")
        async with self._database.transaction() as transaction:
            if not await transaction.execute(QUERIES["save"], **self._row(held)):
                return None
            if is_done and held.kind is WriteKind.EDIT:
                row = await transaction.fetch_one(QUERIES["find_comment"], comment_id=comment_id)
                if row is not None:
                    purpose, owner = f"write {row['id']}", row["member_id"]
                    sealed = self._vault.seal(held.body, owner=owner, purpose=purpose)
                    await transaction.execute(QUERIES["reword"], id=row["id"], sealed_body=sealed)
            elif is_done and held.kind is WriteKind.DELETE:
                await transaction.execute(QUERIES["forget_comment"], comment_id=comment_id)
                await self._messages.remove(transaction, comment_id=comment_id)
        return held

    async def mark_told(
        self, settled: Write, *, due_at: datetime | None, message: NewMessage | None = None
    ) -> None:
        """Release a write whose member knows what came of it, or is owed a message of that."""
        async with self._database.transaction() as transaction:
            changed = await transaction.execute(
                QUERIES["release"],
                id=settled.id,
                holder=settled.holder,
                state_and_reason=settled.state_and_reason,
                is_told=message is None or settled.is_told,
                due_at=due_at,
            )
            if changed and message is not None and not settled.is_told:
                await self._messages.want(transaction, message)

    async def save_told(self, told: Write, transaction: Transaction) -> None:
        """Note that a member knows what came of a write, unless that has changed by now."""
        await transaction.execute(
            QUERIES["save_told"], id=told.id, state_and_reason=told.state_and_reason
        )

    async def rule_out(self, write_id: int, member_id: int, comment_id: int) -> None:
        await self._database.execute(
            QUERIES["rule_out"], id=write_id, member_id=member_id, comment_id=comment_id
        )

    async def discard(self, write_id: int, member_id: int, *, now: datetime) -> bool:
        """Forget a text at its writer's wish, unless it is held; return whether it went."""
        sql, whose = QUERIES["discard"], {"id": write_id, "member_id": member_id}
        kept_until = now + _HEARD_KEPT
        return await self._database.execute(sql, **whose, now=now, kept_until=kept_until) > 0

    async def is_overtaken(self, change: Write) -> bool:
        """Return whether a newer change of the same comment stands or may."""
        change_of = {"id": change.id, "comment_id": change.target_id}
        return await self._database.fetch_one(QUERIES["newer_change"], **change_of) is not None

    async def is_news(self, member_id: int, thread_id: int, since: datetime) -> bool:
        """Return whether other processes have written in a thread for a member since; once each."""
        where = {"member_id": member_id, "thread_id": thread_id, "since": since}
        rows = await self._database.fetch(QUERIES["done_in"], **where)
        new = {row["id"] for row in rows}.difference(self._known_done)
        self._known_done.extend(new)
        return bool(new)

    async def comments_of(self, member_id: int, most: int) -> Sequence[Write]:
        """Return the posts and replies that are comments of a member's, the newest first."""
        return await self._all("comments_of", member_id=member_id, most=most)

    async def find_comment(self, comment_id: int) -> Write | None:
        """Return the text that a comment was, whoever wrote it."""
        sql = QUERIES["find_comment"]
        return self._read(await self._database.fetch_one(sql, comment_id=comment_id))

    async def known_among(self, comment_ids: Sequence[int]) -> AbstractSet[int]:
        """Return those of the comments that Kiosk wrote, for whomever."""
        ends = {"first": min(comment_ids, default=0), "last": max(comment_ids, default=0)}
        rows = await self._database.fetch(QUERIES["known_between"], **ends)
        return {row["result_id"] for row in rows}.intersection(comment_ids)

    def _row(self, write: Write) -> dict[str, Any]:
        """Return the columns of a write, but for `ruled_out`, which others may add to."""
        row = asdict(write)
        # What can't be read here stays as it is: another process may have its key.
        purpose = f"write {write.id}"
        sealed = self._vault.seal(row.pop("body"), owner=write.member_id, purpose=purpose)
        row["sealed_body"] = sealed if write.is_readable else None
        row["item"] = write.item and msgspec.json.encode(write.item).decode()
        # An open order is kept until it is settled.
        kept_for = None
        if write.kind in CHANGES or write.state is WriteState.REFUSED:
            kept_for = _HEARD_KEPT
        elif write.kind in TEXTS and write.state is not WriteState.DONE:
            kept_for = TEXT_KEPT
        elif write.state in (WriteState.DONE, WriteState.UNKNOWN):
            kept_for = _DONE_KEPT
        row["kept_until"] = kept_for and write.created_at + kept_for
        del row["ruled_out"], row["is_readable"]
        return row

    async def _all(self, query: str, **parameters: Value) -> Sequence[Write]:
        rows = await self._database.fetch(QUERIES[query], **parameters)
        return [write for row in rows if (write := self._read(row))]

    def _read(self, row: Row | None, holder: str = "") -> Write | None:
        """Return the write of a row, held by whoever has taken it, and not by what was found."""
        if row is None:
            return None
        body = self._vault.try_open(
            row["sealed_body"], f"write {row['id']}", owner=row["member_id"]
        )
        return read(
            Write,
            row,
            body=body or "",
            is_readable=body is not None,
            item=row["item"] and msgspec.json.decode(row["item"], type=OrderedItem),
            ruled_out=frozenset(map(int, row["ruled_out"].split())),
            holder=holder,
        )
