"""What arrives from the game, read tolerantly (Interface 2).

Unknown fields are ignored; a null where none is expected is a fault here, and taken out before a
second try (bot/game/parsing.py). What is acted upon (ids, costs, whether an item is owned) is
required and strict: its absence is a fault of the answer, not a default. What is only shown is read
leniently: first as most games write it, which needs no Python, then with patience.
"""

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Generic, NamedTuple, TypeVar
from urllib.parse import urlsplit

from msgspec import Struct
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    StrictStr,
)

T = TypeVar("T")

# What the database and a button hold: an answer with larger ids or costs can't be acted upon.
LARGEST = 2**63 - 1
# Longer addresses are refused by Discord.
MAX_URL_LENGTH = 2048
_WEB_ADDRESS = re.compile(r"https?://[^\s/?#\\@\[\]]+([/?#]\S*)?", re.IGNORECASE)
_USUAL_ADDRESS = r"^https?://[A-Za-z0-9.-]+(:[1-9][0-9]{0,3})?(/[!-~]*)?$"

_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
_YEARS = range(_EARLIEST.year, _LATEST.year)


class Sort(StrEnum):
    """The order of a thread's comments (Interface 4.1)."""

    LATEST = "latest"
    HOTTEST = "hottest"


def _moment(moment: datetime) -> datetime:
    """Bring a moment within what can be reckoned with and shown."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    # By their years first: the ends of the calendar can't be compared across time zones.
    if aware.year in _YEARS:
        return aware
    return _EARLIEST if aware.year < _EARLIEST.year else _LATEST


def _text(value: object) -> str:
    """Return what can be shown of a text, nothing where it is none."""
    if value is None:
        raise ValueError("null is no text")
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _flag(value: object) -> bool:
    return value is True or value == 1 or value in ("1", "true", "True")


def _picture(value: object) -> str | None:
    """Keep an address that Discord can show; drop every other, since no text depends on it."""
    if not isinstance(value, str) or len(value) > MAX_URL_LENGTH:
        return None
    if not _WEB_ADDRESS.fullmatch(value) or not value.isprintable():
        return None
    try:
        return value if urlsplit(value).port != 0 else None
    except ValueError:
        return None


Id = Annotated[int, Field(ge=0, le=LARGEST)]
Cost = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
_IN_TURN = Field(union_mode="left_to_right")
# Only ever shown, so what is out of bounds is brought within.
_Within = Annotated[int, AfterValidator(lambda count: min(max(count, 0), LARGEST))]
Count = Annotated[Id | _Within, _IN_TURN]
Moment = Annotated[datetime, AfterValidator(_moment)]
_Usual = Annotated[StrictStr, Field(max_length=MAX_URL_LENGTH, pattern=_USUAL_ADDRESS)]
Text = Annotated[StrictStr | Annotated[str, BeforeValidator(_text)], _IN_TURN]
Flag = Annotated[StrictBool | Annotated[bool, BeforeValidator(_flag)], _IN_TURN]
Picture = Annotated[_Usual | Annotated[str | None, BeforeValidator(_picture)], _IN_TURN]


class _Arrived(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="ignore", coerce_numbers_to_str=True, hide_input_in_errors=True
    )


class Player(_Arrived):
    """Who wrote a comment (Interface 2.2); the inventory is left out, nothing of it is shown.

    `id` is None where the game doesn't say who it was.
    """

    id: Id | None = None
    screen_name: Text = ""
    avatar_url: Picture = None
    is_subscribed: Flag = False
    # Set where the game has verified the player; its type then is not shown.
    verified_at: JsonValue = None


class WrittenComment(_Arrived):
    """A comment as writing it answers (Interface 2.1, rule 2)."""

    id: Id
    depth: Count = 1
    player: Player = Player()
    content: Text = ""
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
    name: Text = ""
    singular_name: Text = Field(default_factory=lambda fields: fields["name"])
    icon_url: Picture = None


class ItemType(_Arrived):
    """The kind of an item (Interface 2.5)."""

    id: Id
    name: Text = ""
    image_url: Picture = None


class Item(_Arrived):
    """An item of a catalog, as the player who asked sees it (Interface 2.3).

    `has_purchased` is required in either spelling: guessed, it could sell an item twice.
    """

    id: Id
    name: Text = ""
    cost: Cost
    currency: Currency
    item_type: ItemType
    icon_url: Picture = None
    paper_url: Picture = None
    no_eye_url: Picture = None
    is_clearance: Flag = False
    is_coin_code_item: Flag = False
    is_member_item: Flag = False
    has_purchased: bool = Field(validation_alias=AliasChoices("has_purchased", "has_purchasd"))


class Purchase(_Arrived):
    """What was bought (Interface 4.6)."""

    id: Id
    name: Text = ""
    cost: Cost
    currency: Currency


class Redemption(_Arrived):
    """What was redeemed (Interface 4.7)."""

    id: Id
    name: Text = ""


class Page(Struct, Generic[T], frozen=True):
    """One page of a list (Interface 2.6); `number` counts from 1."""

    entries: tuple[T, ...]
    number: int
    per_page: int
    has_next: bool
    # How many entries could not be read.
    unreadable: int = 0
    # Those of their ids that could.
    unreadable_ids: tuple[int, ...] = ()
    # What it takes in memory, about, in bytes.
    size: int = 0


class PageKey(NamedTuple):
    """A page of a thread's comments, as the game is asked for it; `page` counts from 1."""

    thread_id: int
    sort: Sort = Sort.LATEST
    page: int = 1


class ItemPageKey(NamedTuple):
    """A page of a catalog, as one member sees it; `page` counts from 1."""

    member_id: int
    catalog_id: int
    page: int = 1
