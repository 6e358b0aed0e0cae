"""An announcement as it would look, made from a real item."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from bot.domain.announcing import Event, News, Subscription
from bot.features.announcing.rules import judge
from bot.game.models import Item


def sample(one: Subscription, items: Sequence[Item], now: datetime) -> Event | None:
    """Return news of an item that a subscription would hear of, else of any; None without one."""
    if not items:
        return None
    # Of what the item is, not of what has happened to it, so that whatever is wanted fits.
    any_news = replace(one, news=frozenset(News))
    events = [(_event(one, item, now), item) for item in items]
    fitting = [event for event, item in events if all(judge(any_news, event, item).values())]
    return (fitting or [event for event, _ in events])[0]


def sample_event(one: Subscription, item: str, news: Sequence[str], happened_at: datetime) -> Event:
    """Return news of an item, which is JSON, that have not happened."""
    kinds = frozenset(News(each) for each in news)
    shown = Item.model_validate_json(item)
    return Event(
        id=0,
        catalog_id=one.catalog_id,
        item_id=shown.id,
        news=kinds,
        item=item,
        old_cost=shown.cost if News.CHEAPER in kinds else None,
        happened_at=happened_at,
    )


def _event(one: Subscription, item: Item, now: datetime) -> Event:
    usual = News.CLEARANCE if item.is_clearance and News.CLEARANCE in one.news else None
    kind = usual or next(each for each in News if each in one.news)
    return sample_event(one, item.model_dump_json(exclude_none=True), [kind], now)
