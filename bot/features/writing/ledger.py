"""Ask the game for what members want, once, and find out what happened to it."""

import asyncio
import contextlib
import logging
import typing
from collections import abc
from dataclasses import dataclass, field
from datetime import datetime

from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.errors import KioskError
from bot.features.writing import outcomes, writing_errors
from bot.game.game_errors import GameError
from bot.log import Hourly, place_of
from storage import messages, storage_errors
from storage.links import Link
from storage.writes import CHANGES, Order, Text, W, Write, WriteKind, Writes, WriteState

log = logging.getLogger(__name__)

# How many due writes Kiosk settles together.
_MAX_DUE = 20
# Tries to save the result of a write, and the seconds between them.
_TRIES = 10
_PAUSE_SECONDS = 0.3
# The members of `Failure`, to be caught.
_FAILURES = (KioskError, GameError, storage_errors.StatementFailed)
# A write in one of these states is in doubt.
_IN_DOUBT = (WriteState.SENT, WriteState.UNKNOWN)
# Says that a write is on its way, and returns if Discord took that. May raise Interrupted.
TellFirst = abc.Callable[[], abc.Awaitable[bool]]
# Redraws a write's open cards, and returns whether its member has seen that.
ShowWrite = abc.Callable[[Write], abc.Awaitable[bool]]


class WriteHandler(typing.Protocol[W]):
    """Texts, or orders, as the ledger knows them.

    - `keep` returns what happened to a new write. With a `holder` it is kept, and the game will be
      asked. Without one, it is another order that is in the way. None: another process has this
      very press.
    - `prepare` returns a held write as it is to be sent, and the link to send it with.
    - `send` asks the game for it before a moment of `Clock.monotonic`. Like `prepare`, it raises
      KioskError, GameError, StatementFailed.
    - `look_up` finds out what the game shows of a write, with the link that was read for it, if one
      was. It asks for nothing new.
    - `news` names the kind of message that notifies members.
    """

    @property
    def news(self) -> str: ...
    async def keep(self, new: W) -> W | None: ...
    async def prepare(self, held: W) -> tuple[W, Link]: ...
    async def send(self, sent: W, link: Link, send_before: float) -> outcomes.Outcome: ...
    async def look_up(self, write: W, link: Link | None = None) -> outcomes.Outcome: ...


