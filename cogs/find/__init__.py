"""Find comments of a thread, and a member's own comments: what the core uses."""

from bot.program.kiosk import Kiosk
from cogs.find import finding


async def setup(bot: Kiosk) -> None:
    bot.router.add(finding)
    bot.hooks.thread_buttons.add(finding.thread_buttons)
