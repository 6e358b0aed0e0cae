"""Find comments of a thread by words, by their player, or a member's own."""

import asyncio
import enum
import re
from collections import abc
from contextlib import aclosing

import msgspec

from bot import visible
from bot.errors import KioskError, Step
from bot.features.moderation import policy, watched_words
from bot.features.reading import trees
from bot.features.reading.threads import HeldBackComment, ThreadService
from bot.game import game_errors, models
from bot.i18n import N_
from storage import moderation

_MAX_PAGES = 20
# How many comments a member wrote through Kiosk to check, in any thread.
_MAX_OWN = 200
# Less than the minute after which a press counts as over. Each page has ten seconds of its own.
_MAX_SECONDS = 40.0
_PAGES_BETWEEN_REPORTS = 4
_BETWEEN_WORDS = re.compile(r"[\s,\uff0c\u3001\"“”„«»]+")

Fits = abc.Callable[[models.Comment], bool]
# A comment, and the page that it is on.
Found = tuple[models.PageKey, models.Comment]
# Takes how many comments were read so far.
Report = abc.Callable[[int], abc.Awaitable[None]]


class NothingToFind(KioskError, step=Step.AGAIN):
    title = N_("Your search is empty")
    body = N_("You didn't enter any words or a player's name.")
    next_step = N_("Enter words, a player's name, or both.")


class InvalidSearch(KioskError, step=Step.AGAIN):
    title = N_("Kiosk can't search for “%(name)s”")
    body = N_("It contains nothing to search for, or a `*` that isn't at its start or end.")
    next_step = N_("Enter whole words, or part of a word, for example `acorn*`.")


class SearchEnding(enum.Enum):
    # The game wasn't asked, since there was nothing to find.
    UNREAD = enum.auto()
    WHOLE = enum.auto()
    # There are older comments.
    LONG = enum.auto()
    FAILED = enum.auto()
    LATE = enum.auto()


class Search(msgspec.Struct, frozen=True):
    """Comments found, newest first, among the `count` comments and their `replies` that were read.

    `first` is the number of the first comment read, counted from the newest. `next_page` has older
    comments. `older` counts the comments found that are older than everything read.
    """

    found: abc.Sequence[Found]
    count: int
    ending: SearchEnding
    first: int = 1
    replies: int = 0
    next_page: int | None = None
    older: int = 0


def words_in(text: str) -> abc.Sequence[str]:
    return [word for word in _BETWEEN_WORDS.split(text) if word]


def asked_for(words: str, player: str) -> Fits:
    """Return a function that checks if a comment has all words and a player with this name.

    Words match as watched words do. Raises NothingToFind, InvalidSearch.
    """
    typed = words_in(words)
    for word in typed:
        if not watched_words.word_key(word):
            raise InvalidSearch(name=word)
    name = visible.search_key(player)
    if not (typed or name):
        raise NothingToFind
    matcher = watched_words.Matcher(typed)

    def is_meant(comment: models.Comment) -> bool:
        if name not in visible.search_key(comment.player.screen_name):
            return False
        # A held back comment has Kiosk's text instead of its own.
        is_held_back = isinstance(comment, HeldBackComment)
        text = "" if is_held_back else comment.content
        return matcher.words_in(text).issuperset(typed)

    return is_meant


class _ThreadSearch(msgspec.Struct):
    """Checks each comment once, as it was on the page that was read first."""

    is_meant: Fits
    looked_at: set[int] = msgspec.field(default_factory=set[int])
    found: list[Found] = msgspec.field(default_factory=list[Found])
    replies: int = 0

    async def search(self, key: models.PageKey, page: models.Page[models.Comment]) -> None:
        comments = {comment.id: comment for comment in trees.all_comments(page.entries)}
        new = [comment for number, comment in comments.items() if number not in self.looked_at]
        self.looked_at.update(comments)
        self.replies += len({comment.id for comment in new} - {entry.id for entry in page.entries})
        # In a thread, so that others get answers: a page may have hundreds of long replies.
        fitting = await asyncio.to_thread(lambda: [*filter(self.is_meant, new)])
        self.found += [(key, comment) for comment in fitting]


async def search(
    threads: ThreadService,
    viewer: policy.Viewer,
    thread_id: int,
    is_meant: Fits,
    report: Report,
    start: int = 1,
    *,
    begins: bool = True,
    seconds: float = _MAX_SECONDS,
) -> Search:
    """Search the pages of a thread from page `start`, newest comments first.

    A failure after the first page, or `seconds`, end the search early. If it isn't a new search
    (`begins`) but turns a page, loaded pages are used. Raises what `ThreadService` does.
    """
    looker = _ThreadSearch(is_meant)
    count = 0
    first = 1
    next_page: int | None = start
    ending = SearchEnding.LONG
    numbers = range(start, start + _MAX_PAGES)
    pages = threads.newest_pages(viewer, thread_id, numbers, begins=begins)
    try:
        async with threads.tasks.clock.timeout(seconds), aclosing(pages):
            async for key, page in pages:
                await looker.search(key, page)
                count += len(page.entries) + page.hidden + page.unreadable
                first = (start - 1) * page.per_page + 1
                next_page = key.page + 1
                if not page.has_next:
                    ending = SearchEnding.WHOLE
                    next_page = None
                elif key.page % _PAGES_BETWEEN_REPORTS == 0:
                    await report(count)
    except (TimeoutError, KioskError, game_errors.GameError) as error:
        is_late = isinstance(error, TimeoutError)
        if is_late and not count:
            raise game_errors.Unavailable("late") from error
        if not count:
            raise
        ending = SearchEnding.LATE if is_late else SearchEnding.FAILED
    found = _newest_first(looker.found)
    return Search(found, count, ending, first, looker.replies, next_page)


async def search_own(
    threads: ThreadService,
    viewer: policy.Viewer,
    thread_id: int,
    player_id: int | None,
    report: Report,
    start: int = 1,
    *,
    begins: bool = True,
) -> Search:
    """Find a member's own comments in a thread, by their player, if known, or through Kiosk.

    Their comments through Kiosk from before the newest pages are shown as Kiosk saved them.
    """
    written = {
        text.result_id: text
        for text in await threads.writes.comments_of(viewer.member_id, _MAX_OWN)
        if text.place_id == thread_id
    }
    if player_id is None and not written:
        return Search((), 0, SearchEnding.UNREAD)

    def is_own(comment: models.Comment) -> bool:
        # With an earlier linked account, they may have been another player.
        if player_id is not None and comment.player.id is not None:
            return comment.player.id == player_id
        return comment.id in written

    result = await search(threads, viewer, thread_id, is_own, report, start, begins=begins)
    if result.ending is SearchEnding.WHOLE or start > 1:
        return result
    view = await threads.policy.prepare(viewer)
    older: list[Found] = []
    for number in written.keys() - {comment.id for _, comment in result.found}:
        text = written[number]
        sight = view.see(moderation.Subject(number, thread_id, player_id, text=text.body))
        is_own_account = player_id in (None, text.player_id)
        if number is not None and is_own_account and sight == policy.Visibility():
            comment = models.Comment(
                id=number, content=text.body, created_at=text.created_at, children_count=0
            )
            older.append((models.PageKey(thread_id), comment))
    found = _newest_first([*result.found, *older])
    return msgspec.structs.replace(result, found=found, older=len(older))


def _newest_first(found: abc.Iterable[Found]) -> list[Found]:
    return sorted(found, key=lambda entry: (entry[1].created_at, entry[1].id), reverse=True)
