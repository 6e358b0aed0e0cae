"""The game's seven endpoints without any network: requests out, results or errors in."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Generic, Literal, TypeVar
from urllib.parse import urlencode, urlsplit

from msgspec import Struct
from pydantic import SecretStr

from bot.game.complaints import read_complaint
from bot.game.errors import (
    BadToken,
    ForeignRedirect,
    GameError,
    Invalid,
    MalformedResponse,
    NoBody,
    error_type,
)
from bot.game.models import Comment, Item, Page, Purchase, Redemption, Sort, WrittenComment
from bot.game.parsing import read_nothing, read_one, read_page
from bot.game.rate_limit import retry_after

T = TypeVar("T")
BodyFormat = Literal["json", "form"]


def path_of(url: str) -> str:
    """Return the path of an address, with its query; nothing in it is secret or typed."""
    return urlsplit(url)._replace(scheme="", netloc="").geturl()


_TOKEN = re.compile(r"[\x21-\x7e]+")
# These say "ask there instead", so that nothing was done here; a 302 or 303 is also how a server
# answers once it has done what a write asked for.
_NOT_DONE_HERE = frozenset({301, 307, 308})


class Caller(Struct, frozen=True):
    """The member on whose behalf a request is made; `member_id` is their Discord user id."""

    member_id: int
    token: SecretStr


class Request(Struct, frozen=True):
    """One HTTP request; `caller` is None where the interface shows no authentication.

    `asker` is for whom it is made where that isn't the caller. After `send_before`, a moment of
    time.monotonic(), it is not sent any more.
    """

    method: Literal["GET", "POST", "PUT", "DELETE"]
    url: str
    caller: Caller | None = None
    body: bytes | None = None
    content_type: str = ""
    asker: int | None = None
    send_before: float | None = None

    def __repr__(self) -> str:
        # A body holds what members write, here and below.
        return f"<{self.method} {path_of(self.url)}>"

    def headers(self) -> dict[str, str]:
        """Return the headers, the token among them. Raises BadToken."""
        headers = {
            "Accept": "application/json",
            # What a cache on the way kept may be long over, and another member's.
            "Cache-Control": "no-cache",
            "User-Agent": "Kiosk",
        }
        if self.body is not None:
            headers["Content-Type"] = self.content_type
        if self.caller:
            secret = self.caller.token.get_secret_value()
            if not _TOKEN.fullmatch(secret):
                raise BadToken("the token has characters that no header can carry")
            headers["Authorization"] = f"Bearer {secret}"
        return headers


class Answer(Struct, frozen=True):
    """One HTTP answer: headers are asked for in lower case; the time in seconds since 1970."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    received_at: float

    def __repr__(self) -> str:
        return f"<{self.status}, {len(self.body)} bytes>"


class Exchange(Struct, Generic[T], frozen=True):
    """A request, and how the body of a successful answer to it is read."""

    request: Request
    read: Callable[[bytes], T]

    def decipher(self, answer: Answer) -> T:
        """Return the result of a 2xx; raises the error that any other answer stands for."""
        if not 200 <= answer.status < 300:
            raise _error(answer, self.request.caller)
        try:
            return self.read(answer.body)
        except MalformedResponse as error:
            if not answer.body.strip():
                raise NoBody("the answer is empty", status=answer.status) from None
            error.status = answer.status
            raise


class GameProtocol(Struct, frozen=True):
    """Builds the exchange for each endpoint below `base_url` (Interface 4)."""

    base_url: str
    body_format: BodyFormat = "json"

    def list_comments(
        self, thread_id: int, sort: Sort, page: int, asker: int | None = None
    ) -> Exchange[Page[Comment]]:
        """Interface 4.1, asked without a token (Interface 5.3)."""
        url = f"{self.base_url}/threads/{thread_id}/comments?sort={sort}&page={page}"
        request = Request("GET", url, asker=asker)
        return Exchange(request, lambda body: read_page(Comment, body, asked=page))

    def create_comment(
        self, caller: Caller, thread_id: int, content: str, parent_id: int | None
    ) -> Exchange[WrittenComment]:
        """Interface 4.2."""
        fields: dict[str, str | int] = {"content": content}
        if parent_id is not None:
            fields["comment_id"] = parent_id
        request = self._with_fields("POST", f"/threads/{thread_id}/comments", caller, fields)
        return Exchange(request, lambda body: read_one(WrittenComment, body))

    def update_comment(
        self, caller: Caller, comment_id: int, content: str
    ) -> Exchange[WrittenComment]:
        """Interface 4.3."""
        request = self._with_fields("PUT", f"/comments/{comment_id}", caller, {"content": content})
        return Exchange(request, lambda body: read_one(WrittenComment, body))

    def delete_comment(self, caller: Caller, comment_id: int) -> Exchange[None]:
        """Interface 4.4; the answer's body is not shown there."""
        request = Request("DELETE", f"{self.base_url}/comments/{comment_id}", caller)
        return Exchange(request, read_nothing)

    def list_items(
        self, caller: Caller, catalog_id: int, page: int, asker: int | None = None
    ) -> Exchange[Page[Item]]:
        """Interface 4.5, which shows no query, so that the first page is asked without one."""
        query = "" if page == 1 else f"?page={page}"
        url = f"{self.base_url}/catalogs/{catalog_id}/items{query}"
        request = Request("GET", url, caller, asker=asker)
        return Exchange(request, lambda body: read_page(Item, body, asked=page))

    def purchase(self, caller: Caller, item_id: int) -> Exchange[Purchase]:
        """Interface 4.6; the path names the item and, as in the sample, no body goes out."""
        request = Request("POST", f"{self.base_url}/items/{item_id}/purchase", caller)
        return Exchange(request, lambda body: read_one(Purchase, body))

    def redeem(self, caller: Caller, item_id: int) -> Exchange[Redemption]:
        """Interface 4.7, sent like a purchase."""
        request = Request("POST", f"{self.base_url}/items/{item_id}/redeem", caller)
        return Exchange(request, lambda body: read_one(Redemption, body))

    def _with_fields(
        self,
        method: Literal["POST", "PUT"],
        path: str,
        caller: Caller,
        fields: Mapping[str, str | int],
    ) -> Request:
        if self.body_format == "form":
            body, kind = urlencode(fields, errors="replace").encode(), "x-www-form-urlencoded"
        else:
            body, kind = json.dumps(fields).encode(), "json"
        return Request(method, self.base_url + path, caller, body, f"application/{kind}")


def _error(answer: Answer, caller: Caller | None) -> GameError:
    status = answer.status
    detail = f"the game answered {status}"
    if status < 400:
        kind = ForeignRedirect if status in _NOT_DONE_HERE else MalformedResponse
        return kind(detail, status=status)
    secret = caller.token.get_secret_value() if caller else ""
    message, errors = read_complaint(answer.body, secret)
    wait = retry_after(answer.headers, answer.received_at)
    error = error_type(status)(detail, message=message, status=status, retry_after=wait)
    if isinstance(error, Invalid):
        error.errors = errors
    return error
