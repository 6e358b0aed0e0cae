"""Write down what has become of what was owed, as soon as that can be done."""

from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec import Struct

from bot.domain.outbox import Entry
from bot.ui.error_log import note
from bot.worker.kinds import Kind
from bot.worker.verdicts import STATES, PutOff, Refused, Sent, Unknown, Verdict, pause_after
from storage.database import Transaction
from storage.errors import DatabaseError
from storage.outbox import Outbox

# Whatever is still not taken after so many tries, and so long, never will be.
_MOST_TRIES, _OLDEST = 30, timedelta(days=1)
_MOST_MALFORMED = 5


class Result(Struct, frozen=True):
    """What a try has come to; `entry` is held, and as certain as it was before the try."""

    entry: Entry
    kind: Kind
    verdict: Verdict


class Results:
    """The results of tries that are not written yet; a lane goes on when its last one is."""

    def __init__(self, outbox: Outbox, clock: Callable[[], datetime]) -> None:
        self._outbox = outbox
        self._clock = clock
        self._unwritten: list[Result] = []

    def add(self, result: Result) -> None:
        """Keep a result until it is written."""
        self._unwritten.append(result)

    def lanes(self) -> set[int]:
        """Return the lanes whose results are not written."""
        return {result.entry.lane for result in self._unwritten}

    async def write(self) -> bool:
        """Write all of them; return whether there were any. Raises DatabaseError."""
        results = tuple(self._unwritten)
        if not results:
            return False
        try:
            async with self._outbox.transaction() as transaction:
                for result in results:
                    await self._write(transaction, result)
        except DatabaseError:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of one kind must not hold up the others
            note(error)
            for result in results:
                await self._write_alone(result)
        del self._unwritten[: len(results)]
        return True

    async def _write_alone(self, result: Result) -> None:
        try:
            async with self._outbox.transaction() as transaction:
                await self._write(transaction, result)
        except DatabaseError:
            raise
        except Exception as error:  # noqa: BLE001 - what was sent was sent, whatever follows it
            note(error)
            async with self._outbox.transaction() as transaction:
                await self._write(transaction, result, is_followed=False)

    async def _write(
        self, transaction: Transaction, result: Result, *, is_followed: bool = True
    ) -> None:
        entry, verdict = result.entry, self._with_an_end(result)
        if isinstance(verdict, PutOff):
            pause = pause_after(entry.attempts) if verdict.pause is None else verdict.pause
            await self._outbox.put_off(
                transaction,
                entry,
                self._clock() + pause,
                verdict.reason,
                is_doubtful=verdict.is_doubtful,
                lets_pass=verdict.lets_pass,
            )
            return
        is_held = await self._outbox.settle(
            transaction,
            entry,
            STATES[type(verdict)],
            message_id=verdict.message_id if isinstance(verdict, Sent) else None,
            reason=verdict.reason if isinstance(verdict, Refused | Unknown) else None,
        )
        if is_held and is_followed:
            await result.kind.on_settled(transaction, entry, verdict)

    def _with_an_end(self, result: Result) -> Verdict:
        entry, verdict = result.entry, result.verdict
        if not isinstance(verdict, PutOff):
            return verdict
        if verdict.is_malformed and entry.attempts >= _MOST_MALFORMED:
            return Refused(f"given up: {verdict.reason}", is_malformed=True)
        if entry.attempts < _MOST_TRIES:
            return verdict
        if not result.kind.gives_up:
            return verdict
        if self._clock() - entry.created_at < _OLDEST:
            return verdict
        reason = f"given up: {verdict.reason}"
        return Unknown(reason) if verdict.is_doubtful else Refused(reason)
