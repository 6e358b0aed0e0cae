"""Cases: the comments and players that moderators decide about, and their cards in the log.

What comments said is sealed.
"""

import datetime as dt
import enum
from collections import abc
from typing import Any

import msgspec

from storage import messages, moderation
from storage import rows as storage_rows
from storage.database import Database, Row, Transaction, queries_beside
from storage.vault import Vault

QUERIES = queries_beside(__file__)
# What a message about a case is, if it isn't the case's card.
CLOSED = "closed"
DISMISSED = "dismissed"
# How many cases that come up within a minute have a card of their own. One card counts the others.
_MAX_A_MINUTE = 5
_MINUTE = dt.timedelta(minutes=1)
# The sealed texts of a case.
TEXT = "removed"
REPORT = "report"
FIRST = "first"
# Maximum reports of a comment whose reasons are counted.
REASONS_COUNTED = 50


class Reported(msgspec.Struct, frozen=True):
    """A comment that members reported, or that holds a watched word.

    It says how many reported it, and why the last ones did, but not who they are. `word` is what
    its text was held back for, "" for nothing. `is_released` says that a moderator allowed that
    text.
    """

    case_id: int
    guild_id: int
    subject: moderation.Subject
    locale: str
    count: int
    reasons: abc.Sequence[str]
    dismissed_at: dt.datetime | None
    dismissed_by: int | None
    word: str = ""
    is_released: bool = False
    released_by: int | None = None
    # Its writer has changed what was held back.
    is_cleaned: bool = False
    # The first word that it was held back for, and what it said then.
    first_word: str = ""
    first_text: str = ""
    # The game no longer has it.
    is_gone: bool = False
    # When it was reported first, and last.
    first_at: dt.datetime | None = None
    reported_at: dt.datetime | None = None

    @property
    def is_held_back(self) -> bool:
        return bool(self.word) and not self.is_released

    @property
    def is_changed(self) -> bool:
        """Return whether its writer has changed the text that was held back first."""
        return bool(self.first_text) and self.first_text != self.subject.text

    @property
    def is_open(self) -> bool:
        is_decided = self.dismissed_at is not None or self.is_gone
        return not is_decided and (self.is_held_back or self.count > 0)

    def came_up_after(self, ended_at: dt.datetime | None) -> bool:
        """Return whether a removal has ended, and there is something to decide since."""
        if ended_at is None:
            return False
        return self.is_held_back or (self.reported_at is not None and self.reported_at > ended_at)


class Undecided(msgspec.Struct, frozen=True):
    """How many cases are undecided. `locale` is the newest one's language."""

    count: int
    locale: str | None


class CaseKind(enum.StrEnum):
    """The kinds of cases by which the queue is filtered. `NONE` is no queue at all."""

    NONE = ""
    ALL = "all"
    REPORTS = "reports"
    HELD_BACK = "held"
    NAMES = "names"


