"""The pauses that the game asks for, told from process to process."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from storage.changes import note_change
from storage.database import Database, queries_beside
from storage.rows import read

QUERIES = queries_beside(__file__)

TOPIC = "pauses"
# The clocks of two machines may differ by this much before one throws away what others need.
_KEPT = timedelta(hours=1)
_AT_ONCE = 500
# After those of all accounts, the next number's begin.
_LAST_ACCOUNT = 2**63 - 1


@dataclass(frozen=True)
class Pause:
    """No request of an account for so many seconds; None is the account of those without a token.

    `ends_at` is by the clock of the process that was told. `number` counts what was written.
    """

    account_id: int | None
    seconds: float
    ends_at: datetime
    number: int


class Pauses:
    """The pauses of all processes; each account has one, the last that was asked for."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, seconds: Mapping[int | None, float], *, now: datetime) -> None:
        """Tell other processes of pauses that begin now."""
        async with self._database.transaction() as transaction:
            number = await note_change(transaction, TOPIC)
            rows = [
                {
                    "account_id": account_id or 0,
                    "milliseconds": round(lasting * 1000),
                    "ends_at": now + timedelta(seconds=lasting),
                    "number": number,
                }
                for account_id, lasting in seconds.items()
            ]
            await transaction.execute_many(QUERIES["put"], rows)
            await transaction.execute(QUERIES["purge"], now=now - _KEPT)

    async def since(self, number: int) -> AsyncIterator[Pause]:
        """Give the pauses that were put after a number, the earliest first."""
        account_id = _LAST_ACCOUNT
        while rows := await self._database.fetch(
            QUERIES["since"], number=number, account_id=account_id, most=_AT_ONCE
        ):
            for row in rows:
                number, account_id = row["number"], row["account_id"]
                seconds = row["milliseconds"] / 1000
                yield read(Pause, row, account_id=account_id or None, seconds=seconds)
