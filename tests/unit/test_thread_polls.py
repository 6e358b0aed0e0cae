"""Looking at a thread again and again, whatever moments the game tells of."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from bot.features.following.announcing import Announcing
from bot.features.following.owing import Owing
from bot.features.following.poller import Poller
from bot.features.reading.shop import Shop
from bot.game.transport import Limits
from storage.database import Database
from storage.following import FORUM_CHANNEL, Following
from storage.messages import Messages, MessageState
from storage.names import PlaceKind
from storage.retention import Purge
from storage.writes import Writes
from tests.support.announcing import thread_in
from tests.support.clock import ManualClock
from tests.support.database_reads import watch_statements
from tests.support.databases import address_at, locked
from tests.support.game_samples import comment, page
from tests.support.rogue_game import RogueGame, open_rogue_game, reply
from tests.support.wiring import open_wiring

THREAD, TEXT_CHANNEL = 3, 0


@dataclass
class Lookout:
    """A channel that follows a thread of a rogue game."""

    game: RogueGame
    following: Announcing
    database: Database
    clock: ManualClock

    def lists(self, *written: tuple[int, timedelta]) -> None:
        """Let the thread hold these comments, each by its id and how long from now it is dated."""
        entries = [
            comment(id=number, created_at=(self.clock() + ahead).isoformat())
            for number, ahead in written
        ]
        self.game.answers(reply(page(*entries)))

    async def poll(self) -> list[str]:
        """Look at the thread, and return what was ever owed for it."""
        assert await self.following.poller.poll(PlaceKind.THREAD, THREAD)
        rows = await self.database.fetch("SELECT key FROM messages ORDER BY id")
        return [row["key"] for row in rows]

    async def send(self) -> None:
        """Send what is owed, as the worker would."""
        outbox = self.following.outbox
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
        owing = Owing(following, outbox, clock)
        writes = Writes(database, wired.vault, outbox)
        shop = Shop(wired.client, wired.accounts, writes, wired.tasks, clock)
        poller = Poller(wired.client, wired.accounts, following, owing, clock, 60.0)
        announcing = Announcing(following, owing, outbox, poller, shop, clock)
        one = Lookout(game, announcing, database, clock)
        one.lists()
        await announcing.follow(thread_in(1, 2, TEXT_CHANNEL, THREAD))
        yield one


async def test_a_look_at_one_thread_is_no_look_at_another(lookout: Lookout) -> None:
    await lookout.following.follow(thread_in(1, 2, TEXT_CHANNEL, THREAD + 1))
    following = lookout.following.following
    before = await following.place(PlaceKind.THREAD, THREAD + 1)

    await lookout.poll()

    assert await following.place(PlaceKind.THREAD, THREAD + 1) == before


async def test_many_channels_hear_of_a_comment_by_as_many_statements_as_one(
    lookout: Lookout,
) -> None:
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
        await lookout.following.following.add(follow, now=lookout.clock())

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


async def test_a_game_whose_whole_clock_is_ahead_has_new_comments_too(lookout: Lookout) -> None:
    lookout.lists((2, YEARS), (1, YEARS - HOURS))
    assert await lookout.poll() == []

    lookout.lists((3, YEARS + HOURS), (2, YEARS), (1, YEARS - HOURS))
    assert await lookout.poll() == ["follow:1:3"]


async def test_what_a_look_that_was_cut_off_found_gone_is_gone_by_the_next(
    lookout: Lookout, tmp_path: Path
) -> None:
    following = lookout.following.following
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


async def test_what_is_answered_again_and_again_is_made_a_post_once(lookout: Lookout) -> None:
    await lookout.following.follow(thread_in(1, 3, FORUM_CHANNEL, THREAD))
    await lookout.poll()
    root = comment(id=1, created_at=lookout.clock().isoformat(), children=[])
    for number in range(2, 7):
        lookout.game.answers(reply(page(root)))
        await lookout.poll()
        await lookout.send()
        lookout.clock.advance(timedelta(days=20))
        await Purge(lookout.database).purge(lookout.clock())
        moment = lookout.clock().isoformat()
        root["children"].append(comment(id=number, created_at=moment))
        root["children_count"] = len(root["children"])

    post = await lookout.following.outbox.find("follow:2:1")
    assert post is not None
    assert (post.kind, post.wanted, post.state) == ("follow.post", 1, MessageState.SENT)
