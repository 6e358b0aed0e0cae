"""Reading whole catalogs: long ones, endless ones, and such as are stopped half-way."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.features.feature_errors import ItemGone
from bot.features.reading.catalogs import CatalogEnding
from bot.game.game_errors import MalformedResponse, Unavailable
from bot.game.transport import Limits
from storage.names import ItemRef
from tests.support.rogue_game import RogueShop
from tests.support.till import MEMBER, Till, open_till


@pytest.fixture
async def quick(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Till]:
    """A process in no need to be polite, on a game of our own."""
    limits = Limits(requests_per_second=10_000)
    async with open_till(tmp_path, shop.base_url, limits=limits) as opened:
        yield opened


async def test_three_thousand_items_are_read_in_order(shop: RogueShop, quick: Till) -> None:
    shop.stock(3000)
    seen: list[int] = []

    async def note(pages: int) -> None:
        seen.append(pages)

    listing = await quick.shop.read(MEMBER, 1, report=note)

    assert [entry.item.id for entry in listing.items] == list(range(1, 3001))
    assert listing.ending is CatalogEnding.COMPLETE
    assert seen == list(range(1, 201))


@pytest.mark.parametrize("typed", ["99999", "No such hat"])
async def test_an_endless_catalog_hides_items(shop: RogueShop, quick: Till, typed: str) -> None:
    shop.never_ends, shop.per_page = True, 1000
    with pytest.raises(MalformedResponse):
        await quick.shop.find(MEMBER, typed, [1])


async def test_only_a_whole_catalog_shows_an_item_gone(shop: RogueShop, quick: Till) -> None:
    shop.stock(60)
    lost = ItemRef(1, 1, 99)
    with pytest.raises(ItemGone):
        await quick.shop.item(MEMBER, lost, fresh=True)

    shop.failing_pages = {3}
    with pytest.raises(Unavailable):
        await quick.shop.item(MEMBER, lost, fresh=True)

    shop.failing_pages = set()
    # It may be the one that makes no sense.
    shop.items[40] = {"id": "unreadable"}
    with pytest.raises(MalformedResponse):
        await quick.shop.item(MEMBER, lost, fresh=True)


async def test_stopping_gives_what_was_read(shop: RogueShop, quick: Till) -> None:
    shop.stock(300)
    stop = asyncio.timeout(None)

    async def stop_after_three(pages: int) -> None:
        if pages == 3:
            # From here on the game says nothing, and still it ends.
            shop.gate = asyncio.Event()
            stop.reschedule(0)

    listing = await quick.shop.read(MEMBER, 1, report=stop_after_three, stop=stop)

    assert listing.ending is CatalogEnding.STOPPED
    assert len(listing.items) == 45


async def test_a_few_pages_are_asked_for_at_a_time(shop: RogueShop, quick: Till) -> None:
    shop.stock(300)
    shop.gate = asyncio.Event()
    reading = asyncio.create_task(quick.shop.read(MEMBER, 1))
    await shop.arrived.wait()
    assert shop.pages_asked == [1]
    shop.gate.set()
    await reading

    assert max(shop.pages_asked) <= 20 + 3
    assert sorted(set(shop.pages_asked)) == sorted(shop.pages_asked)
