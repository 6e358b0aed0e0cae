"""Types of the game's answers, read tolerantly (docs/connect-your-game.md#fields).

Fields that Kiosk acts upon (ids, costs, whether an item is owned) are required. Fields that it only
shows are read leniently. pydantic-core reads a value that keeps to its type without any function of
ours. Another value is left to the function in its `Fallback`, or replaced by the value in its
`Default`.
"""

import datetime as dt
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import pydantic
from pydantic_core import CoreSchema, core_schema

T = typing.TypeVar("T")

# The highest number in the database and on a button: larger ids or costs can't be acted upon.
MAX_NUMBER = 2**63 - 1
# The longest texts and names that are shown, in letters: the rest is neither kept nor read.
MAX_TEXT_LENGTH = 12_000
MAX_NAME_LENGTH = 500
# Discord refuses a card whose picture has a longer address, or one without a host and a port.
MAX_URL_LENGTH = 2048
_PORT = r"[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5]"
_WEB_ADDRESS = rf"^https?://[\w.-]+(:({_PORT}))?([/?#][^\pC\pZ]*)?$"
_HALVES = re.compile("[\ud800-\udfff]")

_EARLIEST = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_LATEST = dt.datetime(9000, 1, 1, tzinfo=dt.UTC)
YEARS = range(_EARLIEST.year, _LATEST.year)
_WHOLE_NUMBER = pydantic.TypeAdapter(int)
_ANY_MOMENT = pydantic.TypeAdapter(dt.datetime)


class Sort(StrEnum):
    """The order of a thread's comments (docs/connect-your-game.md#list-comments)."""

    LATEST = "latest"
    HOTTEST = "hottest"


