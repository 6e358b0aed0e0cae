"""The ways in which a request can be refused, and the shape of the answer.

Refusal
├── Malformed           400  the body can't be read as what it claims to be
├── Unauthorized        401  no token, or one that no one has
├── Forbidden           403  someone else's comment, or for members only
├── NotFound            404  no such thread, comment, catalog or item
├── Conflict            409  owned, redeemed, not enough currency, not at this park
├── UnsupportedBody     415  neither JSON nor a form
├── InvalidFields       422  a field is missing, wrong or too long
└── TooManyRequests     429  more than the token's share
"""

import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus

import orjson
from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
FieldErrors = Mapping[str, Sequence[str]]

_log = logging.getLogger(__name__)


class Refusal(Exception):
    """A request is refused. `code` is for programs, the message for people."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR

    def __init__(
        self,
        code: str,
        message: str,
        *,
        errors: FieldErrors | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.errors = errors or {}
        self.headers = headers or {}


class Malformed(Refusal):
    """The body can't be read as what it claims to be."""

    status = HTTPStatus.BAD_REQUEST


class Unauthorized(Refusal):
    """The request needs a player's token."""

    status = HTTPStatus.UNAUTHORIZED

    def __init__(self, message: str) -> None:
        super().__init__("unauthorized", message, headers={"WWW-Authenticate": "Bearer"})


class Forbidden(Refusal):
    """The player can't do this, even if others can."""

    status = HTTPStatus.FORBIDDEN


class NotFound(Refusal):
    """There is nothing of this kind with this id."""

    status = HTTPStatus.NOT_FOUND

    def __init__(self, kind: str) -> None:
        super().__init__(f"{kind}_not_found", f"There is no such {kind}.")


class Conflict(Refusal):
    """The player's belongings or place don't allow it."""

    status = HTTPStatus.CONFLICT


class UnsupportedBody(Refusal):
    """The body is neither JSON nor a form."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


class InvalidFields(Refusal):
    """One or more fields are missing, wrong or too long. `errors` has a list of texts for each."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY

    def __init__(self, errors: FieldErrors) -> None:
        super().__init__("invalid_fields", "Some fields are not valid.", errors=errors)


class TooManyRequests(Refusal):
    """The token has used its share. `Retry-After` says when there is more, in seconds."""

    status = HTTPStatus.TOO_MANY_REQUESTS

    def __init__(self, retry_after: int) -> None:
        super().__init__(
            "too_many_requests",
            f"Too many requests. Try again in {retry_after} seconds.",
            headers={"Retry-After": str(retry_after)},
        )


@web.middleware
async def tell_refusals(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer every failure with `{"message", "code", "errors": {field: [text]}}`."""
    try:
        return await handler(request)
    except Refusal as refusal:
        return _answer(
            refusal.status, refusal.code, refusal.message, refusal.errors, refusal.headers
        )
    except web.HTTPException as error:
        return _answer_for_aiohttp(error)
    except Exception:  # noqa: BLE001 - whatever it was, the caller gets the usual shape
        _log.exception("%s %s failed", request.method, request.path)
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        return _answer(status, "server_error", "Something went wrong on our side.", {}, {})


def _answer_for_aiohttp(error: web.HTTPException) -> web.Response:
    """Give aiohttp's own refusals (no such route or method, too large) the same shape."""
    status = HTTPStatus(error.status)
    headers = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}
    # By aiohttp's name: Python's own names of some statuses differ from version to version.
    words = re.findall(r"[A-Z][a-z]+", type(error).__name__.removeprefix("HTTP"))
    return _answer(status, "_".join(words).lower(), f"{' '.join(words).capitalize()}.", {}, headers)


def _answer(
    status: HTTPStatus, code: str, message: str, errors: FieldErrors, headers: Mapping[str, str]
) -> web.Response:
    body = orjson.dumps({"message": message, "code": code, "errors": errors})
    return web.Response(
        status=status, body=body, content_type="application/json", headers=dict(headers)
    )
