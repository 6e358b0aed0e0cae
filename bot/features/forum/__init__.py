"""The game's forum, as members use it."""

from msgspec import Struct

from bot.features.forum.drafts import DraftService
from bot.features.forum.threads import ThreadService
from storage.outcomes import AuthoredComments
from storage.shown import ShownMessages


class Forum(Struct, frozen=True):
    """Reading and writing threads, which share the pages at hand.

    `authored` is what members wrote through Kiosk, `shown` what is on public show.
    """

    threads: ThreadService
    drafts: DraftService
    authored: AuthoredComments
    shown: ShownMessages
