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

MESSAGE_KIND, POST_KIND, PUBLISH_KIND = "announcement", "announcement.post", "publish"
# Discord's numbers for a forum channel, where a message is a post with a title, and for an
# announcement channel, whose messages can be published.
FORUM = 15
NEWS = 5
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
        self,
        transaction: Transaction,
        subscription: Subscription,
        events: Sequence[Event],
        *,
        wish: int = 0,
    ) -> None:
        """Owe events to one subscription: ten to a message, or all in one where they are late.

        `wish` names whose wish it is that what was refused is told after all.
        """
        for part in _parts(events):
            is_post = subscription.channel_kind == FORUM
            key = f"announcement:{subscription.id}:{part[0].id}:{wish}"
            await self._announcements.add(transaction, subscription.id, part, key)
            owed = Owed(
                POST_KIND if is_post else MESSAGE_KIND,
                key,
                Priority.ANNOUNCEMENT,
                channel_id=subscription.channel_id,
                payload={
                    "subscription": subscription.id,
                    "is_published": subscription.channel_kind == NEWS,
                },
            )
            await self._outbox.owe(transaction, owed)


def _parts(events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    if any(event.is_late for event in events):
        yield events
        return
    for start in range(0, len(events), MOST_ITEMS):
        yield events[start : start + MOST_ITEMS]
