"""The game's shop: browsing, buying and redeeming."""

from bot.kiosk import Kiosk
from cogs.shop.cog import ShopCog


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(ShopCog(bot))
