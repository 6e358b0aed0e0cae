"""The settings and watched words of each server, and the cards of its log."""

import datetime as dt
import enum
import json
from collections import abc
from typing import Any, NamedTuple, TypeVar

import msgspec

from storage import messages
from storage.database import Database, Row, Transaction, queries_beside
from storage.database.interface import Source
from storage.rows import read

QUERIES = queries_beside(__file__)

T = TypeVar("T")
# The kinds of messages for moderators, and what else than a case's card one of a case is about.
CASE = "case"
QUEUE = "queue"
CLOSED = "closed"
DISMISSED = "dismissed"
# How many cases that come up within a minute have a card of their own; one card counts the others.
_MOST_A_MINUTE = 5
_MINUTE = dt.timedelta(minutes=1)
# As many, and as long, as AutoMod takes.
MOST_WORDS = 1000
LONGEST_WORD = 60
# Words as they were typed, by what is looked for, so that each is there once.
WordList = abc.Mapping[str, str]
# For how many days what a removed comment said is kept, unless a server says otherwise.
USUAL_DAYS = 90


class ServerSettings(msgspec.Struct, frozen=True):
    """The settings of a server's managers; `reasons` are the usual ones of removals.

    `log_is_closed` says that the log channel did not take what was last posted there; `locale` is
    the language of what everybody there reads, "" for the one that Discord says.
    """

    moderator_role_id: int | None = None
    log_channel_id: int | None = None
    reasons: abc.Sequence[str] = ()
    needs_reason: bool = False
    kept_days: int = USUAL_DAYS
    log_is_closed: bool = False
    locale: str = ""
    # Whether a player of whom three comments of an hour are held back is muted for a day.
    mutes_repeated: bool = False
    # Whether those who asked for it are told why a comment of theirs was removed.
    tells_writers: bool = False


class Subject(msgspec.Struct, frozen=True):
    """A comment, with what is known of it; or a player, where `comment_id` is None.

    `text` is what the comment said, None where nobody knows, or no longer.
    """

    comment_id: int | None
    thread_id: int | None = None
    player_id: int | None = None
    player_name: str = ""
    text: str | None = None

    @property
    def ids(self) -> dict[str, int | None]:
        """The comment that a message shows, or any of the player's."""
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

    def hides(self, comment_id: int | None, player_id: int | None) -> bool:
        return comment_id in self.comments or player_id in self.players


async def lock(transaction: Transaction, guild_id: int) -> None:
    """Let nothing else change or depend on what a server hides until the transaction ends.

    Without it, a message that is being recorded and a removal could miss each other.
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


class Waiting(msgspec.Struct, frozen=True):
    """How many cases moderators have yet to decide; `locale` is the newest one's language."""

    count: int
    locale: str | None


class CaseKind(enum.StrEnum):
    """The kinds of cases by which the queue is filtered; `NONE` stands for no queue at all."""

    NONE = ""
    ALL = "all"
    REPORTS = "reports"
    HELD_BACK = "held"
    NAMES = "names"


class QueuePlace(msgspec.Struct, frozen=True):
    """A case among those that wait and fit a filter, and how many of each kind there are.

    `case_id` is None if none fits. The kinds are counted for the filter's player, if it has one;
    `of_player` and those below it, for the player whom the case is about.
    """

    case_id: int | None
    place: int
    count: int
    previous_id: int | None
    next_id: int | None
    everything: int
    reports: int
    held: int
    names: int
    of_player: int
    fitting_of_player: int
    reports_of_player: int
    waiting: int


class Entries(enum.StrEnum):
    """Which entries of the log are shown; a letter each, since a button has little room."""

    ALL = ""
    REMOVALS = "r"
    DECISIONS = "d"
    SETTINGS = "s"


class ModerationAction(enum.StrEnum):
    """What somebody did that has a line in the log."""

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
    # All reports of a player's comments at once, or all by one member; `detail` has how many.
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
    """A line of the log: who did what, to which case if to one.

    `detail` is what was set or changed, as the server's language says it; of a mute, when it ends,
    "" for never. Of reports that were dismissed at once, it is their number, and until when their
    member is stopped, if so.
    """

    guild_id: int
    member_id: int | None
    what: ModerationAction
    case_id: int | None = None
    detail: str = ""


