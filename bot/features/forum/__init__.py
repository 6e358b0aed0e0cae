"""The game's forum, as members read it."""

from msgspec import Struct

from bot.features.forum.threads import ThreadService
from storage.shown import ShownMessages


class Forum(Struct, frozen=True):
    """Reading threads, and what of them is on public show."""

    threads: ThreadService
    shown: ShownMessages
