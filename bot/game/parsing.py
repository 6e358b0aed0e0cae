"""Turn the body of an answer into typed results or errors, whatever the bytes are."""

import logging
from contextlib import suppress
from typing import Annotated, Generic, TypeVar, cast

from msgspec import Meta, MsgspecError, Struct, field
from msgspec.json import decode
from pydantic import TypeAdapter, ValidationError

from bot.game.bodies import MAX_BODY, parsed
from bot.game.errors import MalformedResponse, TooDeep
from bot.game.models import Arrived, Comment, Id, Mark, Page, patient

log = logging.getLogger(__name__)
T = TypeVar("T")
M = TypeVar("M", bound=Arrived)

DEFAULT_PER_PAGE = 15
# A list with as many more faults than entries is none of them.
_MOST_FAULTS = 15
# What an object takes in memory beside its text, about, in bytes: measured for comments and items.
_OBJECT_SIZE = 650
# How the interface's sample spells the name of this field, and its model (Interface 2.3). Quotes
# inside a text are escaped, so that none is taken for a name.
_MISSPELT, _SPELT = b'"has_purchasd":', b'"has_purchased":'
# By which an answer may deny its own status, and how.
_MAY_DENY = b'"success"'
_DENIALS = ("", "0", "false", "no")


_ID = TypeAdapter[int](Id)
_Positive = Annotated[int, Meta(gt=0, lt=2**31)]


class _Links(Struct, frozen=True):
    next: Mark = None


class _Meta(Struct, frozen=True):
    current_page: _Positive | None = None
    per_page: _Positive | None = None


class _Envelope(Struct, Generic[T], frozen=True):
    data: tuple[T, ...]
    links: _Links = _Links()
    meta: _Meta = _Meta()
    success: Mark = None


class _Unread(Struct):
    """How many entries could not be read, why the first could not, and the ids that they have."""

    number: int = 0
    first: MalformedResponse | None = None
    ids: list[int] = field(default_factory=list[int])

    def note(self, fault: MalformedResponse, fields: dict[str, object]) -> None:
        self.number += 1
        self.first = self.first or fault
        with suppress(ValidationError):
            self.ids.append(_ID.validate_python(fields.get("id")))


class _Single(Struct, Generic[T], frozen=True):
    data: T


def read_page(model: type[M], body: bytes, *, asked: int) -> Page[M]:
    """Read a list's envelope (Interface 2.6); `asked` is the page that was asked for.

    One entry that can't be read does not hide the others. Raises MalformedResponse.
    """
    envelope, unread = _read_at_once(_Envelope[model], body), _Unread()
    if envelope is None or _is_no(envelope.success):
        try:
            envelope = _read_in_parts(model, body, unread)
        except RecursionError:
            raise TooDeep("the answer is nested too deep") from None
    entries, meta = envelope.data, envelope.meta
    per_page = meta.per_page or DEFAULT_PER_PAGE
    # The samples show a null link even where pages follow, so that a full page promises one.
    is_full = len(entries) + unread.number >= per_page
    has_next = bool(entries) and (bool(envelope.links.next) or is_full)
    size = len(body) + body.count(b"{") * _OBJECT_SIZE
    number = meta.current_page or asked
    return Page(entries, number, per_page, has_next, unread.number, tuple(unread.ids), size)


def _read_at_once(kind: type[T], body: bytes) -> T | None:
    """Read a body as the interface describes it; None where it differs."""
    if len(body) > MAX_BODY:
        return None
    if _SPELT not in body:
        body = body.replace(_MISSPELT, _SPELT)
    try:
        # As text, because msgspec does not look at the bytes of what it passes over.
        return decode(body.decode(), type=kind)
    except (MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _read_in_parts(model: type[M], body: bytes, unread: _Unread) -> _Envelope[M]:
    """Read what can be read of a page. Raises MalformedResponse."""
    tree = parsed(body)
    _check_not_denied(tree)
    data = _data_of(tree)
    if not isinstance(data, list):
        raise MalformedResponse("data: no list", path="data")
    lost = _Unread()
    entries = _read_each(model, cast("list[object]", data), unread, lost, "data")
    if unread.first and (not entries or unread.number > len(entries) + _MOST_FAULTS):
        raise unread.first
    for what, those in (("entries", unread), ("replies", lost)):
        if those.first:
            log.warning("%s %s of a page can't be read, as %s", those.number, what, those.first)
    links, meta = (_fields_of(_fields_of(tree).get(name)) for name in ("links", "meta"))
    numbers = (_positive(meta.get(name)) for name in ("current_page", "per_page"))
    return _Envelope(tuple(entries), _Links(bool(links.get("next"))), _Meta(*numbers))


def _read_each(
    model: type[M], data: list[object], unread: _Unread, lost: _Unread, *place: str | int
) -> list[M]:
    """Read the entries of a list, each by itself; those that can't be read are `unread`.

    The replies among them that can't be are `lost`. A list of little else is given up.
    """
    entries: list[M] = []
    faults = 0
    for index, entry in enumerate(data):
        fields = _fields_of(entry)
        replies = fields.get("children")
        try:
            if isinstance(replies, list) and model == Comment:
                below = cast("list[object]", replies)
                fields["children"] = _read_each(model, below, lost, lost, *place, index, "children")
            entries.append(_validated(model, entry, *place, index))
        except MalformedResponse as fault:
            faults += 1
            unread.note(fault, fields)
        if faults > len(entries) + _MOST_FAULTS:
            unread.number += len(data) - index - 1
            break
    return entries


def _positive(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        value = int(value)
    return value if type(value) is int and 0 < value < 2**31 else None


def read_one(model: type[M], body: bytes) -> M:
    """Read a single resource out of its `data` (Interface 1).

    Raises MalformedResponse, also where the answer denies its own status.
    """
    read = None if _MAY_DENY in body else _read_at_once(_Single[model], body)
    if read is not None:
        return read.data
    tree = parsed(body)
    _check_not_denied(tree)
    return _validated(model, _data_of(tree), "data")


def read_nothing(body: bytes) -> None:
    """Read the answer to a deletion, which is not shown. Raises MalformedResponse for a denial."""
    try:
        tree = parsed(body)
    except MalformedResponse:
        return
    _check_not_denied(tree)


def _check_not_denied(tree: object) -> None:
    """Raise MalformedResponse where an answer, or what it is about, says that it has failed."""
    for fields in (_fields_of(tree), _fields_of(_fields_of(tree).get("data"))):
        if _is_no(fields.get("success")):
            raise MalformedResponse("the answer says that it has failed", path="success")


def _is_no(said: object) -> bool:
    if isinstance(said, str):
        return said.strip().casefold() in _DENIALS
    return said is not None and not said


def _validated(model: type[M], tree: object, *place: str | int) -> M:
    try:
        return patient(model).validate_python(tree)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    # Raised out here, because a ValidationError in its context would carry the body into a log.
    path = ".".join(map(str, (*place, *first["loc"])))
    raise MalformedResponse(f"{path or 'the answer'}: {first['type']}", path=path)


def _data_of(tree: object) -> object:
    """Return what an answer is about. Raises MalformedResponse."""
    if not isinstance(tree, dict):
        raise MalformedResponse("the answer is no object")
    if "data" not in tree:
        raise MalformedResponse("data: missing", path="data")
    return cast("object", tree["data"])


def _fields_of(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
