"""Turn the body of an answer into typed results or errors, whatever the bytes are."""

import logging
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from string import ascii_lowercase, ascii_uppercase
from typing import Annotated, TypeVar, cast
from urllib.parse import quote

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import from_json

from bot.game.errors import MalformedResponse, NotJson, TooDeep, TooLarge
from bot.game.models import Id, Page

log = logging.getLogger(__name__)
M = TypeVar("M", bound=BaseModel)
_Container = dict[str, object] | list[object]
_CONTAINERS = frozenset({dict, list})

MAX_BODY = 2 * 1024 * 1024
MAX_NESTING = 64
# A sentence or two; it is quoted within one Discord message.
MAX_MESSAGE = 300
MAX_FIELDS = 10
# Of a message from outside no more is looked at.
_LONGEST_READ = 2000
# So many characters in a row of a token are no coincidence.
_TELLING = 6
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
DEFAULT_PER_PAGE = 15
# A page with as many more faults than entries is no list of them.
_MOST_FAULTS = 15

# What an object takes in memory beside its text, about, in bytes: measured for comments and items.
_OBJECT_SIZE = 650
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Every escape is consumed, so that a backslash which is itself escaped starts none.
_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)


def _positive(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        value = int(value)
    return value if type(value) is int and 0 < value < 2**31 else None


def _object_or_nothing(value: object) -> object:
    return cast("object", value) if isinstance(value, dict) else {}


class _Links(BaseModel):
    next: object = None


class _Meta(BaseModel):
    current_page: Annotated[int | None, BeforeValidator(_positive)] = None
    per_page: Annotated[int | None, BeforeValidator(_positive)] = None


class _Envelope(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    data: list[object]
    links: Annotated[_Links, BeforeValidator(_object_or_nothing)] = _Links()
    meta: Annotated[_Meta, BeforeValidator(_object_or_nothing)] = _Meta()


class _Named(BaseModel):
    id: Id


class _Single(BaseModel):
    data: object


def read_page(model: type[M], body: bytes, *, asked: int) -> Page[M]:
    """Read a list's envelope (Interface 2.6); `asked` is the page that was asked for.

    One entry that can't be read does not hide the others. Raises MalformedResponse.
    """
    envelope = _validated(_Envelope, _tree(body))
    per_page = envelope.meta.per_page or DEFAULT_PER_PAGE
    entries: list[M] = []
    faults: list[MalformedResponse] = []
    ids: list[int] = []
    for index, entry in enumerate(envelope.data):
        try:
            entries.append(_validated(model, entry, "data", index))
        except MalformedResponse as fault:
            faults.append(fault)
            ids.extend(_id_of(entry))
        if len(faults) > len(entries) + _MOST_FAULTS:
            raise faults[0]
    if faults and not entries:
        raise faults[0]
    if faults:
        log.warning("%s entries of a page can't be read, as %s", len(faults), faults[0])
    # The samples show a null link even where pages follow, so that a full page promises one.
    is_full = len(envelope.data) >= per_page
    has_next = bool(entries) and (bool(envelope.links.next) or is_full)
    size = len(body) + body.count(b"{") * _OBJECT_SIZE
    number = envelope.meta.current_page or asked
    return Page(tuple(entries), number, per_page, has_next, len(faults), tuple(ids), size)


def _id_of(entry: object) -> Iterator[int]:
    """Give the id of an entry that is no more than that."""
    with suppress(ValidationError):
        yield _Named.model_validate(entry).id


def read_one(model: type[M], body: bytes, *, about: int | None = None) -> M:
    """Read a single resource out of its `data` (Interface 1), that of the id asked `about`.

    Raises MalformedResponse, also where the answer denies its own status.
    """
    tree = _tree(body)
    _check_not_denied(tree)
    one = _validated(model, _validated(_Single, tree).data, "data")
    if about is not None and getattr(one, "id", None) != about:
        raise MalformedResponse("the answer is about something else", path="data.id")
    return one


def read_nothing(body: bytes) -> None:
    """Read the answer to a deletion, which is not shown. Raises MalformedResponse for a denial."""
    try:
        tree = _parsed(body)
    except MalformedResponse:
        return
    _check_not_denied(tree)


def _check_not_denied(tree: object) -> None:
    if isinstance(tree, dict) and cast("dict[str, object]", tree).get("success") is False:
        raise MalformedResponse("the answer says that it has failed", path="success")


def read_complaint(body: bytes, secret: str) -> tuple[str | None, Mapping[str, tuple[str, ...]]]:
    """Return an error body's message and its texts by field, as far as it has them.

    The interface shows no error body, so anything else than these two counts as silence. The
    secret is blanked out: some games repeat a wrong token.
    """
    try:
        tree = _parsed(body)
    except MalformedResponse:
        return None, {}
    if not isinstance(tree, dict):
        return None, {}
    fields = cast("dict[str, object]", tree)
    errors = fields.get("errors")
    return _plain(fields.get("message"), secret), _by_field(errors, secret)


def _by_field(errors: object, secret: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(errors, dict):
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for field, texts in list(cast("dict[str, object]", errors).items())[:MAX_FIELDS]:
        each = cast("list[object]", texts) if isinstance(texts, list) else [texts]
        plain = [text for text in (_plain(text, secret) for text in each[:MAX_FIELDS]) if text]
        found[_plain(field, secret) or ""] = tuple(plain)
    return found


def _plain(text: object, secret: str) -> str | None:
    if not isinstance(text, str):
        return None
    text = " ".join(_without(secret, text[:_LONGEST_READ]).split())
    return (text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 1]}…") or None


def _without(secret: str, text: str) -> str:
    """Blank whatever repeats a part of a secret, in any case, percent-encoded or in base64."""
    if not secret:
        return text
    # What surrounds the secret decides how base64 cuts it into threes.
    encoded = [b64encode(b"?" * before + secret.encode())[before * 2 :] for before in range(3)]
    shapes = [secret, quote(secret, safe=""), *(shape.decode("ascii") for shape in encoded)]
    size = min(_TELLING, len(secret))
    telling = {
        shape.lower()[start : start + size]
        for shape in shapes
        for start in range(len(shape) - size + 1)
    }
    lower = text.translate(_LOWER)
    hidden = [False] * len(text)
    for start in range(len(text) - size + 1):
        if lower[start : start + size] in telling:
            hidden[start : start + size] = [True] * size
    parts = groupby(zip(text, hidden, strict=True), key=itemgetter(1))
    return "".join("•••" if blank else "".join(c for c, _ in run) for blank, run in parts)


def _validated(model: type[M], tree: object, *place: str | int) -> M:
    try:
        return model.model_validate(tree)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    # Raised out here, because a ValidationError in its context would carry the body into a log.
    path = ".".join(map(str, (*place, *first["loc"])))
    raise MalformedResponse(f"{path or 'the answer'}: {first['type']}", path=path)


def _tree(body: bytes) -> object:
    tree = _parsed(body)
    _drop_nulls(tree)
    return tree


def _parsed(body: bytes) -> object:
    if len(body) > MAX_BODY:
        raise TooLarge(f"the answer has more than {MAX_BODY} bytes")
    body = body.removeprefix(_BYTE_ORDER_MARK)
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError as error:
        return _mended_tree(body, error)


def _mended_tree(body: bytes, error: ValueError) -> object:
    """Parse again with half surrogate pairs replaced: one such text must not hide a page."""
    if "recursion" in str(error):
        raise TooDeep(f"the answer is nested deeper than {MAX_NESTING}")
    mended = _ESCAPES.sub(lambda escape: rb"\ufffd" if escape["lone"] else escape[0], body)
    try:
        return from_json(mended, allow_inf_nan=False)
    except ValueError:
        raise NotJson("the answer is not JSON") from None


def _drop_nulls(tree: object) -> None:
    """Take fields that are null out of every object, since null counts as absent.

    Raises TooDeep: going through all of it shows how deep it is.
    """
    level: list[_Container] = [tree] if isinstance(tree, dict | list) else []
    for _ in range(MAX_NESTING):
        for outer in level:
            if isinstance(outer, dict) and None in outer.values():
                for name in [name for name, value in outer.items() if value is None]:
                    del outer[name]
        inner = [
            value
            for outer in level
            for value in (outer.values() if isinstance(outer, dict) else outer)
            # Quicker than isinstance, and a page has a thousand values.
            if type(value) in _CONTAINERS
        ]
        level = cast("list[_Container]", inner)
        if not level:
            return
    raise TooDeep(f"the answer is nested deeper than {MAX_NESTING}")
