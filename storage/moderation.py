"""The settings and watched words of each server, and its log."""

import datetime as dt
import enum
import json
from collections import abc
from typing import Any, NamedTuple, TypeVar

import msgspec

from storage import hiding, messages
from storage.database import Database, Row, Transaction, queries_beside
from storage.database.interface import Source
from storage.rows import read

QUERIES = queries_beside(__file__)

T = TypeVar("T")
# The kinds of messages for moderators.
CASE = "case"
QUEUE = "queue"
# AutoMod's limits for the number of words, and for their length.
MAX_WORDS = 1000
MAX_WORD_LENGTH = 60
# Words as typed, by the keys that are searched for, so that each is there once.
WordList = abc.Mapping[str, str]
# How many days to keep a removed comment's text, unless a server says otherwise.
USUAL_DAYS = 90


class ServerSettings(msgspec.Struct, frozen=True):
    """The settings of a server's managers. `reasons` are the usual ones of removals.

    `log_is_closed` says that the log channel refused the last post. `locale` is the language of
    what everyone there reads, "" for the one that Discord says.
    """

    moderator_role_id: int | None = None
    log_channel_id: int | None = None
    reasons: abc.Sequence[str] = ()
    needs_reason: bool = False
    kept_days: int = USUAL_DAYS
    log_is_closed: bool = False
    locale: str = ""
    # Whether a player is muted for a day after three held-back comments within an hour.
    mutes_repeated: bool = False
    # Whether members who asked for it are told why their comments were removed.
    tells_writers: bool = False


class Subject(msgspec.Struct, frozen=True):
    """A comment, with what is known of it, or a player, if `comment_id` is None.

    `text` is what the comment said, None if that isn't known, or no longer.
    """

    comment_id: int | None
    thread_id: int | None = None
    player_id: int | None = None
    player_name: str = ""
    text: str | None = None

    @property
    def ids(self) -> dict[str, int | None]:
        """The ids that find messages with the comment, or with any of the player's."""
        player_id = self.player_id if self.comment_id is None else None
        return {"comment_id": self.comment_id, "player_id": player_id}

    @property
    def key(self) -> str:
        return (
            f"player {self.player_id}" if self.comment_id is None else f"comment {self.comment_id}"
        )

    @property
    def label(self) -> str:
        if self.comment_id is not None:
            return f"#{self.comment_id}"
        return self.player_name or str(self.player_id)


class Hidden(msgspec.Struct, frozen=True):
    comments: frozenset[int] = frozenset()
    players: frozenset[int] = frozenset()
    # When the first of the mutes ends by itself.
    until: dt.datetime | None = None

    def hides(self, comment_id: int | None, player_id: int | None) -> bool:
        return comment_id in self.comments or player_id in self.players


async def lock(transaction: Transaction, guild_id: int) -> None:
    """Lock what a server hides until the transaction ends.

    Without the lock, a message that is being recorded and a removal could miss each other.
    """
    await transaction.execute(QUERIES["lock"], guild_id=guild_id)


async def note_gone(
    transaction: Transaction, outbox: messages.Messages, comment_id: int, *, is_gone: bool
) -> None:
    """Note in all servers whether the game has lost a comment that waits for a decision."""
    rows = await transaction.fetch(QUERIES["set_gone"], comment_id=comment_id, is_gone=is_gone)
    for row in rows:
        keys = f"{CASE} {row['id']}", f"{QUEUE} {row['guild_id']}"
        await outbox.redraw(transaction, *keys)


class Entries(enum.StrEnum):
    """Which entries of the log are shown. Each is one letter, since a button has little room."""

    ALL = ""
    REMOVALS = "r"
    DECISIONS = "d"
    SETTINGS = "s"


class ModerationAction(enum.StrEnum):
    """What a person did that has a line in the log."""

    DISMISSED = "dismissed"
    SHOWN = "shown"
    MUTE = "mute"
    WORDS = "words"
    SETTINGS = "settings"
    ANNOUNCEMENTS = "announcements"
    NAMES = "names"
    ROLES = "roles"
    MESSAGE_DELETED = "message deleted"
    MESSAGE_UPDATED = "message updated"
    # All reports of a player's comments at once, or all by one member. `detail` has how many.
    DISMISSED_ABOUT = "dismissed about"
    DISMISSED_BY = "dismissed by"

    @property
    def entries(self) -> Entries:
        if self is ModerationAction.MUTE:
            return Entries.REMOVALS
        decisions = (
            ModerationAction.DISMISSED,
            ModerationAction.SHOWN,
            ModerationAction.DISMISSED_ABOUT,
            ModerationAction.DISMISSED_BY,
        )
        return Entries.DECISIONS if self in decisions else Entries.SETTINGS


class NewLine(msgspec.Struct, frozen=True):
    """A line of the log: who did what, and to which case, if any.

    `detail` is what was set or changed, in the server's language. For a mute, it is the end, "" for
    never. For reports dismissed at once, it is their number and, if their member is stopped, until
    when.
    """

    guild_id: int
    member_id: int | None
    what: ModerationAction
    case_id: int | None = None
    detail: str = ""

    def at(self, moment: dt.datetime) -> "LogLine":
        """Return the line with the time at which it was written."""
        return LogLine(**msgspec.structs.asdict(self), created_at=moment)


