"""What one process learns from a member or a moderator holds in every other five seconds later."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.background import utc_now
from bot.cache import SHARED_LIFETIME
from bot.errors import NothingNamed, NotLinked, UnknownName
from bot.features.reading.shop import Lists, Shop
from bot.game.models import Player
from storage.messages import Messages
from storage.names import PlaceKind
from storage.writes import Writes
from tests.support.database_reads import DatabaseRead, watch_reads
from tests.support.gates import Happenings
from tests.support.rogue_shop import RogueShop
from tests.support.wiring import Wiring, open_wiring

MEMBER, GUILD, PLAYER, CATALOG = 4242, 99, 7, 1
TOKEN, OTHER_TOKEN = SecretStr("a-token"), SecretStr("another-token")

pytestmark = pytest.mark.usefixtures("address")


@pytest.fixture
async def one(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Wiring]:
    async with open_wiring(tmp_path, shop.base_url) as wired:
        yield wired


@pytest.fixture
async def two(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Wiring]:
    async with open_wiring(tmp_path, shop.base_url) as wired:
        yield wired


def let_pass(process: Wiring) -> None:
    """Let five seconds pass for a process."""
    # The caches take the time from the machine, and no test waits.
    for cache in (process.accounts._players, process.directory._known):  # pyright: ignore[reportPrivateUsage]
        cache.outdate(lambda _: True, age=SHARED_LIFETIME)


async def link(process: Wiring, token: SecretStr = TOKEN) -> None:
    await process.links.save(MEMBER, token)
    player = Player(id=PLAYER, screen_name="Nettle")
    await process.accounts.remember_player(await process.accounts.require(MEMBER), player)


async def test_an_account_that_is_unlinked_in_one_process_is_unlinked_in_all(
    one: Wiring, two: Wiring
) -> None:
    await link(one)
    assert await two.accounts.player_of(MEMBER) == PLAYER

    await one.accounts.unlink(MEMBER)

    with pytest.raises(NotLinked):
        await two.accounts.require(MEMBER)
    let_pass(two)
    assert await two.accounts.player_of(MEMBER) is None


async def test_an_account_that_is_linked_in_one_process_is_known_to_all(
    one: Wiring, two: Wiring
) -> None:
    assert await two.accounts.player_of(MEMBER) is None
    await link(one)

    let_pass(two)
    assert await two.accounts.player_of(MEMBER) == PLAYER


async def test_names_that_one_process_adds_changes_and_removes_are_so_in_all(
    one: Wiring, two: Wiring
) -> None:
    await one.directory.add(GUILD, PlaceKind.THREAD, 12, "Patch notes")
    assert (await two.directory.resolve(GUILD, PlaceKind.THREAD, "patch  NOTES")).game_id == 12

    await one.directory.add(GUILD, PlaceKind.THREAD, 12, "News")
    let_pass(two)
    assert (await two.directory.place(GUILD, PlaceKind.THREAD, 12)).name == "News"
    with pytest.raises(UnknownName):
        await two.directory.resolve(GUILD, PlaceKind.THREAD, "Patch notes")

    await one.directory.remove(GUILD, PlaceKind.THREAD, "News")
    let_pass(two)
    assert not await two.directory.suggest(GUILD, PlaceKind.THREAD, "")
    with pytest.raises(NothingNamed):
        await two.directory.resolve(GUILD, PlaceKind.THREAD, "News")


async def test_what_is_remembered_costs_the_database_nothing(one: Wiring, two: Wiring) -> None:
    await one.directory.add(GUILD, PlaceKind.THREAD, 12, "Patch notes")
    await link(one)
    reads = Happenings[DatabaseRead]()
    for _ in range(2):
        await two.directory.resolve(GUILD, PlaceKind.THREAD, "Patch notes")
        await two.accounts.player_of(MEMBER)
        watch_reads(two.database, reads)
    remembered = len(reads.past)
    let_pass(two)
    await two.directory.resolve(GUILD, PlaceKind.THREAD, "Patch notes")

    assert not remembered
    assert reads.past


async def test_items_of_an_account_that_was_linked_before_are_not_shown_by_another_process(
    one: Wiring, two: Wiring, shop: RogueShop
) -> None:
    """Even while the game is too slow to say what the account of the moment has."""
    shop.owned.add(3)
    await link(one)
    writes = Writes(two.database, two.vault, Messages(two.database, utc_now))
    elsewhere = Shop(two.client, two.accounts, writes, two.tasks, utc_now)
    items, lists = await elsewhere.suggest(MEMBER, "Hat number 3", [CATALOG])
    while lists is Lists.COMING:
        items, lists = await elsewhere.suggest(MEMBER, "Hat number 3", [CATALOG])
    assert (items[0].item.has_purchased, lists) == (True, Lists.HERE)

    await link(one, OTHER_TOKEN)
    shop.gate = asyncio.Event()
    items, lists = await elsewhere.suggest(MEMBER, "Hat number 3", [CATALOG])

    assert (list(items), lists) == ([], Lists.COMING)
    shop.gate.set()
