"""What members report to the moderators of a server. Their reasons are sealed."""

import datetime as dt
from collections import abc

import msgspec

from storage import moderation
from storage import rows as storage_rows
from storage.cases import REPORT, Cases, Reported, among_waiting
from storage.database import Database, Transaction, Value, queries_beside

QUERIES = queries_beside(__file__)


class OneReporter(msgspec.Struct, frozen=True):
    """A member who reported a case, known only by the report's time, in microseconds.

    `count` is how many of their waiting cases no one else reported. `others` is how many others
    reported, too.
    """

    reported_at: int
    count: int
    others: int


class Reports(msgspec.Struct, frozen=True):
    database: Database
    cases: Cases
    now: abc.Callable[[], dt.datetime]

    async def add(
        self, guild_id: int, subject: moderation.Subject, member_id: int, reason: str, locale: str
    ) -> bool:
        """Keep a member's report, and queue the case's card. Return whether it is their first."""
        async with self.database.transaction() as transaction:
            case_id = await self.cases.open(transaction, guild_id, subject, locale)
            is_new = await transaction.execute(
                QUERIES["report"],
                case_id=case_id,
                member_id=member_id,
                sealed_reason=self.cases.sealed(reason, REPORT, guild_id, case_id),
                created_at=self.now(),
            )
            if is_new:
                await transaction.execute(QUERIES["reopen"], case_id=case_id)
                await self.cases.owe_new(transaction, case_id, guild_id)
        return is_new > 0

    async def count_since(self, since: dt.datetime, member_id: int) -> int:
        (row,) = await self.database.fetch(
            QUERIES["count_reports"], member_id=member_id, since=since
        )
        return int(row["count"])

    async def dismiss(self, guild_id: int, case_id: int, moderator_id: int) -> bool:
        """Dismiss a case's reports. Return whether they were open until now."""
        by = {"dismissed_at": self.now(), "dismissed_by": moderator_id}
        which = {"guild_id": guild_id, "case_id": case_id}
        line = moderation.NewLine(
            guild_id, moderator_id, moderation.ModerationAction.DISMISSED, case_id
        )
        async with self.database.transaction() as transaction:
            dismissed = await transaction.execute(QUERIES["dismiss"], **which, **by)
            if dismissed:
                await self.cases.note_decision(transaction, line)
        return dismissed > 0

    async def find_one_reporter(
        self, guild_id: int, case_id: int, reported_at: int | None = None
    ) -> OneReporter | None:
        """Return who reported a case at a moment, or who alone reported the most waiting cases."""
        which = {"case_id": case_id, "reported_at": reported_at}
        query = among_reports(QUERIES["one_reporter"])
        return await self.database.read_one(
            OneReporter, query, **which, guild_id=guild_id, now=self.now()
        )

    async def dismiss_about(self, case: Reported, moderator_id: int) -> int:
        """Dismiss all open reports about a case's player. Return how many comments they are of."""
        about = moderation.ModerationAction.DISMISSED_ABOUT
        line = moderation.NewLine(case.guild_id, moderator_id, about, case.case_id)
        query = among_waiting(QUERIES["dismiss_about"])
        return await self._dismiss_many(query, line, case, player_id=case.subject.player_id)

    async def dismiss_by(
        self, case: Reported, reported_at: int, moderator_id: int, *, until: dt.datetime | None
    ) -> int:
        """Dismiss what one member alone has reported. Return how many comments that is.

        The server takes no reports from that member `until` then.
        """
        line = moderation.NewLine(
            case.guild_id, moderator_id, moderation.ModerationAction.DISMISSED_BY
        )
        which = {"case_id": case.case_id, "reported_at": reported_at}
        query = among_reports(QUERIES["dismiss_by"])
        return await self._dismiss_many(query, line, case, until=until, **which)

    async def _dismiss_many(
        self,
        query: str,
        line: moderation.NewLine,
        case: Reported,
        *,
        until: dt.datetime | None = None,
        **which: Value,
    ) -> int:
        now = self.now()
        of = {"guild_id": case.guild_id, "now": now}
        async with self.database.transaction() as transaction:
            await moderation.lock(transaction, case.guild_id)
            count = await transaction.execute(query, **which, **of, dismissed_by=line.member_id)
            detail = str(count)
            if until is not None:
                stop = {**which, **of, "until": until, "stopped_by": line.member_id}
                await transaction.execute(QUERIES["stop_reports"], **stop)
                detail += f" {storage_rows.to_micros(until)}"
            if count or until is not None:
                line = msgspec.structs.replace(line, detail=detail)
                await self.cases.tell_dismissed(transaction, line, case.case_id, now)
        return count

    async def stopped_until(self, guild_id: int, member_id: int) -> dt.datetime | None:
        """Return until when a server takes no reports from a member, None if it takes them."""
        of = {"guild_id": guild_id, "member_id": member_id, "now": self.now()}
        row = await self.database.fetch_one(QUERIES["stopped_until"], **of)
        return None if row is None else storage_rows.moment(row["until"])


def among_reports(query: str) -> str:
    """Replace `all_reports` and `what_waits` in a query by their queries."""
    reports = QUERIES["reports_waiting"].removesuffix(";")
    return among_waiting(query.replace("all_reports", reports))


async def find_reported(transaction: Transaction, member_id: int) -> list[int]:
    """Return the cases that a member reported."""
    rows = await transaction.fetch(QUERIES["reports_of_member"], member_id=member_id)
    return [row["case_id"] for row in rows]
