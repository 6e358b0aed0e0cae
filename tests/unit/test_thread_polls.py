"""Looking at a thread again and again: what is new, changed and gone in it."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from bot.features.following.comparing import (
    ThreadChanges,
    comments_off_their_page,
    compare,
    subscription_key,
)
from bot.features.following.followed_threads import FollowedThreads
from bot.features.following.owing import NewsQueue
from bot.features.following.poller import Poller
from bot.features.following.watching import Watching
from bot.features.reading.shop import Shop
from bot.game.models import Comment, Page, PageKey
from bot.game.transport import Limits
from cogs.replies.service import ReplyService
from storage.database import Database
from storage.deliveries import Deliveries
from storage.following import Following, SeenComment
from storage.member_watches import MemberWatches
from storage.messages import Messages, MessageState
from storage.names import PlaceKind
from storage.subscriptions import Subscriptions
from storage.writes import Writes
from tests.support.announcing import own_account, thread_in
from tests.support.clock import ManualClock
from tests.support.database_reads import DatabaseRead, watch_reads, watch_statements
from tests.support.databases import address_at, locked
from tests.support.game_samples import comment, page
from tests.support.gates import Happenings
from tests.support.rogue_game import RogueGame, open_rogue_game, reply
from tests.support.wiring import open_wiring

THREAD, TEXT_CHANNEL = 3, 0


@dataclass
class Lookout:
    """A channel that follows a thread of a rogue game."""

    game: RogueGame
    following: Following
    watching: Watching
    poller: Poller
    outbox: Messages
    database: Database
    clock: ManualClock

    @property
    def subscribed(self) -> Subscriptions:
        return Subscriptions(self.database)

    def lists(self, *written: tuple[int, timedelta]) -> None:
        """Let the thread hold these comments, each by its id and how long from now it is dated."""
        entries = [
            comment(id=number, created_at=(self.clock() + ahead).isoformat())
            for number, ahead in written
        ]
        self.game.answers(reply(page(*entries)))

    async def poll(self) -> list[str]:
        """Look at the thread, and return what was ever owed for it."""
        assert await self.poller.poll(PlaceKind.THREAD, THREAD)
        rows = await self.database.fetch("SELECT key FROM messages ORDER BY id")
        return [row["key"] for row in rows]

    async def send(self) -> None:
        """Send what is owed, as the worker would."""
        outbox = self.outbox
        for row in await self.database.fetch("SELECT id, key FROM messages WHERE due_at > 0"):
            held = await outbox.find(row["key"])
            assert held is not None
            async with outbox.transaction() as transaction:
                await outbox.settle(
                    transaction, held, MessageState.SENT, message_id=500 + row["id"]
                )


@pytest.fixture
async def lookout(tmp_path: Path) -> AsyncGenerator[Lookout]:
    clock = ManualClock()
    async with (
        open_rogue_game() as game,
        open_wiring(tmp_path, game.base_url, limits=Limits(requests_per_second=10_000)) as wired,
    ):
        database = wired.database
        outbox, following = Messages(database, clock), Following(database)
        subscribed, deliveries = Subscriptions(database), Deliveries(database)
        owing = NewsQueue(following, subscribed, deliveries, outbox, clock)
        writes = Writes(database, wired.vault, outbox)
        shop = Shop(wired.client, wired.accounts, writes, wired.tasks, clock)
        poller = Poller(
            wired.client,
            own_account(wired.client, clock),
            following,
            subscribed,
            owing,
            clock,
            60.0,
        )
        watching = Watching(wired.accounts, MemberWatches(database), outbox, poller, shop, clock)
        one = Lookout(game, following, watching, poller, outbox, database, clock)
        one.lists()
        threads = FollowedThreads(following, subscribed, deliveries, outbox, poller, clock)
        await threads.follow(thread_in(1, 2, TEXT_CHANNEL, THREAD))
        yield one


MEMBER = 50


async def wait_for_replies(lookout: Lookout, number: int, page_number: int) -> None:
    """Let a member wait for replies to a comment that stood on this page."""
    near = PageKey(THREAD, page=page_number)
    own = a_comment(number)
    service = ReplyService(lookout.poller.client, lookout.watching.accounts, lookout.watching)
    await service.watch_replies(MEMBER, near, [own], None, "en-US")


async def test_of_the_pages_where_members_wait_for_replies_four_are_read_in_turn(
    lookout: Lookout,
) -> None:
    (channel,) = await lookout.subscribed.of_guild(1)
    for number in range(2, 9):
        await wait_for_replies(lookout, number, number)
    # A second one there costs nothing.
    await wait_for_replies(lookout, 20, 8)
    await lookout.subscribed.remove(channel)
    newest = comment(id=30, created_at=(lookout.clock() - HOURS).isoformat())
    lookout.game.answers(reply(page(newest, following="?page=2")))
    await lookout.poll()

    async def pages_of_a_look() -> list[int]:
        before = len(lookout.game.asked)
        await lookout.poll()
        asked = [request.path for request in lookout.game.asked[before:]]
        return [int(path.partition("page=")[2].partition("&")[0] or 1) for path in asked]

    assert await pages_of_a_look() == [1, 2, 3, 4, 5]


async def test_of_two_processes_that_look_at_the_same_time_one_tells(
    lookout: Lookout, tmp_path: Path
) -> None:
    lookout.lists((1, -2 * HOURS))
    await lookout.poll()
    await wait_for_replies(lookout, 1, 1)
    below = comment(id=5, created_at=lookout.clock().isoformat(), depth=2)
    written = comment(id=1, created_at=START.isoformat(), children=[below], children_count=1)
    lookout.game.answers(reply(page(written)))
    followed = await lookout.following.place(PlaceKind.THREAD, THREAD)
    assert followed is not None

    limits = Limits(requests_per_second=10_000)
    async with open_wiring(tmp_path, lookout.game.base_url, limits=limits) as beside:
        following = Following(beside.database)
        subscribed = Subscriptions(beside.database)
        deliveries = Deliveries(beside.database)
        outbox = Messages(beside.database, lookout.clock)
        owing = NewsQueue(following, subscribed, deliveries, outbox, lookout.clock)
        other = Poller(
            beside.client,
            own_account(beside.client, lookout.clock),
            following,
            subscribed,
            owing,
            lookout.clock,
            60.0,
        )
        await asyncio.gather(lookout.poller.look(followed), other.look(followed))

    told = await lookout.database.fetch("SELECT key FROM messages WHERE member_id IS NOT NULL")
    assert len(told) == 1
    assert len(await lookout.database.fetch("SELECT 1 FROM events")) == 1


async def test_many_channels_cost_as_many_statements_as_one(lookout: Lookout) -> None:
    written = [(1, -timedelta(hours=9))]

    async def statements_of_a_comment() -> int:
        written.insert(0, (len(written) + 1, timedelta(minutes=len(written))))
        lookout.lists(*written)
        statements: list[str] = []
        watch_statements(lookout.database, statements)
        await lookout.poll()
        return len(statements)

    lookout.lists(*written)
    await lookout.poll()
    by_one = await statements_of_a_comment()
    for channel in range(10, 30):
        follow = thread_in(1, channel, TEXT_CHANNEL, THREAD)
        await lookout.subscribed.add(follow, subscription_key(follow), now=lookout.clock())

    assert await statements_of_a_comment() == by_one
    assert len(await lookout.poll()) == 22


HOURS, YEARS = timedelta(hours=1), timedelta(days=365)


async def test_a_comment_dated_years_ahead_silences_no_thread(lookout: Lookout) -> None:
    absurd = (1, 9 * YEARS)
    lookout.lists(absurd, (2, -2 * HOURS))
    assert await lookout.poll() == []

    lookout.lists(absurd, (3, -HOURS), (2, -2 * HOURS))
    assert await lookout.poll() == ["follow:1:3"]

    later = (4, 5 * YEARS)
    lookout.lists(absurd, later, (3, -HOURS), (2, -2 * HOURS))
    assert (await lookout.poll())[1:] == ["follow:1:4"]
    lookout.lists(absurd, later, (5, timedelta()), (3, -HOURS), (2, -2 * HOURS))
    assert (await lookout.poll())[2:] == ["follow:1:5"]


async def test_a_cut_off_look_loses_nothing(lookout: Lookout, tmp_path: Path) -> None:
    following = lookout.following
    lookout.lists((1, -2 * HOURS))
    await lookout.poll()
    lookout.lists((2, -HOURS), (1, -2 * HOURS))
    await lookout.poll()
    lookout.lists((1, -2 * HOURS))
    await lookout.poll()
    asked = len(lookout.game.asked)
    async with locked(address_at(tmp_path / "kiosk.db")):
        look = asyncio.create_task(lookout.poll())
        # Until it has read the thread, and waits to write.
        while len(lookout.game.asked) == asked:
            await following.comment(THREAD, 2)
        for _ in range(20):
            await following.comment(THREAD, 2)
        look.cancel()
        await asyncio.wait([look])

    await lookout.poll()

    gone = await following.comment(THREAD, 2)
    assert gone is not None
    assert gone.is_gone


async def test_a_look_reads_what_was_seen_of_its_pages_alone(lookout: Lookout) -> None:
    moment = lookout.clock() - HOURS
    recent = [comment(id=number, created_at=moment.isoformat()) for number in (502, 501)]
    lookout.game.answers(reply(page(*recent, following="?page=2")))
    await lookout.poll()
    followed = await lookout.following.place(PlaceKind.THREAD, THREAD)
    assert followed is not None
    older = [SeenComment(number, number, 40, "", START) for number in range(1, 501)]
    await lookout.following.record(followed, older, now=moment)
    reads = Happenings[DatabaseRead]()
    watch_reads(lookout.database, reads)

    await lookout.poll()

    assert sum(len(read.rows) for read in reads.past) < 50


async def test_a_comment_that_gets_another_root_is_told_once(lookout: Lookout) -> None:
    lookout.lists((1, -2 * HOURS))
    await lookout.poll()
    written = {"created_at": lookout.clock().isoformat()}
    below = comment(id=2, depth=2, **written)
    root = comment(id=1, created_at=START.isoformat(), children=[below], children_count=1)
    lookout.game.answers(reply(page(root)))
    assert await lookout.poll() == ["follow:1:2"]
    # As after three months.
    await lookout.database.execute("DELETE FROM messages")

    alone = page(comment(id=2, **written), following="?page=2")
    lookout.game.answers(reply(alone), reply(page(current_page=2)))

    assert await lookout.poll() == []


START = datetime(2026, 5, 1, tzinfo=UTC)


def a_comment(number: int, text: str = "Hello", *children: Comment, count: int = -1) -> Comment:
    """Make a comment that was written so many minutes after the start."""
    return Comment(
        id=number,
        content=text,
        created_at=START + timedelta(minutes=number),
        children=children,
        children_count=len(children) if count < 0 else count,
    )


def a_page(
    *comments: Comment, number: int = 1, has_next: bool = False, unreadable: int = 0
) -> Page[Comment]:
    return Page(comments, number, 15, has_next, unreadable)


def known_from(*comments: Comment) -> dict[int, SeenComment]:
    seen = compare({}, [a_page(*comments)], datetime.min.replace(tzinfo=UTC)).new
    return {each.id: each for each in seen}


def gone(changes: ThreadChanges) -> list[int]:
    return [each.id for each in changes.changed if each.is_gone]


@pytest.mark.parametrize(
    ("pages", "now_on"),
    [
        ([a_page(a_comment(9), a_comment(8), number=2, has_next=True)], 3),
        ([a_page(a_comment(9), a_comment(8), number=2)], None),
        ([a_page(a_comment(3), a_comment(2), number=2, has_next=True)], 1),
        ([a_page(number=2)], 1),
        ([a_page(a_comment(9), number=2, has_next=True), a_page(a_comment(5), number=3)], None),
        ([a_page(a_comment(9), number=1, has_next=True)], None),
    ],
)
def test_what_others_push_on_is_looked_for_on_the_next_page(
    pages: list[Page[Comment]], now_on: int | None
) -> None:
    known = {number: replace(seen, page=2) for number, seen in known_from(a_comment(5)).items()}

    found = [comment.page for comment in comments_off_their_page(known, [5, 6], pages)]

    assert found == ([] if now_on is None else [now_on])


def test_new_is_what_was_written_after_it_was_followed_replies_too() -> None:
    page = a_page(a_comment(9), a_comment(3, "Old", a_comment(8)), a_comment(2))

    found = compare({}, [page], START + timedelta(minutes=5))

    assert [(each.id, each.root_id) for each in found.new] == [(8, 3), (9, 9)]


def test_another_text_is_a_change_and_stays_one() -> None:
    known = known_from(a_comment(9))

    (changed,) = compare(known, [a_page(a_comment(9, "Other"))], START).changed
    assert changed.is_changed
    (back,) = compare({9: changed}, [a_page(a_comment(9))], START).changed
    assert back.is_changed
    (moved,) = compare({9: changed}, [a_page(a_comment(9, "Other"), number=2)], START).moved
    assert moved.is_changed


def test_what_two_readings_lack_is_gone_with_what_answers_it() -> None:
    known = known_from(a_comment(9), a_comment(8, "Hi", a_comment(10)), a_comment(7))
    page = a_page(a_comment(9), a_comment(7))

    first = compare(known, [page], START)
    assert gone(first) == []
    assert gone(compare(known, [page], START, first.missing)) == [8, 10]
    # It is there again.
    assert gone(compare(known, [a_page(*map(a_comment, (9, 8, 7)))], START, {8})) == []


def test_what_one_reading_lacks_stays_missing_until_its_page_is_read_again() -> None:
    known = known_from(*map(a_comment, (9, 5, 4, 3)))
    first, second = a_page(a_comment(9), has_next=True), a_page(a_comment(5), number=2)
    lacked = compare(known, [first, second], START).missing
    assert lacked == {3, 4}

    elsewhere = compare(known, [first], START, lacked)
    assert (gone(elsewhere), elsewhere.missing) == ([], {3, 4})
    again = compare(known, [a_page(a_comment(5), a_comment(3), number=2)], START, elsewhere.missing)
    assert (gone(again), again.missing) == ([4], set())


def test_a_reply_that_its_tree_lacks_is_gone_unless_the_game_shows_only_some() -> None:
    known = known_from(a_comment(5, "Hi", a_comment(6), a_comment(7)))

    whole = a_page(a_comment(5, "Hi", a_comment(7)))
    assert gone(compare(known, [whole], START, {6})) == [6]
    some = a_page(a_comment(5, "Hi", a_comment(7), count=2))
    assert gone(compare(known, [some], START, {6})) == []


def test_a_page_says_nothing_of_others_or_where_it_makes_no_sense() -> None:
    known = known_from(*map(a_comment, (9, 5, 1)))
    beyond = a_page(a_comment(7), a_comment(6), number=2, has_next=True)
    assert compare(known, [beyond], START).missing == set()

    shuffled = a_page(a_comment(3), a_comment(8))
    unread = a_page(a_comment(8), a_comment(3), unreadable=1)
    for odd in (shuffled, unread):
        assert compare(known, [odd], START).missing == set()
    assert compare(known, [a_page(a_comment(8), a_comment(3))], START).missing == {9, 5, 1}
