"""What arrives from the game, read tolerantly (Interface 2).

Nulls have been taken out before (bot/game/parsing.py), unknown fields are ignored, and fields that
nothing of ours can do without are required: their absence is a fault of the answer, not a default.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Generic, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
)

T = TypeVar("T")

# What the database and a button hold: an answer with larger ids or costs can't be acted upon.
LARGEST = 2**63 - 1
# Longer addresses are refused by Discord.
MAX_URL_LENGTH = 2048
_WEB_ADDRESS = re.compile(r"https?://[^\s/?#\\@\[\]]+([/?#]\S*)?", re.IGNORECASE)


class Sort(StrEnum):
    """The order of a thread's comments (Interface 4.1)."""

    LATEST = "latest"
    HOTTEST = "hottest"


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _picture(value: object) -> str | None:
    """Keep an address that Discord can show; drop every other, since no text depends on it."""
    if not isinstance(value, str) or len(value) > MAX_URL_LENGTH:
        return None
    return value if _WEB_ADDRESS.fullmatch(value) and value.isprintable() else None


Id = Annotated[int, Field(ge=0, le=LARGEST)]
Cost = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
# Only ever shown, so what is out of bounds is brought within.
Count = Annotated[int, AfterValidator(lambda count: min(max(count, 0), LARGEST))]
Moment = Annotated[datetime, AfterValidator(_aware)]
Picture = Annotated[str | None, BeforeValidator(_picture)]


class _Arrived(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="ignore", coerce_numbers_to_str=True, hide_input_in_errors=True
    )


class Player(_Arrived):
    """Who wrote a comment (Interface 2.2); the inventory is left out, nothing of it is shown."""

    id: Id
    screen_name: str
    avatar_url: Picture = None
    is_subscribed: bool = False
    # Set where the game has verified the player; its type then is not shown.
    verified_at: JsonValue = None


class WrittenComment(_Arrived):
    """A comment as writing it answers (Interface 2.1, rule 2)."""

    id: Id
    depth: int = 1
    player: Player
    content: str
    created_at: Moment = Field(validation_alias=AliasChoices("created_at", "last_active_at"))


class Comment(WrittenComment):
    """A comment in a list, with its replies (Interface 2.1).

    `children_count` is the true number, which `children` need not hold.
    """

    children: "tuple[Comment, ...]" = ()
    children_count: Count = Field(default_factory=lambda fields: len(fields["children"]))


class Currency(_Arrived):
    """What an item costs in (Interface 2.4); `name` is the plural."""

    id: Id
    name: str
    singular_name: str = Field(default_factory=lambda fields: fields["name"])
    icon_url: Picture = None


class ItemType(_Arrived):
    """The kind of an item (Interface 2.5)."""

    id: Id
    name: str
    image_url: Picture = None


class Item(_Arrived):
    """An item of a catalog, as the player who asked sees it (Interface 2.3).

    `has_purchased` is required in either spelling: guessed, it could sell an item twice.
    """

    id: Id
    name: str
    cost: Cost
    currency: Currency
    item_type: ItemType
    icon_url: Picture = None
    paper_url: Picture = None
    no_eye_url: Picture = None
    is_clearance: bool = False
    is_coin_code_item: bool = False
    is_member_item: bool = False
    has_purchased: bool = Field(validation_alias=AliasChoices("has_purchased", "has_purchasd"))


class Purchase(_Arrived):
    """What was bought (Interface 4.6)."""

    id: Id
    name: str
    cost: Cost
    currency: Currency


class Redemption(_Arrived):
    """What was redeemed (Interface 4.7)."""

    id: Id
    name: str


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list (Interface 2.6); `number` counts from 1."""

    entries: tuple[T, ...]
    number: int
    per_page: int
    has_next: bool
    # What it takes in memory, about, in bytes.
    size: int = field(default=0, compare=False)


@dataclass(frozen=True)
class PageKey:
    """A page of a thread's comments, as the game is asked for it; `page` counts from 1."""

    thread_id: int
    sort: Sort = Sort.LATEST
    page: int = 1


@dataclass(frozen=True)
class ItemPageKey:
    """A page of a catalog, as one member sees it; `page` counts from 1."""

    member_id: int
    catalog_id: int
    page: int = 1
