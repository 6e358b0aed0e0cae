"""A port that anybody may connect to, and send anything to."""

import asyncio
import logging
from collections import OrderedDict, abc

from aiohttp import http, web

from bot.program.interactions import LARGEST_BODY_BYTES, Refused

log = logging.getLogger(__name__)

MOST_CONNECTIONS = 200
_SECONDS_FOR_BODY = 3.0

Handle = abc.Callable[[web.BaseRequest], abc.Awaitable[web.Response]]


class Port(web.Server):
    """Closes a connection with the first request that is refused, whose body nobody reads then.

    Of too many connections, the one goes that has sent no whole request for longest; one by which
    Discord has sent something goes after all others. `refused` hears why, and is all that
    strangers can write to. A refusal has the headers `own`.
    """

    def __init__(
        self,
        handle: Handle,
        refused: abc.Callable[[str], object],
        own: abc.Mapping[str, str] | None = None,
    ) -> None:
        logger = logging.Logger(log.name)  # noqa: LOG001 - its filter is this port's alone
        logger.parent = log
        logger.addFilter(self._is_own_fault)
        # Bodies stay as they come: no few bytes become many.
        super().__init__(
            self._answer, access_log=None, auto_decompress=False, lingering_time=0, logger=logger
        )
        self._handle = handle
        self._refused = refused
        self._own = own
        # In both, those that have sent a whole request last come last.
        self._strangers: OrderedDict[web.RequestHandler, asyncio.Transport] = OrderedDict()
        self._known: OrderedDict[web.RequestHandler, asyncio.Transport] = OrderedDict()

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        if len(self._strangers) + len(self._known) == MOST_CONNECTIONS:
            _, oldest = (self._strangers or self._known).popitem(last=False)
            oldest.abort()
            self._refused("too many connections")
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
        except Refused as refusal:
            self._refused(refusal.why)
            response = web.Response(status=refusal.status, headers=self._own)
            response.force_close()
        else:
            handler = request.protocol
            for connections in (self._strangers, self._known):
                if handler in connections:
                    connections.move_to_end(handler)
        return response

    def welcome(self, request: web.BaseRequest) -> None:
        """Know a connection by which Discord has sent something."""
        if transport := self._strangers.pop(request.protocol, None):
            self._known[request.protocol] = transport

    def _is_own_fault(self, record: logging.LogRecord) -> bool:
        """Return whether something is to be logged: not what isn't HTTP at all."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, http.HttpProcessingError):
            self._refused("not HTTP")
            return False
        return True


async def read_body(request: web.BaseRequest) -> bytes:
    """Return a body that comes in whole, and soon. Raises Refused."""
    chunks: list[bytes] = []
    room = LARGEST_BODY_BYTES
    try:
        async with asyncio.timeout(_SECONDS_FOR_BODY):
            async for chunk in request.content.iter_any():
                chunks.append(chunk)
                room -= len(chunk)
                if room < 0:
                    raise Refused(413, "too large")
    except TimeoutError as error:
        raise Refused(408, "too slow") from error
    except (ConnectionError, web.RequestPayloadError) as error:
        # The request remembers the error, and with its traceback what had come in.
        raise Refused(400, "cut off") from error.with_traceback(None)
    return b"".join(chunks)