class QueuePlace(msgspec.Struct, frozen=True):
    """A case in the filtered queue, and the number of waiting cases of each kind.

    `case_id` is None if none fits. The kinds are counted for the filter's player, if it has one.
    `of_player` and the fields below it count for the case's own player.
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


class Cases(msgspec.Struct, frozen=True):
    database: Database
    vault: Vault
    outbox: messages.Messages
    now: abc.Callable[[], dt.datetime]

    async def open(
        self, transaction: Transaction, guild_id: int, subject: moderation.Subject, locale: str
    ) -> int:
        text = subject.text
        (row,) = await transaction.fetch(
            QUERIES["open_case"],
            **msgspec.structs.asdict(subject),
            guild_id=guild_id,
            subject=subject.key,
            sealed_text=None if text is None else self.sealed(text, TEXT, guild_id, subject.key),
            locale=locale,
            touched_at=self.now(),
        )
        return int(row["id"])

    async def find(self, case_id: int) -> Reported | None:
        row = await self.database.fetch_one(QUERIES["case"], case_id=case_id)
        if row is None:
            return None
        reports = await self.database.fetch(
            QUERIES["reports_of_case"], case_id=case_id, most=REASONS_COUNTED
        )
        guild_id = row["guild_id"]
        held_back = row["hit_text_key"]
        first = self.opened(row["sealed_first"], FIRST, guild_id, case_id) or ""
        first_word, _, first_text = first.partition("\n")
        return storage_rows.read(
            Reported,
            row,
            case_id=case_id,
            subject=self.subject_of(row),
            count=reports[0]["reports"] if reports else 0,
            reasons=[
                self.opened(report["sealed_reason"], REPORT, guild_id, case_id) or ""
                for report in reports
            ],
            first_at=storage_rows.moment(reports[0]["first_at"]) if reports else None,
            reported_at=storage_rows.moment(reports[0]["created_at"]) if reports else None,
            dismissed_by=row["dismissed_by"] or None,
            is_cleaned=row["dismissed_at"] is not None and row["dismissed_by"] is None,
            word=row["hit_word"] or "",
            first_word=first_word,
            first_text=first_text,
            is_released=held_back is not None and held_back == row["released_text_key"],
            released_by=row["released_by"] or None,
        )

    async def is_undecided(self, comment_id: int) -> bool:
        """Return whether any server's moderators may still have to decide about a comment."""
        return (
            await self.database.fetch_one(QUERIES["is_undecided"], comment_id=comment_id)
            is not None
        )

    async def close_gone(self, comment_id: int) -> None:
        async with self.database.transaction() as transaction:
            await moderation.note_gone(transaction, self.outbox, comment_id, is_gone=True)

    async def count_waiting(self, guild_id: int) -> Undecided:
        """Count a server's undecided cases, by the rule of the queue."""
        query = among_waiting(QUERIES["count_waiting"])
        (row,) = await self.database.fetch(query, guild_id=guild_id, now=self.now())
        return storage_rows.read(Undecided, row)

    async def place_in_queue(
        self, guild_id: int, from_id: int, kind: CaseKind, player_id: int | None
    ) -> QueuePlace | None:
        """Return the first waiting case from `from_id` on that fits. None if nothing waits."""
        return await self.database.read_one(
            QueuePlace,
            among_waiting(QUERIES["place_in_queue"]),
            guild_id=guild_id,
            now=self.now(),
            from_id=from_id,
            kind=kind,
            player_id=player_id,
        )

    async def note_decision(self, transaction: Transaction, line: moderation.NewLine) -> None:
        """Add the log line about a decided case, and queue its card."""
        await moderation.add_line(transaction, line.at(self.now()))
        await self.owe(transaction, line.case_id or 0)

    async def owe(self, transaction: Transaction, case_id: int, *, is_closed: bool = False) -> None:
        """Queue a case's card again, since something about the case has changed.

        The card stays in its channel, unless that `is_closed` and another one is the log. If there
        is no log channel, no card is queued.
        """
        row = await transaction.fetch_one(QUERIES["card_of"], case_id=case_id)
        if row is None:
            return
        await self.outbox.redraw(transaction, f"{moderation.QUEUE} {row['guild_id']}")
        before = row["channel_id"]
        log = row["log_channel_id"]
        channel_id = log if is_closed or row["message_id"] is None else before
        if channel_id is None or (is_closed and before == log):
            return
        key = f"{moderation.CASE} {case_id}"
        if before is not None and before != channel_id:
            await self.outbox.unwant(transaction, key)
        card = _card(key, case_id, channel_id, row["guild_id"])
        await self.outbox.want(transaction, card)

    async def owe_new(self, transaction: Transaction, case_id: int, guild_id: int) -> None:
        """Queue a new case's card. After five in a minute, queue the card that counts the rest."""
        since = self.now() - _MINUTE
        lately = await transaction.fetch(
            QUERIES["lately"], guild_id=guild_id, since=since, most=_MAX_A_MINUTE
        )
        if len(lately) < _MAX_A_MINUTE or case_id in {row["id"] for row in lately}:
            await self.owe(transaction, case_id)
        else:
            await moderation.owe_queue(transaction, self.outbox, guild_id)

    async def save_log_state(
        self, transaction: Transaction, channel_id: int, case_id: int, *, is_closed: bool
    ) -> None:
        """Note whether a log channel took a case's card. Tell the server if it no longer does."""
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
        await moderation.open_log(transaction, self.outbox, guild_id)

    async def try_closed(self) -> None:
        """Queue again the last card that each closed log refused: the log may take it now."""
        rows = await self.database.fetch(QUERIES["refused"])
        for case_id in filter(None, (row["case_id"] for row in rows)):
            async with self.database.transaction() as transaction:
                await self.owe(transaction, case_id)

    async def tell_dismissed(
        self, transaction: Transaction, line: moderation.NewLine, case_id: int, now: dt.datetime
    ) -> None:
        """Add the log line of reports dismissed at once, and queue one card that shows it.

        The cards of closed cases are redrawn. The new card is in the language of the case's server.
        """
        line_id = await moderation.add_line(transaction, line.at(self.now()))
        guild_id = line.guild_id
        by = {"guild_id": guild_id, "dismissed_at": now, "dismissed_by": line.member_id}
        closed = await transaction.fetch(QUERIES["dismissed_by"], **by)
        cards = [f"{moderation.CASE} {row['id']}" for row in closed]
        await self.outbox.redraw(transaction, *cards, f"{moderation.QUEUE} {guild_id}")
        log = await moderation.find_log(transaction, guild_id)
        if log is not None:
            card = _card(f"{DISMISSED} {line_id}", case_id, log, guild_id, about=DISMISSED)
            card = msgspec.structs.replace(card, payload={**card.payload, "line": line_id})
            await self.outbox.want(transaction, card)

    async def owe_cards_of(
        self, transaction: Transaction, guild_id: int, subject: moderation.Subject
    ) -> None:
        """Queue again the cards of a player's open cases after a mute begins or ends."""
        if subject.comment_id is not None:
            return
        cases = await transaction.fetch(
            QUERIES["cards_of_player"], guild_id=guild_id, player_id=subject.player_id
        )
        for case in cases:
            if case["has_card"]:
                await self.owe(transaction, case["id"])
        if not all(case["has_card"] for case in cases):
            await moderation.owe_queue(transaction, self.outbox, guild_id)

    async def purge(self) -> int:
        """Delete the texts of comments whose retention is over. Return how many were deleted."""
        await self.database.execute(QUERIES["forget_held_texts"], now=self.now())
        return await self.database.execute(QUERIES["forget_texts"], now=self.now())

    def sealed(self, text: str, kind: str, guild_id: int, of: int | str) -> bytes:
        return self.vault.seal(text, owner=guild_id, purpose=f"{kind} {of}")

    def opened(self, sealed: bytes | None, kind: str, guild_id: int, of: int | str) -> str | None:
        return self.vault.try_open(sealed, f"{kind} {of}", owner=guild_id)

    def subject_of(self, row: Row) -> moderation.Subject:
        subject = storage_rows.read(moderation.Subject, row, text=None)
        text = self.opened(row["sealed_text"], TEXT, row["guild_id"], subject.key)
        return msgspec.structs.replace(subject, text=text)


def among_waiting(query: str) -> str:
    """Replace `what_waits` in a query by the query of all waiting cases."""
    return query.replace("what_waits", QUERIES["waiting"].removesuffix(";"))


def _card(
    key: str, case_id: int, channel_id: int, guild_id: int, *, about: str = ""
) -> messages.NewMessage:
    payload: dict[str, Any] = {"case": case_id}
    if about:
        payload["about"] = about
    return messages.NewMessage(
        moderation.CASE,
        key,
        messages.Priority.LIVE_POST,
        channel_id,
        None,
        payload,
        guild_id,
        stays=not about,
    )
