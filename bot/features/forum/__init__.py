"""The game's forum, as members use it."""

from dataclasses import dataclass

from bot.features.accounts import Accounts
from bot.features.forum.drafts import DraftService
from bot.features.forum.pages import Pages
from bot.features.forum.reading import Reading
from bot.game.background import BackgroundTasks
from bot.game.client import GameClient
from storage.authored import AuthoredComments
from storage.drafts import Drafts

__all__ = ["DraftService", "Forum", "Reading", "open_forum"]


@dataclass(frozen=True)
class Forum:
    """Reading and writing threads; both share the pages at hand."""

    reading: Reading
    writing: DraftService


def open_forum(
    client: GameClient,
    accounts: Accounts,
    drafts: Drafts,
    authored: AuthoredComments,
    tasks: BackgroundTasks,
) -> Forum:
    """Return the forum; what is being sent comes to its end as a background task."""
    pages = Pages(client, tasks)
    writing = DraftService(client, accounts, pages, drafts, authored, tasks)
    return Forum(Reading(pages, tasks), writing)
