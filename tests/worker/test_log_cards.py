"""Cards in the log channel of a server: on a Discord that is down for long, and in a hurry."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.app import open_bot
from bot.features.moderation import ModerationService
from cogs.moderate.cases import CaseCard
from storage.moderation import Subject
from storage.removals import Removal
from tests.support.discord_standin.refusals import ITS_OWN_TROUBLE, LATE_ERROR
from tests.support.world import settings_for
from tests.worker.conftest import SKEW, Office

GUILD, MODERATOR = 1, 4242


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
        office.kinds.append(CaseCard(bot))
        office.clock.advance(SKEW)
        moderation = bot.features.moderation
        await moderation.change_rules(GUILD, log_channel_id=channel)
        yield Desk(office, moderation, channel)


async def test_moderators_get_their_cards_after_an_outage_of_days(desk: Desk) -> None:
    office, state = desk.office, desk.office.discord.state
    removal = Removal(GUILD, Subject(7, 3), MODERATOR, "Insults", "en-US")
    await desk.moderation.remove(removal)
    await office.database.execute(
        "UPDATE messages SET wanted_at = wanted_at - 90000000000, attempts = 40"
    )
    state.refusals[desk.channel] = ITS_OWN_TROUBLE
    async with office.at_work():
        await office.asked(1)
        state.refusals.clear()
        await office.done()

    (card,) = office.shown(desk.channel)
    assert "Insults" in card


async def test_reports_that_come_together_are_one_request(desk: Desk) -> None:
    await desk.report(*range(50, 80))

    async with desk.office.at_work():
        await desk.office.done()

    (card,) = desk.office.shown(desk.channel)
    assert "30 members reported it" in card
    assert sum("/messages" in one.path for one in desk.office.discord.state.asked.past) == 1


async def test_a_card_that_may_have_been_posted_is_no_second_one_after_the_next_report(
    desk: Desk,
) -> None:
    refusals = desk.office.discord.state.refusals
    refusals[desk.channel] = LATE_ERROR
    await desk.report(50)
    async with desk.office.at_work():
        await desk.office.pass_pause("case 1")
        del refusals[desk.channel]
        await desk.report(51)
        await desk.office.done()

    (card,) = desk.office.shown(desk.channel)
    assert "2 members reported it" in card
