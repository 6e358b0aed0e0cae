"""Read the fields of a request: of its body, as JSON or form, and of its address."""

import json
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar, cast

from aiohttp import web
from aiohttp.http import HttpProcessingError

from game_service.errors import InvalidFields, Malformed, NotFound, UnsupportedBody

# 5,000 characters, each escaped as 12 bytes by JSON or a form, and some room for the rest.
MAX_BODY_BYTES = 128 * 1024
MAX_ID = 2**63 - 1
_FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")
# What reading a body raises if it isn't what it claims to be, or if the caller hangs up.
_UNREADABLE = (ValueError, LookupError, RecursionError, HttpProcessingError, ConnectionError)
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
_DIGITS = re.compile("[0-9]{1,19}")


_Choice = TypeVar("_Choice", bound=StrEnum)


class Fields:
    """The fields of one body or query. Reading collects what is wrong, and `check` raises it."""

    def __init__(self, values: Mapping[str, object], *, from_text: bool) -> None:
        self._values = values
        self._from_text = from_text
        self._errors: dict[str, list[str]] = {}

    def text(self, name: str, *, longest: int) -> str:
        """Read a required text, trimmed: 1 to `longest` characters that any text may hold."""
        value = self._values.get(name)
        if not isinstance(value, str):
            self.reject(name, "This text is required.")
            return ""
        text = value.strip()
        if not text:
            self.reject(name, "This text must not be empty.")
        elif len(text) > longest:
            self.reject(name, f"This text has {len(text)} characters, at most {longest} fit.")
        elif _NOT_TEXT.search(text):
            self.reject(name, "This text holds characters that no text may hold.")
        return text

    def optional_id(self, name: str) -> int | None:
        """Read an id that may be left out, null, or empty if all is text."""
        value = self._values.get(name)
        if value is None or (self._from_text and value == ""):
            return None
        number = _whole_number(value, from_text=self._from_text)
        if number is None:
            self.reject(name, "This must be the id of something: a whole number.")
        return number

    def page_number(self, name: str, *, last: int) -> int:
        """Read the number of a page from 1 to `last`, 1 if it is left out."""
        number = _whole_number(self._values.get(name, 1), from_text=self._from_text)
        if number is None or not 1 <= number <= last:
            self.reject(name, f"This must be a whole number from 1 to {last}.")
            return 1
        return number

    def choice(self, name: str, default: _Choice) -> _Choice:
        """Read one of a few words, the default if it is left out."""
        choices = type(default)
        value = self._values.get(name, default)
        try:
            return choices(value)
        except ValueError:
            self.reject(name, f"This must be one of: {', '.join(choices)}.")
            return default

    def reject(self, name: str, text: str) -> None:
        """Note what is wrong with a field."""
        self._errors.setdefault(name, []).append(text)

    def check(self) -> None:
        """Raise InvalidFields if anything was wrong so far."""
        if self._errors:
            raise InvalidFields(self._errors)


async def read_fields(request: web.Request) -> Fields:
    """Read the body's fields. An empty body has none, whatever type it claims.

    Raises Malformed (400), UnsupportedBody (415). aiohttp refuses too large ones (413).
    """
    if not request.body_exists:
        return Fields({}, from_text=False)
    if "Content-Encoding" in request.headers:
        raise UnsupportedBody("unsupported_body", "Send the body as it is, not compressed.")
    try:
        if request.content_type in _FORM_TYPES:
            return Fields(await _read_form(request), from_text=True)
        if not await request.read():
            return Fields({}, from_text=False)
        if _is_json(request.content_type):
            return Fields(await _read_json(request), from_text=False)
    except _UNREADABLE as error:
        raise Malformed("malformed_body", "The body can't be read as its content type.") from error
    raise UnsupportedBody("unsupported_body", "Send the fields as JSON or as a form.")


def query_fields(request: web.Request) -> Fields:
    """Read the fields of the address after the question mark."""
    return Fields(request.query, from_text=True)


def path_id(request: web.Request, kind: str) -> int:
    """Read the path's `:id`. Raises NotFound for what can't be the id of anything."""
    number = _whole_number(request.match_info["id"], from_text=True)
    if number is None:
        raise NotFound(kind)
    return number


def _is_json(content_type: str) -> bool:
    return content_type == "application/json" or content_type.endswith("+json")


async def _read_json(request: web.Request) -> Mapping[str, object]:
    # Not orjson: it takes half a surrogate pair for malformed JSON, but it is one bad field.
    loads: Callable[[bytes], object] = json.loads
    value = loads(await request.read())
    if not isinstance(value, dict):
        raise InvalidFields({"body": ["The body must be an object with fields."]})
    return cast("dict[str, object]", value)


async def _read_form(request: web.Request) -> Mapping[str, object]:
    form = await request.post()
    for value in form.values():
        if isinstance(value, web.FileField):
            value.file.close()
    return form


def _whole_number(value: object, *, from_text: bool) -> int | None:
    """Return the number from 0 to MAX_ID that `value` is, or None."""
    if from_text and isinstance(value, str):
        value = int(value) if _DIGITS.fullmatch(value) else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MAX_ID else None
