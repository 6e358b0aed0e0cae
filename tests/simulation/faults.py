"""What a walk can end with."""

import re
from dataclasses import dataclass

_NUMBER = re.compile(r"\d+")


@dataclass(unsafe_hash=True)
class Fault(Exception):
    """A promise that was not kept: the rule that says so, whom or what it concerns, and how."""

    rule: str
    about: str
    how: str = ""

    def __str__(self) -> str:
        return f"{self.rule} [{self.about}] {self.how}"

    def is_like(self, other: "Fault") -> bool:
        """Tell whether the same is wrong, with whichever comment or item."""
        about, others = (_NUMBER.sub("#", each.about) for each in (self, other))
        return self.rule == other.rule and about == others


class NotNow(Exception):
    """A step can't be taken here: it is passed over."""
