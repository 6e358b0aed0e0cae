"""Writes: what members ask the game to do, kept from before it is sent until it is settled."""

import datetime as dt
import typing
from collections import deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from functools import partial
from secrets import token_hex

import msgspec

from storage.database import Database, Row, Transaction, Value, queries_beside
from storage.database.interface import Source
from storage.messages import Messages, NewMessage
from storage.moderation import note_gone
from storage.names import ItemRef
from storage.rows import read
from storage.storage_errors import NotUnique
from storage.vault import Vault

QUERIES = queries_beside(__file__)

# How long to keep an unsent text, and the maximum per member.
TEXT_KEPT = dt.timedelta(hours=24)
MAX_TEXTS = 20
# How long a process holds a write, by the database's clock.
LEASE = dt.timedelta(seconds=45)
_MICROSECOND = dt.timedelta(microseconds=1)
_LEASE_MICROSECONDS = LEASE // _MICROSECOND
# How long to keep a row that only prevents processing the same interaction twice.
_HEARD_KEPT = dt.timedelta(days=1)
_DONE_KEPT = dt.timedelta(days=365)
_EXCERPT_LENGTH = 90
# Columns that are empty in the rows of texts, or of orders.
_OF_ONE_KIND = (
    *("sealed_body", "result_id", "player_id", "newest_before", "sent_at"),
    *("card_id", "item"),
)
_MAX_KNOWN = 1_000
# The target of a post, which answers and changes no comment.
NO_COMMENT = 0
# The currency of an order confirmed on a card of 1.0.0, which may not have named it.
ANY_CURRENCY = -1
_NEVER = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class WriteKind(StrEnum):
    """Kinds of writes (docs/connect-your-game.md#endpoints)."""

    POST = "post"
    REPLY = "reply"
    EDIT = "edit"
    DELETE = "delete"
    PURCHASE = "purchase"
    REDEEM = "redeem"


# These change an existing comment. Made twice, they do no harm.
CHANGES = (WriteKind.EDIT, WriteKind.DELETE)
TEXTS = (WriteKind.POST, WriteKind.REPLY, *CHANGES)
ORDERS = (WriteKind.PURCHASE, WriteKind.REDEEM)
# No list of the game shows whether these arrived (docs/connect-your-game.md#lost-answers).
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


class OrderedItem(msgspec.Struct, frozen=True):
    """An item as the confirmed card showed it. `page` is its page in the catalog.

    `currency` is as much of the currency's number as a button has room for.
    """

    page: int
    name: str
    cost: int
    currency_name: str
    currency_singular: str
    icon_url: str | None = None
    currency: int = ANY_CURRENCY


class Write(msgspec.Struct, frozen=True):
    """A member's write. `id` is the interaction that brought it.

    `place_id` is the thread or catalog. The write is sent with the account of `token_key`, at
    `asked_at` by our clock. `told` is the last state and reason that the member was told. `holder`
    is our key to it, "" if this process doesn't hold it. Only its holder may change it, for a lease
    that each change renews.
    """

    id: int
    member_id: int
    kind: WriteKind
    place_id: int
    locale: str = ""
    state: WriteState = WriteState.KEPT
    reason: str | None = None
    game_words: str | None = None
    token_key: str = ""
    told: str = ""
    holder: str = ""
    created_at: dt.datetime = _NEVER
    asked_at: dt.datetime | None = None

    @property
    def state_and_reason(self) -> str:
        return f"{self.state} {self.reason or ''}"

    @property
    def is_old_news(self) -> bool:
        return self.told == self.state_and_reason

    def __repr__(self) -> str:
        # Members' texts are not for logs.
        return f"<{type(self).__name__} {self.id}: {self.kind} in {self.place_id}, {self.state}>"


class Text(Write, frozen=True, kw_only=True):
    """A comment to be written, changed or deleted. `target_id` is the one replied to or changed.

    Once it is done, its `body` is only the start. If it isn't `is_readable`, it was sealed with a
    key that is gone. A post or reply has become the comment `result_id`. The player `player_id`, if
    known, sent it at `sent_at` by the game's own clock, when `newest_before` was the newest comment
    known.
    """

    body: str = ""
    target_id: int = NO_COMMENT
    is_readable: bool = True
    result_id: int | None = None
    player_id: int | None = None
    newest_before: int | None = None
    sent_at: dt.datetime | None = None


class Order(Write, frozen=True, kw_only=True):
    """An item to be bought or redeemed, as the card `card_id` showed it when it was confirmed."""

    item_id: int
    card_id: int
    item: OrderedItem

    @property
    def ref(self) -> ItemRef:
        return ItemRef(self.place_id, self.item.page, self.item_id)


