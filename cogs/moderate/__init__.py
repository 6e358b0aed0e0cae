"""Removing comments from a server's chat."""

from bot.kiosk import Kiosk
from cogs.moderate.cog import ModerateCog


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(ModerateCog(bot))
