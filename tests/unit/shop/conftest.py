"""Fixtures for the shop without Discord."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.background import utc_now
from bot.features.writing.orders import Wish
from storage.names import ItemRef
from storage.writes import Write, WriteKind, WriteState
from tests.support.database_reads import DatabaseRead
from tests.support.gates import PATIENCE
from tests.support.rogue_game import RogueShop
from tests.support.till import MEMBER, Till, open_till

HAT = ItemRef(1, 1, 3)
# A press on a card for item 3, at its price.
WISH = Wish(MEMBER, WriteKind.PURCHASE, HAT, 30, card_id=1, locale="en-US", press_id=7)
# Longer than an order is held by one process, and shorter than the second look.
LONG = 100.0


@pytest.fixture
async def till(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Till]:
    async with open_till(tmp_path, shop.base_url) as opened:
        yield opened


async def found(till: Till, order: Write) -> Write:
    """Return an order as it is kept by now."""
    kept = await till.writes.find(order.id)
    assert kept is not None
    return kept


async def orders_of(till: Till) -> list[Write]:
    """Return what the member bought and redeemed, without what was refused."""
    link = await till.accounts.require(MEMBER)
    later = utc_now() + timedelta(days=1)
    found = await till.writes.orders_of(
        MEMBER, link.token_key, refused_since=later, most=100, offset=0
    )
    return list(found)


async def until_pressed(till: Till, presses: int) -> None:
    """Wait until a press has kept an order, and the others have found it under way."""

    def is_under_way(read: DatabaseRead) -> bool:
        states = {dict(row).get("state") for row in read.rows}
        return "card_id" in read.parameters and bool(states & {WriteState.KEPT, WriteState.SENT})

    async with asyncio.timeout(PATIENCE):
        while not await orders_of(till):
            pass
    await till.reads.until(lambda: sum(map(is_under_way, till.reads.past)) >= presses - 1)
