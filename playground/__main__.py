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
  1. As Hazel (member): /forum read thread:Park life, choose "Reply to" anybody from the list
     "Open or reply…", write something and send it.
  2. /shop browse catalog:Season, choose "Buy Straw Hat", then "Buy it".
     /shop orders shows what you bought, and /account show the role that you got for it.
  3. As Clover (not linked): choose "Season" on the panel, press "Link account" and paste
     demo-newcomer: what you chose goes on by itself.
  4. As Rowan (moderator): /setup show, then /announce add catalog:Season; choose #game-talk
     in the form and send it.
  5. In another terminal, put something new into that catalog: soon a card tells of it.
     {python} -m game_service add-item 1 "Night Cap" --cost 30 --database {database}
  6. As Hazel: /forum post thread:Park life, then press "Tell me about replies". Answer it from the
     other terminal, by its number: the channel shows what Hazel is told directly.
     {python} -m game_service reply NUMBER "Me, too" --database {database}

Ctrl-C ends it. Nothing is kept.
"""
# As one would type it, from here.
PYTHON = os.path.relpath(sys.executable)


class CannotPlay(Exception):
    """The page can't be opened; the text says why in one line."""


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
    # Windows has no such signal to handle in a loop; there, ending the process ends it.
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
