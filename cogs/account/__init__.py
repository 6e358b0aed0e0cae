"""Linking a game account."""

from bot.kiosk import Kiosk
from cogs.account.cog import AccountCog


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(AccountCog(bot))
