"""How Kiosk is, for the owner of the application."""

from bot.kiosk import Kiosk
from cogs.operator.cog import OperatorCog


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(OperatorCog(bot))
