"""Fixtures for the shop without Discord."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from storage.names import ItemRef
from storage.writes import Write
from tests.support.rogue_shop import RogueShop
from tests.support.till import Till, open_till

HAT = ItemRef(1, 1, 3)
# For the item of that number, as a card shows it.
COST = 30


@pytest.fixture
async def till(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Till]:
    async with open_till(tmp_path, shop.base_url) as opened:
        yield opened


async def found(till: Till, order: Write) -> Write:
    """Return an order as it is kept by now."""
    kept = await till.writes.find(order.id)
    assert kept is not None
    return kept