class Fallback(typing.NamedTuple):
    """Reads what a field's type doesn't take. A ValueError is a fault of the answer."""

    read: Callable[[object], object]

    def __get_pydantic_core_schema__(
        self, source: object, handler: pydantic.GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.union_schema(
            [handler(source), core_schema.no_info_plain_validator_function(self.read)],
            mode="left_to_right",
            custom_error_type="unreadable",
            custom_error_message="Can't be read",
        )


class Default(typing.NamedTuple):
    """The value to use if a field doesn't keep to its type."""

    value: object

    def __get_pydantic_core_schema__(
        self, source: object, handler: pydantic.GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_default_schema(
            handler(source), default=self.value, on_error="default"
        )


def replace_lone_surrogates(text: str) -> str:
    """Return a text that can be encoded: one half of a letter must not hide a page."""
    return _HALVES.sub("\ufffd", text)


def _text(value: object) -> str:
    if isinstance(value, str):
        return replace_lone_surrogates(value[:MAX_TEXT_LENGTH])
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _name(value: object) -> str:
    return _text(value)[:MAX_NAME_LENGTH]


def _count(value: object) -> int:
    """Bring a number that is only shown within its bounds."""
    return min(max(_WHOLE_NUMBER.validate_python(value), 0), MAX_NUMBER)


def _moment(value: object) -> dt.datetime:
    """Take a time without a zone for UTC, and keep from the ends of the calendar."""
    moment = _ANY_MOMENT.validate_python(value)
    if moment.year not in YEARS:
        return _EARLIEST if moment.year < _EARLIEST.year else _LATEST
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


Id = typing.Annotated[int, pydantic.Field(ge=0, le=MAX_NUMBER)]
Cost = typing.Annotated[int, pydantic.Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
Count = typing.Annotated[int, pydantic.Field(ge=0, le=MAX_NUMBER), Fallback(_count)]
Moment = typing.Annotated[
    pydantic.AwareDatetime, pydantic.Field(ge=_EARLIEST, le=_LATEST), Fallback(_moment)
]
Text = typing.Annotated[str, pydantic.Field(max_length=MAX_TEXT_LENGTH), Fallback(_text)]
Name = typing.Annotated[str, pydantic.Field(max_length=MAX_NAME_LENGTH), Fallback(_name)]
Mark = typing.Annotated[bool | None, pydantic.Field(strict=True), Fallback(bool)]
Flag = typing.Annotated[bool, Default(False)]
_WebAddress = typing.Annotated[str, pydantic.Field(max_length=MAX_URL_LENGTH, pattern=_WEB_ADDRESS)]
Picture = typing.Annotated[_WebAddress | None, Default(None)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """A comment's writer (docs/connect-your-game.md#player).

    `id` is None if unsaid, `verified_at` says whether they are verified.
    """

    id: Id | None = None
    screen_name: Name = ""
    avatar_url: Picture = None
    is_subscribed: Flag = False
    verified_at: Mark = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment with the replies that the game shows (docs/connect-your-game.md#comment)."""

    id: Id
    depth: Count = 1
    player: Player = Player()
    content: Text = ""
    created_at: typing.Annotated[
        Moment,
        pydantic.Field(validation_alias=pydantic.AliasChoices("created_at", "last_active_at")),
    ]
    children: typing.Annotated["tuple[Comment, ...]", pydantic.Field(fail_fast=True)] = ()
    children_count: typing.Annotated[
        Count, pydantic.Field(default_factory=lambda read: len(read["children"]))
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Currency:
    """The currency of a price (docs/connect-your-game.md#currency). `name` is the plural."""

    id: Id
    name: Name = ""
    singular_name: typing.Annotated[Name, pydantic.Field(default_factory=lambda read: read["name"])]
    icon_url: Picture = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemType:
    """The kind of an item (docs/connect-your-game.md#item-type). `id` is None if unsaid."""

    id: typing.Annotated[Id | None, Default(None)] = None
    name: Name = ""


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Item:
    """An item of a catalog, as the player who asked sees it (docs/connect-your-game.md#item).

    `has_purchased` is required in either spelling: guessed, it could sell an item twice.
    """

    id: Id
    name: Name = ""
    cost: Cost
    currency: Currency
    item_type: typing.Annotated[ItemType, Default(ItemType())] = ItemType()
    icon_url: Picture = None
    paper_url: Picture = None
    no_eye_url: Picture = None
    is_clearance: Flag = False
    is_coin_code_item: Flag = False
    is_member_item: Flag = False
    has_purchased: typing.Annotated[
        bool,
        pydantic.Field(validation_alias=pydantic.AliasChoices("has_purchased", "has_purchasd")),
    ]

    def to_json(self) -> str:
        return _ITEM.dump_json(self, exclude_defaults=True).decode()

    @classmethod
    def from_json(cls, text: str) -> typing.Self:
        return _ITEM.validate_json(text)


_ITEM = pydantic.TypeAdapter[typing.Any](Item)


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """The answer to a purchase (docs/connect-your-game.md#purchase)."""

    id: Id
    name: Name = ""
    cost: Cost
    currency: Currency


@dataclass(frozen=True, slots=True, kw_only=True)
class Redemption:
    """The answer to a redemption (docs/connect-your-game.md#redeem)."""

    id: Id
    name: Name = ""


@dataclass(frozen=True, slots=True)
class Page(typing.Generic[T]):
    """One page of a list (docs/connect-your-game.md#pages). `number` counts from 1.

    `unreadable` counts the entries that can't be read, and `unreadable_ids` are the ids of those
    with a readable id. `fault` says what is wrong with the first entry or reply that was left out.
    `hidden` counts those that its reader may not see, and `size` is about its bytes in memory.
    """

    entries: tuple[T, ...]
    number: int
    per_page: int
    has_next: bool
    unreadable: int = 0
    unreadable_ids: tuple[int, ...] = ()
    fault: str = ""
    hidden: int = 0
    size: int = 0


class PageKey(typing.NamedTuple):
    """A page of a thread's comments, as the game is asked for it. `page` counts from 1."""

    thread_id: int
    sort: Sort = Sort.LATEST
    page: int = 1


class ItemPageKey(typing.NamedTuple):
    """A page of a catalog, as one member sees it. `page` counts from 1."""

    member_id: int
    catalog_id: int
    page: int = 1
