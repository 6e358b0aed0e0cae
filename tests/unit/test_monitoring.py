"""What a process says of itself while its database is away, or its event loop stands still."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.app import open_bot
from bot.features.following.comparing import subscription_key
from bot.program import health
from bot.program.checking import examine
from bot.settings import Settings
from storage.subscriptions import News
from tests.support.announcing import catalog_in
from tests.support.clock import utc_now
from tests.support.database_proxy import DatabaseProxy, open_database_proxy
from tests.support.databases import address_at, run_beside
from tests.support.full_disk import fill_up, make_room
from tests.support.gates import PATIENCE_SECONDS
from tests.support.world import settings_for

NO_GAME = "http://127.0.0.1:9"
NOT_CONNECTED = "no connection to Discord"
DATABASE = "the database doesn't answer, or can't be written"


@pytest.fixture
async def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[DatabaseProxy]:
    monkeypatch.setenv("DATABASE", "postgresql")
    async with open_database_proxy(address_at(tmp_path / "kiosk.db")) as opened:
        yield opened


def watched(folder: Path, **others: object) -> tuple[Settings, str]:
    """Return the settings of a bot that tells how it is, and the address for that."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = settings_for(folder, NO_GAME).model_copy(update={"monitoring_port": port, **others})
    return settings, f"http://127.0.0.1:{port}"


async def test_only_what_another_process_would_do_better_makes_one_unready(
    proxy: DatabaseProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, address = watched(tmp_path, database_url=proxy.address)

    async def ask(path: str) -> tuple[int, Any]:
        async with session.get(f"{address}{path}") as answer:
            return answer.status, (await answer.json())["faults"]

    async with open_bot(settings, claim_term=1.0) as bot, aiohttp.ClientSession() as session:
        assert await ask("/readyz") == (503, [NOT_CONNECTED])
        bot.is_standing_by = True
        async with proxy.asking.closed(lambda _: True) as gate:
            # It says so without asking: no one is answered until the gate is opened.
            await gate.arrival()
            async with asyncio.timeout(PATIENCE_SECONDS):
                while await ask("/readyz") == (200, []):
                    pass
            assert await ask("/readyz") == (200, [DATABASE])
            assert await ask("/livez") == (200, [])
            gate.open()
        monkeypatch.setattr(health, "_LOOP_DEAD_SECONDS", -1.0)
        assert await ask("/livez") == (503, ["the event loop is blocked"])


async def test_a_database_that_can_only_be_read_is_told(tmp_path: Path) -> None:
    settings, address = watched(tmp_path)

    async with open_bot(settings, claim_term=1.0), aiohttp.ClientSession() as session:

        async def tells(path: str, words: str) -> None:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while True:
                    async with session.get(f"{address}{path}") as answer:
                        if words in await answer.text():
                            return

        await tells("/metrics", "\nkiosk_database_up 1.0")
        await fill_up(settings.database_url, "claims")
        await tells("/readyz", DATABASE)
        await tells("/metrics", "\nkiosk_database_up 0.0")
        await make_room(settings.database_url, "claims")
        await tells("/metrics", "\nkiosk_database_up 1.0")


async def test_a_process_whose_clock_is_not_the_databases_is_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE", "postgresql")
    settings, address = watched(tmp_path)
    put_clock_ahead(settings.database_url, "5 minutes")

    async with open_bot(settings, claim_term=1.0), aiohttp.ClientSession() as session:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                async with session.get(f"{address}/readyz") as answer:
                    if "clock is 300 s behind the database's" in await answer.text():
                        break
        assert answer.status == 503
        clock = [found for found in await examine(settings) if found.subject == "clock"]
        assert [found.is_fault for found in clock] == [True]


def put_clock_ahead(address: str, by: str) -> None:
    """Let a server of PostgreSQL tell another time from now on to those who connect."""
    run_beside(
        address,
        "CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE SQL AS"
        f" $$ SELECT pg_catalog.clock_timestamp() + INTERVAL '{by}' $$",
    )
    ((name,),) = run_beside(address, "SELECT current_database()")
    run_beside(address, f'ALTER DATABASE "{name}" SET search_path = public, pg_catalog')


async def test_a_backup_that_fails_is_told_by_the_active_worker(tmp_path: Path) -> None:
    (tmp_path / "in the way").touch()
    settings, address = watched(tmp_path, backup_dir=str(tmp_path / "in the way"))

    async with open_bot(settings) as bot, aiohttp.ClientSession() as session:

        async def ask(path: str) -> str:
            async with session.get(f"{address}{path}") as answer:
                return await answer.text()

        well = await ask("/readyz")
        working = bot.tasks.start(bot.worker.run())
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (told := await ask("/readyz")) == well:
                pass
        assert "BACKUP_DIR: can't make today's backup: " in told
        assert "\nkiosk_backup_failed 1.0" in await ask("/metrics")
        await bot.tasks.end(working)
        assert await ask("/readyz") == well
        assert "\nkiosk_backup_failed 0.0" in await ask("/metrics")


async def test_catalogs_are_told_of_by_the_active_worker_alone(tmp_path: Path) -> None:
    settings, address = watched(tmp_path)
    oldest = "kiosk_catalog_last_good_poll_age_seconds{"

    async with open_bot(settings) as bot, aiohttp.ClientSession() as session:
        new = catalog_in(1, 20, news=frozenset(News), created_by=7)
        await bot.features.announcing.subscribed.add(new, subscription_key(new), now=utc_now())

        async def metrics() -> str:
            async with session.get(f"{address}/metrics") as answer:
                return await answer.text()

        working = bot.tasks.start(bot.worker.run())
        async with asyncio.timeout(PATIENCE_SECONDS):
            while oldest not in (told := await metrics()):
                pass
        await bot.tasks.end(working)
        told = await metrics()

    assert oldest not in told
