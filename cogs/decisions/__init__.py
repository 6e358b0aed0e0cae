"""What moderators decide about members' comments, told to those who want to hear it."""

from bot.program.kiosk import Kiosk
from cogs.decisions.decision_messages import Decision


async def setup(bot: Kiosk) -> None:
    bot.dispatcher.add(Decision(bot))
