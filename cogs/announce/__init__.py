"""What is new in the game's catalogs, announced."""

from bot.kiosk import Kiosk
from cogs.announce.cog import AnnounceCog


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(AnnounceCog(bot))
