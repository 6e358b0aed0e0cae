"""What holds after each step, whatever the model says."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from tests.simulation.faults import Fault
from tests.simulation.town import Town
from tests.support.discord_limits import all_faults

_MEMORY = Path("/dev/shm")
MEMORY = _MEMORY if os.access(_MEMORY, os.W_OK) else None
_REFERENCE = re.compile(r"`[0-9a-f]{8}`")


def faults_after_step(town: Town, *, has_died: bool) -> Iterator[Fault]:
    """Yield what is wrong after a step: errors, references, refused requests, no answers."""
    while town.log.lines:
        line = town.log.lines.pop(0)
        yield Fault("no error is logged", line.partition("\n")[0][:200], line)
    requests = town.env.backend.http_requests
    for fault in all_faults(requests):
        yield Fault("Discord takes what is sent", fault[:200])
    requests.clear()
    for interaction in () if has_died else town.unanswered():
        yield Fault("each press is answered", town.name_of(interaction))
