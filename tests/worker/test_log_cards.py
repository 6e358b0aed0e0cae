"""Cards in the log channel of a server, on a Discord that is down for long."""

from pathlib import Path

from bot.app import open_bot
from bot.domain.moderation import NewRemoval, Subject
from cogs.moderate.cases import CaseCard
from cogs.moderate.posted import PostedMessages, Turns
from tests.support.discord_standin.refusals import ITS_OWN_TROUBLE
from tests.support.world import settings_for
from tests.worker.conftest import SKEW, Office

GUILD, MODERATOR = 1, 4242


async def test_moderators_get_their_cards_after_an_outage_of_days(
    office: Office, tmp_path: Path
) -> None:
    state = office.discord.state
    channel = state.add_channel()
    async with open_bot(settings_for(tmp_path, "http://127.0.0.1:1/api")) as bot:
        office.kinds.append(CaseCard(bot, PostedMessages(Turns())))
        office.clock.advance(SKEW)
        moderation = bot.features.moderation
        await moderation.change_rules(GUILD, log_channel_id=channel)
        subject = Subject(7, 3)
        await moderation.remove(NewRemoval(GUILD, subject, MODERATOR, "Insults", "en-US"))
        await office.database.execute(
            "UPDATE outbox SET created_at = created_at - 90000000000, attempts = 40"
        )
        state.refusals[channel] = ITS_OWN_TROUBLE
        async with office.at_work():
            await office.asked(1)
            state.refusals.clear()
            await office.done()

    (card,) = office.shown(channel)
    assert "Insults" in card
