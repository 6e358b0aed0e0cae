"""Who watches what, and what is posted of followed threads."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from bot.features.following.comparing import subscription_key
from bot.features.following.followed_threads import FollowedThreads
from bot.features.following.owing import NewsQueue, comment_key
from bot.features.following.poller import Poller
from bot.features.following.watching import Watching
from bot.features.reading.shop import Shop
from storage.database import Database
from storage.deliveries import Deliveries
from storage.following import Following, SeenComment
from storage.member_watches import MemberWatches, Watch
from storage.messages import Messages, MessageState, NewMessage, Priority
from storage.names import PlaceKind
from storage.purging import Purge
from storage.subscriptions import News, NewSubscription, Subscription, Subscriptions
from storage.writes import Writes
from tests.storage.conftest import NOW
from tests.support.announcing import an_item, news_of, own_account, thread_in, watch_of
from tests.support.clock import ManualClock
from tests.support.rogue_game import RogueShop
from tests.support.wiring import open_wiring

ADA, BEN = 1, 2
NO_GAME = "http://127.0.0.1:9/api"
HOUR = timedelta(hours=1)
STARTED = datetime(2026, 5, 1, tzinfo=UTC)
HAT = watch_of(ADA, 3, "de", subject_id=7, subject_name="Straw Hat", asked_in=40)
CHEAP = watch_of(ADA, 3, "de", name="hat", types=frozenset(["Hat"]), max_cost=0)


@dataclass
class Shelf:
    database: Database
    following: Following
    watching: Watching
    owing: NewsQueue
    outbox: Messages
    clock: ManualClock

    async def add(self, *parts: NewSubscription, most: int = 5) -> Watch | None:
        wanted = {subscription_key(part): part for part in parts}
        watched = await MemberWatches(self.database).add(wanted, now=STARTED, most=most)
        return watched and watched[0]

    async def watches(self) -> list[list[int]]:
        """Give the catalogs of each thing that Ada watches."""
        watches = await MemberWatches(self.database).of_member(ADA, PlaceKind.CATALOG)
        return [[part.place_id for part in watch.parts] for watch in watches]

    async def happen(self, meanwhile: Callable[[], Awaitable[object]] | None = None) -> None:
        """Let something be new about the hat; `meanwhile` is before it is written."""
        catalog = await self.following.place(PlaceKind.CATALOG, 3)
        assert catalog is not None
        item = an_item(7, name="Straw Hat", cost=0)
        event = news_of(item, News.CHEAPER)
        owe = await self.owing.news(3, [event])
        if meanwhile is not None:
            await meanwhile()
        await self.following.record(catalog, [], [event], now=self.clock(), owe=owe)

    async def send(self) -> list[tuple[str, int]]:
        """Send what is owed, as the worker would; gives each message, and how much it tells."""
        sent: list[tuple[str, int]] = []
        for row in await self.database.fetch("SELECT key FROM messages WHERE due_at IS NOT NULL"):
            message = await self.outbox.find(row["key"])
            assert message is not None
            notices, _, pause = await self.watching.to_tell(message)
            if pause is not None:
                continue
            async with self.outbox.transaction() as transaction:
                state = MessageState.SENT if notices else MessageState.DROPPED
                await self.outbox.settle(transaction, message, state)
            sent += [(message.key, len(notices))] if notices else []
        return sent


@pytest.fixture
async def shelf(address: str, tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Shelf]:
    clock, shop.catalogs = ManualClock(), {3}
    async with open_wiring(tmp_path, shop.base_url, address=address) as wired:
        for member_id in (ADA, BEN):
            await wired.links.save(member_id, SecretStr(f"token-{member_id}"))
        database = wired.database
        following, outbox = Following(database), Messages(database, clock)
        subscribed, deliveries = Subscriptions(database), Deliveries(database)
        writes = Writes(database, wired.vault, outbox)
        views = Shop(wired.client, wired.accounts, writes, wired.tasks, clock)
        owing = NewsQueue(following, subscribed, deliveries, outbox, clock)
        poller = Poller(
            wired.client,
            own_account(wired.client, clock),
            following,
            subscribed,
            owing,
            clock,
            300.0,
        )
        watching = Watching(wired.accounts, MemberWatches(database), outbox, poller, views, clock)
        yield Shelf(database, following, watching, owing, outbox, clock)


async def test_more_than_one_may_watch_are_not_kept(shelf: Shelf) -> None:
    assert await shelf.add(HAT, most=1)
    assert await shelf.add(CHEAP, replace(CHEAP, place_id=4), most=1) is None
    assert await shelf.add(replace(CHEAP, member_id=BEN), most=1)
    assert await shelf.watches() == [[3]]


async def test_a_search_of_all_catalogs_is_one_watch_which_ends_as_one(shelf: Shelf) -> None:
    watch = await shelf.add(CHEAP, replace(CHEAP, place_id=4), most=1)
    in_capitals = replace(CHEAP.query, name="HAT")
    assert await shelf.add(replace(CHEAP, place_id=5, query=in_capitals), most=1)
    assert await shelf.add(HAT, most=2)
    assert await shelf.watches() == [[3, 4, 5], [3]]

    assert watch is not None
    await shelf.watching.end_watch(ADA, watch.parts[1].id)

    assert await shelf.watches() == [[3]]
    assert list(await shelf.following.due(PlaceKind.CATALOG, 9)) == [3]


async def test_what_comes_within_an_hour_is_told_together_after_it(shelf: Shelf) -> None:
    await shelf.add(HAT)
    await shelf.happen()
    assert [count for _, count in await shelf.send()] == [1]

    await shelf.happen()
    await shelf.add(CHEAP)
    await shelf.happen()
    shelf.clock.advance(HOUR - timedelta(seconds=1))
    assert await shelf.send() == []
    shelf.clock.advance(timedelta(seconds=2))
    assert [count for _, count in await shelf.send()] == [3]
    assert await shelf.database.fetch("SELECT 1 FROM messages WHERE due_at IS NOT NULL") == []


async def test_a_watch_that_ends_while_news_is_written_is_told_of_nothing(shelf: Shelf) -> None:
    ended, _ = await shelf.add(HAT), await shelf.add(replace(HAT, member_id=BEN))
    assert ended is not None

    await shelf.happen(meanwhile=lambda: shelf.watching.end_watch(ADA, ended.first.id))

    assert [key for key, _ in await shelf.send()] == [f"watch:{BEN}:1"]


HERE, ELSEWHERE, THREAD = 1, 2, 3
TOP, OTHER = 7, 9


@dataclass
class Board:
    """Channels that follow a thread."""

    database: Database
    following: Following
    threads: FollowedThreads
    outbox: Messages
    clock: ManualClock

    @property
    def subscribed(self) -> Subscriptions:
        return Subscriptions(self.database)

    async def follow(self, channel_id: int, *, guild_id: int = HERE) -> Subscription:
        new = thread_in(guild_id, channel_id, 0, THREAD)
        added = await self.subscribed.add(new, subscription_key(new), now=NOW)
        assert added is not None
        thread = await self.following.place(PlaceKind.THREAD, THREAD)
        assert thread is not None
        seen = [SeenComment(number, number, 1, "", NOW) for number in (TOP, OTHER)]
        assert await self.following.record(thread, seen, now=NOW)
        return added

    async def post(self, one: Subscription, comment_id: int, message_id: int | None) -> None:
        """Let a comment become a message, or be refused."""
        key, outbox = comment_key(one.id, comment_id), self.outbox
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
        subscribed, deliveries = Subscriptions(database), Deliveries(database)
        owing = NewsQueue(following, subscribed, deliveries, outbox, clock)
        poller = Poller(
            wired.client,
            own_account(wired.client, clock),
            following,
            subscribed,
            owing,
            clock,
            300.0,
        )
        threads = FollowedThreads(following, subscribed, deliveries, outbox, poller, clock)
        yield Board(database, following, threads, outbox, clock)


async def test_what_a_server_lets_be_seen_is_drawn_anew_in_its_own_channels(board: Board) -> None:
    here, refused = await board.follow(30), await board.follow(31)
    elsewhere = await board.follow(40, guild_id=ELSEWHERE)
    for one in (here, elsewhere):
        for comment_id in (TOP, OTHER):
            await board.post(one, comment_id, 500 + comment_id)
    await board.post(refused, TOP, None)

    await board.threads.draw_anew(HERE, [TOP])

    assert await board.keys("due_at IS NOT NULL") == {comment_key(here.id, TOP)}


async def test_messages_are_known_while_their_thread_is_followed(board: Board) -> None:
    here, elsewhere = await board.follow(30), await board.follow(40, guild_id=ELSEWHERE)
    for one in (here, elsewhere):
        await board.post(one, TOP, 500)
    board.clock.advance(timedelta(days=400))
    purge = Purge(board.database)

    await purge.purge(board.clock())
    assert await board.keys() == {comment_key(one.id, TOP) for one in (here, elsewhere)}
    await board.subscribed.remove(here)
    await purge.purge(board.clock())
    assert await board.keys() == {comment_key(elsewhere.id, TOP)}


async def test_nobody_waits_for_replies_for_more_than_ninety_days(shelf: Shelf) -> None:
    about_a_comment = replace(
        HAT, kind=PlaceKind.THREAD, subject_id=7, subject_name="Who likes acorns?"
    )
    words = replace(about_a_comment, subject_id=None)
    for wish in (about_a_comment, words, HAT):
        await MemberWatches(shelf.database).add({subscription_key(wish): wish}, now=STARTED, most=5)

    for days, left in ((89.9, 2), (90.1, 1)):
        await Purge(shelf.database).purge(STARTED + timedelta(days=days))
        assert len(await MemberWatches(shelf.database).of_member(ADA, PlaceKind.THREAD)) == left
    assert await shelf.watches() == [[3]]
