"""A panel and a card in the log stand in one place, as they are to be now."""

from typing import Any

import pytest
import simcord

from cogs.panel.service import PanelService
from storage.moderation import ModerationAction, NewLine, Subject
from storage.names import PlaceKind
from tests.support.cards import text_of
from tests.support.owed import tried
from tests.support.rest import until_idle
from tests.support.wire import Wire, is_message
from tests.support.world import World

AN_HOUR = 3600.0


def line(world: World) -> NewLine:
    return NewLine(world.guild.id, world.moderator.id, ModerationAction.SETTINGS)


async def place(world: World, channel: simcord.ChannelHandle) -> None:
    """Place the panel in a channel, and send nothing yet."""
    await world.bot.services[PanelService].place(world.guild.id, channel.id, "en-US", line(world))


async def name(world: World, number: int, text: str) -> None:
    await world.bot.features.directory.add(world.guild.id, PlaceKind.THREAD, number, text)


def lists(channel: Any) -> list[tuple[bool, bool]]:
    """Give whether each panel in a channel has the lake and the pond."""
    shown = [text_of(message) for message in channel.history()]
    return [("Lake" in text, "Pond" in text) for text in shown]


@pytest.fixture
async def board(wire: Wire, world: World) -> World:
    """A world whose panel would list a lake."""
    await name(world, 1, "Lake")
    return world


async def test_a_panel_that_moves_or_goes_while_it_is_posted_is_taken_away(
    wire: Wire, board: World
) -> None:
    lobby, hall = (board.guild.create_text_channel(each) for each in ("lobby", "hall"))
    async with wire.gates.closed(is_message) as gate:
        await place(board, lobby)
        await gate.arrival()
        await place(board, hall)
        await gate.arrivals(2)
        await board.bot.services[PanelService].place(board.guild.id, None, "en-US", line(board))
        gate.open()
        await until_idle(board.bot)
    await board.pass_time(AN_HOUR)

    assert (lists(lobby), lists(hall)) == ([], [])
    assert await board.bot.services[PanelService].find(board.guild.id) is None


async def test_a_panel_placed_once_more_comes_below_what_was_said_since(board: World) -> None:
    await place(board, board.channel)
    await tried(board)
    before = board.channel.last_message
    await place(board, board.channel)
    await tried(board)

    (now,) = board.channel.history()
    assert before is not None
    assert now.id > before.id


@pytest.mark.parametrize(("status", "code"), [(400, 50035), (403, 50001), (403, 50013)])
async def test_a_panel_refused_once_is_still_the_panel(
    board: World, status: int, code: int
) -> None:
    await place(board, board.channel)
    await tried(board)
    editing = "/channels/*/messages/*"
    board.env.inject_error("PATCH", editing, status=status, code=code, times=None)
    await name(board, 2, "Pond")
    for _ in range(6):
        await board.pass_time(AN_HOUR)
    assert lists(board.channel) == [(True, False)]
    board.env.backend.faults.clear()
    if status == 400:
        board.expect_fault(f"{code}")
    await name(board, 3, "Hill")
    await tried(board)

    assert lists(board.channel) == [(True, True)]


async def test_a_panel_that_could_not_be_posted_is_none(board: World) -> None:
    posting = "/channels/*/messages"
    board.env.inject_error("POST", posting, status=403, code=50001, times=None)
    await place(board, board.channel)
    await tried(board)
    board.env.backend.faults.clear()
    await name(board, 2, "Pond")
    await board.pass_time(AN_HOUR)

    assert lists(board.channel) == []
    panel = await board.bot.services[PanelService].find(board.guild.id)
    assert panel is not None
    assert not panel.is_there


async def test_a_card_in_doubt_is_no_second_one(wire: Wire, world: World) -> None:
    log = world.guild.create_text_channel("log")
    moderation = world.bot.features.moderation
    await moderation.settings.change(world.guild.id, log_channel_id=log.id)
    await tried(world)
    wire.lose_answer(f"/channels/{log.id}/messages")
    for member_id in (50, 51):
        await moderation.report(world.guild.id, Subject(7, 3), member_id, "Rude", "en-US")
        await tried(world)
    await world.pass_time(60)

    (card,) = log.history()
    assert "2 members reported a comment" in text_of(card)
