"""The records of public messages, as the wiring makes them."""

from collections.abc import Callable
from datetime import datetime

from storage.database import Database
from storage.outbox import Outbox
from storage.removed_messages import RemovedMessages
from storage.shown import ShownMessages
from tests.support.clock import ManualClock


def shown_in(database: Database, clock: Callable[[], datetime] | None = None) -> ShownMessages:
    """Give the public messages that a database knows."""
    now = clock or ManualClock()
    return ShownMessages(database, RemovedMessages(database, Outbox(database, now), now), now)
