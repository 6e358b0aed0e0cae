"""."""

from bot.app import Kiosk


async def setup(bot: Kiosk) -> None:
    """."""
