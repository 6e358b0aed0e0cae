"""Send Kiosk's queued messages to Discord: each once, as fast as Discord takes them."""

import asyncio
import datetime as dt
import logging
from contextlib import suppress

from discord.http import HTTPClient
from msgspec.structs import replace

from bot.background import finish_despite_cancel
from bot.clock import Clock
from bot.errors import AccountError
from bot.game.game_errors import GameError
from bot.log import Hourly
from bot.rest import Rest
from bot.ui.error_cards import log_error
from bot.ui.here import Here
from bot.ui.messages import verdicts
from bot.ui.messages.kinds import Kind, NoLongerWanted, Repeat, Undrawn
from bot.ui.messages.pacing import Openings, Pacing, Trouble
from bot.ui.messages.requests import Requests
from storage.database import Transaction
from storage.messages import REFUSED_ONCE, Message, Messages, MessageState, Priority
from storage.storage_errors import DatabaseError

log = logging.getLogger(__name__)

_MAX_IN_FLIGHT = 100
# Messages are held some at a time, so that a thousand are a few hundred transactions. At 45 turns
# a second, 27 last for 0.6 seconds. With 12 left, the next are held: the disk has a quarter of a
# second for that before a turn would pass unused. The announcements of `make bench` measure it.
_MAX_HELD = 27
_MIN_COMING = 12
# How long it takes at most to find messages that other processes have queued.
_POLL_SECONDS = 5.0
_WITHOUT_DATABASE_SECONDS = 1.0
# Longer waits for Discord belong in the table, not in a request.
_MAX_WAIT_SECONDS = 30.0
# How long to wait at the end for requests that have been sent.
_LAST_ANSWERS_SECONDS = 3.0
_MAX_TOLD = 5
_CUT_OFF = "interrupted"
# Discord recognizes a nonce for at least two minutes. A try that starts within this time arrives
# before they are over, even if two clocks differ a little.
_NONCE_HOLDS = dt.timedelta(seconds=75)
# After this many tries and this time, Discord will never take a message.
_MAX_TRIES = 30
_OLDEST = dt.timedelta(days=1)
_MAX_MALFORMED = 5
_UNDRAWN = Undrawn()
# A refusal that would pause a channel counts only if it happens again this much later: it may be
# Discord's own fault.
_MET_AGAIN = dt.timedelta(minutes=10)
# The result of a try. The message is as certain as it was before the try.
_Result = tuple[Message, Kind, verdicts.Verdict]


