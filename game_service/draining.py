"""Know which requests are in flight, so that stopping can wait for their answers.

aiohttp waits as well, but from the moment it is told to stop it reads nothing more: a request
whose body is still on its way would never be answered.
"""

import asyncio

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware


class RequestsInFlight:
    """Counts the requests from their first header to their answer."""

    def __init__(self) -> None:
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()

    def middleware(self) -> Middleware:
        """Return the middleware that counts. It belongs around all others."""

        @web.middleware
        async def count(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._count += 1
            self._none.clear()
            try:
                return await handler(request)
            finally:
                self._count -= 1
                if not self._count:
                    self._none.set()

        return count

    async def ended(self, patience: float) -> None:
        """Wait until there are none, at most `patience` seconds."""
        try:
            async with asyncio.timeout(patience):
                await self._none.wait()
        except TimeoutError:
            return
