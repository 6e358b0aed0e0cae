"""How much is under way: numbers and ages alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

# So many of anything are counted: what there are more of costs no more to count.
MOST_COUNTED = 5_000


@dataclass(frozen=True)
class Waiting:
    """How many of something wait, MOST_COUNTED at most, and since when the oldest of them does."""

    count: int
    oldest: datetime | None


@dataclass(frozen=True)
class Queue(Waiting):
    """What waits to be sent; `reason` is why the oldest was not taken yet.

    `held_back` is how many Discord refused along with too many others.
    """

    reason: str | None = None
    held_back: int = 0


@dataclass(frozen=True)
class Numbers:
    """What is under way; `orders` counts those of the last day and the open ones, by state."""

    orders: Mapping[str, int]
    open_orders: Waiting
    texts: Waiting
    outbox: Queue
