"""A bot as in the examples of discord.py. It says when it knows all its servers."""

import os

import discord
from discord.ext import commands

bot = commands.Bot(command_prefix="!", intents=discord.Intents.default())


@bot.event
async def on_ready() -> None:
    """Tell the benchmark."""
    print(f"in {len(bot.guilds)} servers", flush=True)


bot.run(os.environ["DISCORD_TOKEN"])
