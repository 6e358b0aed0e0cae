"""What a process does, and how it is."""

from dataclasses import dataclass
from enum import StrEnum


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


@dataclass(frozen=True)
class ProcessStatus:
    """A process at one moment; None for what Discord has not said yet."""

    version: str
    worker: WorkerState
    shards_connected: int
    shards_wanted: int | None
    identifies_left: int | None

    @property
    def has_its_shards(self) -> bool:
        """Whether members of each of its servers can be answered, where it answers any."""
        return self.shards_wanted is not None and self.shards_connected >= self.shards_wanted
