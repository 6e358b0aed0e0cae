"""What members ask the game to do: each is kept before it is sent, and until it is known."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from secrets import token_hex
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from storage.database import Database, Row, Transaction, queries_beside
from storage.database.interface import Source
from storage.errors import NotUnique
from storage.messages import Messages, NewMessage, Priority
from storage.names import ItemRef
from storage.rows import read
from storage.vault import Vault

QUERIES = queries_beside(__file__)

# The kind of message by which a comment is taken out of what was shared of it.
DELETED = "deleted"
# How long an unsent text is kept, and how many of a member's.
TEXT_KEPT = timedelta(hours=24)
MOST_TEXTS = 20
# What only keeps its interaction from being heard twice.
_HEARD_KEPT = timedelta(days=1)
_DONE_KEPT = timedelta(days=365)
_EXCERPT_LENGTH = 90
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class WriteKind(StrEnum):
    """What the game is asked for (Interface 4.2 to 4.4, 4.6 and 4.7)."""

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


class WriteState(StrEnum):
    """How a write stands with the game."""

    # The game was not asked, or has not got it: a text can be sent again.
    KEPT = "kept"
    SENT = "sent"
    DONE = "done"
    # It came to nothing, and will not be sent again.
    REFUSED = "refused"
    # The game may have it.
    UNKNOWN = "unknown"


class OrderedItem(Struct, frozen=True):
    """An item as the card showed it that was confirmed; `page` is the catalog's that had it."""

    page: int
    name: str
    cost: int
    currency_name: str
    currency_singular: str
    icon_url: str | None = None


