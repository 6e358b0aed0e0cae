"""The messages of followed comments: which are drawn anew, and how long they are known."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from bot.features.following.announcing import Announcing
from bot.features.following.owing import Owing, comment_key
from bot.features.following.poller import Poller
from bot.features.reading.shop import Shop
from storage.database import Database
from storage.following import Following, Subscription
from storage.messages import Messages, MessageState, NewMessage, Priority
from storage.names import PlaceKind
from storage.retention import Purge
from storage.seen import SeenComment
from storage.writes import Writes
from tests.storage.conftest import NOW
from tests.support.announcing import thread_in
from tests.support.clock import ManualClock
from tests.support.wiring import open_wiring

HERE, ELSEWHERE, THREAD = 1, 2, 3
TOP, OTHER = 7, 9
NO_GAME = "http://127.0.0.1:9/api"


@dataclass
class Board:
    """Channels that follow a thread."""

    database: Database
    following: Announcing
    clock: ManualClock

    async def follow(self, channel_id: int, *, guild_id: int = HERE) -> Subscription:
        new = thread_in(guild_id, channel_id, 0, THREAD)
        added = await self.following.following.add(new, now=NOW)
        assert added is not None
        thread = await self.following.following.place(PlaceKind.THREAD, THREAD)
        assert thread is not None
        seen = [SeenComment(number, number, 1, "", NOW) for number in (TOP, OTHER)]
        assert await self.following.following.record(thread, seen, now=NOW)
        return added

    async def post(self, one: Subscription, comment_id: int, message_id: int | None) -> None:
        """Let a comment become a message, or be refused."""
        key, outbox = comment_key(one.id, comment_id), self.following.outbox
        wanted = NewMessage(
            "follow", key, Priority.LIVE_POST, one.channel_id, guild_id=one.guild_id, stays=True
        )
        async with outbox.transaction() as transaction:
            await outbox.want(transaction, wanted)
        held = await outbox.find(key)
        assert held is not None
        state = MessageState.REFUSED if message_id is None else MessageState.SENT
        async with outbox.transaction() as transaction:
            await outbox.settle(transaction, held, state, message_id=message_id)

    async def keys(self, where: str = "TRUE") -> set[str]:
        rows = await self.database.fetch(f"SELECT key FROM messages WHERE {where}")
        return {row["key"] for row in rows}


@pytest.fixture
async def board(address: str, tmp_path: Path) -> AsyncGenerator[Board]:
    clock = ManualClock()
    async with open_wiring(tmp_path, NO_GAME, address=address) as wired:
        database = wired.database
        following, outbox = Following(database), Messages(database, clock)
        owing = Owing(following, outbox, clock)
        writes = Writes(database, wired.vault, outbox)
        shop = Shop(wired.client, wired.accounts, writes, wired.tasks, clock)
        poller = Poller(wired.client, wired.accounts, following, owing, clock, 300.0)
        announcing = Announcing(following, owing, outbox, poller, shop, clock)
        yield Board(database, announcing, clock)


async def test_what_a_server_lets_be_seen_is_drawn_anew_in_its_own_channels(board: Board) -> None:
    here, refused = await board.follow(30), await board.follow(31)
    elsewhere = await board.follow(40, guild_id=ELSEWHERE)
    for one in (here, elsewhere):
        for comment_id in (TOP, OTHER):
            await board.post(one, comment_id, 500 + comment_id)
    await board.post(refused, TOP, None)

    await board.following.draw_anew(HERE, TOP)

    assert await board.keys("due_at IS NOT NULL") == {comment_key(here.id, TOP)}


async def test_messages_are_known_for_as_long_as_their_thread_is_followed_there(
    board: Board,
) -> None:
    here, elsewhere = await board.follow(30), await board.follow(40, guild_id=ELSEWHERE)
    for one in (here, elsewhere):
        await board.post(one, TOP, 500)
    board.clock.advance(timedelta(days=400))
    purge = Purge(board.database)

    await purge.purge(board.clock())
    assert await board.keys() == {comment_key(one.id, TOP) for one in (here, elsewhere)}
    await board.following.unfollow(HERE, THREAD, 30)
    await purge.purge(board.clock())
    assert await board.keys() == {comment_key(elsewhere.id, TOP)}
