"""Ask the game for what members want, once, and find out what became of it."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from msgspec.structs import replace

from bot.background import BackgroundTasks, uncancellable
from bot.errors import KioskError
from bot.features.writing.errors import Interrupted, WriteBusy
from bot.features.writing.rules import (
    LEASE,
    NO_ANSWER,
    SENDING,
    UNREACHABLE,
    Failure,
    Outcome,
    WriteResult,
    next_due,
)
from bot.game.errors import GameError, RateLimited, Refused
from storage.errors import NotUnique, StatementFailed
from storage.messages import NewMessage, Priority
from storage.writes import CHANGES, Write, WriteKind, Writes, WriteState

log = logging.getLogger(__name__)

# Looked at together.
_MOST_DUE = 20
# Tries to write down what a write came to, and the seconds between them.
_TRIES, _PAUSE = 10, 0.3
Observer = Callable[[Write], Awaitable[bool]]


class Doing(Protocol):
    """The two sides of the ledger that know the game: texts and orders.

    `prepare` returns a write as it is to be sent, and `ask` sends it before a moment of
    time.monotonic(); both raise KioskError, GameError, StatementFailed. `failed` says what became
    of a write that met such an error, `find_out` what the game shows of it, None where nobody can
    say, and `given_up` what it is where nobody ever will. `news` names the kind of message by which
    members are told.
    """

    @property
    def news(self) -> str: ...
    async def prepare(self, claimed: Write) -> Write: ...
    async def ask(self, sent: Write, send_before: float) -> Outcome: ...
    async def find_out(self, write: Write) -> Outcome | None: ...
    def failed(self, write: Write, error: Failure) -> Outcome: ...
    def given_up(self, write: Write) -> Outcome: ...


@dataclass(eq=False)
class Ledger:
    """Sends what `writes` keep, and finds out what became of it; `now` tells the time, aware.

    Whoever works on a write claims it for the time of a lease. `observers` hear of what was settled
    while nobody waited, and return whether its member saw it. `in_hand` are the ids of those whose
    member is told by somebody in this process.
    """

    writes: Writes
    doings: Mapping[WriteKind, Doing]
    tasks: BackgroundTasks
    now: Callable[[], datetime]
    pause: float = _PAUSE
    observers: list[Observer] = field(default_factory=list[Observer], init=False)
    in_hand: set[int] = field(default_factory=set[int], init=False)

    async def claim(self, write: Write) -> Write | None:
        """Claim a write; None where somebody else has."""
        now = self.now()
        return await self.writes.take(write.id, now=now, until=now + LEASE)

    @uncancellable
    async def carry_out(self, claimed: Write) -> WriteResult:
        """Mark a claimed write as sent, ask the game, and settle it. Raises WriteBusy."""
        doing = self.doings[claimed.kind]
        try:
            prepared = await doing.prepare(claimed)
            now, send_before = self.now(), time.monotonic() + SENDING.total_seconds()
            marked = replace(prepared, state=WriteState.SENT, asked_at=now, due_at=now + LEASE)
            sent = await self.writes.save(marked)
        except (KioskError, GameError, StatementFailed) as error:
            return await self.settle(claimed, doing.failed(claimed, error))
        if sent is None:
            raise WriteBusy
        try:
            outcome = await doing.ask(sent, send_before)
        except (KioskError, GameError, StatementFailed) as error:
            outcome = doing.failed(sent, error)
        is_answered = (
            sent.kind in CHANGES
            and isinstance(outcome.cause, Refused)
            and not isinstance(outcome.cause, RateLimited)
        )
        if (
            outcome.state in (WriteState.KEPT, WriteState.REFUSED)
            and claimed.state is WriteState.UNKNOWN
            and not is_answered
        ):
            # What may have arrived before may have still. The answer to a change made again is one
            # to the change.
            waiting = replace(outcome, state=WriteState.UNKNOWN, reason=NO_ANSWER)
            return await self.settle(sent, waiting)
        if outcome.state is not WriteState.UNKNOWN:
            return await self.settle(sent, outcome)
        # Most of what lost its answer is there already.
        found = None if sent.kind in CHANGES else await doing.find_out(sent)
        if found is not None and found.state is WriteState.DONE:
            return await self.settle(sent, found, is_answer=False)
        if found is not None and found.state is WriteState.UNKNOWN:
            outcome = replace(outcome, cause=found.cause)
        return await self.settle(sent, outcome)

    @uncancellable
    async def settle_by_looking(self, claimed: Write) -> WriteResult:
        """Settle a claimed write in doubt by what the game shows; else it stays as it is."""
        doing, now = self.doings[claimed.kind], self.now()
        is_last = next_due(replace(claimed, state=WriteState.UNKNOWN), now) is None
        found = await doing.find_out(claimed) or doing.given_up(claimed)
        if found.state is WriteState.DONE or is_last:
            return await self.settle(claimed, found, is_answer=False)
        return await self.settle(claimed, Outcome(WriteState.UNKNOWN, found.cause, NO_ANSWER))

    @uncancellable
    async def send_again(self, claimed: Write) -> WriteResult:
        """Send a claimed write in doubt once more, unless it is there or may be."""
        found = await self.doings[claimed.kind].find_out(claimed)
        if found is None or found.state in (WriteState.DONE, WriteState.UNKNOWN):
            return await self.settle_by_looking(claimed)
        return await self.carry_out(claimed)

    @uncancellable
    async def settle(
        self, claimed: Write, found: Outcome, *, is_answer: bool = True
    ) -> WriteResult:
        """Write down what a claimed write came to, by an answer or by looking.

        A comment found by looking may be another text's by now. What can't be written is found
        again once the lease is over.
        """
        said = found.cause.message if isinstance(found.cause, GameError) else None
        # One in doubt keeps what the game said before.
        said = said or (claimed.game_words if found.state is WriteState.UNKNOWN else None)
        item, paid = claimed.item, found.cost
        item = replace(item, cost=paid) if item is not None and paid is not None else item
        # It stays claimed until its member is told.
        settled = replace(
            claimed,
            state=found.state,
            reason=found.reason or (found.cause.code if found.cause else None),
            game_words=said,
            result_id=found.result_id,
            item=item,
            due_at=self.now() + LEASE,
        )
        for _ in range(_TRIES):
            try:
                saved = await self.writes.save(settled)
            except NotUnique:
                if not is_answer:
                    return await self.settle(claimed, self.doings[claimed.kind].given_up(claimed))
                if settled.result_id is None:
                    await asyncio.sleep(self.pause)
                settled = replace(settled, result_id=None)
            except StatementFailed as error:
                log.warning("what became of %s can't be written down: %s", claimed, error)
                await asyncio.sleep(self.pause)
            else:
                if saved is None:
                    settled = await self.writes.find(claimed.id) or claimed
                log.info("%s", settled)
                break
        return WriteResult(settled, found.cause, found.comment)

    async def save_told(self, write: Write, *, by_message: bool = False) -> None:
        """End the claim on a settled write: its member was told, or is owed a message."""
        owed = None
        if by_message and not write.is_told:
            kind = self.doings[write.kind].news
            owed = NewMessage(
                kind,
                f"{kind} {write.id} {write.state_and_reason}",
                Priority.DIRECT_MESSAGE,
                member_id=write.member_id,
                payload={"write": write.id, "state": write.state_and_reason},
            )
        # Where that can't be written, the member is told twice.
        with suppress(StatementFailed):
            await self.writes.mark_told(write, due_at=next_due(write, self.now()), message=owed)

    async def work_off_due(self) -> None:
        """Settle or send what is due, and owe members the news of it."""
        due = await self.writes.due(self.now(), _MOST_DUE)
        # As they end: where the game is slow, one look must not hold up the news of the others.
        looks = [self._work_off(one) for one in due if one.id not in self.in_hand]
        for error in await asyncio.gather(*looks, return_exceptions=True):
            if isinstance(error, Exception):
                log.warning("a write can't be looked after now: %s", error)

    async def _work_off(self, write: Write) -> None:
        settled = await self.take_up(write)
        if settled is None:
            return
        is_shown = [await observe(settled) for observe in self.observers]
        await self.save_told(settled, by_message=not any(is_shown))

    async def take_up(self, write: Write) -> Write | None:
        """Settle or send a write that is due, and claim it; None where somebody else has."""
        claimed = await self.claim(write)
        if claimed is None:
            return None
        state = claimed.state
        if state is WriteState.KEPT and claimed.reason is None:
            interrupted = self.doings[claimed.kind].failed(claimed, Interrupted())
            return (await self.settle(claimed, interrupted)).write
        if state is WriteState.KEPT and claimed.reason == UNREACHABLE:
            return (await self.carry_out(claimed)).write
        if state not in (WriteState.SENT, WriteState.UNKNOWN):
            # Settled already; all that is left is to tell the member.
            return claimed
        if claimed.kind not in CHANGES:
            return (await self.settle_by_looking(claimed)).write
        if await self.writes.is_overtaken(claimed):
            await self.writes.discard(
                claimed.id, claimed.member_id, now=claimed.due_at or self.now()
            )
            return await self.writes.find(claimed.id) or claimed
        return (await self.carry_out(claimed)).write
