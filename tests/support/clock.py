"""A clock that tests set."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass
class ManualClock:
    """Stands still at the moment it was made until it is moved; each look moves it by `pace`."""

    moment: datetime = field(default_factory=lambda: datetime.now(UTC))
    pace: timedelta = timedelta()

    def __call__(self) -> datetime:
        self.moment += self.pace
        return self.moment

    def seconds(self) -> float:
        """Return the moment in seconds since 1970, for what counts in seconds alone."""
        return self().timestamp()

    def advance(self, by: timedelta | float) -> None:
        self.moment += by if isinstance(by, timedelta) else timedelta(seconds=by)
