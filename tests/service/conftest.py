"""The demo game and someone who asks it things as any client would: over HTTP."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import pytest
from multidict import CIMultiDictProxy

from game_service.app import Service
from tests.support.game import fill_demo, open_game_copy

SUBSCRIBER, VISITOR, NEWCOMER = "demo-subscriber", "demo-visitor", "demo-newcomer"


@dataclass(frozen=True)
class Answer:
    """What came back; `body` is None when there was none."""

    status: int
    headers: CIMultiDictProxy[str]
    body: Any

    @property
    def data(self) -> Any:
        return self.body["data"]

    @property
    def code(self) -> str:
        """The code of a refusal, whose whole shape is held here for all tests."""
        assert self.body.keys() == {"message", "code", "errors"}
        assert self.body["message"]
        assert all(isinstance(texts, list) for texts in self.body["errors"].values())
        return self.body["code"]


class Api:
    """Asks the service; paths are relative to {base_url}."""

    def __init__(self, session: aiohttp.ClientSession, base_url: str) -> None:
        self._session = session
        self.base_url = base_url

    async def ask(self, method: str, path: str, token: str | None = None, **how: Any) -> Answer:
        headers = {"Accept": "application/json", **how.pop("headers", {})}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        url = path if path.startswith("http") else f"{self.base_url}{path}"
        async with self._session.request(method, url, headers=headers, **how) as response:
            content = await response.read()
            body = orjson.loads(content) if content else None
            return Answer(response.status, response.headers, body)

    async def get(self, path: str, token: str | None = None, **how: Any) -> Answer:
        return await self.ask("GET", path, token, **how)

    async def post(self, path: str, token: str | None = None, **how: Any) -> Answer:
        return await self.ask("POST", path, token, **how)

    async def put(self, path: str, token: str | None = None, **how: Any) -> Answer:
        return await self.ask("PUT", path, token, **how)

    async def delete(self, path: str, token: str | None = None, **how: Any) -> Answer:
        return await self.ask("DELETE", path, token, **how)

    async def write(
        self,
        content: str = "Hello!",
        *,
        thread: int = 3,
        under: int | None = None,
        token: str = SUBSCRIBER,
    ) -> int:
        """Write a comment, or a reply; gives its id."""
        fields = {"content": content} | ({} if under is None else {"comment_id": under})
        answer = await self.post(f"/threads/{thread}/comments", token, json=fields)
        assert answer.status == 201, answer.body
        return answer.data["id"]

    async def walk(self, path: str, token: str | None = None) -> list[Any]:
        """Follow `links.next` from the first page to the last; gives every entry."""
        entries: list[Any] = []
        address: str | None = path
        while address is not None:
            answer = await self.get(address, token)
            assert answer.status == 200, answer.body
            entries += answer.data
            address = answer.body["links"]["next"]
        return entries


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fill_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture
async def game(filled: str, tmp_path: Path) -> AsyncGenerator[Service]:
    async with open_game_copy(filled, tmp_path, pictures_url=None) as service:
        yield service


@pytest.fixture
async def session() -> AsyncGenerator[aiohttp.ClientSession]:
    # No limit of connections: a hundred purchases at once are to be a hundred at once.
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        yield session


@pytest.fixture
def api(game: Service, session: aiohttp.ClientSession) -> Api:
    return Api(session, game.base_url)
