"""The names that servers give, without Discord."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.errors import BadName, NameIsTaken, UnknownName
from bot.features.names import LONGEST_NAME, Directory, Place
from storage.names import PlaceKind
from tests.support.gates import PATIENCE
from tests.support.wiring import Wiring, open_wiring

HERE, THERE, MEMBER = 1, 2, 3
THREAD, CATALOG = PlaceKind.THREAD, PlaceKind.CATALOG


@pytest.fixture
async def wired(tmp_path: Path) -> AsyncGenerator[Wiring]:
    async with open_wiring(tmp_path, "http://127.0.0.1:9") as opened:
        yield opened


@pytest.fixture
def directory(wired: Wiring) -> Directory:
    return wired.directory


async def test_a_name_may_be_as_long_as_its_limit(directory: Directory) -> None:
    longest = "n" * LONGEST_NAME

    assert await directory.add(HERE, THREAD, 1, longest) == Place(THREAD, 1, longest)
    with pytest.raises(BadName):
        await directory.add(HERE, THREAD, 2, longest + "n")


async def test_outside_a_server_the_names_of_ones_servers_are_in_order(
    directory: Directory,
) -> None:
    for server, game_id, name in ((HERE, 1, "Park"), (HERE, 2, "beach"), (THERE, 3, "Attic")):
        await directory.add(server, THREAD, game_id, name)
    for server in (HERE, THERE):
        await directory.place(server, THREAD, 1, member_id=MEMBER)

    async def named() -> list[str]:
        found = await directory.all_of_kind(None, THREAD, member_id=MEMBER)
        return [each.name for each in found]

    here = await directory.all_of_kind(HERE, THREAD)
    assert [each.name for each in here] == ["beach", "Park"]
    # Which servers a member uses is noted beside the answer.
    async with asyncio.timeout(PATIENCE):
        while len(await named()) < 3:
            pass
    assert await named() == ["Attic", "beach", "Park"]


async def test_a_name_that_was_given_meanwhile_is_taken(
    tmp_path: Path, directory: Directory
) -> None:
    assert await directory.all_of_kind(HERE, CATALOG) == []
    async with open_wiring(tmp_path, "http://127.0.0.1:9") as other:
        await other.directory.add(HERE, THREAD, 4, "Hats")
        await other.directory.add(HERE, CATALOG, 5, "Hats")

    with pytest.raises(NameIsTaken) as taken:
        await directory.add(HERE, CATALOG, 6, "hats")
    assert taken.value.values["game_id"] == "5"


async def test_what_is_removed_is_told_and_no_more_there(directory: Directory) -> None:
    await directory.add(HERE, THREAD, 1, "Park")

    assert await directory.remove(HERE, THREAD, "park") == Place(THREAD, 1, "Park")
    assert await directory.all_of_kind(HERE, THREAD) == []
    with pytest.raises(UnknownName):
        await directory.remove(HERE, THREAD, "park")
