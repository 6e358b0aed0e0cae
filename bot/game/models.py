"""What arrives from the game, read tolerantly (Interface 2).

Unknown fields are ignored. What is acted upon (ids, costs, whether an item is owned) is required
and strict: its absence is a fault of the answer, not a default. What is only shown is read
leniently. Each type says both: what msgspec takes at once, which is how most games write it, and
by which validators pydantic reads all else, with patience (bot/game/parsing.py).
"""

import re
from collections.abc import Callable
from dataclasses import MISSING, field, make_dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Generic, NamedTuple, Self, TypeVar, get_type_hints
from urllib.parse import urlsplit

from msgspec import NODEFAULT, Meta, Struct
from msgspec.json import encode
from msgspec.structs import fields, force_setattr
from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    TypeAdapter,
    WrapValidator,
)
from pydantic_core import CoreSchema

from bot.game.bodies import mended

T = TypeVar("T")

# What the database and a button hold: an answer with larger ids or costs can't be acted upon.
LARGEST = 2**63 - 1
# Of what is longer nobody is shown more, in letters: the rest is neither kept nor looked at.
LONGEST_TEXT, LONGEST_NAME = 12_000, 500
# Longer addresses are refused by Discord.
MAX_URL_LENGTH = 2048
_WEB_ADDRESS = re.compile(r"https?://[^\s/?#\\@\[\]]+([/?#]\S*)?", re.IGNORECASE)
_USUAL_ADDRESS = r"^https?://[A-Za-z0-9.-]+(:[1-9][0-9]{0,3})?(/[!-~]*)?\Z"

_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
YEARS = range(_EARLIEST.year, _LATEST.year)


class Sort(StrEnum):
    """The order of a thread's comments (Interface 4.1)."""

    LATEST = "latest"
    HOTTEST = "hottest"


def _text(value: object) -> str:
    """Return what can be shown of a text, nothing where it is none."""
    if isinstance(value, str):
        return mended(value[:LONGEST_TEXT])
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _name(value: object) -> str:
    return _text(value)[:LONGEST_NAME]


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


Id = Annotated[int, Meta(ge=0, le=LARGEST), Field(ge=0, le=LARGEST)]
Cost = Annotated[int, Meta(ge=-LARGEST, le=LARGEST), Field(ge=-LARGEST, le=LARGEST)]
# Only ever shown, so what is out of bounds is brought within.
Count = Annotated[
    int, Meta(ge=0, le=LARGEST), AfterValidator(lambda count: min(max(count, 0), LARGEST))
]
Moment = Annotated[datetime, Meta(tz=True)]
Text = Annotated[str, Meta(max_length=LONGEST_TEXT), BeforeValidator(_text)]
Name = Annotated[str, Meta(max_length=LONGEST_NAME), BeforeValidator(_name)]
# What may be of any kind, and of which only counts whether it is there.
Mark = Annotated[str | int | float | bool | None, BeforeValidator(bool)]
Flag = Annotated[bool, BeforeValidator(_flag)]
_Usual = Annotated[str, Meta(max_length=MAX_URL_LENGTH, pattern=_USUAL_ADDRESS)]
Picture = Annotated[_Usual | None, BeforeValidator(_picture)]


