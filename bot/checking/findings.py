"""What `check` finds: a line for each thing that was looked at."""

from datetime import datetime, timedelta

from msgspec import Struct

# Within it, times that Discord, the game and this machine tell fit together.
_CLOCKS_DIFFER = timedelta(seconds=10)


class Finding(Struct, frozen=True):
    """What was looked at, and what was found; a fault says what mends it."""

    subject: str
    text: str
    is_fault: bool = False

    def line(self) -> str:
        """One line for the operator."""
        return f"{'FAULT' if self.is_fault else 'ok':5}  {self.subject:23}  {self.text}"


def fault(subject: str, text: str) -> Finding:
    """Make a finding that needs mending."""
    return Finding(subject, text, is_fault=True)


def clock_finding(whose: str, told: datetime | None, now: datetime, mend: str) -> Finding:
    """Compare a clock, which has told the time just now, with this machine's."""
    subject = f"{whose}'s clock"
    if told is None:
        return Finding(subject, "it tells no time")
    ahead = told - now
    if abs(ahead) < _CLOCKS_DIFFER:
        return Finding(subject, "agrees with this machine's")
    direction = "ahead of" if ahead > timedelta() else "behind"
    seconds = timedelta(seconds=round(abs(ahead).total_seconds()))
    return fault(subject, f"{seconds} {direction} this machine's: {mend}")
