"""A bot of thirty lines that reads threads: one GET, one send."""

import asyncio
import os

import aiohttp
import discord
from discord import app_commands, ui

STEPS = ("Previous", "Next", "Hottest first", "Refresh", "Write")
forum = app_commands.Group(name="forum", description="Read the game's threads")


class UsualBot(discord.Client):
    """Knows one command."""

    def __init__(self, session: aiohttp.ClientSession, base_url: str) -> None:
        super().__init__(intents=discord.Intents(guilds=True))
        self.session, self.base_url = session, base_url
        self.tree = app_commands.CommandTree(self)
        self.tree.add_command(forum)

    async def setup_hook(self) -> None:
        """Give Discord the command."""
        await self.tree.sync()

    async def on_ready(self) -> None:
        """Tell the benchmark."""
        print("ready", flush=True)


@forum.command(description="Read a thread")
async def read(interaction: discord.Interaction[UsualBot], thread: str, page: int = 1) -> None:
    """Show five comments of a page."""
    url = f"{interaction.client.base_url}/threads/{thread}/comments"
    async with interaction.client.session.get(url, params={"page": page}) as response:
        comments = (await response.json())["data"][:5]
    frame = ui.Container[ui.LayoutView](ui.TextDisplay(f"## Thread {thread}"))
    for comment in comments:
        player, count = comment["player"], comment["children_count"]
        text = f"**{player['screen_name']}** {comment['created_at']}\n{comment['content'][:480]}"
        frame.add_item(ui.Separator())
        picture = ui.Thumbnail[ui.LayoutView](player["avatar_url"])
        frame.add_item(ui.Section(ui.TextDisplay(text), accessory=picture))
        frame.add_item(ui.ActionRow(button(f"{count} replies", f"comment:{comment['id']}")))
    frame.add_item(ui.ActionRow(*(button(label, f"{thread}:{page}:{label}") for label in STEPS)))
    view = ui.LayoutView(timeout=None).add_item(frame)
    view.stop()
    await interaction.response.send_message(view=view, ephemeral=True)


def button(label: str, custom_id: str) -> ui.Button[ui.LayoutView]:
    """Make a button that is answered by its custom id."""
    return ui.Button(label=label, custom_id=custom_id, emoji="💬")


async def run() -> None:
    """Run until the process is ended."""
    async with (
        aiohttp.ClientSession() as session,
        UsualBot(session, os.environ["GAME_BASE_URL"]) as bot,
    ):
        await bot.start(os.environ["DISCORD_TOKEN"])


if __name__ == "__main__":
    asyncio.run(run())
