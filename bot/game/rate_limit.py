"""When the next request may go out: our own politeness, and what the game asks for."""

import asyncio
import re
import time
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime

from msgspec import Struct, field

from bot.game.errors import OwnPace, RateLimited, TooManyAtOnce

# A broken header must not silence the bot for years.
LONGEST_PAUSE = 300.0
_NUMBER = re.compile(r"\d{1,15}(\.\d{1,9})?")
# Of one member; for what is bought or posted at the same time there are narrower bounds above.
_WRITES_AT_ONCE = 10
# A reset above this counts from 1970, in seconds or in milliseconds; below, from now.
_EPOCH_SECONDS = 1e9
_EPOCH_MILLISECONDS = 1e12


class _Asker(Struct):
    reading: int = 0
    writing: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque[asyncio.Future[None]])
    # Pages of a whole catalog, which come after whatever anybody has pressed.
    in_bulk: deque[asyncio.Future[None]] = field(default_factory=deque[asyncio.Future[None]])
    # When all that was asked would have gone out at half of the rate.
    paid_at: float = 0.0


class RateLimiter:
    """Lets requests through at a steady rate with room for a burst (GCRA), shared fairly.

    Turns go round among those who ask, each of whom has so many requests `at_once` and so many
    `waiting`; who has asked for much of late leaves half of the burst to the others. Writes don't
    wait behind reads, and what is read in bulk waits behind both. A pause that the game asks for
    holds for one account alone, or for the requests without a token: whoever spends their own
    allowance silences nobody else.

    Of several processes each has its `share` of the rate; `on_pause` hears of the pauses that the
    game asked this one for, as others are to learn of them.
    """

    def __init__(
        self,
        per_second: float,
        burst: int,
        *,
        at_once: int = 6,
        waiting: int = 40,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_second = per_second
        self._burst = burst
        self._interval = 1 / per_second
        self._at_once = at_once
        self._waiting = waiting
        self._clock = clock
        self._next_turn = 0.0
        # In the order in which their turn comes.
        self._askers: OrderedDict[int | None, _Asker] = OrderedDict()
        self._paused_until: dict[int | None, float] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.on_pause: Callable[[int | None], None] = lambda account: None
        self.share(1.0)

    def share(self, part: float) -> None:
        """Let through this part of the rate and of the burst, from 0 to 1, from now on.

        Whoever has asked for nothing of late is forgotten here, every few seconds.
        """
        now, before = self._clock(), self._interval
        self._interval = 1 / (self._per_second * part)
        # What has gone out by now counts for as many turns as it did.
        owed = max(self._next_turn - now, 0.0) / before
        self._next_turn = now + owed * self._interval
        self._slack = max(self._burst * part - 1, 0.0) * self._interval
        for asker, one in list(self._askers.items()):
            if one.paid_at <= now and not (
                one.reading or one.writing or one.waiting or one.in_bulk
            ):
                del self._askers[asker]
        self._serve()

    @asynccontextmanager
    async def turn(
        self,
        asker: int | None,
        account: int | None,
        *,
        within: float,
        behind_others: float | None = None,
        is_write: bool = False,
        in_bulk: bool = False,
    ) -> AsyncGenerator[None]:
        """Wait for a turn, and hold it while the request is under way.

        `asker` is the member for whom it is made, None for the bot itself; `account` is whose
        token goes with it, None for nobody's. Raises RateLimited where the game's pause is longer
        than `within` seconds, OwnPace where those who came before take longer than that, or than
        `behind_others`, TooManyAtOnce when the asker has too many waiting already.
        """
        pause = self.pause_of(account)
        if pause > within:
            raise RateLimited("the game asked for a pause", retry_after=pause)
        if pause > 0:
            await asyncio.sleep(pause)
        one = self._askers.setdefault(asker, _Asker())
        paused_until = self._paused_until.get(account, 0.0)
        if is_write:
            if one.writing >= _WRITES_AT_ONCE:
                raise TooManyAtOnce("too many writes of one member are under way")
            one.writing += 1
            self._take_turn(one, in_any_case=True)
        else:
            patience = within - pause if behind_others is None else behind_others
            await self._wait(one, one.in_bulk if in_bulk else one.waiting, patience)
        try:
            if self._paused_until.get(account, 0.0) > paused_until:
                # Asked for while this one waited for its turn.
                raise RateLimited("the game asked for a pause", retry_after=self.pause_of(account))
            yield
        finally:
            one.writing -= is_write
            one.reading -= not is_write
            self._serve()

    def pause(self, account: int | None, seconds: float) -> None:
        """Let no request of this account through for so long; None means those without token."""
        self._pause_until(account, self._clock() + seconds)
        self.on_pause(account)

    def learn_pause(self, account: int | None, seconds: float) -> None:
        """Pause as another process was asked to; what this one was asked for is not shortened."""
        if seconds > self.pause_of(account):
            self._pause_until(account, self._clock() + seconds)

    def pause_of(self, account: int | None) -> float:
        """Return for how many seconds more no request of an account is let through."""
        return max(self._paused_until.get(account, 0.0) - self._clock(), 0.0)

    def _pause_until(self, account: int | None, until: float) -> None:
        now = self._clock()
        self._paused_until = {
            paused: end for paused, end in self._paused_until.items() if end > now
        }
        self._paused_until[account] = until

    async def _wait(self, one: _Asker, queue: deque[asyncio.Future[None]], within: float) -> None:
        if len(one.waiting) + len(one.in_bulk) >= self._waiting:
            raise TooManyAtOnce("too many reads of one member are waiting")
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        self._serve()
        try:
            if not turn.done():
                await asyncio.wait({turn}, timeout=within)
        except BaseException:
            one.reading -= turn.done()
            raise
        finally:
            if not turn.done():
                queue.remove(turn)
        if not turn.done():
            wait = self._next_turn - self._clock() - self._slack
            raise OwnPace("the wait for a turn is too long", retry_after=max(wait, self._interval))

    def _serve(self) -> None:
        """Give out the turns that are due, in rounds; come back when the next one is."""
        if self._timer is not None:
            self._timer.cancel()
        waits: list[float] = []
        served = True
        while served:
            served = False
            waits.clear()
            for asker, one in sorted(self._askers.items(), key=lambda each: not each[1].waiting):
                if not (one.waiting or one.in_bulk) or one.reading >= self._at_once:
                    continue
                wait = self._take_turn(one)
                if wait > 0:
                    waits.append(wait)
                    continue
                (one.waiting or one.in_bulk).popleft().set_result(None)
                one.reading += 1
                self._askers.move_to_end(asker)
                served = True
        if waits:
            self._timer = asyncio.get_running_loop().call_later(min(waits), self._serve)

    def _take_turn(self, one: _Asker, *, in_any_case: bool = False) -> float:
        """Take a turn if one is due; return the seconds until it is."""
        now = self._clock()
        asked_for_much = one.paid_at - now > self._slack / 2
        wait = self._next_turn - now - (self._slack / 2 if asked_for_much else self._slack)
        if wait <= 0 or in_any_case:
            self._next_turn = max(self._next_turn, now) + self._interval
            one.paid_at = max(one.paid_at, now) + 2 * self._interval
        return wait


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Read Retry-After, seconds or a date, as seconds from `now` (seconds since 1970)."""
    value = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(value):
        return _bounded(float(value))
    try:
        return _bounded(parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def pause_asked(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds for which the game wants no request, by Retry-After or X-RateLimit-*."""
    if "retry-after" in headers:
        asked = retry_after(headers, now)
        if asked is not None:
            return asked
    reset = headers.get("x-ratelimit-reset", "").strip()
    if headers.get("x-ratelimit-remaining", "").strip() != "0" or not _NUMBER.fullmatch(reset):
        return None
    moment = float(reset)
    if moment >= _EPOCH_MILLISECONDS:
        moment /= 1000
    return _bounded(moment - now if moment >= _EPOCH_SECONDS else moment)


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), LONGEST_PAUSE)
