"""What is on record of an item that was announced: its events, and what became of each."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from bot.domain.announcing import Announcement, Event, Judgement, SeenItem, Subscription
from bot.features.announcing.errors import ItemNeverSeen
from bot.features.announcing.rules import judge
from bot.features.names import read_id
from bot.game.models import Item
from storage.announcements import Announcements
from storage.subscriptions import Subscriptions

_MOST_EVENTS = 5


class Judged(Struct, frozen=True):
    """What a server's subscription made of an event; `told` is None where nothing was owed."""

    subscription: Subscription
    judgement: Judgement
    told: Announcement | None


class History(Struct, frozen=True):
    """An item of a catalog, and its last events with what became of them, the newest first."""

    catalog_id: int
    seen: SeenItem
    events: Sequence[tuple[Event, Sequence[Judged]]]


class Histories:
    """Looks into the record of a server's announcements."""

    def __init__(self, announcements: Announcements, subscriptions: Subscriptions) -> None:
        self._announcements = announcements
        self._subscriptions = subscriptions

    async def why(self, guild_id: int, text: str) -> Sequence[History]:
        """Return what is on record of the item of a name or number. Raises ItemNeverSeen."""
        number = read_id(text)
        found = await self._announcements.find_seen(guild_id, text, number, most=50)
        if number is not None:
            found = [each for each in found if each[1].item_id == number]
        if not found:
            raise ItemNeverSeen(name=text)
        # The shortest name that holds what was typed is the nearest to it; of one name, the newest.
        nearest = min(found, key=_farness)[1].item_id
        subscriptions = await self._subscriptions.of_guild(guild_id)
        events = await self._announcements.of_item(guild_id, nearest, _MOST_EVENTS)
        became = {
            (each.subscription_id, each.event_id): each
            for each in await self._announcements.of_events(guild_id, events)
        }
        return [
            History(
                catalog_id,
                seen,
                [
                    (event, _judged(event, subscriptions, became))
                    for event in events
                    if event.catalog_id == catalog_id
                ],
            )
            for catalog_id, seen in found
            if seen.item_id == nearest
        ]

    async def suggest(self, guild_id: int, typed: str, most: int) -> Sequence[SeenItem]:
        """Return items that were seen in a server's catalogs and fit what is typed."""
        found = await self._announcements.find_seen(guild_id, typed, read_id(typed), most)
        return list({seen.item_id: seen for _, seen in found}.values())


def item_of(event: Event) -> Item:
    """Return the item of an event, as it was then."""
    return Item.model_validate_json(event.item)


def _judged(
    event: Event,
    subscriptions: Sequence[Subscription],
    became: Mapping[tuple[int, int], Announcement],
) -> Sequence[Judged]:
    item = item_of(event)
    return [
        Judged(one, judge(one, event, item), became.get((one.id, event.id)))
        for one in subscriptions
        if one.catalog_id == event.catalog_id
    ]


def _farness(found: tuple[int, SeenItem]) -> tuple[int, float]:
    _, seen = found
    return len(seen.name), -seen.first_seen_at.timestamp()
