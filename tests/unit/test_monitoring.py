"""What a process says of itself while its database is away, or its event loop stands still."""

import socket
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot import monitoring
from bot.app import open_bot
from tests.support.database_proxy import DatabaseProxy, open_database_proxy
from tests.support.databases import address_at
from tests.support.world import settings_for

NO_GAME = "http://127.0.0.1:9"
NO_SHARDS = "not every shard is connected"


@pytest.fixture
async def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[DatabaseProxy]:
    monkeypatch.setenv("DATABASE", "postgresql")
    async with open_database_proxy(address_at(tmp_path / "kiosk.db")) as opened:
        yield opened


async def test_a_process_without_its_database_lives_and_is_not_ready_and_a_stuck_one_is_dead(
    proxy: DatabaseProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = settings_for(tmp_path, NO_GAME).model_copy(
        update={"monitoring_port": port, "database_url": proxy.address}
    )

    async def ask(path: str) -> tuple[int, Any]:
        async with session.get(f"http://127.0.0.1:{port}{path}") as answer:
            return answer.status, (await answer.json())["faults"]

    async with open_bot(settings), aiohttp.ClientSession() as session:
        assert await ask("/readyz") == (503, [NO_SHARDS])
        monkeypatch.setattr(monitoring, "_DATABASE_PATIENCE", 0.3)
        proxy.is_down = True
        proxy.cut()
        assert await ask("/readyz") == (503, ["the database does not answer", NO_SHARDS])
        assert await ask("/livez") == (200, [])
        monkeypatch.setattr(monitoring, "_LOOP_IS_DEAD", -1.0)
        assert await ask("/livez") == (503, ["the event loop stands still"])
        proxy.is_down = False
