"""Items as the game tells of them, for what is announced."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace
from pydantic import SecretStr

from bot.clock import Clock
from bot.features.accounts import Accounts
from bot.features.following.comparing import WATCHED, subscription_key
from bot.features.following.owing import NewsQueue
from bot.features.following.own_account import OwnAccount
from bot.features.following.poller import Poller
from bot.features.item_queries import ItemNews
from bot.features.reading.shop import Shop
from bot.game.game_client import GameClient
from bot.game.models import Item
from bot.game.transport import Limits
from game_service.app import KIOSK_TOKEN
from storage.database import Database
from storage.deliveries import Deliveries
from storage.following import Followed, Following
from storage.messages import Messages
from storage.names import PlaceKind
from storage.subscriptions import NewEvent, News, NewSubscription, Subscription, Subscriptions
from storage.writes import Writes
from tests.support.clock import ManualClock
from tests.support.rogue_game import RogueShop, item
from tests.support.wiring import open_wiring

MEMBER = 4242
QUICK = Limits(requests_per_second=10_000)


def an_item(item_id: int = 1, **changes: Any) -> Item:
    given = {**item(item_id, cost=10), "has_purchased": True} | changes
    return Item.from_json(json.dumps(given))


def catalog_in(
    guild_id: int, channel_id: int, catalog_id: int = 1, **changes: Any
) -> NewSubscription:
    """Let new items of a catalog be announced in a text channel, unless changed."""
    new = NewSubscription(
        guild_id=guild_id,
        channel_id=channel_id,
        channel_kind=0,
        place_id=catalog_id,
        news=frozenset({News.NEW}),
        locale="en-US",
        created_by=MEMBER,
    )
    return changed(new, **changes)


def changed(wish: NewSubscription, **changes: Any) -> NewSubscription:
    """Change a subscription, or its query if a field belongs to that."""
    query = {name: changes.pop(name) for name in asdict(wish.query) if name in changes}
    return replace(wish, query=replace(wish.query, **query), **changes)


def thread_in(guild_id: int, channel_id: int, channel_kind: int, thread_id: int) -> NewSubscription:
    """Let the comments of a thread be posted in a channel."""
    new = catalog_in(guild_id, channel_id, thread_id, channel_kind=channel_kind)
    return replace(new, kind=PlaceKind.THREAD, news=frozenset[News]())


def watch_of(member_id: int, catalog_id: int, locale: str, **wish: Any) -> NewSubscription:
    """Let a member watch an item of a catalog, or all that fit a search."""
    new = NewSubscription(
        place_id=catalog_id, news=WATCHED, locale=locale, created_by=member_id, member_id=member_id
    )
    return changed(new, **wish)


def news_of(item: Item, *news: News, old_cost: int | None = None) -> NewEvent:
    payload = ItemNews(item, old_cost=old_cost).to_json()
    return NewEvent(subject_id=item.id, news=frozenset(news), payload=payload)


def own_account(client: GameClient, clock: Clock, token: str | None = KIOSK_TOKEN) -> OwnAccount:
    return OwnAccount(client, clock, SecretStr(token) if token else None)


@dataclass
class Desk:
    """One process that polls the rogue shop, and the ledger it keeps."""

    shop: RogueShop
    database: Database
    accounts: Accounts
    client: GameClient
    views: Shop
    owing: NewsQueue
    poller: Poller
    following: Following
    outbox: Messages
    clock: ManualClock

    @property
    def subscribed(self) -> Subscriptions:
        return Subscriptions(self.database)

    @property
    def deliveries(self) -> Deliveries:
        return Deliveries(self.database)

    async def subscribe(self, channel_id: int = 20, **changes: Any) -> Subscription:
        """Let a channel follow catalog 1, with everything that is new unless changed."""
        new = changed(catalog_in(1, channel_id, news=frozenset(News)), **changes)
        added = await self.subscribed.add(new, subscription_key(new), now=self.clock())
        assert added is not None
        return added

    async def poll(self, catalog_id: int = 1) -> bool:
        return await self.poller.poll(PlaceKind.CATALOG, catalog_id)

    async def followed(self) -> Followed:
        one = await self.following.place(PlaceKind.CATALOG, 1)
        assert one is not None
        return one

    async def owed(self) -> list[tuple[int | None, list[tuple[int, set[News]]]]]:
        """Give what was ever owed: each message's channel, items and news, in order."""
        rows = await self.database.fetch("SELECT key, channel_id FROM messages ORDER BY id")
        return [
            (
                row["channel_id"],
                [
                    (event.subject_id, set(event.news))
                    for event in await self.deliveries.events_of(row["key"])
                ],
            )
            for row in rows
        ]


@asynccontextmanager
async def open_desk(
    folder: Path,
    shop: RogueShop,
    *,
    clock: ManualClock | None = None,
    game_token: str | None = KIOSK_TOKEN,
    interval: float = 300.0,
    limits: Limits = QUICK,
) -> AsyncGenerator[Desk]:
    """Open a process whose member is linked; several on one folder share the ledger."""
    clock = clock or ManualClock()
    async with open_wiring(folder, shop.base_url, limits=limits) as wired:
        if await wired.links.find(MEMBER) is None:
            await wired.links.save(MEMBER, SecretStr("a-token"))
        following, outbox = Following(wired.database), Messages(wired.database, clock)
        subscribed, deliveries = Subscriptions(wired.database), Deliveries(wired.database)
        writes = Writes(wired.database, wired.vault, outbox)
        views = Shop(wired.client, wired.accounts, writes, wired.tasks, clock)
        owing = NewsQueue(following, subscribed, deliveries, outbox, clock)
        own = own_account(wired.client, clock, game_token)
        poller = Poller(wired.client, own, following, subscribed, owing, clock, interval)
        yield Desk(
            shop,
            wired.database,
            wired.accounts,
            wired.client,
            views,
            owing,
            poller,
            following,
            outbox,
            clock,
        )