W = typing.TypeVar("W", bound=Write)


class _Known(msgspec.Struct):
    """A write's outcome, and how to release it, until both can be stored."""

    settled: Write
    asked_here: bool
    release: tuple[dt.timedelta | None, NewMessage | None] | None = None


class Writes:
    """The writes of all members, each in the hands of one process at a time."""

    def __init__(self, database: Database, vault: Vault, messages: Messages) -> None:
        self._database = database
        self._queries = database.spelled(QUERIES)
        # A file is used by one process alone.
        self.is_shared = database.engine != "sqlite"
        self._vault = vault
        self._messages = messages
        # The ids of the writes that this process did, or knows to be done, of late.
        self._known_done: deque[int] = deque(maxlen=_MAX_KNOWN)
        # By their ids: what this process alone knows of writes, shown in place of their rows.
        self._known: dict[int, _Known] = {}

    async def keep_text(self, new: Text, *, now: dt.datetime) -> Text | None:
        """Keep a text that is sent next, and hold it. Return None if too many are kept already.

        Raises NotUnique if its interaction was processed before.
        """
        held = msgspec.structs.replace(new, holder=token_hex(8), created_at=now)
        async with self._database.transaction() as transaction:
            kept = await transaction.fetch(
                self._queries["unsent"], member_id=new.member_id, oldest=now - TEXT_KEPT
            )
            if len(kept) >= MAX_TEXTS:
                return None
            await transaction.execute(self._queries["keep"], **self._row(held))
        return held

    async def keep_order(self, new: Order, *, now: dt.datetime, since: dt.datetime) -> Order | None:
        """Keep an order that is sent next, and hold it. If an order blocks it, return that one.

        An order from the same card blocks it, too. None means that the blocking order is gone. The
        row is written first: its unique indexes let one of two presses at once win.
        """
        held = msgspec.structs.replace(new, holder=token_hex(8), created_at=now)
        whose = (new.member_id, new.token_key)
        of_item = (new.kind, new.item_id)
        find = partial(self.find_blocking, *whose, *of_item, card_id=new.card_id, since=since)
        try:
            async with self._database.transaction() as transaction:
                await transaction.execute(self._queries["keep"], **self._row(held))
                blocking = await find(order_id=new.id, source=transaction)
                if blocking is not None:
                    await transaction.execute(self._queries["withdraw"], id=new.id)
                return blocking or held
        except NotUnique:
            return await find()

    async def withdraw_order(self, held: Order) -> None:
        """Forget an order that the game was not asked for. Its card may be confirmed again."""
        await self._database.execute(self._queries["withdraw"], id=held.id)

    async def find_blocking(
        self,
        member_id: int,
        token_key: str,
        kind: WriteKind,
        item_id: int,
        *,
        card_id: int,
        since: dt.datetime,
        order_id: int = 0,
        source: Source | None = None,
    ) -> Order | None:
        """Return the order that blocks another one.

        An order of the same card does. So do these orders of the member or the account for the
        item: an open one, a purchase done after `since`, and a redemption newer than the card.
        """
        row = await (source or self._database).fetch_one(
            self._queries["find_blocking"],
            id=order_id,
            member_id=member_id,
            token_key=token_key,
            item_id=item_id,
            kind=kind,
            card_id=card_id,
            since=since,
        )
        return typing.cast("Order | None", self._read(row))

    async def bought(self, token_key: str, since: dt.datetime) -> frozenset[int]:
        """Return the ids of the items that were bought here for an account `since` then."""
        rows = await self._database.fetch(self._queries["bought"], token_key=token_key, since=since)
        known = (
            order.item_id
            for entry in self._known.values()
            if isinstance(order := entry.settled, Order)
            and (order.token_key, order.kind) == (token_key, WriteKind.PURCHASE)
            and order.state is WriteState.DONE
        )
        return frozenset(row["target_id"] for row in rows).union(known)

    async def orders_of(
        self,
        member_id: int,
        token_key: str,
        *,
        refused_since: dt.datetime,
        not_redeemed: bool = False,
    ) -> Sequence[Order]:
        """Return a member's orders, open ones first. Done orders are only those of one account.

        With `not_redeemed`, return only done purchases that no one has redeemed through Kiosk with
        that account.
        """
        return await self._all(
            Order,
            "orders_of",
            member_id=member_id,
            token_key=token_key,
            refused_since=refused_since,
            not_redeemed=not_redeemed,
        )

    async def purchases_of(self, member_id: int, token_key: str) -> Sequence[OrderedItem]:
        """Return the items that a member bought with an account, as they were bought."""
        whose = {"member_id": member_id, "token_key": token_key}
        rows = await self._database.fetch(self._queries["purchases_of"], **whose)
        return [msgspec.json.decode(row["item"], type=OrderedItem) for row in rows]

    async def find_write(self, write_id: int) -> Write | None:
        return self._read(await self._database.fetch_one(self._queries["find"], id=write_id))

    async def find_order(self, order_id: int) -> Order | None:
        write = await self.find_write(order_id)
        return write if isinstance(write, Order) else None

    async def unsent_texts(self, member_id: int, *, oldest: dt.datetime) -> Sequence[Text]:
        """Return a member's unsent texts, the newest first."""
        texts = await self._all(Text, "unsent", member_id=member_id, oldest=oldest)
        return [text for text in texts if text.state not in (WriteState.DONE, WriteState.REFUSED)]

    async def due_writes(self, most: int) -> Sequence[Write]:
        """Return the writes that must be checked, those that wait longest first."""
        return await self._all(Write, "due", most=most)

    async def hold_write(self, write: W) -> W | None:
        """Hold a write. Return None if another holder has it."""
        await self.write_known(write.id)
        holder = token_hex(8)
        row = await self._database.change_one(
            self._queries["take"], id=write.id, holder=holder, lease=_LEASE_MICROSECONDS
        )
        return typing.cast("W | None", self._read(row, holder))

    async def save_write(self, held: W, *, asked_here: bool = False) -> W | None:
        """Store a held write as given here. Return None if another process has taken it over.

        Any process can store that it is done, since the game has said so. Then only the start of
        its body stays. If it is refused, nothing of the body stays. With `asked_here`, this process
        has just sent it: its answer, kept or refused, replaces the doubt of another process. Raises
        NotUnique if another text has become that comment.
        """
        is_done = held.state is WriteState.DONE
        if is_done:
            self._known_done.append(held.id)
        if is_done and isinstance(held, Text):
            held = msgspec.structs.replace(held, body=" ".join(held.body.split())[:_EXCERPT_LENGTH])
        elif held.state is WriteState.REFUSED and isinstance(held, Text):
            held = msgspec.structs.replace(held, body="")
        async with self._database.transaction() as transaction:
            row = self._row(held) | {"asked_here": asked_here}
            if not await transaction.execute(self._queries["save"], **row):
                return None
            if is_done and isinstance(held, Text) and held.kind in CHANGES:
                await self._follow_change(held, transaction)
        return held

    def remember(self, settled: Write, *, asked_here: bool) -> None:
        """Remember a write's outcome that can't be stored now. See `save_write`."""
        self._known[settled.id] = _Known(settled, asked_here)

    async def write_known(self, write_id: int) -> None:
        """Store the remembered outcome of a write. Raises StatementFailed."""
        known = self._known.get(write_id)
        if known is None:
            return
        settled = known.settled
        try:
            saved = await self.save_write(settled, asked_here=known.asked_here)
        except NotUnique:
            if not isinstance(settled, Text):
                raise
            # Another text has become that comment since.
            unnamed = msgspec.structs.replace(settled, result_id=None)
            saved = await self.save_write(unnamed, asked_here=known.asked_here)
        self._known.pop(write_id, None)
        if saved and known.release is not None:
            due_in, message = known.release
            await self.release_write(saved, due_in=due_in, message=message)

    async def _follow_change(self, change: Text, transaction: Transaction) -> None:
        comment_id = change.target_id
        if change.kind is WriteKind.EDIT:
            row = await transaction.fetch_one(self._queries["find_comment"], comment_id=comment_id)
            if row is not None:
                purpose = f"write {row['id']}"
                sealed = self._vault.seal(change.body, owner=row["member_id"], purpose=purpose)
                await transaction.execute(self._queries["reword"], id=row["id"], sealed_body=sealed)
            return
        await transaction.execute(self._queries["forget_comment"], comment_id=comment_id)
        # Cards on which members shared it no longer show it.
        await self._messages.remove(transaction, comment_id=comment_id)
        await note_gone(transaction, self._messages, comment_id, is_gone=True)

    async def release_write(
        self, settled: Write, *, due_in: dt.timedelta | None, message: NewMessage | None = None
    ) -> None:
        """Release a write whose member knows its outcome, or gets a `message` about it.

        It is checked again `due_in` that time, if at all.
        """
        if known := self._known.get(settled.id):
            known.release = due_in, message
            return
        async with self._database.transaction() as transaction:
            changed = await transaction.execute(
                self._queries["release"],
                id=settled.id,
                holder=settled.holder,
                state_and_reason=settled.state_and_reason,
                is_told=message is None,
                due_in=None if due_in is None else due_in // _MICROSECOND,
            )
            if changed and message is not None:
                await self._messages.want(transaction, message)

    async def note_told(self, told: Write, transaction: Transaction) -> None:
        """Note that a member knows a write's outcome, unless it has changed since."""
        await transaction.execute(
            self._queries["note_told"], id=told.id, state_and_reason=told.state_and_reason
        )

    async def discard_text(self, write_id: int, member_id: int, *, now: dt.datetime) -> bool:
        """Discard a text at its writer's wish, unless it is held. Return whether that was done."""
        discarded = await self._database.execute(
            self._queries["discard"], id=write_id, member_id=member_id, kept_until=now + _HEARD_KEPT
        )
        return discarded > 0

    async def is_overtaken(self, change: Text) -> bool:
        """Return whether a newer change of the same comment was made, or may have been."""
        return (
            await self._database.fetch_one(self._queries["newer_change"], id=change.id) is not None
        )

    async def is_news(self, member_id: int, thread_id: int, since: dt.datetime) -> bool:
        """Return whether other processes wrote in a thread for a member. Each write counts once."""
        where = {"member_id": member_id, "thread_id": thread_id, "since": since}
        rows = await self._database.fetch(self._queries["done_in"], **where)
        new = {row["id"] for row in rows}.difference(self._known_done)
        self._known_done.extend(new)
        return bool(new)

    async def comments_of(self, member_id: int, most: int) -> Sequence[Text]:
        """Return a member's posts and replies that became comments, the newest first."""
        return await self._all(Text, "comments_of", member_id=member_id, most=most)

    async def text_of_comment(self, comment_id: int) -> Text | None:
        """Return the text, of any member, that became a comment."""
        row = await self._database.fetch_one(self._queries["find_comment"], comment_id=comment_id)
        return typing.cast("Text | None", self._read(row))

    async def known_among(self, comment_ids: Sequence[int]) -> AbstractSet[int]:
        """Return those of the comments that Kiosk wrote, for any member."""
        ends = {"first": min(comment_ids, default=0), "last": max(comment_ids, default=0)}
        rows = await self._database.fetch(self._queries["known_between"], **ends)
        return {row["result_id"] for row in rows}.intersection(comment_ids)

    def _row(self, write: Write) -> dict[str, typing.Any]:
        """Return the columns of a write."""
        row = dict.fromkeys(_OF_ONE_KIND) | msgspec.structs.asdict(write)
        row["lease"] = _LEASE_MICROSECONDS
        if isinstance(write, Text):
            row["target_id"] = write.target_id or None
            if write.is_readable:
                row["sealed_body"] = self._vault.seal(
                    write.body, owner=write.member_id, purpose=f"write {write.id}"
                )
        elif isinstance(write, Order):
            row["target_id"] = write.item_id
            row["item"] = msgspec.json.encode(write.item).decode()
        # An open order is kept until it is settled.
        kept_for = None
        if write.kind in CHANGES or write.state is WriteState.REFUSED:
            kept_for = _HEARD_KEPT
        elif write.kind in TEXTS and write.state is not WriteState.DONE:
            kept_for = TEXT_KEPT
        elif write.state in (WriteState.DONE, WriteState.UNKNOWN):
            kept_for = _DONE_KEPT
        row["kept_until"] = kept_for and write.created_at + kept_for
        return row

    async def _all(self, kind: type[W], query: str, **parameters: Value) -> Sequence[W]:
        rows = await self._database.fetch(self._queries[query], **parameters)
        return [write for row in rows if isinstance(write := self._read(row), kind)]

    def _read(self, row: Row | None, holder: str = "") -> Write | None:
        """Return a row's write. `holder` is given if this process has just taken it."""
        if row is None:
            return None
        if (known := self._known.get(row["id"])) and row["state"] != WriteState.DONE:
            return msgspec.structs.replace(known.settled, holder="")
        if row["card_id"] is not None:
            item = msgspec.json.decode(row["item"], type=OrderedItem)
            return read(Order, row, item=item, item_id=row["target_id"], holder=holder)
        body = self._vault.try_open(
            row["sealed_body"], f"write {row['id']}", owner=row["member_id"]
        )
        return read(
            Text,
            row,
            body=body or "",
            target_id=row["target_id"] or NO_COMMENT,
            is_readable=body is not None,
            holder=holder,
        )
