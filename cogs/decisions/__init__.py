"""What moderators decide about members' comments, told to those who want to hear it."""

from bot.program.kiosk import Kiosk
from cogs.decisions.decision_messages import Decision
from cogs.decisions.service import DecisionService
from storage.decisions import Decisions


async def setup(bot: Kiosk) -> None:
    core = bot.core
    decisions = Decisions(core.messages, core.now)
    service = DecisionService(decisions, core.features.moderation.settings)
    bot.services[DecisionService] = service
    bot.dispatcher.add(Decision(bot))
    bot.hooks.decided.add(service.on_decided)
