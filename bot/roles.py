"""What a process does: answer members, work in the background, or both."""

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
