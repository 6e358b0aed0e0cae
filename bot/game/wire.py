"""One request over aiohttp and its answer: where it may go, how long it takes, how large it is."""

import ipaddress
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from types import SimpleNamespace

import aiohttp
from aiohttp import hdrs
from msgspec import Struct
from yarl import URL

from bot.game.bodies import MAX_BODY
from bot.game.errors import (
    BadAddress,
    Disconnected,
    ForeignRedirect,
    GameError,
    InsecureAddress,
    MalformedResponse,
    Timeout,
    TooLarge,
    TooLate,
    Unreachable,
)
from bot.game.protocol import Answer, Request

MAX_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# aiohttp takes 0 for "no limit".
_SHORTEST_TIMEOUT = 0.05


class _ConnectionCut(aiohttp.ClientConnectionError):
    """A cut connection, under a name that aiohttp does not send again for."""


async def _send_plainly(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Keep aiohttp from adding what was not asked for, as a middleware for each request."""
    # Cookies belong to the session, and so would carry one member's identity to the next.
    request.headers.popall(hdrs.COOKIE, None)
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        # aiohttp repeats a PUT or a DELETE by itself after these.
        raise _ConnectionCut(type(error).__name__) from error


def open_write_session() -> aiohttp.ClientSession:
    """Return a session whose connections carry one request each, for writes."""
    trace = aiohttp.TraceConfig()

    # The last moment before the request: connecting may have taken long.
    trace.on_connection_create_end.append(_check_in_time)
    # As many at once as there are members.
    connector = aiohttp.TCPConnector(force_close=True, limit=0)
    return aiohttp.ClientSession(connector=connector, trace_configs=[trace])


async def _check_in_time(_: object, context: SimpleNamespace, __: object) -> None:
    send_before: float | None = context.trace_request_ctx
    if send_before is not None and time.monotonic() >= send_before:
        raise TooLate("the moment to send it by was over once connected")


class Wire(Struct, frozen=True):
    """Sends reads over one session and writes over another; connecting may take so many seconds."""

    session: aiohttp.ClientSession
    write_session: aiohttp.ClientSession
    connect_timeout: float
    now: Callable[[], datetime]

    async def send(self, request: Request, headers: dict[str, str], deadline: float) -> Answer:
        """Send a request once, a read where it is redirected to, too; return what came in time.

        The deadline is a moment of `time.monotonic`. Raises GameError.
        """
        url = request.url
        for _ in range(MAX_REDIRECTS + 1):
            answer = await self._send(request, url, headers, deadline)
            if request.method != "GET" or answer.status not in _REDIRECTS:
                return answer
            url = redirect_target(url, answer.headers.get("location", ""))
        raise ForeignRedirect("the game redirects too often")

    async def _send(
        self, request: Request, url: str, headers: dict[str, str], deadline: float
    ) -> Answer:
        session = self.session if request.method == "GET" else self.write_session
        if session.closed:
            raise Unreachable("the session is closed")
        now = time.monotonic()
        if request.send_before is not None and now >= request.send_before:
            raise TooLate("the moment to send it by is over")
        timeout = max(deadline - now, _SHORTEST_TIMEOUT)
        try:
            async with session.request(
                request.method,
                url,
                headers=headers,
                data=request.body,
                timeout=aiohttp.ClientTimeout(timeout, self.connect_timeout),
                allow_redirects=False,
                raise_for_status=False,
                # Else a purchase, which has no body, would claim to send application/octet-stream.
                skip_auto_headers=(hdrs.CONTENT_TYPE,),
                middlewares=(_send_plainly,),
                trace_request_ctx=request.send_before,
            ) as response:
                body = await _body(response)
                return Answer(response.status, response.headers, body, self.now().timestamp())
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            fault = _fault(error)
        # Raised out here, because some of aiohttp's errors carry the request's headers.
        raise fault


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """Read a body of at most MAX_BODY bytes; of an error, as much of it as comes."""
    chunks: list[bytes] = []
    size = 0
    try:
        if response.content.at_eof():
            # Empty, or already read by whoever wrapped the session.
            chunks.append(await response.read())
            size = len(chunks[0])
        else:
            async for chunk in response.content.iter_any():
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_BODY:
                    # Closed, not released: the rest must not be read either.
                    response.close()
                    break
    except (aiohttp.ClientError, TimeoutError, OSError):
        if response.status < 400:
            raise
        # The status has said it already, and a definite no must not become an unknown outcome.
    if size > MAX_BODY:
        if response.status < 400:
            raise TooLarge(f"the answer has more than {MAX_BODY} bytes")
        return b""
    return b"".join(chunks)


def _fault(error: Exception) -> GameError:
    if isinstance(error, aiohttp.ClientConnectorError):
        return Unreachable(f"no connection: {error.os_error.strerror or type(error).__name__}")
    if isinstance(error, aiohttp.ConnectionTimeoutError | aiohttp.InvalidURL):
        return Unreachable(f"no connection: {type(error).__name__}")
    if isinstance(error, TimeoutError):
        return Timeout("the answer took too long")
    if isinstance(error, aiohttp.ClientResponseError):
        return MalformedResponse("the answer is not HTTP")
    return Disconnected(f"the connection was cut: {type(error).__name__}")


def check_base_url(address: str, *, plain_http: bool = False) -> str:
    """Return the game's address without a slash at its end.

    Raises InsecureAddress for http beyond this machine, or with `plain_http` beyond a private
    network as far as the address shows; BadAddress for what is no web address.
    """
    try:
        url = URL(address)
        origin = url.origin()
    except ValueError:
        raise BadAddress("the game's address is not of the form https://host/path") from None
    if origin.scheme not in ("http", "https") or any(map(str.isspace, address)):
        raise BadAddress("the game's address is not of the form https://host/path")
    if url.user is not None or url.password is not None or url.query_string or url.fragment:
        raise BadAddress("the game's address must hold no user name, query or fragment")
    host = url.host or ""
    is_loopback, is_public = host == "localhost" or host.endswith(".localhost"), False
    # A name may stand for any address.
    with suppress(ValueError):
        numbers = ipaddress.ip_address(host)
        is_loopback, is_public = numbers.is_loopback, numbers.is_global
    if url.scheme == "http" and not (is_loopback or (plain_http and not is_public)):
        raise InsecureAddress(
            "the game's address must be https, except on this machine"
            " and, with GAME_PLAIN_HTTP=true, on a private network"
        )
    return str(url).rstrip("/")


def redirect_target(url: str, location: str) -> str:
    """Resolve a redirect that stays with the scheme, host and port of `url`.

    Raises ForeignRedirect for every other: it would carry a request, and perhaps a token, away.
    """
    asked = URL(url)
    with suppress(ValueError):
        target = asked.join(URL(location)).with_fragment(None)
        is_there = target.host == asked.host and target.port == asked.port
        if location and is_there and target.scheme == asked.scheme and target.user is None:
            return str(target)
    raise ForeignRedirect("the game redirects to another host")
