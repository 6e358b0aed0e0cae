"""`python -m playground`: Kiosk, the demo game and a simulated Discord, in the browser."""

import asyncio
import os
import signal
import sys
from argparse import ArgumentParser
from contextlib import AsyncExitStack, suppress

import simcord

from playground.direct import DirectMessages
from playground.pictures import pictures
from playground.pseudo import speak_pseudo
from playground.scene import open_conversation, open_scene
from playground.simulation import keep_alive

GUIDE = """
Kiosk's playground is open:

    {url}

Try this first:
  1. As Hazel (member): type /forum read thread:Park life. Choose a "Reply to" from the list
     "Open or reply…", write something and send it.
  2. Type /shop browse catalog:Season. Choose "Buy Straw Hat", then press "Buy item".
     /shop orders shows what you bought. /account show shows the role that you got for it.
  3. As Clover (not linked): choose "Season" on the panel, press "Link account" and paste
     demo-newcomer. The catalog that you chose opens.
  4. As Rowan (moderator): type /announce add catalog:Season. Choose #game-talk in the form
     and send it.
  5. In another terminal, add an item to that catalog. A card soon announces it.
     {python} -m game_service add-item 1 "Night Cap" --cost 30 --database {database}
  6. As Hazel: type /forum post thread:Park life, then press "Watch replies". Reply to the comment
     in the other terminal, by its number. The channel shows Hazel's direct message.
     {python} -m game_service reply NUMBER "Me, too" --database {database}

Ctrl-C ends it. Nothing is saved.
"""
# As a person would type it here.
PYTHON = os.path.relpath(sys.executable)


class CannotPlay(Exception):
    """The page can't be opened. The text says why in one line."""


async def play(port: int | None) -> None:
    """Open the playground until SIGTERM, or until cancelled. Raises CannotPlay."""
    _cancel_on_sigterm()
    async with AsyncExitStack() as stack:
        scene = await stack.enter_async_context(open_scene())
        await open_conversation(scene)
        page = scene.env.preview(
            scene.channel, viewers=scene.people, layout="channel", assets=pictures(), port=port
        )
        try:
            preview = await stack.enter_async_context(page)
        except simcord.SetupError as error:
            raise CannotPlay(str(error)) from error
        guide = GUIDE.format(url=preview.url, python=PYTHON, database=scene.database_url)
        print(guide, flush=True)
        await keep_alive(scene.env, preview, DirectMessages(scene).copy)


def _cancel_on_sigterm() -> None:
    if (task := asyncio.current_task()) is None:
        return
    # Windows has no such signal to handle in a loop. There, ending the process ends it.
    with suppress(NotImplementedError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def main() -> None:
    """Read the command line, and play."""
    parser = ArgumentParser(
        "python -m playground",
        description="Open Kiosk, the demo game and a simulated Discord in the browser.",
    )
    parser.add_argument("--port", type=int, help="the page's port; else a free one")
    parser.add_argument("--pseudo", action="store_true", help="speak a pseudo-language")
    arguments = parser.parse_args()
    if arguments.pseudo:
        speak_pseudo()
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        try:
            asyncio.run(play(arguments.port))
        except CannotPlay as error:
            sys.exit(f"playground: {error}")


if __name__ == "__main__":
    main()
