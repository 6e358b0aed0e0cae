"""What holds after each step, whatever the model says."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.simulation.coverage import action_kinds
from tests.simulation.faults import Fault
from tests.simulation.seen import Card
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
    while town.sight.unchecked:
        yield from _faults_of_card(town.sight.unchecked.pop())


def _faults_of_card(card: Card) -> Iterator[Fault]:
    """Yield what is wrong with a card's buttons and lists; the entries of a list share its id."""
    entries = {control.custom_id for control in card.controls if control.value is not None}
    ids = [*entries, *(control.custom_id for control in card.controls if control.value is None)]
    for custom_id, count in Counter(ids).items():
        if count > 1:
            yield Fault("no custom id stands twice on a card", custom_id, card.text)
    for control in card.controls:
        if control.kind not in action_kinds():
            yield Fault("no button leads nowhere", control.kind, card.text)
