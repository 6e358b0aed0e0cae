"""Stopping while a whole catalog is read.

simcord lets members do one thing at a time, so this takes the bot as a process on the stand-in.
"""

import asyncio
from pathlib import Path

from tests.support.bot_process import run_bot
from tests.support.discord_standin import open_discord
from tests.support.program import Launcher
from tests.support.rogue_shop import RogueShop


async def test_a_reading_that_is_stopped_shows_what_it_has_and_reads_on_when_asked(
    launcher: Launcher, shop: RogueShop, tmp_path: Path
) -> None:
    shop.stock(300)
    shop.gate, shop.held_from = asyncio.Event(), 12
    async with open_discord() as discord, run_bot(launcher, discord, shop.base_url, tmp_path):
        ada = discord.add_member("ada")
        form = await (await discord.slash(ada, "account link")).modal()
        await (await discord.submit(ada, form, {"token": "any-token"})).says("is linked")

        browsing = await discord.slash(ada, "shop browse", catalog="1", sort="cost")
        progress = await browsing.says("known pages read")
        await discord.press(ada, progress, "Stop")
        stopped = await browsing.says("You stopped the reading")
        shop.gate.set()
        await (await discord.press(ada, stopped, "Read on")).says("of 300")
