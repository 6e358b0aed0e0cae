"""A panel and cards in the log stand in one place, as they are to be now."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.app import open_bot
from bot.features.directory import Directory
from bot.features.moderation import ModerationService
from cogs.moderate.reports import LogCard, QueueCard
from cogs.panel.panel_messages import PanelKind
from cogs.panel.service import PanelService
from storage.moderation import ModerationAction, NewLine, Subject
from storage.names import PlaceKind
from storage.panels import Panels
from tests.support.discord_standin.refusals import (
    LATE_ERROR,
    MALFORMED,
    MISSING_ACCESS,
    MISSING_PERMISSIONS,
    Refusal,
)
from tests.support.discord_standin.state import Asked
from tests.support.world import settings_for
from tests.worker.conftest import SKEW, Office

GUILD = 1
LINE = NewLine(GUILD, 9, ModerationAction.SETTINGS)


@dataclass
class Board:
    """A server's panel, and the names that it lists."""

    office: Office
    panels: PanelService
    directory: Directory

    async def place(self, channel: int) -> None:
        await self.panels.place(GUILD, channel, "en-US", LINE)

    async def name(self, number: int, name: str) -> None:
        await self.directory.add(GUILD, PlaceKind.THREAD, number, name)

    async def drawn(self) -> None:
        """Let a worker do all that is owed."""
        async with self.office.at_work():
            await self.office.done()

    async def given_up(self) -> None:
        """Let a worker do all that is owed, on the last try that it has for each."""
        await self.office.database.execute(
            "UPDATE messages SET attempts = 4 WHERE due_at IS NOT NULL"
        )
        await self.drawn()

    def shown(self, channel: int) -> list[tuple[int, bool, bool]]:
        """Give each panel in a channel by its id, and whether it has the lake and the pond."""
        return [
            (message.id, "Lake" in message.text, "Pond" in message.text)
            for message in self.office.discord.state.messages
            if message.channel_id == channel
        ]


@pytest.fixture
async def board(office: Office, tmp_path: Path) -> AsyncGenerator[Board]:
    settings = settings_for(tmp_path, "http://127.0.0.1:1/api")
    async with open_bot(settings, clock=office.clock) as bot:
        core, features = bot.core, bot.features
        panels = PanelService(
            core.messages,
            Panels(core.database, core.messages),
            features.threads,
            features.announcing,
            features.own_account,
            features.moderation,
        )
        office.kinds.append(PanelKind(panels, features.server_setup, features.moderation))
        board = Board(office, panels, features.directory)
        await board.name(1, "Lake")
        yield board


def is_post(asked: Asked) -> bool:
    return asked.is_message


async def test_a_panel_that_moves_or_goes_while_it_is_posted_is_taken_away(board: Board) -> None:
    lobby, hall = (board.office.discord.state.add_channel() for _ in range(2))
    async with board.office.at_work():
        async with board.office.discord.state.gates.closed(is_post) as gate:
            await board.place(lobby)
            board.office.wake()
            await gate.arrival()
            await board.place(hall)
            board.office.wake()
            await gate.arrivals(2)
            await board.panels.place(GUILD, None, "en-US", LINE)
        await board.office.done()

    assert (board.shown(lobby), board.shown(hall)) == ([], [])
    assert await board.panels.find(GUILD) is None


async def test_a_panel_placed_once_more_comes_below_what_was_said_since(board: Board) -> None:
    channel = board.office.discord.state.add_channel()
    await board.place(channel)
    await board.drawn()
    ((before, *_),) = board.shown(channel)
    await board.place(channel)
    await board.drawn()

    ((now, *_),) = board.shown(channel)
    assert now > before


@pytest.mark.parametrize("refusal", [MALFORMED, MISSING_ACCESS, MISSING_PERMISSIONS])
async def test_a_panel_refused_once_is_still_the_panel(board: Board, refusal: Refusal) -> None:
    channel = board.office.discord.state.add_channel()
    await board.place(channel)
    await board.drawn()
    board.office.discord.state.refusals[channel] = refusal
    await board.name(2, "Pond")
    await board.given_up()
    board.office.discord.state.refusals.clear()
    await board.name(3, "Hill")
    await board.drawn()

    assert [lists for _, *lists in board.shown(channel)] == [[True, True]]


async def test_a_panel_that_could_not_be_posted_is_none(board: Board) -> None:
    channel = board.office.discord.state.add_channel()
    board.office.discord.state.refusals[channel] = MISSING_ACCESS
    await board.place(channel)
    await board.drawn()
    board.office.discord.state.refusals.clear()
    await board.name(2, "Pond")
    await board.drawn()

    assert board.shown(channel) == []
    panel = await board.panels.find(GUILD)
    assert panel is not None
    assert not panel.is_there


MODERATOR = 4242


@dataclass
class Desk:
    """Where reports of a comment arrive, and the channel of its card."""

    office: Office
    moderation: ModerationService
    channel: int

    async def report(self, *members: int) -> None:
        for member_id in members:
            await self.moderation.report(GUILD, Subject(7, 3), member_id, "Rude", "en-US")


@pytest.fixture
async def desk(office: Office, tmp_path: Path) -> AsyncGenerator[Desk]:
    channel = office.discord.state.add_channel()
    async with open_bot(settings_for(tmp_path, "http://127.0.0.1:1/api")) as bot:
        office.kinds += [LogCard(bot), QueueCard(bot)]
        office.clock.advance(SKEW)
        moderation = bot.features.moderation
        await moderation.settings.change(GUILD, log_channel_id=channel)
        async with office.at_work():
            await office.done()
        yield Desk(office, moderation, channel)


async def test_a_card_in_doubt_is_no_second_one(desk: Desk) -> None:
    refusals = desk.office.discord.state.refusals
    refusals[desk.channel] = LATE_ERROR
    await desk.report(50)
    async with desk.office.at_work():
        await desk.office.pass_pause("case 1")
        del refusals[desk.channel]
        await desk.report(51)
        await desk.office.done()

    (card,) = desk.office.shown(desk.channel)
    assert "2 members reported a comment" in card
