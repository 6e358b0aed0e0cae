"""What a process does, how it is, and how much is under way: numbers and ages alone."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class Waiting(Struct, frozen=True):
    """How many of something wait, and since when the oldest of them does."""

    count: int
    oldest: datetime | None


class Queue(Waiting, frozen=True):
    """What waits to be sent; `reason` is why the oldest was not taken yet."""

    reason: str | None = None


class Numbers(Struct, frozen=True):
    """What is under way; `orders` counts those of the last day and the open ones, by state."""

    orders: Mapping[str, int]
    open_orders: Waiting
    texts: Waiting
    outbox: Queue


class Role(StrEnum):
    """What `python -m bot` was told to be."""

    RUN = "run"
    GATEWAY = "gateway"
    WORKER = "worker"

    @property
    def has_gateway(self) -> bool:
        """Whether it connects to Discord's gateway and answers what comes from there."""
        return self is not Role.WORKER

    @property
    def has_worker(self) -> bool:
        """Whether it works in the background, when no other process does."""
        return self is not Role.GATEWAY


class WorkerState(StrEnum):
    """How the worker of a process stands."""

    NONE = "none"
    STANDBY = "standby"
    ACTIVE = "active"
    # It works, though it may not: another process may as well.
    WITHOUT_LEASE = "without lease"


class ProcessStatus(Struct, frozen=True):
    """A process at one moment; None for what Discord has not said yet.

    `can_write` is whether, of late, it could write to the database.
    """

    version: str
    worker: WorkerState
    shards_connected: int
    shards_wanted: int | None
    identifies_left: int | None
    can_write: bool

    @property
    def has_its_shards(self) -> bool:
        """Whether members of each of its servers can be answered, where it answers any."""
        return self.shards_wanted is not None and self.shards_connected >= self.shards_wanted
