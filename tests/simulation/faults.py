"""What a walk can end with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault(Exception):
    """A promise that was not kept: the rule that says so, whom or what it concerns, and how."""

    rule: str
    about: str
    how: str = ""

    def __str__(self) -> str:
        return f"{self.rule} [{self.about}] {self.how}"


class NotNow(Exception):
    """A step can't be taken here: it is passed over."""
