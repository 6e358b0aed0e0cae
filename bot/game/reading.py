"""Turn the bytes of an answer into typed results or errors, whatever they are."""

import dataclasses
import json
import logging
import re
import time
import typing
from collections import abc
from contextlib import suppress

import pydantic

from bot.game import models
from bot.game.game_errors import MalformedResponse
from bot.log import Hourly

log = logging.getLogger(__name__)
_hourly = Hourly(time.monotonic)
M = typing.TypeVar("M")

_PER_PAGE = 15
# A list with this many more faults than entries isn't a list of such entries.
_MAX_FAULTS = 15
# About how much memory an object takes beside its text: measured for comments and items.
_OBJECT_BYTES = 650
# An answer denies its own status by one of these.
_DENIALS = ("", "0", "false", "no")
# A refusal's message is a sentence or two, quoted within one Discord message.
_MAX_MESSAGE = 300
_MAX_READ = 2000
_MAX_FIELDS = 10
_BLANK = "•••"

_Positive = typing.Annotated[int | None, pydantic.Field(gt=0, lt=2**31), models.Default(None)]


@dataclasses.dataclass(frozen=True)
class _Meta:
    current_page: _Positive = None
    per_page: _Positive = None


@dataclasses.dataclass(frozen=True)
class _Envelope(typing.Generic[M]):
    data: typing.Annotated[tuple[M, ...], pydantic.Field(fail_fast=True)]
    links: typing.Annotated[dict[str, typing.Any], models.Default({})] = dataclasses.field(
        default_factory=dict[str, typing.Any]
    )
    meta: typing.Annotated[_Meta, models.Default(_Meta())] = _Meta()
    success: typing.Any = None


# The reason why an entry couldn't be read, with its id if that could be read.
_Fault = tuple[MalformedResponse, int | None]

# Made at the start: pydantic is slow to build what reads a type, and then reads fast.
_ID = pydantic.TypeAdapter[typing.Any](models.Id)
_READERS: abc.Mapping[typing.Any, pydantic.TypeAdapter[typing.Any]] = {
    kind: pydantic.TypeAdapter[typing.Any](kind)
    for kind in (
        *(models.Comment, models.Item, models.Purchase, models.Redemption),
        *(_Envelope[models.Comment], _Envelope[models.Item]),
    )
}


def read_page(model: type[M], body: bytes, *, asked: int) -> models.Page[M]:
    """Read the page `asked` for (docs/connect-your-game.md#pages). Raises MalformedResponse."""
    envelope = None
    unread: list[_Fault] = []
    lost: list[_Fault] = []
    with suppress(pydantic.ValidationError):
        envelope = typing.cast("_Envelope[M]", _READERS[_Envelope[model]].validate_json(body))
    if envelope is None or _is_no(envelope.success):
        envelope = _read_in_parts(model, body, unread, lost)
    entries = envelope.data
    per_page = envelope.meta.per_page or _PER_PAGE
    # The samples show a null link even if pages follow, so that a full page promises one.
    is_full = len(entries) + len(unread) >= per_page
    has_next = bool(entries) and (bool(envelope.links.get("next")) or is_full)
    size = len(body) + body.count(b"{") * _OBJECT_BYTES
    number = envelope.meta.current_page or asked
    ids = tuple(item_id for _, item_id in unread if item_id is not None)
    fault = next((str(fault) for fault, _ in (*unread, *lost)), "")
    return models.Page(entries, number, per_page, has_next, len(unread), ids, fault, size=size)


def read_one(model: type[M], body: bytes) -> M:
    """Read what is in `data` (docs/connect-your-game.md#answers). Raises MalformedResponse."""
    return _read(model, _data_of(_parsed(body)), "data")


def read_written(body: bytes) -> models.Comment:
    """Read a written comment (docs/connect-your-game.md#comment). Raises MalformedResponse."""
    fields = _fields_of(_data_of(_parsed(body)))
    # This answer doesn't say anything about replies.
    told = {name: fields[name] for name in fields if name not in ("children", "children_count")}
    return _read(models.Comment, told, "data")


def read_nothing(body: bytes) -> None:
    """Read the answer to a deletion, which is not shown. Raises MalformedResponse for a denial."""
    try:
        tree = _parsed(body)
    except MalformedResponse:
        return
    _data_of(tree)


