"""Messages for Discord, from when they are wanted until after they are there."""

import asyncio
import datetime as dt
import enum
import json
from collections import abc
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

import msgspec

from storage import rows as storage_rows
from storage.database import Database, Row, Transaction, queries_beside

QUERIES = queries_beside(__file__)

# Prefix of the reason of a message that Discord refused for good, but only once so far.
REFUSED_ONCE = "refused once"
# The same for a message that couldn't be sent without a connection.
NO_CONNECTION = "no connection"
# The same for a message before which something else must come.
NOT_YET = "not yet"
# How long to keep a message that was sent, or never can be, and one that waits for a member.
_RETENTION = dt.timedelta(days=7)
_UNTOLD_RETENTION = dt.timedelta(days=90)
# How long to keep the record of a post in a channel that Kiosk no longer changes.
_SHOWN_RETENTION = dt.timedelta(days=365)
# No one presses a private card's button later: Discord has forgotten the card.
_PRESSED = dt.timedelta(days=7)
# A process that began to post longer ago is gone.
_MAX_POSTING = dt.timedelta(minutes=1)


class Priority(enum.IntEnum):
    """The order of sending. Within one priority, the channel served longest ago comes first."""

    REMOVAL = 0
    LIVE_POST = 1
    ANNOUNCEMENT = 2
    DIRECT_MESSAGE = 3
    # A direct message that may wait for an hour, and lets the others to that member go first.
    WATCH = 4


class MessageState(enum.StrEnum):
    # An interaction posts it, or died while it did.
    POSTING = "posting"
    OWED = "owed"
    SENT = "sent"
    # Discord will never take it.
    REFUSED = "refused"
    # It may have been sent, and no one can find out any more.
    UNKNOWN = "unknown"
    # It was no longer wanted when its turn came, or is gone.
    DROPPED = "dropped"


class NewMessage(msgspec.Struct, frozen=True):
    """A message for a channel, or a direct message for a member.

    `key` names it among all messages. If it is wanted twice, there is one message, redrawn if it
    `stays`. `payload` is what the kind needs to draw it, as JSON. What may change until it is sent
    is read then. The payload isn't sealed. So it contains numbers and codes, but nothing that
    anyone typed, and no member's number: that is in the columns that are exported and erased.
    """

    kind: str
    key: str
    priority: Priority
    channel_id: int | None = None
    member_id: int | None = None
    payload: abc.Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])
    guild_id: int | None = None
    stays: bool = False
    # The member who gets or loses a role, which no one is told, and that role.
    about_member: int | None = None
    role_id: int | None = None


class Message(NewMessage, frozen=True, kw_only=True):
    """A message, and how often it was tried in the version that was `wanted` last.

    `attempted_at` is the time of the first try that may have got through, None if surely none did.
    A holder holds a message by `attempts`, the number of its try.
    """

    id: int
    # The channel or member that it goes to: one request is in flight for each.
    lane: int
    is_wanted: bool
    wanted: int
    wanted_at: dt.datetime
    due_at: dt.datetime | None
    attempts: int
    attempted_at: dt.datetime | None
    state: MessageState
    message_id: int | None
    posting: int
    reason: str | None
    # Whether a member had a role before Kiosk gave it, None while Kiosk has surely not given it.
    had_already: bool | None = None
    # The removal for which it is deleted or redrawn at once. See `Messages.remove`.
    removal_id: int | None = None
    # Whether that is because the writer has deleted the comment.
    is_by_writer: bool = False
    # When it was first sent, or when the last answer about a role came.
    settled_at: dt.datetime | None = None

    @property
    def is_there(self) -> bool:
        """Whether Discord has it, or is about to have it."""
        is_coming = self.is_wanted and self.due_at is not None
        return self.message_id is not None or is_coming

    @property
    def is_removal(self) -> bool:
        """Whether it is deleted or redrawn at once, as a comment must no longer be seen."""
        return self.removal_id is not None or self.is_by_writer

    @property
    def nonce(self) -> str:
        """The nonce by which Discord knows a message that is posted again."""
        return f"{self.id}.{self.posting}"


