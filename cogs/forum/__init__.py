"""Reading and writing the game's forum."""

from bot.kiosk import Kiosk
from cogs.forum.cog import ForumCog


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(ForumCog(bot))
