"""`python -m playground`: Kiosk, the demo game and a simulated Discord, in the browser."""

import asyncio
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.app import open_bot
from bot.settings import Settings
from game_service.app import open_service
from playground.pictures import pictures_of
from playground.scene import build_scene, name_places, open_conversation
from playground.simulation import keep_alive, simulate
from storage.vault import new_key

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
    with tempfile.TemporaryDirectory(prefix="kiosk-playground-") as folder:
        async with open_service(f"sqlite:///{folder}/game.db", demo=True) as game:
            settings = Settings.model_validate(
                {
                    "game_base_url": game.base_url,
                    "database_url": f"sqlite:///{Path(folder) / 'kiosk.db'}",
                    "kiosk_keys": new_key(),
                }
            )
            async with (
                open_bot(settings) as bot,
                simulate(bot, clock=datetime.now(UTC)) as env,
            ):
                scene = build_scene(env)
                await name_places(scene)
                await open_conversation(scene)
                async with env.preview(
                    scene.channel,
                    viewers=scene.people,
                    layout="channel",
                    assets=pictures_of(game.base_url),
                    port=port,
                ) as preview:
                    typer.echo(GUIDE.format(url=preview.url))
                    await keep_alive(env, preview)


def main(
    port: Annotated[int | None, typer.Option(help="The page's port; else a free one.")] = None,
) -> None:
    """Open Kiosk, the demo game and a simulated Discord in the browser."""
    with suppress(KeyboardInterrupt):
        asyncio.run(play(port))


if __name__ == "__main__":
    typer.run(main)