class Write(Struct, frozen=True):
    """What a member asks for; `id` is the interaction that brought it, 0 before it is kept.

    `place_id` is the thread or catalog, `target_id` the comment replied to or changed, or the item;
    `locale` the language to tell the member in. An order has an `item` and the card that it was
    confirmed on.

    Once sent: as the player of `player_id` with the account of `token_key`, when `newest_before`
    was the newest comment known; `sent_at` is by the game's own clock where that is known. Its
    writer has said that it became none of the comments `ruled_out`. The body of what is done is
    only its start. One that is not `is_readable` was sealed with a key that is gone.

    `told` is the standing that the member was told of last. A `holder` alone may change it, until
    `due_at`; without one, that is when Kiosk looks at it next.
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
        """The item that an order is for."""
        return self.item or OrderedItem(1, f"#{self.target_id}", 0, "", "")

    @property
    def ref(self) -> ItemRef:
        """Where the item was that an order is for."""
        return ItemRef(self.place_id, self.ordered.page, self.target_id or 0)

    @property
    def standing(self) -> str:
        """How it stands, as far as its member is told."""
        return f"{self.state} {self.reason or ''}"

    @property
    def is_told(self) -> bool:
        """Whether its member knows how it stands."""
        return self.told == self.standing

    def __repr__(self) -> str:
        # What members write is not for logs.
        return f"<Write {self.id}: {self.kind} {self.target_id} in {self.place_id}, {self.state}>"


class Writes:
    """The writes of all members, each in the hands of one process at a time."""

    def __init__(self, database: Database, vault: Vault, messages: Messages) -> None:
        self._database = database
        self._vault = vault
        self._messages = messages

    async def keep_text(self, new: Write, *, now: datetime, until: datetime) -> Write | None:
        """Keep a text that is sent next, and hold it.

        Returns None where as many of the member's are kept as may be. Raises NotUnique where what
        brought it was heard before, whatever has become of that text.
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
        """Keep an order that is sent next, and hold it, unless another stands in the way.

        Returns None then, and where what brought it, or its card, was heard of before.
        """
        held = replace(new, holder=token_hex(8), due_at=until, created_at=now)
        try:
            async with self._database.transaction() as transaction:
                await transaction.execute(QUERIES["keep"], **self._row(held))
                if await self._standing(transaction, new, since) is None:
                    return held
                await transaction.execute(QUERIES["withdraw"], id=new.id)
        except NotUnique:
            pass
        return None

    async def withdraw(self, held: Write) -> None:
        """Forget an order that the game was not asked for; its card may be confirmed again."""
        await self._database.execute(QUERIES["withdraw"], id=held.id)

    async def find_standing(self, wanted: Write, *, since: datetime) -> Write | None:
        """Return what stands in the way of an order: why `keep_order` returned None.

        That is the order of the same card, or the member's or account's last one for the item: an
        open one; a purchase that the game was asked for after `since` and that is done; a
        redemption that is done or in doubt, and newer than the card.
        """
        found = self._read(await self._standing(self._database, wanted, since))
        return found and replace(found, holder="")

    async def _standing(self, source: Source, wanted: Write, since: datetime) -> Row | None:
        return await source.fetch_one(
            QUERIES["find_standing"],
            id=wanted.id,
            member_id=wanted.member_id,
            token_key=wanted.token_key,
            item_id=wanted.target_id,
            kind=wanted.kind,
            card_id=wanted.card_id,
            since=since,
        )

    async def bought(self, token_key: str, since: datetime) -> frozenset[int]:
        """Return the ids of the items that were bought here for an account `since` then."""
        rows = await self._database.fetch(QUERIES["bought"], token_key=token_key, since=since)
        return frozenset(row["target_id"] for row in rows)

    async def orders_of(
        self, member_id: int, token_key: str, *, most: int, offset: int
    ) -> Sequence[Write]:
        """Return what a member bought and redeemed with an account, what is open first."""
        return self._read_all(
            await self._database.fetch(
                QUERIES["orders_of"],
                member_id=member_id,
                token_key=token_key,
                most=most,
                offset=offset,
            )
        )

    async def find(self, write_id: int) -> Write | None:
        """Return a write, whoever asked for it; nobody holds it by what they found."""
        found = self._read(await self._database.fetch_one(QUERIES["find"], id=write_id))
        return found and replace(found, holder="")

    async def unsent(self, member_id: int, *, oldest: datetime) -> Sequence[Write]:
        """Return the texts of a member that the game may not have, the newest first."""
        return self._read_all(
            await self._database.fetch(QUERIES["unsent"], member_id=member_id, oldest=oldest)
        )

    async def due(self, now: datetime, most: int) -> Sequence[Write]:
        """Return what somebody must look at, what waits longest first."""
        return self._read_all(await self._database.fetch(QUERIES["due"], now=now, most=most))

    async def untold(self, member_id: int) -> Sequence[Write]:
        """Return what a member was not told of that nobody is at work on."""
        return self._read_all(await self._database.fetch(QUERIES["untold"], member_id=member_id))

    async def take(self, write_id: int, *, now: datetime, until: datetime) -> Write | None:
        """Hold a write; None where somebody else does."""
        row = await self._database.change_one(
            QUERIES["take"], id=write_id, now=now, holder=token_hex(8), due_at=until
        )
        return self._read(row)

    async def save(self, held: Write) -> Write | None:
        """Keep a held write as it is given here; None where another has taken it over.

        That it is done can be written by anybody, since the game has said so; of its body the start
        stays. Raises NotUnique where another text has become that comment.
        """
        is_done = held.state is WriteState.DONE
        if is_done:
            held = replace(held, body=" ".join(held.body.split())[:_EXCERPT_LENGTH])
        async with self._database.transaction() as transaction:
            if not await transaction.execute(QUERIES["save"], **self._row(held)):
                return None
            if is_done:
                await self._change_comment(transaction, held, held.body)
        return held

    async def _change_comment(self, transaction: Transaction, done: Write, excerpt: str) -> None:
        """Keep what is remembered of a comment as the comment is now."""
        if done.kind is WriteKind.DELETE:
            await transaction.execute(QUERIES["forget_comment"], comment_id=done.target_id)
            shared = await transaction.fetch(QUERIES["shared"], comment_id=done.target_id)
            owed = [
                NewMessage(
                    DELETED,
                    f"{DELETED} {row['shown_id']} {done.target_id}",
                    Priority.REMOVAL,
                    guild_id=row["guild_id"],
                    channel_id=row["channel_id"],
                    payload={"comment": done.target_id, "locale": done.locale},
                    shown_id=row["shown_id"],
                )
                for row in shared
            ]
            await self._messages.want(transaction, *owed)
        if done.kind is not WriteKind.EDIT:
            return
        row = await transaction.fetch_one(QUERIES["find_comment"], comment_id=done.target_id)
        if row is not None:
            sealed = self._sealed(row["id"], row["member_id"], excerpt)
            await transaction.execute(QUERIES["reword"], id=row["id"], sealed_body=sealed)

    async def mark_told(
        self, settled: Write, *, due_at: datetime | None, message: NewMessage | None = None
    ) -> None:
        """Let go of a write whose member knows how it stands, or is owed a message that says so.

        It is looked at next when it is due. Nothing changes where another has taken it over.
        """
        async with self._database.transaction() as transaction:
            changed = await transaction.execute(
                QUERIES["let_go"],
                id=settled.id,
                holder=settled.holder,
                standing=settled.standing,
                is_told=message is None or settled.is_told,
                due_at=due_at,
            )
            if changed and message is not None and not settled.is_told:
                await self._messages.want(transaction, message)

    async def take_back(self, key: str) -> bool:
        """Owe no message any more; return whether its member may be told in another way."""
        async with self._database.transaction() as transaction:
            return await self._messages.drop(transaction, key)

    async def note_told(self, told: Write, transaction: Transaction | None = None) -> None:
        """Note that a member knows how a write stands, unless it stands otherwise by now."""
        run = transaction or self._database
        await run.execute(QUERIES["note_told"], id=told.id, standing=told.standing)

    async def rule_out(self, write_id: int, member_id: int, comment_id: int) -> None:
        """Note that a comment is not what a text became."""
        await self._database.execute(
            QUERIES["rule_out"], id=write_id, member_id=member_id, comment_id=comment_id
        )

    async def discard(self, write_id: int, member_id: int, *, now: datetime) -> bool:
        """Forget a text at its writer's wish, unless it is held; return whether it went."""
        changed = await self._database.execute(
            QUERIES["discard"],
            id=write_id,
            member_id=member_id,
            now=now,
            kept_until=now + _HEARD_KEPT,
        )
        return changed > 0

    async def is_overtaken(self, change: Write) -> bool:
        """Return whether a newer change of the same comment is kept, sent or done."""
        row = await self._database.fetch_one(
            QUERIES["newer_change"], id=change.id, comment_id=change.target_id
        )
        return row is not None

    async def comments_of(self, member_id: int, most: int) -> Sequence[Write]:
        """Return the posts and replies that are comments of a member's, the newest first."""
        return self._read_all(
            await self._database.fetch(QUERIES["comments_of"], member_id=member_id, most=most)
        )

    async def find_comment(self, comment_id: int) -> Write | None:
        """Return the text that a comment was, whoever wrote it."""
        row = await self._database.fetch_one(QUERIES["find_comment"], comment_id=comment_id)
        return self._read(row)

    async def known_among(self, comment_ids: Sequence[int]) -> AbstractSet[int]:
        """Return those of the comments that Kiosk wrote, for whomever."""
        if not comment_ids:
            return set()
        rows = await self._database.fetch(
            QUERIES["known_between"], first=min(comment_ids), last=max(comment_ids)
        )
        return {row["result_id"] for row in rows}.intersection(comment_ids)

    async def forget_comment(self, comment_id: int) -> None:
        """Forget a comment that is no more."""
        await self._database.execute(QUERIES["forget_comment"], comment_id=comment_id)

    def _row(self, write: Write) -> dict[str, Any]:
        """Return the columns of a write, but for `ruled_out`, which others may add to."""
        row = asdict(write)
        sealed = self._sealed(write.id, write.member_id, row.pop("body"))
        # What can't be read here stays as it is: another process may have its key.
        row["sealed_body"] = sealed if write.is_readable else None
        row["item"] = write.item and msgspec.json.encode(write.item).decode()
        row["kept_until"] = _kept_until(write)
        del row["ruled_out"], row["is_readable"]
        return row

    def _sealed(self, write_id: int, member_id: int, body: str) -> bytes:
        return self._vault.seal(body, owner=member_id, purpose=f"write {write_id}")

    def _read_all(self, rows: Sequence[Row]) -> Sequence[Write]:
        return [write for row in rows if (write := self._read(row))]

    def _read(self, row: Row | None) -> Write | None:
        if row is None:
            return None
        purpose, owner = f"write {row['id']}", row["member_id"]
        body = self._vault.try_open(row["sealed_body"], purpose, owner=owner)
        item = row["item"] and msgspec.json.decode(row["item"], type=OrderedItem)
        ruled_out = frozenset(map(int, row["ruled_out"].split()))
        is_readable = body is not None
        return read(
            Write, row, body=body or "", item=item, ruled_out=ruled_out, is_readable=is_readable
        )


def _kept_until(write: Write) -> datetime | None:
    """Return how long a write is kept as it stands; an open order has no such time."""
    if write.state is WriteState.REFUSED or write.kind in CHANGES:
        return write.created_at + _HEARD_KEPT
    if write.state is WriteState.DONE:
        return write.created_at + _DONE_KEPT
    if write.kind in TEXTS:
        return write.created_at + TEXT_KEPT
    return write.created_at + _DONE_KEPT if write.state is WriteState.UNKNOWN else None
