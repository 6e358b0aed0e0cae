"""How much the stand-in takes of a bot, and what it says when that was too much."""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.support.discord_standin.objects import Payload

# Without it, discord.py takes a 429 for one of a proxy in between.
_VIA = {"Via": "1.1 standin"}


def _deques() -> dict[int, deque[float]]:
    return defaultdict(deque)


@dataclass(eq=False)
class TooMany(Exception):
    """A limit was met: wait so many seconds. `scope` is "user", "global" or "shared"."""

    retry_after: float
    scope: str
    code: int = 0

    @property
    def body(self) -> Payload:
        return {
            "message": "You are being rate limited.",
            "code": self.code,
            "retry_after": self.retry_after,
            "global": self.scope == "global",
        }

    @property
    def headers(self) -> Mapping[str, str]:
        headers = {**_VIA, "Retry-After": str(int(self.retry_after) + 1)}
        headers["X-RateLimit-Scope"] = self.scope
        if self.scope == "global":
            headers["X-RateLimit-Global"] = "true"
        return headers


@dataclass
class Limits:
    """The limits of one bot; `now` counts seconds.

    `in_a_second` holds for all it asks, `per_channel` for messages in so many `seconds`. The latter
    holds for edits, too.
    """

    in_a_second: int = 50
    per_channel: int = 5
    seconds: float = 5.0
    now: Callable[[], float] = time.monotonic
    # What counts towards the 10,000 in 10 minutes after which Discord shuts a bot out.
    invalid: int = 0
    _all: deque[float] = field(default_factory=deque[float])
    _channels: dict[int, deque[float]] = field(default_factory=_deques)
    _edits: dict[int, deque[float]] = field(default_factory=_deques)

    def pass_by(self) -> None:
        """Count a request. Raises TooMany."""
        self._count(self._all, self.in_a_second, 1.0, "global")

    def post(self, channel_id: int) -> Mapping[str, str]:
        """Count a message; give the headers that tell how many more there may be.

        Raises TooMany.
        """
        past = self._channels[channel_id]
        self._count(past, self.per_channel, self.seconds, "user")
        return {
            "X-RateLimit-Limit": str(self.per_channel),
            "X-RateLimit-Remaining": str(self.per_channel - len(past)),
            "X-RateLimit-Reset-After": str(past[0] + self.seconds - self.now()),
            "X-RateLimit-Bucket": "messages",
        }

    def edit(self, channel_id: int) -> None:
        """Count an edit of a message. Raises TooMany."""
        self._count(self._edits[channel_id], self.per_channel, self.seconds, "user")

    def _count(self, past: deque[float], most: int, seconds: float, scope: str) -> None:
        now = self.now()
        while past and past[0] <= now - seconds:
            past.popleft()
        if len(past) >= most:
            raise TooMany(past[0] + seconds - now, scope)
        past.append(now)
