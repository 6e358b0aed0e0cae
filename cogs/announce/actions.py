"""What can be pressed about announcements."""

from typing import Self

from msgspec import Struct

from bot.domain.announcing import News
from bot.ui.actions import Action, quoted, unquoted
from cogs.announce.wording import read_news

_NONE = -1
# What a custom id has left beside the largest numbers; a part of a type's name is found, too.
_LONGEST_TYPE = 8


class SubscriptionWish(Struct, frozen=True):
    """What was typed and chosen; None where nothing was. `without` is what to take away."""

    channel_id: int | None
    role_id: int | None
    news: str | None
    item_type: str | None
    max_cost: int | None
    without: str | None = None


class AnnounceMissed(Action, kind="announce_missed"):
    """Announce what was missed after an event, while a subscription was paused."""

    subscription_id: int
    after: int


class Announce(Action, kind="announce"):
    """Announce a catalog's news in a channel, as a command wished."""

    catalog_id: int
    channel_id: int
    # _NONE where nothing is wished.
    role_id: int
    max_cost: int
    # A bit for each kind, in the order of News.
    news: int
    item_type: str

    @classmethod
    def wished(cls, catalog_id: int, channel_id: int, wish: SubscriptionWish) -> Self:
        """Return the action for what was wished. Raises UnknownNews."""
        chosen = () if wish.news is None else read_news(wish.news)
        return cls(
            catalog_id,
            channel_id,
            _NONE if wish.role_id is None else wish.role_id,
            _NONE if wish.max_cost is None else wish.max_cost,
            sum(1 << bit for bit, each in enumerate(News) if each in chosen),
            quoted(wish.item_type or "", _LONGEST_TYPE),
        )

    @property
    def wish(self) -> SubscriptionWish:
        """What was wished."""
        chosen = [each.value for bit, each in enumerate(News) if self.news >> bit & 1]
        return SubscriptionWish(
            self.channel_id,
            None if self.role_id == _NONE else self.role_id,
            ",".join(chosen) or None,
            unquoted(self.item_type) or None,
            None if self.max_cost == _NONE else self.max_cost,
        )
