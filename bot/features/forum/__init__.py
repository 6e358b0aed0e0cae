"""The game's forum, as members use it."""

from dataclasses import dataclass

from bot.features.forum.drafts import DraftService
from bot.features.forum.threads import ThreadService
from storage.outcomes import AuthoredComments
from storage.shown import ShownMessages


@dataclass(frozen=True)
class Forum:
    """Reading and writing threads, which share the pages at hand.

    `authored` is what members wrote through Kiosk, `shown` what is on public show.
    """

    threads: ThreadService
    drafts: DraftService
    authored: AuthoredComments
    shown: ShownMessages
