"""Comments that are new since a member's last visit: what the core uses."""

from collections import abc
from contextlib import suppress

from bot.i18n import nt, number, t
from bot.program.kiosk import Kiosk
from bot.ui import comments, drawing, hooks, markdown, places, shared_actions
from bot.ui.here import Here
from cogs.unread.service import Unread, UnreadService
from storage.names import Named, PlaceKind
from storage.storage_errors import DatabaseError
from storage.threads_read import ThreadsRead, Visit


async def on_screen(here: Here, shown: hooks.ShownScreen) -> hooks.NewComments | None:
    service = here.service(UnreadService)
    unread = await service.visit(here.viewer, shown.key, begins=shown.begins)
    return unread and new_comments(unread, shown.ids)


def new_comments(unread: Unread, shown_ids: abc.Set[int]) -> hooks.NewComments:
    """Say how much is new, with a button to the oldest, unless it is on the screen."""
    words = _since_looked(unread)
    first = unread.first
    if first is None or (*first.ancestors, first.comment)[0].id in shown_ids:
        return hooks.NewComments(words, unread.ids)
    screen = shared_actions.ShowScreen(first.key, first.offset)
    button = drawing.button(screen, t("First unread"), emoji=comments.NEW)
    return hooks.NewComments(words, unread.ids, button)


def _since_looked(unread: Unread) -> str:
    """Say how many comments are new to a member, and since when."""
    when = markdown.relative_time(unread.since)
    count = len(unread.ids)
    if unread.is_least:
        return nt(
            "%(count)s or more new since your last visit %(when)s",
            "%(count)s or more new since your last visit %(when)s",
            count,
            when=when,
        )
    return nt(
        "%(count)s new since your last visit %(when)s",
        "%(count)s new since your last visit %(when)s",
        count,
        when=when,
    )


async def thread_news(here: Here, threads: abc.Sequence[Named]) -> places.ThreadNews:
    service = here.service(UnreadService)
    ids = {thread.game_id for thread in threads}
    read: abc.Sequence[Visit] = ()
    with suppress(DatabaseError):
        read = await service.read.of_member(here.member_id)
    of_these = [looked for looked in read if looked.thread_id in ids]
    unread = await service.of_threads(here.viewer, of_these)
    lately = {(PlaceKind.THREAD, thread_id): _count_words(new) for thread_id, new in unread.items()}
    last = next(iter(of_these if ids else read), None)
    return places.ThreadNews(lately, last.thread_id if last else 0)


def _count_words(unread: Unread) -> str:
    count = number(len(unread.ids))
    if unread.is_least:
        return t("%(count)s or more new", count=count)
    return t("%(count)s new", count=count)


async def setup(bot: Kiosk) -> None:
    core = bot.core
    features = core.features
    bot.services[UnreadService] = UnreadService(
        ThreadsRead(core.database, core.now),
        features.threads,
        features.announcing.following,
        features.accounts,
    )
    bot.hooks.screen_shown.add(on_screen)
    bot.hooks.thread_news.add(thread_news)
