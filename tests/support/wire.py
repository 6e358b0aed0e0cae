"""The way to a simulated Discord: slow, or cut off after what was asked for has been done."""

from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import discord
import pytest
from discord.http import Route
from simcord.http import FakeHTTPClient

from bot.ui.messages.requests import Requests
from tests.support.gates import Gates, Happenings
from tests.support.nonces import know_again

_DONE = 200
_UNAVAILABLE = 503


@dataclass(frozen=True)
class Asked:
    """A request that has left, and whether it makes a message or a post."""

    method: str
    path: str

    @property
    def is_message(self) -> bool:
        return self.method == "POST" and self.path.endswith(("/messages", "/threads"))


def is_message(asked: Asked) -> bool:
    return asked.is_message


@dataclass
class Wire:
    """What Kiosk's messages go through; a request that is `asked` may be held at `gates`."""

    asked: Happenings[Asked] = field(default_factory=Happenings[Asked])
    gates: Gates[Asked] = field(default_factory=Gates[Asked])
    # Of each request that fits the path, in place of an answer.
    _lost: list[str] = field(default_factory=list[str])
    _limited: dict[str, float] = field(default_factory=dict[str, float])

    def lose_answer(self, path: str) -> None:
        """Let the next request to such a path be done, and its answer be lost."""
        self._lost.append(path)

    def limit(self, path: str, seconds: float) -> None:
        """Let the library refuse requests to such a path, which have to wait for so long."""
        self._limited[path] = seconds

    def take_all(self) -> None:
        """Let everything through from now on."""
        self._lost.clear()
        self._limited.clear()

    async def carry(
        self, route: Route, parameters: Mapping[str, Any], ask: Callable[[], Awaitable[Any]]
    ) -> Any:
        requests = parameters.get("trace_request_ctx")
        if not isinstance(requests, Requests):
            return await ask()
        asked = Asked(route.method, route.url.removeprefix(Route.BASE))
        await requests.before_try()
        for path, seconds in self._limited.items():
            if fnmatch(asked.path, path):
                raise discord.RateLimited(seconds)
        requests.on_leaving()
        self.asked.add(asked)
        await self.gates.pass_by(asked)
        try:
            answer = await ask()
            self._lose(asked)
        except discord.HTTPException as error:
            requests.after_try(_response(error.status))
            raise
        requests.after_try(_response(_DONE))
        return answer

    def _lose(self, asked: Asked) -> None:
        for path in self._lost:
            if fnmatch(asked.path, path):
                self._lost.remove(path)
                raise discord.HTTPException(_response(_UNAVAILABLE), "upstream timed out")


def _response(status: int) -> aiohttp.ClientResponse:
    response = SimpleNamespace(status=status, ok=status == _DONE, reason="", headers={})
    return cast("aiohttp.ClientResponse", response)


@contextmanager
def open_wire() -> Generator[Wire]:
    """Put a wire between Kiosk and each simulated Discord while the block runs."""
    know_again()
    wire, request = Wire(), FakeHTTPClient.request

    async def carried(client: FakeHTTPClient, route: Route, **parameters: Any) -> Any:
        return await wire.carry(route, parameters, lambda: request(client, route, **parameters))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FakeHTTPClient, "request", carried)
        yield wire