class Dispatcher:
    """Sends messages that are due by the `clock`, as a duty of the active worker.

    Unless a `pacing` is given, its turns follow the real clock, as Discord's limits do.
    """

    def __init__(
        self,
        messages: Messages,
        clock: Clock,
        *,
        pacing: Pacing | None = None,
        openings: Openings | None = None,
    ) -> None:
        self._messages = messages
        self._clock = clock
        self.pacing = pacing or Pacing(Clock())
        self._openings = openings or Openings(0.0, clock)
        self.kinds: dict[str, Kind] = {}
        # The lane served last is the last of its round, so that the next one has waited longest.
        self._last_served: dict[Priority, int] = {}
        # Results not saved yet. A lane continues when its last result is saved.
        self._results: list[_Result] = []
        self._trouble = Trouble(clock)
        self._hourly = Hourly(clock.monotonic)
        # By lane: one request is in flight for each.
        self._in_flight: dict[int, tuple[asyncio.Task[None], Requests]] = {}
        self.pacing.on_turn = self.wake
        self._is_refused = False
        self._rest = Rest(clock)

    async def tell_untold(self, here: Here) -> None:
        """After any command, show a member privately the news that no direct message delivered."""
        for message in await self._messages.untold(here.member_id, _MAX_TOLD):
            if message.kind not in self.kinds:
                continue
            async with self._messages.transaction() as transaction:
                refused = MessageState.REFUSED
                if not await self._messages.take_back(transaction, message.key, refused):
                    continue
            # The message is drawn as it was when it was sent.
            sent_at = message.attempted_at or message.wanted_at
            kind = self.kinds[message.kind]
            try:
                drawn = await kind.draw(replace(message, attempted_at=sent_at))
            except (AccountError, GameError):
                # A later command shows it, once the account and the game can be asked.
                continue
            except NoLongerWanted:
                drawn = None
            if drawn is not None and not await here.send_followup(drawn.card):
                return
            state = MessageState.DROPPED if drawn is None else MessageState.SENT
            async with self._messages.transaction() as transaction:
                await self._messages.take_back(transaction, message.key, state)
                if drawn is not None:
                    await kind.on_settled(transaction, message, verdicts.Settled(state))

    def add(self, *kinds: Kind) -> None:
        self.kinds.update({kind.name: kind for kind in kinds})

    def is_idle(self) -> bool:
        """Return whether nothing is being sent, and nothing was due at the last check."""
        return self._rest.is_idle() and not self._in_flight

    async def run(self, http: HTTPClient, rest: Rest) -> None:
        self._rest = rest
        http.max_ratelimit_timeout = _MAX_WAIT_SECONDS
        try:
            while True:
                await self._step(http)
        finally:
            await finish_despite_cancel(self._end())
            # While the whole bot must wait, the library holds every request. A request that is
            # canceled in that wait never releases the others. Without a login, there is no wait.
            if over := http._global_over:  # pyright: ignore[reportPrivateUsage]
                over.set()

    async def _step(self, http: HTTPClient) -> None:
        self._messages.news.clear()
        try:
            await self._write_results()
            # Messages that become due while others are started are due at once.
            begun_at = self._clock.now()
            await self._begin_next(http)
            due_at = await self._messages.next_due(after=begun_at)
        except DatabaseError as error:
            log.debug("Can't read or write the outbox: %s", error)
            await self._rest.sleep(_WITHOUT_DATABASE_SECONDS)
            return
        seconds = _POLL_SECONDS
        if due_at is not None:
            seconds = min(seconds, (due_at - self._clock.now()).total_seconds())
        await self._rest.sleep(max(seconds, self._trouble.seconds()), self._messages.news)

    async def _begin_next(self, http: HTTPClient) -> None:
        coming = self._coming()
        under_way = len(self._in_flight)
        room = min(_MAX_HELD - coming, self._trouble.most(_MAX_IN_FLIGHT) - under_way)
        if self._is_refused or room <= 0 or coming > _MIN_COMING:
            return
        for message in await self._hold(await self._next(room)):
            kind = self.kinds.get(message.kind, _UNDRAWN)
            # How long it may still be sent: not at all if it may be there and must not be twice.
            left = _NONCE_HOLDS
            if message.attempted_at is not None and not _is_repeatable(message, kind):
                left -= self._clock.now() - message.attempted_at
                if kind.repeat(message) is Repeat.NEVER or left < dt.timedelta():
                    left = dt.timedelta()
            requests = Requests(
                http=http,
                pacing=self.pacing,
                messages=self._messages,
                openings=self._openings,
                message=message,
                send_before=self._clock.monotonic() + left.total_seconds(),
                once=kind.repeat(message) is Repeat.NEVER,
                clock=self._clock,
            )
            task = asyncio.create_task(self._send(message, kind, requests, is_late=not left))
            self._in_flight[message.lane] = task, requests

    async def _next(self, most: int) -> list[Message]:
        """Return the first message of each of the next free lanes, urgent ones first."""
        chosen: list[Message] = []
        busy = self._in_flight.keys() | {message.lane for message, _, _ in self._results}
        for priority in Priority:
            if (room := most - len(chosen)) <= 0:
                break
            after_lane = self._last_served.get(priority, -1)
            most_heads = room + len(busy)
            heads = await self._messages.heads(priority, after_lane, most_heads, self._clock.now())
            free = [head for head in heads if head.lane not in busy][:room]
            if free:
                self._last_served[priority] = free[-1].lane
            busy |= {head.lane for head in free}
            chosen += free
        return chosen

    def _coming(self) -> int:
        """Count the messages that will need a turn: they are being drawn, or in line."""
        drawn = sum(not requests.is_ready for _, requests in self._in_flight.values())
        return drawn + self.pacing.waiting

    def wake(self) -> None:
        """Check for due messages at once, if there is room for more."""
        if self._coming() <= _MIN_COMING:
            self._messages.news.set()

    async def _hold(self, due: list[Message]) -> list[Message]:
        held: list[Message] = []
        if not due:
            return held
        try:
            async with self._messages.transaction() as transaction:
                for message in due:
                    own = await self._messages.hold_message(
                        transaction, message, now=self._clock.now()
                    )
                    held += [own] if own else []
        except (asyncio.CancelledError, DatabaseError):
            # Whether the hold was saved or not, nothing was sent.
            for message in held:
                is_doubtful = message.attempted_at is not None
                verdict = verdicts.PutOff(_CUT_OFF, dt.timedelta(), is_doubtful=is_doubtful)
                self._results.append((message, self.kinds.get(message.kind, _UNDRAWN), verdict))
            raise
        return held

    async def _send(
        self, message: Message, kind: Kind, requests: Requests, *, is_late: bool
    ) -> None:
        """Send a held message, unless it `is_late`: it may be there and can't be sent again."""

        def is_doubtful() -> bool:
            may_be_there = requests.is_doubtful or message.attempted_at is not None
            return may_be_there and not _is_repeatable(message, kind)

        verdict: verdicts.Verdict = verdicts.Settled(
            MessageState.UNKNOWN, message.reason or "no answer"
        )
        try:
            if not is_late:
                message_id = await kind.carry_out(message, requests)
                verdict = verdicts.Settled(MessageState.SENT, message_id=message_id)
        except NoLongerWanted as error:
            verdict = verdicts.Settled(MessageState.DROPPED, str(error) or None)
        except asyncio.CancelledError:
            verdict = verdicts.PutOff(_CUT_OFF, dt.timedelta(), is_doubtful=is_doubtful())
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the others go on
            verdict = verdicts.judge(error, is_doubtful=is_doubtful())
            if verdicts.is_token_refused(error):
                self._is_refused = True
                log.critical("Discord refuses the token. Set a valid one, and restart Kiosk")
            elif isinstance(verdict, verdicts.PutOff):
                self._log_put_off(error, verdict, kind)
        finally:
            self._trouble.count(
                is_trouble=isinstance(verdict, verdicts.PutOff) and verdict.is_trouble
            )
            self._results.append((message, kind, verdict))
            del self._in_flight[message.lane]
            self.wake()

    def _log_put_off(self, error: Exception, verdict: verdicts.PutOff, kind: Kind) -> None:
        """Log Kiosk's own faults each time, and answers that Discord may repeat once an hour."""
        if verdict.is_ours:
            log_error(error)
        if not verdict.log_level:
            return
        if (more := self._hourly.note(verdict.reason, kind.name)) is not None:
            words = "Can't send a message of the kind %s yet. Discord answers: %s%s"
            log.log(verdict.log_level, words, kind.name, verdict.reason, more)

    async def _end(self) -> None:
        """Wait for answers to requests that were sent, and send nothing more."""
        for task, requests in self._in_flight.values():
            if not (requests.is_unanswered or requests.has_made):
                task.cancel()
        tasks = [task for task, _ in self._in_flight.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=_LAST_ANSWERS_SECONDS)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(DatabaseError):
            await self._write_results()

    async def _write_results(self) -> None:
        """Save the results of tries, in one transaction if possible. Raises DatabaseError."""
        results = tuple(self._results)
        if results and not await self._try_to_write(*results):
            for result in results:
                # The message was sent, whatever `on_settled` does.
                if not await self._try_to_write(result):
                    await self._try_to_write(result, is_followed=False)
        del self._results[: len(results)]

    async def _try_to_write(self, *results: _Result, is_followed: bool = True) -> bool:
        try:
            async with self._messages.transaction() as transaction:
                for result in results:
                    await self._write(transaction, result, is_followed=is_followed)
        except DatabaseError:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of one kind must not hold up the others
            log_error(error)
            return False
        return True

    async def _write(self, transaction: Transaction, result: _Result, *, is_followed: bool) -> None:
        message, kind, verdict = result
        verdict = self._with_an_end(message, kind, verdict)
        if isinstance(verdict, verdicts.PutOff):
            pause = (
                verdicts.pause_after(message.attempts) if verdict.pause is None else verdict.pause
            )
            await self._messages.put_off(
                transaction,
                message,
                self._clock.now() + pause,
                verdict.reason,
                is_doubtful=verdict.is_doubtful,
                unblocks_lane=verdict.unblocks_lane,
                is_gone=verdict.is_gone,
            )
            return
        stays = verdict.state in (MessageState.REFUSED, MessageState.UNKNOWN)
        is_held = await self._messages.settle(
            transaction,
            message,
            verdict.state,
            message_id=message.message_id if stays else verdict.message_id,
            reason=verdict.reason,
            retention=kind.retention,
        )
        if is_held and is_followed:
            await kind.on_settled(transaction, message, verdict)

    def _with_an_end(
        self, message: Message, kind: Kind, verdict: verdicts.Verdict
    ) -> verdicts.Verdict:
        """Return the verdict to save: a pausing refusal counts the second time, and tries end."""
        if isinstance(verdict, verdicts.Settled):
            is_pause = kind.pauses and message.message_id is None
            if verdict.state is not MessageState.REFUSED or not is_pause:
                return verdict
            if (message.reason or "").startswith(REFUSED_ONCE):
                return verdict
            return verdicts.PutOff(
                f"{REFUSED_ONCE}: {verdict.reason}", _MET_AGAIN, unblocks_lane=True
            )
        reason = f"given up: {verdict.reason}"
        if verdict.is_malformed and message.attempts >= _MAX_MALFORMED:
            return verdicts.Settled(MessageState.REFUSED, reason, only_this_entry=True)
        is_old = self._clock.now() - message.wanted_at >= _OLDEST
        if message.attempts < _MAX_TRIES or not is_old or not kind.gives_up:
            return verdict
        # An outage says nothing about the channel.
        state = MessageState.UNKNOWN if verdict.is_doubtful else MessageState.REFUSED
        return verdicts.Settled(state, reason, only_this_entry=True)


def _is_repeatable(message: Message, kind: Kind) -> bool:
    """Return whether sending a message twice does no harm, as with an edit or a deletion."""
    return kind.repeat(message) is Repeat.ALWAYS or message.message_id is not None
