"""What members watch in the game's catalogs, to be told of by direct message."""

from dataclasses import dataclass
from datetime import datetime

from bot.domain.announcing import Event


@dataclass(frozen=True)
class NewWatch:
    """One item, or without an `item_id` whatever fits a search; None where anything goes.

    `name` is the item's, or the part of names that is looked for. `named_in` is the server whose
    name for the catalog the member knows.
    """

    member_id: int
    catalog_id: int
    locale: str
    item_id: int | None = None
    name: str = ""
    type_id: int | None = None
    type_name: str | None = None
    max_cost: int | None = None
    is_clearance: bool = False
    named_in: int | None = None


@dataclass(frozen=True, kw_only=True)
class Watch(NewWatch):
    """A watch that is kept."""

    id: int
    created_at: datetime


# An event, and the watch it is told for.
Notice = tuple[Watch, Event]
