"""A balancer before several bots, as deploy/compose.yaml has one: in turn, by active checks."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from typing import NoReturn

import aiohttp
from aiohttp import web

# In seconds.
_BETWEEN_CHECKS, _CHECK = 0.25, 2.0


@dataclass
class Balancer:
    """Posts each interaction to the next bot that is ready; `holders` says which one took it."""

    session: aiohttp.ClientSession
    targets: Sequence[str]
    base_url: str = ""
    ready: set[str] = field(default_factory=set[str])
    # By the interaction's id.
    holders: dict[int, str] = field(default_factory=dict[int, str])
    # Those that took no connection although they were ready when they were last asked.
    refused: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self._turns = cycle(self.targets)

    async def check(self) -> NoReturn:
        while True:
            await asyncio.gather(*map(self._check, self.targets))
            await asyncio.sleep(_BETWEEN_CHECKS)

    async def _check(self, target: str) -> None:
        try:
            timeout = aiohttp.ClientTimeout(total=_CHECK)
            async with self.session.get(f"{target}/readyz", timeout=timeout) as answer:
                is_ready = answer.status == 200
        except (aiohttp.ClientError, TimeoutError):
            is_ready = False
        (self.ready.add if is_ready else self.ready.discard)(target)

    async def relay(self, request: web.Request) -> web.Response:
        """Send a request on, or to the next one if no one takes the connection."""
        body = await request.read()
        headers = {name: request.headers[name] for name in request.headers if name[:2] == "X-"}
        for target in (next(self._turns) for _ in self.targets):
            if target not in self.ready:
                continue
            self.holders[int(json.loads(body).get("id", 0))] = target
            try:
                url = f"{target}{request.path}"
                async with self.session.post(url, data=body, headers=headers) as answer:
                    return web.Response(status=answer.status, body=await answer.read())
            except aiohttp.ClientConnectorError:
                self.refused.add(target)
            except aiohttp.ClientError:
                break
        raise web.HTTPBadGateway


@asynccontextmanager
async def open_balancer(*targets: str) -> AsyncGenerator[Balancer]:
    """Serve on a free port of loopback until the block ends; all targets are ready."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        balancer = Balancer(session, targets)
        app = web.Application()
        app.router.add_post("/interactions", balancer.relay)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        balancer.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        balancer.ready.update(targets)
        checking = asyncio.create_task(balancer.check())
        try:
            yield balancer
        finally:
            checking.cancel()
            await runner.cleanup()
