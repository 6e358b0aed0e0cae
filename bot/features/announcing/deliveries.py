"""What is owed to whom when something is new in a catalog."""

from collections.abc import Iterator, Sequence

from bot.domain.announcing import Event, Subscription
from bot.domain.outbox import Owed, Priority
from bot.features.announcing.rules import wants
from bot.game.models import Item
from storage.announcements import Announcements
from storage.database import Transaction
from storage.outbox import Outbox
from storage.subscriptions import Subscriptions

KIND = "announcement"
# What one message tells.
MOST_ITEMS = 10


class Deliveries:
    """Owes events to the subscriptions that want them, several together."""

    def __init__(
        self, subscriptions: Subscriptions, announcements: Announcements, outbox: Outbox
    ) -> None:
        self._subscriptions = subscriptions
        self._announcements = announcements
        self._outbox = outbox

    async def owe(self, transaction: Transaction, events: Sequence[Event]) -> None:
        """Owe the events of one poll, in the catalog's order, to all who want them."""
        if not events:
            return
        told = [(event, Item.model_validate_json(event.item)) for event in events]
        for one in await self._subscriptions.of_catalog(events[0].catalog_id, transaction):
            if one.paused_at is None:
                wanted = [event for event, item in told if wants(one, event, item)]
                await self.owe_to(transaction, one, wanted)

    async def owe_to(
        self, transaction: Transaction, subscription: Subscription, events: Sequence[Event]
    ) -> None:
        """Owe events to one subscription: ten to a message, or all in one where they are late."""
        for part in _parts(events):
            key = f"{KIND}:{subscription.id}:{part[0].id}"
            await self._announcements.add(transaction, subscription.id, part, key)
            owed = Owed(
                KIND,
                key,
                Priority.ANNOUNCEMENT,
                channel_id=subscription.channel_id,
                payload={"subscription": subscription.id},
            )
            await self._outbox.owe(transaction, owed)


def _parts(events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    if any(event.is_late for event in events):
        yield events
        return
    for start in range(0, len(events), MOST_ITEMS):
        yield events[start : start + MOST_ITEMS]