class Messages:
    """All messages. `news` is set whenever this process wants something new."""

    def __init__(self, database: Database, now: abc.Callable[[], dt.datetime]) -> None:
        self._database = database
        self._now = now
        self.news = asyncio.Event()

    async def want(self, transaction: Transaction, *wanted: NewMessage) -> None:
        """Want these messages from the end of the transaction on.

        If a message was wanted before, it is redrawn if it `stays`, and otherwise left as it was.
        """
        now = self._now()
        # By lane, so that two transactions that want messages to the same members don't wait for
        # each other. Within a lane, the order stays.
        by_lane = sorted(wanted, key=_lane)
        rows = await storage_rows.convert_all(partial(_to_row, now=now), by_lane)
        await transaction.execute_many(QUERIES["want"], rows)
        transaction.on_commit.append(self.news.set)

    async def redraw(self, transaction: Transaction, *keys: str) -> None:
        """Redraw messages, if they are there or about to be."""
        rows = [{"key": key, "now": self._now()} for key in sorted(keys)]
        await transaction.execute_many(QUERIES["redraw"], rows)
        transaction.on_commit.append(self.news.set)

    async def hurry(self, member_id: int, kind: str) -> None:
        """Try a member's waiting messages of a kind at once."""
        which = {"member_id": member_id, "kind": kind}
        await self._database.execute(QUERIES["hurry"], **which, now=self._now())
        self.news.set()

    async def unwant(self, transaction: Transaction, key: str, *, frees_key: bool = True) -> None:
        """Delete a message, or cancel it before it is sent.

        Its key is free for another message, unless the same message is to be wanted again.
        """
        now = self._now()
        until = {"now": now, "kept_until": now + _RETENTION}
        await transaction.execute(QUERIES["unwant"], key=key, frees_key=frees_key, **until)
        transaction.on_commit.append(self.news.set)

    async def delete(self, transaction: Transaction, key: str) -> bool:
        """Delete a message for good. Return whether it was there.

        Its record stays, so it is never posted again.
        """
        changed = await transaction.execute(QUERIES["delete"], key=key, now=self._now())
        transaction.on_commit.append(self.news.set)
        return changed > 0

    async def note_deleted(self, transaction: Transaction, key: str) -> None:
        """Note that someone deleted a message in Discord: it is never posted again."""
        await transaction.execute(QUERIES["note_deleted"], key=key)

    async def redraw_with(
        self, transaction: Transaction, key: str, payload: abc.Mapping[str, Any]
    ) -> bool:
        """Redraw a message with another payload. Return whether it is there."""
        changed = await transaction.execute(
            QUERIES["save_payload"], key=key, payload=json.dumps(payload)
        )
        if changed:
            await self.redraw(transaction, key)
        return changed > 0

    async def remove(
        self,
        transaction: Transaction,
        *,
        comment_id: int | None = None,
        player_id: int | None = None,
        guild_id: int | None = None,
        removal_id: int | None = None,
    ) -> None:
        """Delete the public messages that show a comment, or one by a player.

        Messages that only quote it, or tell a member about it, are redrawn. Without a server, this
        is for all servers. Without a removal, its writer has deleted the comment.
        """
        now = self._now()
        subject = {"comment_id": comment_id, "player_id": player_id}
        await transaction.execute(
            QUERIES["remove"], **subject, guild_id=guild_id, removal_id=removal_id, now=now
        )
        await transaction.execute(QUERIES["redraw_told"], **subject, now=now)
        transaction.on_commit.append(self.news.set)

    async def begin_posting(self, key: str, guild_id: int | None, channel_id: int) -> int | None:
        """Record what an interaction is to post. Return its id, None if it is or was posted."""
        now = self._now()
        began = {"key": key, "guild_id": guild_id, "channel_id": channel_id, "now": now}
        async with self._database.transaction() as transaction:
            stale = now - _MAX_POSTING
            await transaction.execute(QUERIES["free_stale"], key=key, stale=stale)
            row = await transaction.fetch_one(
                QUERIES["begin_posting"], **began, kept_until=now + _PRESSED
            )
        return None if row is None else int(row["id"])

    async def free(self, number: int) -> None:
        """Allow posting again what an interaction, as far as is known, hasn't posted."""
        await self._database.execute(QUERIES["free"], id=number)

    async def place(self, transaction: Transaction, number: int, channel_id: int) -> None:
        """Note the channel to which a message is about to be posted."""
        kept_until = self._now() + _SHOWN_RETENTION
        await transaction.execute(
            QUERIES["place"], id=number, channel_id=channel_id, kept_until=kept_until
        )

    async def complete(
        self, transaction: Transaction, number: int, message_id: int, post_id: int | None = None
    ) -> None:
        """Note a message's id in Discord, and the post that contains it."""
        of = {"id": number, "message_id": message_id, "channel_id": post_id}
        await transaction.execute(QUERIES["complete"], **of, now=self._now())
        transaction.on_commit.append(self.news.set)

    async def forget(self, message_id: int) -> None:
        """Forget a shared post that was taken back, so that it can be posted again."""
        await self._database.execute(QUERIES["forget"], message_id=message_id)

    async def note_had(self, role: Message, *, had_already: bool) -> bool:
        """Note whether a member has a role that Kiosk is about to give. Return what is on record.

        Once the record says that they hadn't, they have the role from Kiosk.
        """
        noted = {"id": role.id, "had_already": had_already}
        row = await self._database.change_one(QUERIES["note_had"], **noted)
        return had_already if row is None else bool(row["had_already"])

    async def hold_up_role(
        self, transaction: Transaction, guild_id: int | None, role_id: int | None, *, takes: bool
    ) -> None:
        """Stop giving a role until it is resumed, and taking it, unless Kiosk `takes` it."""
        of = {"guild_id": guild_id, "role_id": role_id, "takes": takes}
        await transaction.execute(QUERIES["hold_up_role"], **of)

    async def resume_role(self, transaction: Transaction, guild_id: int, role_id: int) -> None:
        """Ask again for a role that was refused."""
        of = {"guild_id": guild_id, "role_id": role_id}
        await transaction.execute(QUERIES["resume_role"], **of, now=self._now())
        transaction.on_commit.append(self.news.set)

    async def untold(self, member_id: int, most: int) -> abc.Sequence[Message]:
        """Return what to show a member at their next command, since no direct message arrived."""
        rows = await self._database.fetch(QUERIES["untold"], member_id=member_id, most=most)
        return [entry for row in rows if (entry := read_message(row))]

    async def take_back(self, transaction: Transaction, key: str, state: MessageState) -> bool:
        """Stop sending a message, which is `state` from now on. Return whether it was not sent."""
        kept_until = self._now() + _retention(state, is_direct=True)
        changed = await transaction.execute(
            QUERIES["take_back"], key=key, state=state, kept_until=kept_until
        )
        return changed > 0

    async def find(self, key: str) -> Message | None:
        return read_message(await self._database.fetch_one(QUERIES["find"], key=key))

    async def heads(
        self, priority: Priority, after_lane: int, most: int, now: dt.datetime
    ) -> abc.Sequence[Message]:
        """Return each lane's first message, if it is due. Lanes after `after_lane` come first."""
        rows = await self._database.fetch(
            QUERIES["heads"], priority=int(priority), after_lane=after_lane, most=most, now=now
        )
        return [entry for row in rows if (entry := read_message(row))]

    async def next_due(self, *, after: dt.datetime) -> dt.datetime | None:
        row = await self._database.fetch_one(QUERIES["next_due"], after=after)
        return None if row is None else storage_rows.moment(row["due_at"])

    async def hold_message(
        self, transaction: Transaction, message: Message, *, now: dt.datetime
    ) -> Message | None:
        """Note that a message is about to be sent. Return it as its holder knows it.

        From now on, a process that finds the row after a crash must doubt whether Discord has it.
        The returned message still says whether there was doubt before. It is None if the message is
        settled, or if another process has taken it.
        """
        version = {"attempts": message.attempts, "wanted": message.wanted}
        changed = await transaction.execute(QUERIES["hold"], id=message.id, **version, now=now)
        return msgspec.structs.replace(message, attempts=message.attempts + 1) if changed else None

    async def settle(
        self,
        transaction: Transaction,
        held: Message,
        state: MessageState,
        *,
        message_id: int | None = None,
        reason: str | None = None,
        retention: dt.timedelta | None = None,
    ) -> bool:
        """End all except what was wanted since the try. Return whether the caller still held it.

        Without a `retention`, its record stays until most records' time is over, or while it is
        there.
        """
        now = self._now()
        # The end of a removal's messages is on record with the removal.
        is_on_record = message_id is not None or held.removal_id is not None
        stays = held.stays and retention is None and is_on_record
        retention = retention or _retention(state, is_direct=held.member_id is not None)
        if held.about_member is not None:
            # A role is given or taken once the problem is fixed, and nothing shows one that is
            # gone.
            stays = state is not MessageState.DROPPED
            retention = dt.timedelta()
        changed = await transaction.execute(
            QUERIES["settle"],
            id=held.id,
            attempts=held.attempts,
            wanted=held.wanted,
            state=state,
            message_id=message_id,
            reason=reason,
            now=now,
            kept_until=None if stays else now + retention,
        )
        return changed > 0

    async def put_off(
        self,
        transaction: Transaction,
        held: Message,
        due_at: dt.datetime,
        reason: str,
        *,
        is_doubtful: bool,
        unblocks_lane: bool = False,
        is_gone: bool = False,
    ) -> bool:
        """Try a message again from `due_at` on. Return whether the caller still held it.

        Unless it `is_doubtful`, it is certain that no try got through. Others of its lane wait for
        it until then, unless it `unblocks_lane`. A message that `is_gone` is posted again. If a
        change or deletion was wanted since, it is due now.
        """
        changed = await transaction.execute(
            QUERIES["put_off"],
            id=held.id,
            attempts=held.attempts,
            wanted=held.wanted,
            now=self._now(),
            due_at=due_at,
            is_doubtful=is_doubtful,
            unblocks_lane=unblocks_lane,
            is_gone=is_gone,
            reason=reason,
        )
        return changed > 0

    def transaction(self) -> AbstractAsyncContextManager[Transaction]:
        return self._database.transaction()

    async def direct_channel(self, member_id: int) -> int | None:
        """Return the channel of a member's direct messages, None if none was opened yet."""
        row = await self._database.fetch_one(QUERIES["direct_channel"], member_id=member_id)
        return None if row is None else int(row["channel_id"])

    async def save_direct_channel(self, member_id: int, channel_id: int) -> None:
        await self._database.execute(
            QUERIES["save_direct_channel"], member_id=member_id, channel_id=channel_id
        )

    async def forget_direct_channel(self, member_id: int) -> None:
        await self._database.execute(QUERIES["forget_direct_channel"], member_id=member_id)


