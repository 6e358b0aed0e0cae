"""Comments that members reported to their moderators, with sealed reasons."""

from collections.abc import Callable
from datetime import datetime

from bot.domain.moderation import Hit, Reported, Subject
from storage.database import Database, Row, Transaction, queries_beside
from storage.removals import Removals
from storage.rows import read
from storage.vault import Vault

QUERIES = queries_beside(__file__)
_PURPOSE = "report"


async def reopen(transaction: Transaction, case_id: int) -> None:
    """Note that a case needs looking at, even if it was dismissed before."""
    await transaction.execute(QUERIES["reopen"], case_id=case_id)


class Reports:
    """The reports of all servers; `now` tells the time, aware."""

    def __init__(
        self, database: Database, vault: Vault, removals: Removals, now: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._vault = vault
        self._removals = removals
        self._now = now

    async def add(
        self, guild_id: int, subject: Subject, member_id: int, reason: str, locale: str
    ) -> bool:
        """Keep a member's report, and owe the case's card; return whether it is their first."""
        async with self._database.transaction() as transaction:
            case_id = await self._removals.open_case(transaction, guild_id, subject, locale)
            is_new = await transaction.execute(
                QUERIES["add"],
                case_id=case_id,
                member_id=member_id,
                sealed_reason=self._vault.seal(
                    reason, owner=guild_id, purpose=f"{_PURPOSE} {case_id}"
                ),
                created_at=self._now(),
            )
            if is_new:
                await reopen(transaction, case_id)
                await self._removals.cards.owe(transaction, case_id)
        return is_new > 0

    async def count(self, member_id: int, *, since: datetime) -> int:
        """Return how much a member has reported since then."""
        (row,) = await self._database.fetch(QUERIES["count"], member_id=member_id, since=since)
        return int(row["count"])

    async def dismiss(self, guild_id: int, case_id: int, moderator_id: int) -> bool:
        """Note that a case's reports need nothing; return whether they were open until now."""
        return await self._removals.cards.change(
            QUERIES["dismiss"],
            case_id=case_id,
            guild_id=guild_id,
            dismissed_at=self._now(),
            dismissed_by=moderator_id,
        )

    async def find(self, case_id: int) -> Reported | None:
        """Return a case with its reports, the newest reason first."""
        row = await self._database.fetch_one(QUERIES["case"], case_id=case_id)
        if row is None:
            return None
        reports = await self._database.fetch(QUERIES["of_case"], case_id=case_id)
        released, held_back = row["released_text_key"], row["hit_text_key"]
        return read(
            Reported,
            row,
            case_id=case_id,
            subject=self._removals.subject_of(row, case_id),
            count=len(reports),
            reasons=[self._open(one["sealed_reason"], row["guild_id"], case_id) for one in reports],
            dismissed_by=row["dismissed_by"] or None,
            hit=_hit(row),
            is_released=released is not None and released == held_back,
            released_by=row["released_by"] or None,
        )

    def _open(self, sealed: bytes, guild_id: int, case_id: int) -> str:
        purpose = f"{_PURPOSE} {case_id}"
        return self._vault.try_open(sealed, owner=guild_id, purpose=purpose) or ""


def _hit(row: Row) -> Hit | None:
    if row["hit_word"] is None:
        return None
    return Hit(row["hit_word"], row["hit_rule"], bool(row["hit_is_alert"]))
