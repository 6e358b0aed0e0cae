"""What Kiosk can do, for whoever asks."""

from bot.kiosk import Kiosk
from cogs.help.cog import HelpCog


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(HelpCog(bot))
