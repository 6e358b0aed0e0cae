"""Orders that are confirmed at the very moment in which another one ends."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from bot.clock import utc_now
from bot.domain.orders import Settlement
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.messages import Messages
from storage.orders import Orders
from tests.storage.ordering import DONE, LATER, NEW, NOW, REFUSED, UNKNOWN, start, started
from tests.support.databases import address_at
from tests.support.gates import PATIENCE

END = "UPDATE orders SET state = :state, is_open = FALSE WHERE id = :id"


async def until_somebody_waits(database: Database) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await database.fetch("SELECT 1 FROM pg_locks WHERE NOT granted"):
            pass


@pytest.mark.parametrize(("found", "may_begin"), [(DONE, 0), (UNKNOWN, 0), (REFUSED, 1)])
async def test_what_ends_while_another_is_confirmed_stands_in_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: Settlement, may_begin: int
) -> None:
    monkeypatch.setenv("DATABASE", "postgresql")
    address = address_at(tmp_path / "kiosk.db")
    async with (
        open_database(address, MIGRATIONS) as database,
        open_database(address, MIGRATIONS) as elsewhere,
    ):
        orders = Orders(database, Messages(database, utc_now))
        first = await started(orders)
        await orders.mark_sent(first, now=NOW, due_at=LATER)
        async with elsewhere.transaction() as ending:
            await ending.execute(END, state=found.state, id=first.id)
            # The other one is still under way for whoever looks now.
            second = asyncio.create_task(start(orders, replace(NEW, confirmation=101)))
            await until_somebody_waits(database)

        begun = await second
        assert (begun is not None) == may_begin
        history = await orders.history(NEW.member_id, most=9, offset=0)
        assert len(history) == 1 + may_begin
