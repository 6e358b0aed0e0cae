"""The last look at items and comments, by which news is found."""

from datetime import datetime

from msgspec import Struct


class SeenItem(Struct, frozen=True):
    """An item of a followed catalog as it was seen last, and what news of it is measured by.

    A lower price is one below `base_cost`; it follows a price that rose at `risen_at` once that
    has stood for a day. `currency_id` is None for an item that was there, but couldn't be read.
    """

    id: int
    name: str
    cost: int
    currency_id: int | None
    is_clearance: bool
    is_member_item: bool
    base_cost: int
    first_seen_at: datetime
    risen_at: datetime | None = None
    clearance_ended_at: datetime | None = None
    gone_at: datetime | None = None


class SeenComment(Struct, frozen=True):
    """A comment as it was seen last; `digest` tells texts apart.

    `root_id` is the comment at the top of those that it answers: itself, where it answers none.
    """

    id: int
    root_id: int
    page: int
    digest: str
    written_at: datetime
    # Whether it has another text than at first, or is gone.
    is_changed: bool = False
    is_gone: bool = False