def _lane(message: NewMessage) -> int:
    return message.channel_id or message.member_id or message.guild_id or 0


def _to_row(message: NewMessage, now: dt.datetime) -> dict[str, Any]:
    return {
        **msgspec.structs.asdict(message),
        "priority": int(message.priority),
        "lane": _lane(message),
        "payload": json.dumps(message.payload),
        "now": now,
    }


async def leave_posts(transaction: Transaction, *subscription_ids: int) -> None:
    """Stop changing what channels were shown of threads."""
    lasting = _SHOWN_RETENTION // dt.timedelta(microseconds=1)
    rows = [{"id": number, "lasting": lasting} for number in subscription_ids]
    await transaction.execute_many(QUERIES["leave_posts"], rows)


def code_of(reason: str) -> int:
    """Return Discord's code at the start of a refusal's reason, 0 if there is none."""
    code = reason.partition(" ")[0]
    return int(code) if code.isdecimal() else 0


def read_message(row: Row | None) -> Message | None:
    return (
        None if row is None else storage_rows.read(Message, row, payload=json.loads(row["payload"]))
    )


def _retention(state: MessageState, *, is_direct: bool) -> dt.timedelta:
    is_untold = is_direct and state in (MessageState.REFUSED, MessageState.UNKNOWN)
    return _UNTOLD_RETENTION if is_untold else _RETENTION
