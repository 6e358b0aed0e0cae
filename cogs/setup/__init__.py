"""What a server calls its threads and catalogs."""

from bot.kiosk import Kiosk
from cogs.setup.cog import SetupCog


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(SetupCog(bot))
