"""The game's forum, as members use it."""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from bot.background import BackgroundTasks
from bot.features.accounts import Accounts, Waiting
from bot.features.forum.drafts import DraftService
from bot.features.forum.threads import ThreadService
from bot.game.client import GameClient
from storage.drafts import Drafts
from storage.outcomes import AuthoredComments, Untold
from storage.shown import ShownMessages


class Forum(Struct, frozen=True):
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
    untold: Untold,
    waiting: Waiting,
    shown: ShownMessages,
    tasks: BackgroundTasks,
    now: Callable[[], datetime],
) -> Forum:
    """Return the forum; what is being sent comes to its end as a background task.

    `now` tells the time, aware.
    """
    writing = DraftService(client, accounts, drafts, authored, untold, waiting, tasks, now)
    return Forum(ThreadService(client, tasks), writing, authored, shown)
