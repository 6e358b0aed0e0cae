"""`python -m playground`: Kiosk, the demo game and a simulated Discord, in the browser."""

import asyncio
from contextlib import suppress
from typing import Annotated

import typer

from playground.pictures import pictures_of
from playground.scene import open_conversation, open_scene
from playground.simulation import keep_alive

GUIDE = """
Kiosk's playground is open:

    {url}

Try this first:
  1. As Hazel (member): /forum read, pick "Park life", walk, open a comment, answer it.
  2. /shop browse, pick "Season", open an item and buy it. /shop orders shows what you bought.
  3. Switch to Clover (not linked), press a button, and link with the token  demo-newcomer
  4. Switch to Rowan (moderator): /setup thread list

Ctrl-C ends it. Nothing is kept.
"""


async def play(port: int | None) -> None:
    """Open the playground until cancelled."""
    async with open_scene() as scene:
        await open_conversation(scene)
        async with scene.env.preview(
            scene.channel,
            viewers=scene.people,
            layout="channel",
            assets=pictures_of(scene.game.base_url),
            port=port,
        ) as preview:
            typer.echo(GUIDE.format(url=preview.url))
            await keep_alive(scene.env, preview)


def main(
    port: Annotated[int | None, typer.Option(help="The page's port; else a free one.")] = None,
) -> None:
    """Open Kiosk, the demo game and a simulated Discord in the browser."""
    with suppress(KeyboardInterrupt):
        asyncio.run(play(port))


if __name__ == "__main__":
    typer.run(main)