@dataclass(eq=False)
class Ledger:
    """Sends what members ask for, and finds out what happened to it.

    `now` tells the time, aware. Pauses go by the clock of the `tasks`. A process that works on a
    write holds it for the time of a lease.
    """

    writes: Writes
    doings: abc.Mapping[WriteKind, WriteHandler[typing.Any]]
    tasks: BackgroundTasks
    now: abc.Callable[[], datetime]
    pause: float = _PAUSE_SECONDS
    _hourly: Hourly = field(init=False)

    def __post_init__(self) -> None:
        self._hourly = Hourly(self.tasks.clock.monotonic)

    @contextlib.asynccontextmanager
    async def perform(
        self, write: W, tell_first: TellFirst
    ) -> abc.AsyncGenerator[outcomes.WriteNow[W] | None]:
        """Save a write, unless it is held. Answer its member, ask the game for it, and settle it.

        The game is asked only for a write that is saved, and that Discord knows about. The block
        tells the member. Then the write is released, and if the block failed, a message to the
        member is queued. A block that is cancelled leaves the write held to the end of the lease.
        Yields None if another process has this press, or the order that is in the way of this one.
        Raises what keeps a write from being saved, or an order from being sent: then nothing of it
        is saved.
        """
        held: W | None = write
        if not write.holder:
            keeping = self.doings[write.kind].keep(write)
            held = await self.tasks.run(keeping, finish=True)
        if held is None:
            yield None
            return
        if not held.holder:
            # An order that is in the way.
            yield outcomes.WriteNow(held)
            return
        # Discord first: the game is never asked for what Discord hasn't taken.
        untold: KioskError | None = None
        try:
            if not await tell_first():
                untold = writing_errors.DiscordMissedAnswer()
        except KioskError as error:
            untold = error
        asking = self._ask(held) if untold is None else self._leave(held, untold)
        settled = await self.tasks.run(asking, finish=True)
        try:
            yield settled
        except Exception:
            await self._release(settled.write, is_told=False)
            raise
        await self._release(settled.write, is_told=True)

    async def _ask(self, held: W) -> outcomes.WriteNow[W]:
        """Ask the game for a held write, and settle it. If it may be there, look for it first.

        A write is marked as sent before it is. If Kiosk dies, it isn't sent again without a look.
        """
        doing = self.doings[held.kind]
        if held.state is not WriteState.KEPT and held.kind not in CHANGES:
            looked = await doing.look_up(held)
            # Only a comment in doubt comes here: its writer sends it again (`Texts.take`). It goes
            # out if it isn't there, or if Kiosk has given up and still doesn't find it.
            is_given_up = held.reason == outcomes.GIVEN_UP
            writer_insists = is_given_up and looked.result is not outcomes.Result.FOUND
            if looked.result is not outcomes.Result.MISSING and not writer_insists:
                return await self._settle(held, looked)
        try:
            prepared, link = await doing.prepare(held)
            send_before = self.tasks.clock.monotonic() + outcomes.SENDING.total_seconds()
            state = WriteState.SENT
            marked = replace(prepared, state=state, asked_at=self.now())
            sent = await self.writes.save_write(marked)
        except _FAILURES as error:
            return await self._leave(held, error)
        if sent is None:
            # Its lease ran out, and another process settles it.
            return outcomes.WriteNow(await self._reload(held))
        try:
            outcome = await doing.send(sent, link, send_before)
        except _FAILURES as error:
            outcome = outcomes.failure(sent.kind, error)
        if outcome.result is outcomes.Result.NO_ANSWER and sent.kind not in CHANGES:
            # Most of what lost its answer is there already.
            looked = await doing.look_up(sent, link)
            if looked.result in (outcomes.Result.FOUND, outcomes.Result.DOUBTFUL):
                outcome = looked
        return await self._settle(sent, outcome, before_sending=held)

    async def _leave(self, held: W, error: outcomes.Failure) -> outcomes.WriteNow[W]:
        """Settle a write that is not sent now.

        An order is withdrawn, and says why by raising the error: the caller of `perform` meets it.
        """
        if isinstance(held, Order) and not isinstance(error, storage_errors.StatementFailed):
            try:
                await self.writes.withdraw_order(held)
            except storage_errors.StatementFailed as failure:
                log.warning("Can't withdraw %s: %s", held, failure)
            raise error
        return await self._settle(held, outcomes.failure(held.kind, error))

    async def _settle(
        self, held: W, outcome: outcomes.Outcome, *, before_sending: W | None = None
    ) -> outcomes.WriteNow[W]:
        """Save the result of a write. If that fails, remember it until it can be saved.

        `before_sending` is what the write was before this process sent it, if it has just done so.
        """
        may_be_there = (before_sending or held).state in _IN_DOUBT
        asked_here = before_sending is not None
        settled = outcomes.settled_by(held, outcome, may_be_there=may_be_there, now=self.now())
        for _ in range(_TRIES):
            try:
                saved = await self.writes.save_write(settled, asked_here=asked_here)
            except storage_errors.StatementFailed as error:
                is_taken = isinstance(error, storage_errors.NotUnique)
                if is_taken and getattr(settled, "result_id", None) is not None:
                    # Another text has become that comment since then.
                    settled = replace(settled, result_id=None)
                    if outcome.result is outcomes.Result.FOUND:
                        outcome = outcomes.Outcome(outcomes.Result.UNSEEN)
                        settled = outcomes.settled_by(
                            held, outcome, may_be_there=may_be_there, now=self.now()
                        )
                    continue
                log.warning("Can't save the result of %s: %s", held, error)
                await self.tasks.clock.sleep(self.pause)
                continue
            settled = saved or await self._reload(settled)
            log.info("%s", settled)
            break
        else:
            self.writes.remember(settled, asked_here=asked_here)
            self.tasks.start(self._write_later(settled))
        return outcomes.WriteNow(settled, outcome.cause, outcome.comment)

    async def _write_later(self, settled: Write) -> None:
        is_written = False
        while not is_written:
            await self.tasks.clock.sleep(self.pause * _TRIES)
            with contextlib.suppress(storage_errors.StatementFailed):
                await self.writes.write_known(settled.id)
                is_written = True
        log.info("%s is saved now", settled)

    async def _reload(self, write: W) -> W:
        """Return a write as it is now, which someone else holds."""
        found: typing.Any = await self.writes.find_write(write.id)
        return found or write

    async def _release(self, settled: Write, *, is_told: bool) -> None:
        """End the lease on a settled write. If its member doesn't know yet, queue a message."""
        if not settled.holder:
            return
        owed = None
        if not is_told and not settled.is_old_news:
            kind = self.doings[settled.kind].news
            owed = messages.NewMessage(
                kind,
                f"{kind} {settled.id} {settled.state_and_reason}",
                messages.Priority.DIRECT_MESSAGE,
                member_id=settled.member_id,
                payload={"write": settled.id, "state": settled.state_and_reason},
            )
        now = self.now()
        look_at = outcomes.next_look(settled, now)
        due_in = look_at and look_at - now
        # If that can't be saved, the member gets the news twice.
        with contextlib.suppress(storage_errors.StatementFailed):
            await self.writes.release_write(settled, due_in=due_in, message=owed)

    @contextlib.asynccontextmanager
    async def look_up(self, write: W) -> abc.AsyncGenerator[outcomes.WriteNow[W]]:
        """Check what the game shows of a write in doubt. The block tells its member."""
        held = await self.writes.hold_write(write)
        if held is None:
            yield outcomes.WriteNow(await self._reload(write))
            return
        settled = outcomes.WriteNow(held)
        if held.state in _IN_DOUBT and held.kind not in CHANGES:
            settled = await self.tasks.run(self._look_up(held), finish=True)
        try:
            yield settled
        except Exception:
            await self._release(settled.write, is_told=False)
            raise
        await self._release(settled.write, is_told=True)

    async def _look_up(self, held: W) -> outcomes.WriteNow[W]:
        return await self._settle(held, await self.doings[held.kind].look_up(held))

    async def settle_due(self, show: ShowWrite) -> None:
        """Settle or send writes that were left behind or are in doubt. Show or queue the news."""
        due = await self.writes.due_writes(_MAX_DUE)
        # As they end: if the game is slow, one look must not hold up the news of the others.
        settling = (self._settle_due(write, show) for write in due)
        for error in await asyncio.gather(*settling, return_exceptions=True):
            if not isinstance(error, Exception):
                continue
            if (more := self._hourly.note(place_of(error))) is not None:
                log.warning("Can't settle a write: %s%s", error, more)

    async def _settle_due(self, write: Write, show: ShowWrite) -> None:
        held = await self.writes.hold_write(write)
        if held is None:
            return
        settled = await self.tasks.run(self._go_on(held), finish=True)
        # No one waits for what was refused without a reason: a newer change has taken its place.
        is_overtaken = settled.write.state is WriteState.REFUSED and not settled.write.reason
        is_told = await show(settled.write) or is_overtaken
        await self._release(settled.write, is_told=is_told)

    async def _go_on(self, held: Write) -> outcomes.WriteNow[typing.Any]:
        """Do what is next for a write that is due."""
        if held.state is WriteState.KEPT and held.reason is None:
            return await self._settle(
                held, outcomes.failure(held.kind, writing_errors.Interrupted())
            )
        if held.state is WriteState.KEPT and held.reason == outcomes.UNREACHABLE:
            return await self._ask(held)
        if held.state not in _IN_DOUBT:
            # It is settled already. Only its member doesn't know yet.
            return outcomes.WriteNow(held)
        if not isinstance(held, Text) or held.kind not in CHANGES:
            return await self._look_up(held)
        if not await self.writes.is_overtaken(held):
            return await self._ask(held)
        refused = replace(held, state=WriteState.REFUSED, reason=None)
        return outcomes.WriteNow(await self.writes.save_write(refused) or held)
