"""Carry out what is owed, or find out whether it was, and write down what came of it."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec import Struct

from bot.ui.error_cards import note
from bot.worker.kinds import Kind, NotOwed, PostAnew, Repeat
from bot.worker.requests import Requests
from bot.worker.verdicts import (
    STATES,
    Dropped,
    Gone,
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
from storage.messages import REFUSED_ONCE, Message, Messages

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


def time_left(message: Message, kind: Kind, now: datetime) -> timedelta | None:
    """Return how long a message may be sent from now on, None where it may not be."""
    if message.attempted_at is None or is_repeatable(message, kind):
        return NONCE_HOLDS
    left = NONCE_HOLDS - (now - message.attempted_at)
    return None if kind.repeat is Repeat.NEVER or left <= timedelta() else left


def is_repeatable(message: Message, kind: Kind) -> bool:
    """Return whether what is to be done does no harm twice, as an edit or a deletion."""
    return kind.repeat is Repeat.ALWAYS or message.message_id is not None


async def deliver(message: Message, kind: Kind, requests: Requests, *, is_late: bool) -> Verdict:
    """Ask Discord for a message, which is as it was before this try. Raises BotTokenRefused.

    `is_late` where it may be there already, and not be sent again.
    """
    try:
        if is_late:
            return Unknown(message.reason or "no answer")
        return Sent(await kind.carry_out(message, requests))
    except NotOwed as error:
        return Dropped(str(error) or None)
    except PostAnew:
        return Gone()
    except Exception as error:  # noqa: BLE001 - whatever it is, the others go on
        is_doubtful = requests.is_doubtful or message.attempted_at is not None
        verdict = judge(error, is_doubtful=is_doubtful and not is_repeatable(message, kind))
        if isinstance(verdict, PutOff) and verdict.is_ours:
            note(error)
        return verdict


class Result(Struct, frozen=True):
    """What a try has come to; `message` is held, and as certain as it was before the try."""

    message: Message
    kind: Kind
    verdict: Verdict


class Results:
    """The results of tries that are not written yet; a lane goes on when its last one is."""

    def __init__(self, messages: Messages, clock: Callable[[], datetime]) -> None:
        self._messages = messages
        self._clock = clock
        self._unwritten: list[Result] = []

    def add(self, result: Result) -> None:
        """Keep a result until it is written."""
        self._unwritten.append(result)

    def lanes(self) -> set[int]:
        """Return the lanes whose results are not written."""
        return {result.message.lane for result in self._unwritten}

    async def write(self) -> None:
        """Write all of them. Raises DatabaseError."""
        results = tuple(self._unwritten)
        if not results:
            return
        try:
            async with self._messages.transaction() as transaction:
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
            async with self._messages.transaction() as transaction:
                await self._write(transaction, result)
        except DatabaseError:
            raise
        except Exception as error:  # noqa: BLE001 - what was sent was sent, whatever follows it
            note(error)
            async with self._messages.transaction() as transaction:
                await self._write(transaction, result, is_followed=False)

    async def _write(
        self, transaction: Transaction, result: Result, *, is_followed: bool = True
    ) -> None:
        message, verdict = result.message, self._with_an_end(result)
        if isinstance(verdict, PutOff):
            pause = pause_after(message.attempts) if verdict.pause is None else verdict.pause
            await self._messages.put_off(
                transaction,
                message,
                self._clock() + pause,
                verdict.reason,
                is_doubtful=verdict.is_doubtful,
                lets_pass=verdict.lets_pass,
            )
            return
        if isinstance(verdict, Gone):
            await self._messages.post_anew(transaction, message)
            return
        is_there = isinstance(verdict, Refused | Unknown)
        is_held = await self._messages.settle(
            transaction,
            message,
            STATES[type(verdict)],
            message_id=message.message_id if is_there else verdict.message_id,
            reason=None if isinstance(verdict, Sent) else verdict.reason,
        )
        if is_held and is_followed:
            await result.kind.on_settled(transaction, message, verdict)

    def _with_an_end(self, result: Result) -> Verdict:
        message, verdict = result.message, result.verdict
        if isinstance(verdict, Refused) and result.kind.pauses:
            if (message.reason or "").startswith(REFUSED_ONCE):
                return verdict
            return PutOff(f"{REFUSED_ONCE}: {verdict.reason}", _MET_AGAIN, lets_pass=True)
        if not isinstance(verdict, PutOff):
            return verdict
        if verdict.is_malformed and message.attempts >= _MOST_MALFORMED:
            return Refused(f"given up: {verdict.reason}", is_alone=True)
        is_old = self._clock() - message.wanted_at >= _OLDEST
        if message.attempts < _MOST_TRIES or not is_old or not result.kind.gives_up:
            return verdict
        reason = f"given up: {verdict.reason}"
        # An outage says nothing of the channel.
        return Unknown(reason) if verdict.is_doubtful else Refused(reason, is_alone=True)
