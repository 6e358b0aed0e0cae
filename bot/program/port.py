"""A port that anyone may connect to, and send anything to."""

import asyncio
import typing
from collections import OrderedDict, abc

from aiohttp import http, web

from bot.program.interactions import MAX_BODY_BYTES, RefusedRequest

MAX_CONNECTIONS = 200
_SECONDS_FOR_BODY = 3.0
# A compressed body is not unpacked, and the rest of a refused one is not waited for.
_READING: dict[str, typing.Any] = {
    "access_log": None,
    "auto_decompress": False,
    "lingering_time": 0,
}

Handle = abc.Callable[[web.BaseRequest], abc.Awaitable[web.Response]]


class Port(web.Server):
    """Refuses a request without reading its body, and closes the connection.

    Of too many connections, the one that has sent no whole request for longest is closed. Those by
    which Discord has sent something come last. `refused` gets the reason, and is all that strangers
    can write to. A refusal has the headers `own`.
    """

    def __init__(
        self,
        handle: Handle,
        refused: abc.Callable[[str], object],
        own: abc.Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(self._answer)
        self._handle = handle
        self.refused = refused
        self._own = own
        # In both, those that have sent a whole request last come last.
        self._strangers: OrderedDict[web.RequestHandler, asyncio.Transport] = OrderedDict()
        self._known: OrderedDict[web.RequestHandler, asyncio.Transport] = OrderedDict()

    def __call__(self) -> web.RequestHandler:
        return _Connection(self)

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        if len(self._strangers) + len(self._known) == MAX_CONNECTIONS:
            _, oldest = (self._strangers or self._known).popitem(last=False)
            oldest.abort()
            self.refused("too many connections")
        self._strangers[handler] = transport

    def connection_lost(
        self, handler: web.RequestHandler, exc: BaseException | None = None
    ) -> None:
        super().connection_lost(handler, exc)
        self._strangers.pop(handler, None)
        self._known.pop(handler, None)

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        try:
            response = await self._handle(request)
        except RefusedRequest as refusal:
            self.refused(refusal.why)
            response = web.Response(status=refusal.status, headers=self._own)
            response.force_close()
        else:
            handler = request.protocol
            for connections in (self._strangers, self._known):
                if handler in connections:
                    connections.move_to_end(handler)
        return response

    def welcome(self, request: web.BaseRequest) -> None:
        """Remember a connection by which Discord has sent something."""
        if transport := self._strangers.pop(request.protocol, None):
            self._known[request.protocol] = transport


class _Connection(web.RequestHandler):
    """Reads requests, and counts what isn't HTTP at all."""

    def __init__(self, port: Port) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(port, loop=loop, **_READING)
        self._port = port

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if not isinstance(exc, http.HttpProcessingError):
            return super().handle_error(request, status, exc, message)
        self._port.refused("not HTTP")
        # Its raiser remembers the error, and with its traceback all that had come in.
        exc.with_traceback(None)
        response = web.Response(status=400)
        response.force_close()
        return response


async def read_body(request: web.BaseRequest) -> bytes:
    """Return a body that comes in whole, and soon. Raises RefusedRequest."""
    chunks: list[bytes] = []
    room = MAX_BODY_BYTES
    try:
        async with asyncio.timeout(_SECONDS_FOR_BODY):
            async for chunk in request.content.iter_any():
                chunks.append(chunk)
                room -= len(chunk)
                if room < 0:
                    raise RefusedRequest(413, "too large")
    except TimeoutError as error:
        raise RefusedRequest(408, "too slow") from error
    except (ConnectionError, web.RequestPayloadError) as error:
        # The request remembers the error, and with its traceback what had come in.
        raise RefusedRequest(400, "cut off") from error.with_traceback(None)
    return b"".join(chunks)
