"""What time it is, however the clock on the wall is set meanwhile."""

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

# Linux draws it anew at each start of the machine.
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def _now() -> datetime:
    return datetime.now(UTC)


class SteadyClock:
    """Tells UTC: the wall's time at the start, and what has passed since.

    A wall clock that jumps while the process runs lets no lease expire, and hides, deletes or
    settles nothing.
    """

    def __init__(
        self,
        wall: Callable[[], datetime] = _now,
        passing: Callable[[], float] = time.monotonic,
    ) -> None:
        self._passing = passing
        self._began_at = wall()
        self._began = passing()

    def __call__(self) -> datetime:
        """Return the moment, with its time zone."""
        return self._began_at + timedelta(seconds=self._passing() - self._began)


class MachineClock:
    """Tells how long the machine runs, which no setting of clocks changes.

    What one process has noted, another one can read after a restart, as long as the machine was
    not started anew; where the machine has no such clock, the same process alone can.
    """

    def __init__(self, boot: str | None = None, passing: Callable[[], float] | None = None) -> None:
        if boot is None or passing is None:
            boot, passing = _clock_of_this_machine()
        self._boot = boot
        self._passing = passing

    def note(self) -> str:
        """Return the present moment, to be read by `since`."""
        return f"{self._boot} {self._passing()}"

    def since(self, noted: str | None) -> timedelta | None:
        """Return how long ago a moment was noted, None where only another machine can tell."""
        boot, _, seconds = (noted or "").partition(" ")
        if boot != self._boot:
            return None
        return timedelta(seconds=self._passing() - float(seconds))


def _clock_of_this_machine() -> tuple[str, Callable[[], float]]:
    try:
        boot = _BOOT_ID.read_text(encoding="ascii").strip()
        return boot, lambda: time.clock_gettime(time.CLOCK_BOOTTIME)
    except (OSError, AttributeError):
        return secrets.token_hex(8), time.monotonic
