"""An outbox and those who carry it out, on the stand-in, by clocks that tests set."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest
from discord.http import HTTPClient, Route
from pydantic import SecretStr

from bot.app import open_bot
from bot.program.kiosk import Kiosk
from bot.rest import Rest
from bot.ui.messages.dispatcher import Dispatcher
from bot.ui.messages.kinds import Kind
from bot.ui.messages.requests import tracing
from cogs.announce.announcement_messages import (
    AnnouncementKind,
    NewestKind,
    PostKind,
    PublishKind,
    StopNotice,
)
from cogs.moderate.reports import QueueCard
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.messages import Message, Messages, MessageState, NewMessage, Priority
from storage.names import PlaceKind
from storage.rows import moment
from storage.subscriptions import News, Subscription
from tests.support.announcing import catalog_in
from tests.support.clock import ManualClock
from tests.support.databases import address_at
from tests.support.discord_standin import Discord, open_discord
from tests.support.discord_standin import Message as Posted
from tests.support.gates import PATIENCE_SECONDS
from tests.support.posts import Post
from tests.support.rogue_game import RogueShop, item
from tests.support.world import settings_for

MEMBER = 4242
# As long as it takes until what has left has arrived or never will.
ARRIVED = 121.0
# By so much the office's clock is ahead of a bot's own, which runs on.
SKEW = 30.0


@dataclass
class Office:
    """One outbox, a Discord, and dispatchers that come and go."""

    discord: Discord
    database: Database
    outbox: Messages
    clock: ManualClock
    post: Post
    http: HTTPClient
    kinds: list[Kind] = field(default_factory=list[Kind])
    _outboxes: list[Messages] = field(default_factory=list[Messages])

    async def owe(self, *keys: str, to: int, priority: Priority = Priority.LIVE_POST) -> None:
        await self.owe_all(*(NewMessage("post", key, priority, channel_id=to) for key in keys))

    async def owe_all(self, *owed: NewMessage) -> None:
        async with self.outbox.transaction() as transaction:
            await self.outbox.want(transaction, *owed)
        self.wake()

    @asynccontextmanager
    async def at_work(self) -> AsyncGenerator[Dispatcher]:
        """Let an active worker send."""
        # As in a process of its own: it hears of what is owed here, and of nothing else.
        outbox = Messages(self.database, self.clock)
        self._outboxes.append(outbox)
        dispatcher = Dispatcher(outbox, self.clock)
        dispatcher.add(self.post, *self.kinds)
        running = asyncio.create_task(dispatcher.run(self.http, Rest(self.clock)))
        try:
            yield dispatcher
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    def pass_time(self, seconds: float) -> None:
        """Let so much time pass, and everybody look at what is due by then."""
        self.clock.advance(seconds)
        self.wake()

    def wake(self) -> None:
        """Let every worker look at what is due."""
        for outbox in self._outboxes:
            outbox.news.set()

    async def pass_pause(self, key: str) -> None:
        """Wait until something is put off, and let the time pass until it is due again."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                entry = await self.entry(key)
                assert entry.due_at is not None, entry
                if entry.due_at > self.clock.moment:
                    break
        self.pass_time((entry.due_at - self.clock.moment).total_seconds())

    async def done(self) -> None:
        """Wait until nothing is owed, letting the time pass in which answers may come."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while due := await self.due():
                self.wake()
                if due > self.clock.moment:
                    self.pass_time(ARRIVED)

    async def due(self) -> datetime | None:
        """Give when the first of what is owed may be tried next."""
        (row,) = await self.database.fetch(
            "SELECT MIN(due_at) AS due FROM messages WHERE id IN"
            " (SELECT MIN(id) FROM messages WHERE due_at IS NOT NULL GROUP BY lane)"
        )
        return moment(row["due"])

    async def state(self, key: str) -> MessageState:
        return (await self.entry(key)).state

    async def entry(self, key: str) -> Message:
        entry = await self.outbox.find(key)
        assert entry is not None
        return entry

    def shown(self, channel_id: int) -> list[str]:
        """Give what a channel shows, without the look of headings."""
        return [
            text_of(message)
            for message in self.discord.state.messages
            if message.channel_id == channel_id
        ]

    def all_shown(self) -> list[str]:
        return [text_of(message) for message in self.discord.state.messages]

    async def asked(self, times: int) -> None:
        """Wait until Discord was asked for so many messages."""
        asked = self.discord.state.asked
        await asked.until(lambda: sum(one.is_message for one in asked.past) >= times)


def text_of(message: Posted) -> str:
    return message.text.removeprefix("### ")


@pytest.fixture
async def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Office]:
    clock = ManualClock()
    async with (
        open_discord() as discord,
        open_database(address_at(tmp_path / "kiosk.db"), MIGRATIONS) as database,
    ):
        monkeypatch.setattr(Route, "BASE", discord.state.api_url)
        http = HTTPClient(asyncio.get_running_loop(), http_trace=tracing())
        await http.static_login(discord.state.token)
        try:
            outbox = Messages(database, clock)
            yield Office(discord, database, outbox, clock, Post(), http)
        finally:
            await http.close()


@dataclass
class Desk:
    """A bot that announces, and the office that sends for it."""

    bot: Kiosk
    office: Office
    shop: RogueShop

    async def subscribe(
        self,
        channel: int,
        kind: int,
        *,
        guild: int | None = None,
        role_ids: frozenset[int] = frozenset(),
    ) -> Subscription:
        """Let a channel hear of new items from now on, and a role be pinged there."""
        announcing = self.bot.features.announcing
        guild = guild or self.office.discord.state.guild_id
        wanted = frozenset({News.NEW})
        added = await announcing.add(
            catalog_in(guild, channel, channel_kind=kind, news=wanted, tag_id=7, role_ids=role_ids)
        )
        assert await announcing.poller.poll(PlaceKind.CATALOG, 1)
        return added

    async def stock(self, number: int, name: str) -> None:
        """Let there be a new item, and have it found."""
        self.shop.items.insert(0, item(number, name=name))
        assert await self.bot.features.poller.poll(PlaceKind.CATALOG, 1)

    async def announce(
        self, channel: int, kind: int, *, role_ids: frozenset[int] = frozenset()
    ) -> Subscription:
        """Let a channel hear of a new item."""
        added = await self.subscribe(channel, kind, role_ids=role_ids)
        await self.stock(99, "Straw Hat")
        return added

    async def why(self) -> list[str]:
        """Give what became of each announcement."""
        rows = await self.office.database.fetch(
            "SELECT state FROM message_events JOIN messages ON key = message_key"
        )
        return [row["state"] for row in rows]


@pytest.fixture
async def desk(office: Office, shop: RogueShop, tmp_path: Path) -> AsyncGenerator[Desk]:
    async with open_bot(settings_for(tmp_path, shop.base_url)) as bot:
        await bot.features.accounts.link(MEMBER, SecretStr("a-token"), [1])
        office.kinds += [
            AnnouncementKind(bot.features),
            PostKind(bot.features),
            NewestKind(bot.features),
            PublishKind(),
            StopNotice(bot),
            QueueCard(bot),
        ]
        # What it owes is due at once by the office's clock.
        office.clock.advance(SKEW)
        yield Desk(bot, office, shop)