class LogLine(NewLine, frozen=True, kw_only=True):
    created_at: dt.datetime
    subject: Subject | None = None


# Makes the log's line about a change from the values before and after it, None for nothing. It
# returns None if there is no line.
LineOf = abc.Callable[[T | None, T | None], LogLine | None]


class LogPlace(NamedTuple):
    """The place of an entry in the log: its moment, in microseconds, and its number there."""

    at: int
    number: int


# After every moment that is stored, and short enough for a button.
NEWEST = LogPlace(10**17, 0)


class ModerationSettings(msgspec.Struct, frozen=True):
    database: Database
    outbox: messages.Messages
    now: abc.Callable[[], dt.datetime]

    async def find(self, guild_id: int, source: Source | None = None) -> ServerSettings:
        return await _find_settings(source or self.database, guild_id)

    async def change(
        self, guild_id: int, line: NewLine | None = None, **changes: Any
    ) -> ServerSettings:
        """Change settings by their names. A log that is set opens, and shows how much waits."""
        if "log_channel_id" in changes:
            changes["log_is_closed"] = False
        async with self.database.transaction() as transaction:
            await lock(transaction, guild_id)
            before = await _find_settings(transaction, guild_id)
            settings = msgspec.structs.replace(before, **changes)
            await transaction.execute(
                QUERIES["save"],
                **{
                    **msgspec.structs.asdict(settings),
                    "reasons": json.dumps(list(settings.reasons)),
                },
                guild_id=guild_id,
            )
            is_new = settings.log_channel_id != before.log_channel_id
            if is_new or settings.log_is_closed != before.log_is_closed:
                await open_log(transaction, self.outbox, guild_id)
            if line is not None:
                await add_line(transaction, line.at(self.now()))
        return settings


async def _find_settings(source: Source, guild_id: int) -> ServerSettings:
    row = await source.fetch_one(QUERIES["find"], guild_id=guild_id)
    if row is None:
        return ServerSettings()
    return read(ServerSettings, row, reasons=json.loads(row["reasons"]))


async def find_log(source: Source, guild_id: int) -> int | None:
    """Return the channel that is a server's log."""
    return (await _find_settings(source, guild_id)).log_channel_id


async def open_log(transaction: Transaction, outbox: messages.Messages, guild_id: int) -> None:
    """Redraw the cards that a log didn't let change, and post below them how much waits."""
    stale = await transaction.fetch(QUERIES["stale"], guild_id=guild_id)
    await outbox.redraw(transaction, *(row["key"] for row in stale))
    await outbox.unwant(transaction, f"{QUEUE} {guild_id}")
    await owe_queue(transaction, outbox, guild_id)


async def owe_queue(transaction: Transaction, outbox: messages.Messages, guild_id: int) -> None:
    """Queue the one card of a log that counts what waits."""
    log = await find_log(transaction, guild_id)
    if log is not None:
        key = f"{QUEUE} {guild_id}"
        urgent = messages.Priority.LIVE_POST
        card = messages.NewMessage(QUEUE, key, urgent, log, guild_id=guild_id, stays=True)
        await outbox.want(transaction, card)


class WordLists(msgspec.Struct, frozen=True):
    database: Database
    now: abc.Callable[[], dt.datetime]

    async def words(self, guild_id: int) -> abc.Sequence[str]:
        """Return a server's words as they were typed, sorted."""
        row = await self.database.fetch_one(QUERIES["watched"], guild_id=guild_id)
        return sorted(_keyed(row).values())

    async def change(
        self, guild_id: int, member_id: int, after: WordList, key_of: abc.Callable[[str], str]
    ) -> WordList:
        """Replace the words that a server watches for. Return the words from before.

        An older version may have kept them by other keys than `key_of` makes.
        """
        async with self.database.transaction() as transaction:
            await lock(transaction, guild_id)
            row = await transaction.fetch_one(QUERIES["watched"], guild_id=guild_id)
            before = {key_of(word): word for word in _keyed(row).values()}
            words = json.dumps(after)
            await hiding.change(transaction, "watch", guild_id=guild_id, words=words)
            if detail := _difference(before, after):
                line = NewLine(guild_id, member_id, ModerationAction.WORDS, detail=detail)
                await add_line(transaction, line.at(self.now()))
        return before


def _difference(before: WordList, after: WordList) -> str:
    """Return the added and the removed words, a line for each."""
    came = (f"+ {after[key]}" for key in after if key not in before)
    went = (f"- {before[key]}" for key in before if key not in after)
    return "\n".join([*came, *went])


def _keyed(row: Row | None) -> WordList:
    return {} if row is None else json.loads(row["words"])


async def note(
    transaction: Transaction, line_of: LineOf[T] | None, before: T | None, after: T | None
) -> None:
    """Add a line about a change to the log, in the transaction of the change."""
    line = None if line_of is None else line_of(before, after)
    if line is not None:
        await add_line(transaction, line)


async def add_line(transaction: Transaction, line: LogLine) -> int:
    """Add a line to the log, and return its number."""
    values = {name: getattr(line, name) for name in NewLine.__struct_fields__}
    (row,) = await transaction.fetch(QUERIES["add_line"], **values, created_at=line.created_at)
    return int(row["id"])
