"""Carry out one thing that is owed, or find out whether it was, and say what came of it."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.clock import MachineClock
from bot.domain.outbox import Entry
from bot.ui.error_log import note
from bot.worker.kinds import Kind, NotOwed, Repeat
from bot.worker.requests import Requests
from bot.worker.verdicts import Dropped, PutOff, Sent, Unknown, Verdict, judge

log = logging.getLogger(__name__)

# Discord knows a nonce again for two minutes at least. A try that begins by then has arrived
# before they are over, even where two clocks differ a little.
NONCE_HOLDS = timedelta(seconds=75)
# By then, what has left has arrived or never will.
_ARRIVES = timedelta(minutes=2)


class Doubts:
    """Whether a try may have got through, and how long ago that was; `clock` is the wall's."""

    def __init__(self, clock: Callable[[], datetime], machine: MachineClock) -> None:
        self._clock = clock
        self._machine = machine

    def age(self, entry: Entry) -> timedelta | None:
        """Return how long ago an entry was first tried, None where no try may have got through.

        Another machine's clock is believed, unless it is ahead of ours.
        """
        if entry.attempted_at is None:
            return None
        ago = self._machine.since(entry.attempted_uptime)
        if ago is None:
            ago = self._clock() - entry.attempted_at
        return ago if ago >= timedelta() else timedelta.max

    def time_left(self, entry: Entry, kind: Kind) -> timedelta | None:
        """Return how long an entry may be sent from now on, None where it may not be."""
        age = self.age(entry)
        if age is None or kind.repeat is Repeat.ALWAYS:
            return NONCE_HOLDS
        if kind.repeat is Repeat.NEVER or age >= NONCE_HOLDS:
            return None
        return NONCE_HOLDS - age


async def deliver(entry: Entry, kind: Kind, requests: Requests) -> Verdict:
    """Ask Discord for an entry, which is as it was before this try. Raises BotTokenRefused."""
    try:
        return Sent(await kind.carry_out(entry, requests))
    except NotOwed:
        return Dropped()
    except Exception as error:  # noqa: BLE001 - whatever it is, the others go on
        return _judged(error, entry, kind, requests)


async def reconcile(entry: Entry, kind: Kind, requests: Requests, age: timedelta) -> Verdict:
    """Find out whether an entry arrived that may not be sent again. Raises BotTokenRefused."""
    if age < _ARRIVES:
        return PutOff("may still arrive", _ARRIVES - age, is_doubtful=True)
    try:
        found = await kind.reconcile(entry, requests)
    except Exception as error:  # noqa: BLE001 - whatever it is, the others go on
        return _judged(error, entry, kind, requests)
    if isinstance(found, Sent):
        return found
    return PutOff("did not arrive", timedelta()) if found else Unknown(entry.reason or "no answer")


def _judged(error: Exception, entry: Entry, kind: Kind, requests: Requests) -> Verdict:
    is_doubtful = requests.is_doubtful or entry.attempted_at is not None
    verdict = judge(error, is_doubtful=is_doubtful and kind.repeat is not Repeat.ALWAYS)
    if isinstance(verdict, PutOff) and verdict.is_ours:
        note(error)
    return verdict
