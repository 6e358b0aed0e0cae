"""The game's forum, as members use it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.features.accounts import Accounts
from bot.features.forum.drafts import DraftService
from bot.features.forum.pages import Pages
from bot.features.forum.reading import Reading
from bot.game.client import GameClient
from storage.authored import AuthoredComments
from storage.drafts import Drafts

__all__ = ["DraftService", "Forum", "Reading", "open_forum"]


@dataclass(frozen=True)
class Forum:
    """Reading and writing threads; both share the pages at hand."""

    reading: Reading
    writing: DraftService


@asynccontextmanager
async def open_forum(
    client: GameClient, accounts: Accounts, drafts: Drafts, authored: AuthoredComments
) -> AsyncGenerator[Forum]:
    """Open the forum; at the end, what is being sent comes to its end first."""
    pages = Pages(client)
    forum = Forum(Reading(pages), DraftService(client, accounts, pages, drafts, authored))
    try:
        yield forum
    finally:
        await forum.writing.close()
        await forum.reading.close()
        await pages.close()
