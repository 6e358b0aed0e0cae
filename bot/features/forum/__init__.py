"""The game's forum, as members use it."""

from msgspec import Struct

from bot.features.forum.drafts import DraftService
from bot.features.forum.threads import ThreadService
from storage.outcomes import AuthoredComments
from storage.shown import ShownMessages


class Forum(Struct, frozen=True):
    """Reading and writing threads, what members wrote, and what is on public show."""

    threads: ThreadService
    drafts: DraftService
    authored: AuthoredComments
    shown: ShownMessages
