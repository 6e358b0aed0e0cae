"""Carry out what is owed, or find out whether it was, and write down what came of it."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec import Struct

from bot.domain.outbox import REFUSED_ONCE, Entry
from bot.ui.error_cards import note
from bot.worker.kinds import Kind, NotOwed, Repeat
from bot.worker.requests import Requests
from bot.worker.verdicts import (
    STATES,
    Dropped,
    PutOff,
    Refused,
    Sent,
    Unknown,
    Verdict,
    judge,
    pause_after,
)
from storage.database import Transaction
from storage.errors import DatabaseError
from storage.outbox import Outbox

log = logging.getLogger(__name__)

# Discord knows a nonce again for two minutes at least. A try that begins by then has arrived
# before they are over, even where two clocks differ a little.
NONCE_HOLDS = timedelta(seconds=75)
# Whatever is still not taken after so many tries, and so long, never will be.
_MOST_TRIES, _OLDEST = 30, timedelta(days=1)
_MOST_MALFORMED = 5
# A refusal that would pause a channel counts when it is met again so much later: it may be
# Discord's own fault.
_MET_AGAIN = timedelta(minutes=10)


def time_left(entry: Entry, kind: Kind, now: datetime) -> timedelta | None:
    """Return how long an entry may be sent from now on, None where it may not be."""
    if entry.attempted_at is None or kind.repeat is Repeat.ALWAYS:
        return NONCE_HOLDS
    left = NONCE_HOLDS - (now - entry.attempted_at)
    return None if kind.repeat is Repeat.NEVER or left <= timedelta() else left


async def deliver(entry: Entry, kind: Kind, requests: Requests, *, is_late: bool) -> Verdict:
    """Ask Discord for an entry, which is as it was before this try. Raises BotTokenRefused.

    `is_late` where it may be there already, and not be sent again.
    """
    try:
        if is_late:
            if await kind.is_edit(entry):
                return PutOff("no answer", timedelta())
            return Unknown(entry.reason or "no answer")
        return Sent(await kind.carry_out(entry, requests))
    except NotOwed:
        return Dropped()
    except Exception as error:  # noqa: BLE001 - whatever it is, the others go on
        is_doubtful = requests.is_doubtful or entry.attempted_at is not None
        verdict = judge(error, is_doubtful=is_doubtful and kind.repeat is not Repeat.ALWAYS)
        if isinstance(verdict, PutOff) and verdict.is_ours:
            note(error)
        return verdict


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

    async def write(self) -> None:
        """Write all of them. Raises DatabaseError."""
        results = tuple(self._unwritten)
        if not results:
            return
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
        if isinstance(verdict, Refused) and result.kind.pauses:
            if (entry.reason or "").startswith(REFUSED_ONCE):
                return verdict
            return PutOff(f"{REFUSED_ONCE}: {verdict.reason}", _MET_AGAIN, lets_pass=True)
        if not isinstance(verdict, PutOff):
            return verdict
        if verdict.is_malformed and entry.attempts >= _MOST_MALFORMED:
            return Refused(f"given up: {verdict.reason}", is_alone=True)
        is_old = self._clock() - entry.created_at >= _OLDEST
        if entry.attempts < _MOST_TRIES or not is_old or not result.kind.gives_up:
            return verdict
        reason = f"given up: {verdict.reason}"
        # An outage says nothing of the channel.
        return Unknown(reason) if verdict.is_doubtful else Refused(reason, is_alone=True)
