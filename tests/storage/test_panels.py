"""Where panels are, and what is owed for them."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import pytest

from bot.clock import utc_now
from bot.domain.names import Named, PlaceKind
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.names import Names, Panels
from storage.outbox import Outbox

HERE, ELSEWHERE, LOBBY, HALL = 1, 2, 30, 31


@dataclass
class Board:
    """Panels, and the names that they list."""

    database: Database
    panels: Panels
    names: Names

    async def owed(self) -> list[str]:
        """Give the keys of all that is owed, in the order in which it was."""
        rows = await self.database.fetch("SELECT key, channel_id FROM outbox ORDER BY id")
        return [f"{row['key']} in {row['channel_id']}" for row in rows]

    async def post(self, channel_id: int, message_id: int) -> None:
        """Note that the panel was posted."""
        async with self.database.transaction() as transaction:
            await self.panels.keep_message(transaction, HERE, channel_id, message_id)


@pytest.fixture
async def board(address: str) -> AsyncGenerator[Board]:
    """Nothing is placed yet."""
    async with open_database(address, MIGRATIONS) as database:
        panels = Panels(database, Outbox(database, utc_now))
        yield Board(database, panels, Names(database, panels))


async def test_a_panel_is_owed_anew_with_each_name_that_changes(board: Board) -> None:
    await board.names.save(HERE, PlaceKind.THREAD, Named(1, "Before there is a panel"))
    await board.panels.place(HERE, LOBBY, "en")
    await board.names.save(HERE, PlaceKind.THREAD, Named(1, "News"))
    await board.names.remove(HERE, PlaceKind.THREAD, 1)
    await board.names.remove(HERE, PlaceKind.THREAD, 1)
    await board.names.save(ELSEWHERE, PlaceKind.THREAD, Named(1, "News"))

    assert await board.owed() == ["panel 1 1 in 30", "panel 1 2 in 30", "panel 1 3 in 30"]


async def test_a_panel_that_moves_is_taken_from_where_it_was(board: Board) -> None:
    await board.panels.place(HERE, LOBBY, "en")
    await board.post(LOBBY, 500)
    await board.panels.place(HERE, HALL, "de")

    panel = await board.panels.find(HERE)
    assert panel is not None
    assert (panel.channel_id, panel.message_id, panel.locale) == (HALL, None, "de")
    assert await board.owed() == ["panel 1 1 in 30", "panel_gone 500 in 30", "panel 1 2 in 31"]


async def test_a_panel_that_moved_while_it_was_being_posted_is_taken_away(board: Board) -> None:
    await board.panels.place(HERE, LOBBY, "en")
    await board.panels.place(HERE, HALL, "en")
    await board.post(LOBBY, 500)
    await board.post(HALL, 501)
    await board.post(HALL, 501)

    panel = await board.panels.find(HERE)
    assert panel is not None
    assert panel.message_id == 501
    assert (await board.owed())[2:] == ["panel_gone 500 in 30"]


async def test_a_panel_is_not_forgotten_for_an_older_one_that_is_gone(board: Board) -> None:
    await board.panels.place(HERE, LOBBY, "en")
    await board.panels.place(HERE, LOBBY, "en")
    async with board.database.transaction() as transaction:
        await board.panels.forget(transaction, HERE, 1, is_gone=True)
    assert await board.panels.find(HERE) is not None

    async with board.database.transaction() as transaction:
        await board.panels.forget(transaction, HERE, 2, is_gone=True)
    assert await board.panels.find(HERE) is None


async def test_a_panel_that_was_posted_is_forgotten_once_it_is_gone(board: Board) -> None:
    for guild_id in (HERE, ELSEWHERE):
        await board.panels.place(guild_id, LOBBY + guild_id, "en")
    await board.post(LOBBY + HERE, 500)

    async def forget(*, is_gone: bool) -> list[int]:
        async with board.database.transaction() as transaction:
            await board.panels.forget(transaction, HERE, 1, is_gone=is_gone)
        known = [await board.panels.find(each) for each in (HERE, ELSEWHERE)]
        return [panel.channel_id - LOBBY for panel in known if panel is not None]

    assert await forget(is_gone=False) == [HERE, ELSEWHERE]
    assert await forget(is_gone=True) == [ELSEWHERE]


async def test_a_panel_that_could_not_be_posted_is_forgotten(board: Board) -> None:
    await board.panels.place(HERE, LOBBY, "en")

    async with board.database.transaction() as transaction:
        await board.panels.forget(transaction, HERE, 1, is_gone=False)

    assert await board.panels.find(HERE) is None
