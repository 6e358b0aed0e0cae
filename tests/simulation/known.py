"""Faults that are known but not fixed yet, each with the number of the line that fixes it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from tests.simulation.faults import Fault


class Known(NamedTuple):
    """A fault by its rule and, as a regular expression, by what it is about."""

    line: str
    rule: str
    about: str

    def fits(self, fault: Fault) -> bool:
        return self.rule == fault.rule and re.search(self.about, fault.about) is not None


KNOWN: Sequence[Known] = ()


def is_known(fault: Fault) -> str:
    """Return which line fixes a fault, "" if the fault is new."""
    return next((known.line for known in KNOWN if known.fits(fault)), "")