class Arrived(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an answer may hold."""

    def to_json(self) -> str:
        """Return it as a game would write it, without what is as it would be anyway."""
        return encode(self).decode()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` has written."""
        return patient(cls).validate_json(text)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Let pydantic read the fields, by their validators."""

        def made(value: object, read: Callable[[object], object]) -> object:
            return value if isinstance(value, cls) else cls(**vars(read(value)))

        return handler.generate_schema(Annotated[_fields_of(cls), WrapValidator(made)])


A = TypeVar("A", bound=Arrived)


@cache
def patient(kind: type[A]) -> TypeAdapter[A]:
    """Return what reads a type with patience."""
    return TypeAdapter(kind)


@cache
def _fields_of(kind: type[Arrived]) -> type[Any]:
    hints = get_type_hints(kind, include_extras=True)
    return make_dataclass(
        kind.__name__,
        [
            (
                one.name,
                hints[one.name],
                field(default=MISSING if one.default is NODEFAULT else one.default),
            )
            for one in fields(kind)
        ],
        kw_only=True,
        namespace={
            "__pydantic_config__": ConfigDict(coerce_numbers_to_str=True, hide_input_in_errors=True)
        },
    )


# Comments hold no circles, and come in thousands: the garbage collector need not look at them.
class Player(Arrived, frozen=True, kw_only=True, gc=False):
    """Who wrote a comment (Interface 2.2); the inventory is left out, nothing of it is shown.

    `id` is None where the game doesn't say who it was.
    """

    id: Id | None = None
    screen_name: Name = ""
    avatar_url: Picture = None
    is_subscribed: Flag = False
    # Set where the game has verified the player; its type then is not shown.
    verified_at: Mark = None


class WrittenComment(Arrived, frozen=True, kw_only=True, gc=False):
    """A comment as writing it answers (Interface 2.1, rule 2)."""

    id: Id
    depth: Count = 1
    player: Player = Player()
    content: Text = ""
    created_at: Annotated[
        Moment, Field(validation_alias=AliasChoices("created_at", "last_active_at"))
    ]

    def __post_init__(self) -> None:
        moment = self.created_at
        if moment.tzinfo is None:
            force_setattr(self, "created_at", moment.replace(tzinfo=UTC))
        # By their years: the ends of the calendar can't be compared across time zones.
        if moment.year not in YEARS:
            nearest = _EARLIEST if moment.year < _EARLIEST.year else _LATEST
            force_setattr(self, "created_at", nearest)


class Comment(WrittenComment, frozen=True, kw_only=True, gc=False):
    """A comment in a list, with its replies (Interface 2.1).

    `children_count` is the true number, which `children` need not hold.
    """

    children: "tuple[Comment, ...]" = ()
    children_count: Annotated[Count, Field(default_factory=lambda read: len(read["children"]))]


class Currency(Arrived, frozen=True, kw_only=True):
    """What an item costs in (Interface 2.4); `name` is the plural."""

    id: Id
    name: Name = ""
    singular_name: Annotated[Name, Field(default_factory=lambda read: read["name"])]
    icon_url: Picture = None


class ItemType(Arrived, frozen=True, kw_only=True):
    """The kind of an item (Interface 2.5)."""

    id: Id
    name: Name = ""
    image_url: Picture = None


class Item(Arrived, frozen=True, kw_only=True, weakref=True):
    """An item of a catalog, as the player who asked sees it (Interface 2.3).

    `has_purchased` is required in either spelling: guessed, it could sell an item twice.
    """

    id: Id
    name: Name = ""
    cost: Cost
    currency: Currency
    item_type: ItemType
    icon_url: Picture = None
    paper_url: Picture = None
    no_eye_url: Picture = None
    is_clearance: Flag = False
    is_coin_code_item: Flag = False
    is_member_item: Flag = False
    has_purchased: Annotated[
        bool, Field(validation_alias=AliasChoices("has_purchased", "has_purchasd"))
    ]


class Purchase(Arrived, frozen=True, kw_only=True):
    """What was bought (Interface 4.6)."""

    id: Id
    name: Name = ""
    cost: Cost
    currency: Currency


class Redemption(Arrived, frozen=True, kw_only=True):
    """What was redeemed (Interface 4.7)."""

    id: Id
    name: Name = ""


class Page(Struct, Generic[T], frozen=True):
    """One page of a list (Interface 2.6); `number` counts from 1.

    Of the `unreadable` entries, those ids could be read. Its `size` is what it takes in memory,
    about, in bytes.
    """

    entries: tuple[T, ...]
    number: int
    per_page: int
    has_next: bool
    unreadable: int = 0
    unreadable_ids: tuple[int, ...] = ()
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