class LogLine(NewLine, frozen=True, kw_only=True):
    created_at: dt.datetime
    subject: Subject | None = None


# Makes the log's line about a change from what was there before and after it, None for nothing.
# Without a line, it returns None.
LineOf = abc.Callable[[T | None, T | None], LogLine | None]


class LogPlace(NamedTuple):
    """The place of an entry in the log: its moment, in microseconds, and its number there."""

    at: int
    number: int


# After every moment that is stored, and short enough for a button.
NEWEST = LogPlace(10**17, 0)


class Moderation(msgspec.Struct, frozen=True):
    database: Database
    outbox: messages.Messages
    now: abc.Callable[[], dt.datetime]

    async def find_settings(self, guild_id: int, source: Source | None = None) -> ServerSettings:
        row = await (source or self.database).fetch_one(QUERIES["find"], guild_id=guild_id)
        if row is None:
            return ServerSettings()
        return read(ServerSettings, row, reasons=json.loads(row["reasons"]))

    async def change_settings(
        self, guild_id: int, line: NewLine | None = None, **changes: Any
    ) -> ServerSettings:
        """Change settings by their names; a log that is named opens, and says how much waits."""
        if "log_channel_id" in changes:
            changes["log_is_closed"] = False
        async with self.database.transaction() as transaction:
            await lock(transaction, guild_id)
            before = await self.find_settings(guild_id, transaction)
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
                await self._open_log(transaction, guild_id)
            if line is not None:
                await self.add_line(transaction, line)
        return settings

    async def add_line(self, transaction: Transaction, new: NewLine) -> int:
        """Add a line to the log, and return its number."""
        values = msgspec.structs.asdict(new)
        return await add_line(transaction, LogLine(**values, created_at=self.now()))

    async def tell_dismissed(
        self, transaction: Transaction, line: NewLine, case_id: int, now: dt.datetime
    ) -> None:
        """Add the line of all that was dismissed at once, and owe one card that says it.

        What was closed is drawn anew. The card is in the language of the case's server.
        """
        line_id = await self.add_line(transaction, line)
        guild_id = line.guild_id
        by = {"guild_id": guild_id, "dismissed_at": now, "dismissed_by": line.member_id}
        closed = await transaction.fetch(QUERIES["dismissed_by"], **by)
        cards = [f"{CASE} {row['id']}" for row in closed]
        await self.outbox.redraw(transaction, *cards, f"{QUEUE} {guild_id}")
        log = (await self.find_settings(guild_id, transaction)).log_channel_id
        if log is not None:
            card = _card(f"{DISMISSED} {line_id}", case_id, log, guild_id, about=DISMISSED)
            card = msgspec.structs.replace(card, payload={**card.payload, "line": line_id})
            await self.outbox.want(transaction, card)

    async def save_log_state(
        self, transaction: Transaction, channel_id: int, case_id: int, *, is_closed: bool
    ) -> None:
        """Note whether a log channel took a case's card; tell the server if it no longer does."""
        row = await transaction.fetch_one(
            QUERIES["save_log_state"], channel_id=channel_id, is_closed=is_closed
        )
        if row is None:
            return
        guild_id = row["guild_id"]
        if is_closed:
            key = f"log.closed {guild_id} {self.now().timestamp():.0f}"
            notice = _card(key, case_id, channel_id, guild_id, about=CLOSED)
            await self.outbox.want(transaction, notice)
            return
        await self._open_log(transaction, guild_id)

    async def try_closed(self) -> None:
        """Owe each log that takes nothing the last card that it refused: it may take that now."""
        rows = await self.database.fetch(QUERIES["refused"])
        for case_id in filter(None, (row["case_id"] for row in rows)):
            async with self.database.transaction() as transaction:
                await self.owe(transaction, case_id)

    async def owe(self, transaction: Transaction, case_id: int, *, is_closed: bool = False) -> None:
        """Owe a case's card anew, since something of it has changed.

        It stays in the channel where it is, unless that `is_closed` and another one is the log.
        Where there is no log channel, none is owed.
        """
        row = await transaction.fetch_one(QUERIES["card_of"], case_id=case_id)
        if row is None:
            return
        await self.outbox.redraw(transaction, f"{QUEUE} {row['guild_id']}")
        before = row["channel_id"]
        log = row["log_channel_id"]
        channel_id = log if is_closed or row["message_id"] is None else before
        if channel_id is None or (is_closed and before == log):
            return
        key = f"{CASE} {case_id}"
        if before is not None and before != channel_id:
            await self.outbox.unwant(transaction, key)
        card = _card(key, case_id, channel_id, row["guild_id"])
        await self.outbox.want(transaction, card)

    async def owe_new(self, transaction: Transaction, case_id: int, guild_id: int) -> None:
        """Owe the card of what has come up; of more than five in a minute, the one that counts."""
        since = self.now() - _MINUTE
        lately = await transaction.fetch(
            QUERIES["lately"], guild_id=guild_id, since=since, most=_MOST_A_MINUTE
        )
        if len(lately) < _MOST_A_MINUTE or case_id in {row["id"] for row in lately}:
            await self.owe(transaction, case_id)
        else:
            await self.owe_queue(transaction, guild_id)

    async def _open_log(self, transaction: Transaction, guild_id: int) -> None:
        """Change the cards that a log did not let be changed, and say below them how much waits."""
        stale = await transaction.fetch(QUERIES["stale"], guild_id=guild_id)
        await self.outbox.redraw(transaction, *(row["key"] for row in stale))
        await self.outbox.unwant(transaction, f"{QUEUE} {guild_id}")
        await self.owe_queue(transaction, guild_id)

    async def owe_queue(self, transaction: Transaction, guild_id: int) -> None:
        """Owe the one card of a log that counts what waits."""
        log = (await self.find_settings(guild_id, transaction)).log_channel_id
        if log is not None:
            key = f"{QUEUE} {guild_id}"
            urgent = messages.Priority.LIVE_POST
            card = messages.NewMessage(QUEUE, key, urgent, log, guild_id=guild_id, stays=True)
            await self.outbox.want(transaction, card)

    async def count_waiting(self, guild_id: int) -> Waiting:
        """Count what moderators have yet to decide, by the rule of the queue."""
        query = among_waiting(QUERIES["count_waiting"])
        (row,) = await self.database.fetch(query, guild_id=guild_id, now=self.now())
        return read(Waiting, row)

    async def place_in_queue(
        self, guild_id: int, from_id: int, kind: CaseKind, player_id: int | None
    ) -> QueuePlace | None:
        """Return the first case from one on that waits and fits; None if nothing waits."""
        return await self.database.read_one(
            QueuePlace,
            among_waiting(QUERIES["place_in_queue"]),
            guild_id=guild_id,
            now=self.now(),
            from_id=from_id,
            kind=kind,
            player_id=player_id,
        )


