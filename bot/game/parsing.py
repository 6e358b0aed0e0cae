"""Turn the body of an answer into typed results or errors, whatever the bytes are."""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Annotated, Generic, NamedTuple, TypeVar, cast

from msgspec import Meta, MsgspecError, Struct
from msgspec.json import decode
from pydantic import TypeAdapter, ValidationError

from bot.game.bodies import MAX_BODY, MAX_NESTING, parsed, tree_of
from bot.game.errors import MalformedResponse, TooLarge
from bot.game.models import Arrived, Comment, Id, Mark, Page, WrittenComment, are_usual, patient

log = logging.getLogger(__name__)
T = TypeVar("T")
M = TypeVar("M", bound=Arrived)

# More than fit into a body, as most games write them. Going through even more lets everybody wait.
_MOST_ENTRIES = 10_000
# Each reply lies in an object and a list, and the first in those of the page.
_DEEPEST_REPLIES = (MAX_NESTING - 2) // 2
DEFAULT_PER_PAGE = 15
# A page with as many more faults than entries is no list of them.
_MOST_FAULTS = 15

# What an object takes in memory beside its text, about, in bytes: measured for comments and items.
_OBJECT_SIZE = 650
# How the interface's sample spells the name of this field, and its model (Interface 2.3). Quotes
# inside a text are escaped, so that none is taken for a name.
_MISSPELT = re.compile(rb'"has_purchasd"(\s*:)')
# By which an answer may deny its own status, and how.
_MAY_DENY = re.compile(rb'"success"\s*:')
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


class _Single(Struct, Generic[T], frozen=True):
    data: T


class _Faults(NamedTuple):
    """How many entries could not be read, and the ids of those that have one."""

    number: int = 0
    ids: tuple[int, ...] = ()


def read_page(model: type[M], body: bytes, *, asked: int) -> Page[M]:
    """Read a list's envelope (Interface 2.6); `asked` is the page that was asked for.

    One entry that can't be read does not hide the others. Raises MalformedResponse.
    """
    envelope, faults = _read_at_once(_Envelope[model], body), _Faults()
    if envelope is None or _is_no(envelope.success) or not _is_within_bounds(envelope.data):
        envelope, faults = _read_in_parts(model, body)
    entries, meta = envelope.data, envelope.meta
    if sum(map(len, _levels_of(entries))) > _MOST_ENTRIES:
        raise TooLarge("the page has too many entries")
    per_page = meta.per_page or DEFAULT_PER_PAGE
    # The samples show a null link even where pages follow, so that a full page promises one.
    is_full = len(entries) + faults.number >= per_page
    has_next = bool(entries) and (bool(envelope.links.next) or is_full)
    size = len(body) + body.count(b"{") * _OBJECT_SIZE
    number = meta.current_page or asked
    return Page(entries, number, per_page, has_next, faults.number, faults.ids, size)


def _read_at_once(kind: type[T], body: bytes) -> T | None:
    """Read a body as the interface describes it; None where it differs."""
    if len(body) > MAX_BODY:
        return None
    if b'"has_purchasd"' in body and b'"has_purchased"' not in body:
        body = _MISSPELT.sub(rb'"has_purchased"\1', body)
    try:
        # As text, because msgspec does not look at the bytes of what it passes over.
        return decode(body.decode(), type=kind)
    except (MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _is_within_bounds(entries: Sequence[Arrived]) -> bool:
    """Return whether all comments are as usual, and replies nest as deep as the limit."""
    for depth, level in enumerate(_levels_of(entries)):
        comments = [one for one in level if isinstance(one, WrittenComment)]
        if depth == _DEEPEST_REPLIES or not are_usual(comments):
            return False
    return True


def _levels_of(entries: Sequence[Arrived]) -> Iterator[Sequence[Arrived]]:
    """Yield entries, then their replies, then the replies to those."""
    while entries:
        yield entries
        entries = [reply for one in entries if isinstance(one, Comment) for reply in one.children]


def _read_in_parts(model: type[M], body: bytes) -> tuple[_Envelope[M], _Faults]:
    """Read what can be read of a page. Raises MalformedResponse."""
    tree = tree_of(body)
    _check_not_denied(tree)
    data = _data_of(tree)
    if not isinstance(data, list):
        raise MalformedResponse("data: no list", path="data")
    entries: list[M] = []
    faults: list[MalformedResponse] = []
    ids: list[int] = []
    lost: list[MalformedResponse] = []
    for index, entry in enumerate(cast("list[object]", data)):
        try:
            entries.append(_read_entry(model, entry, lost, "data", index))
        except MalformedResponse as fault:
            faults.append(fault)
            ids.extend(_id_of(entry))
        if len(faults) > len(entries) + _MOST_FAULTS:
            raise faults[0]
    if faults and not entries:
        raise faults[0]
    for what, found in (("entries", faults), ("replies", lost)):
        if found:
            log.warning("%s %s of a page can't be read, as %s", len(found), what, found[0])
    links, meta = (_fields_of(_fields_of(tree).get(name)) for name in ("links", "meta"))
    numbers = (_positive(meta.get(name)) for name in ("current_page", "per_page"))
    envelope = _Envelope(tuple(entries), _Links(bool(links.get("next"))), _Meta(*numbers))
    return envelope, _Faults(len(faults), tuple(ids))


def _positive(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        value = int(value)
    return value if type(value) is int and 0 < value < 2**31 else None


def _id_of(entry: object) -> Iterator[int]:
    """Give the id of an entry that is no more than that."""
    with suppress(ValidationError):
        yield _ID.validate_python(_fields_of(entry).get("id"))


def _read_entry(
    model: type[M], entry: object, lost: list[MalformedResponse], *place: str | int
) -> M:
    """Read an entry, its replies before it and each by itself.

    One that can't be read is `lost` and hides no other. Raises MalformedResponse.
    """
    fields = _fields_of(entry)
    replies = fields.get("children")
    if isinstance(replies, list) and model is Comment:
        readable: list[M] = []
        for index, reply in enumerate(cast("list[object]", replies)):
            try:
                readable.append(_read_entry(model, reply, lost, *place, "children", index))
            except MalformedResponse as fault:
                lost.append(fault)
        fields["children"] = readable
    return _validated(model, entry, *place)


def read_one(model: type[M], body: bytes) -> M:
    """Read a single resource out of its `data` (Interface 1).

    Raises MalformedResponse, also where the answer denies its own status.
    """
    read = None if _MAY_DENY.search(body) else _read_at_once(_Single[model], body)
    if read is not None and _is_within_bounds([read.data]):
        return read.data
    tree = tree_of(body)
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
