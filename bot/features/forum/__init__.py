"""The game's forum, as members use it."""

from dataclasses import dataclass

from bot.background import BackgroundTasks
from bot.features.accounts import Accounts
from bot.features.forum.comment_cache import CommentCache
from bot.features.forum.drafts import DraftService
from bot.features.forum.threads import ThreadService
from bot.game.client import GameClient
from storage.authored import AuthoredComments
from storage.drafts import Drafts
from storage.shown import ShownMessages

__all__ = ["DraftService", "Forum", "ThreadService", "open_forum"]


@dataclass(frozen=True)
class Forum:
    """Reading and writing threads, which share the pages at hand.

    `authored` is what members wrote through Kiosk, `shown` what is on public show.
    """

    threads: ThreadService
    drafts: DraftService
    authored: AuthoredComments
    shown: ShownMessages


def open_forum(
    client: GameClient,
    accounts: Accounts,
    drafts: Drafts,
    authored: AuthoredComments,
    shown: ShownMessages,
    tasks: BackgroundTasks,
) -> Forum:
    """Return the forum; what is being sent comes to its end as a background task."""
    pages = CommentCache(client)
    writing = DraftService(client, accounts, pages, drafts, authored, tasks)
    return Forum(ThreadService(client, tasks), writing, authored, shown)
