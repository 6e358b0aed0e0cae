"""A clock that tests set."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass
class ManualClock:
    """Stands still at the moment it was made until it is moved."""

    moment: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __call__(self) -> datetime:
        return self.moment

    def advance(self, by: timedelta | float) -> None:
        """Move on by a duration, or by so many seconds."""
        self.moment += by if isinstance(by, timedelta) else timedelta(seconds=by)