def among_waiting(query: str) -> str:
    """Put the query of all cases that wait in the place of `what_waits`."""
    return query.replace("what_waits", QUERIES["waiting"].removesuffix(";"))


class WordLists(msgspec.Struct, frozen=True):
    database: Database
    cards: Moderation

    async def words(self, guild_id: int) -> abc.Sequence[str]:
        """Return a server's words as they were typed, sorted."""
        row = await self.database.fetch_one(QUERIES["watched"], guild_id=guild_id)
        return sorted(_keyed(row).values())

    async def change(
        self, guild_id: int, member_id: int, after: WordList, key_of: abc.Callable[[str], str]
    ) -> WordList:
        """Replace the words that a server watches for; return the words from before.

        An older version may have kept them by other keys than `key_of` makes.
        """
        async with self.database.transaction() as transaction:
            await lock(transaction, guild_id)
            row = await transaction.fetch_one(QUERIES["watched"], guild_id=guild_id)
            before = {key_of(word): word for word in _keyed(row).values()}
            words = json.dumps(after)
            await transaction.execute(QUERIES["save_watched"], guild_id=guild_id, words=words)
            if detail := _difference(before, after):
                line = NewLine(guild_id, member_id, ModerationAction.WORDS, detail=detail)
                await self.cards.add_line(transaction, line)
        return before


def _difference(before: WordList, after: WordList) -> str:
    """Return the words that came and those that went, a line for each."""
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


def _card(
    key: str, case_id: int, channel_id: int, guild_id: int, *, about: str = ""
) -> messages.NewMessage:
    payload: dict[str, Any] = {"case": case_id}
    if about:
        payload["about"] = about
    return messages.NewMessage(
        CASE, key, messages.Priority.LIVE_POST, channel_id, None, payload, guild_id, stays=not about
    )