def read_complaint(body: bytes, secret: str) -> tuple[str | None, abc.Set[str]]:
    """Return what a refusal says about fields, or in general, and the fields that it names.

    The secret is blanked out, plain and percent-encoded: some games repeat a wrong token. Raises
    MalformedResponse if there is a body that isn't JSON.
    """
    if not body.strip():
        return None, frozenset()
    complaint = _fields_of(_parsed(body, keep_nulls=True))
    fields: set[str] = set()
    said: list[object] = []
    for name, texts in list(_fields_of(complaint.get("errors")).items())[:_MAX_FIELDS]:
        fields.add(_quotable(name, secret) or "")
        said += (
            typing.cast("list[object]", texts)[:_MAX_FIELDS] if isinstance(texts, list) else [texts]
        )
    plain = dict.fromkeys(_quotable(text, secret) or "" for text in said)
    message = _quotable(" ".join(plain), secret) or _quotable(complaint.get("message"), secret)
    return message, fields


def _quotable(text: object, secret: str) -> str | None:
    if not isinstance(text, str):
        return None
    text = " ".join(models.replace_lone_surrogates(text).split())[:_MAX_READ]
    if secret:
        letters = (f"(?:{re.escape(letter)}|%{ord(letter):x})" for letter in secret)
        text = re.sub("".join(letters), _BLANK, text, flags=re.IGNORECASE)
    return (text if len(text) <= _MAX_MESSAGE else f"{text[: _MAX_MESSAGE - 1]}…") or None


def _read_in_parts(
    model: type[M], body: bytes, unread: list[_Fault], lost: list[_Fault]
) -> _Envelope[M]:
    """Read what can be read of a page. Note faults as `_read_each`. Raises MalformedResponse."""
    tree = _parsed(body)
    data = _data_of(tree)
    fields = _fields_of(tree)
    if not isinstance(tree, dict):
        raise MalformedResponse("the answer isn't an object")
    if not isinstance(data, list):
        raise MalformedResponse("data: not a list")
    try:
        entries = _read_each(model, typing.cast("list[object]", data), unread, lost, "data")
    except RecursionError:
        raise MalformedResponse("the answer is nested too deep") from None
    if unread and (not entries or len(unread) > len(entries) + _MAX_FAULTS):
        raise unread[0][0]
    for what, faults in (("entries", unread), ("replies", lost)):
        if faults:
            more = _hourly.note(f"{model.__name__} {what}")
            if more is not None:
                words = "Can't read %s %s of a page, for example: %s%s"
                log.warning(words, len(faults), what, faults[0][0], more)
    return _read(_Envelope[model], {**fields, "data": entries})


def _read_each(
    model: type[M], data: list[object], unread: list[_Fault], lost: list[_Fault], *parts: str | int
) -> list[M]:
    """Read each entry of a list by itself. Give up a list of little that can be read.

    Entries that can't be read are noted as `unread`, the replies among them as `lost`.
    """
    entries: list[M] = []
    for index, entry in enumerate(data):
        fields = _fields_of(entry)
        replies = fields.get("children")
        try:
            if isinstance(replies, list) and model == models.Comment:
                below = typing.cast("list[object]", replies)
                fields["children"] = _read_each(model, below, lost, lost, *parts, index, "children")
            entries.append(_read(model, entry, *parts, index))
        except MalformedResponse as fault:
            item_id: int | None = None
            with suppress(pydantic.ValidationError):
                item_id = _ID.validate_python(fields.get("id"))
            unread.append((fault, item_id))
        if index + 1 - len(entries) > len(entries) + _MAX_FAULTS:
            unread += [(unread[-1][0], None)] * (len(data) - index - 1)
            break
    return entries


def _read(model: type[M], tree: object, *parts: str | int) -> M:
    try:
        return _READERS[model].validate_python(tree)
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    # Raised out here, because a ValidationError in its context would carry the body into a log.
    path = ".".join(map(str, (*parts, *first["loc"])))
    raise MalformedResponse(f"{path or 'the answer'}: {first['type']}")


def _parsed(body: bytes, *, keep_nulls: bool = False) -> object:
    """Return what a body contains. null counts as absent, unless nulls are kept."""
    try:
        return json.loads(
            body.decode("utf-8-sig"),
            object_pairs_hook=lambda pairs: {
                name: value for name, value in pairs if keep_nulls or value is not None
            },
        )
    except RecursionError:
        raise MalformedResponse("the answer is nested too deep") from None
    except ValueError:
        raise MalformedResponse("the answer isn't JSON") from None


def _is_no(said: object) -> bool:
    if isinstance(said, str):
        return said.strip().casefold() in _DENIALS
    return said is not None and not said


def _data_of(tree: object) -> object:
    """Return an answer's `data`. Raises MalformedResponse if it, or the answer, says no."""
    fields = _fields_of(tree)
    for said in (fields, _fields_of(fields.get("data"))):
        if _is_no(said.get("success")):
            raise MalformedResponse("the answer reports a failure")
    return fields.get("data")


def _fields_of(value: object) -> dict[str, object]:
    return typing.cast("dict[str, object]", value) if isinstance(value, dict) else {}
