"""Items as the game tells of them, for what is announced."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from pydantic import SecretStr

from bot.domain.announcing import News, NewSubscription, Subscription
from bot.features.accounts import Accounts
from bot.features.announcing.deliveries import Deliveries
from bot.features.announcing.polling import Callers, Poller
from bot.game.models import Item
from bot.game.transport import Limits
from storage.announcements import Announcements, CatalogSnapshots
from storage.database import Database
from storage.messages import Messages
from storage.subscriptions import Subscriptions, Watches
from tests.support.clock import ManualClock
from tests.support.rogue_shop import RogueShop, item
from tests.support.wiring import open_wiring

MEMBER = 4242


def an_item(item_id: int = 1, **changes: Any) -> Item:
    given = {**item(item_id, cost=10), "has_purchased": True} | changes
    return Item.from_json(json.dumps(given))


@dataclass
class Desk:
    """One process that polls the rogue shop, and the ledger it keeps."""

    shop: RogueShop
    database: Database
    accounts: Accounts
    poller: Poller
    snapshots: CatalogSnapshots
    subscriptions: Subscriptions
    announcements: Announcements
    watches: Watches
    outbox: Messages
    clock: ManualClock

    async def subscribe(self, channel_id: int = 20, **changes: Any) -> Subscription:
        """Let a channel hear of catalog 1, with everything that is new unless changed."""
        new = NewSubscription(1, channel_id, 0, 1, frozenset(News), "en-US", MEMBER)
        added = await self.subscriptions.add(replace(new, **changes), now=self.clock())
        assert added is not None
        return added

    async def poll(self, catalog_id: int = 1) -> bool:
        """Poll once."""
        return await self.poller.poll(catalog_id)

    async def owed(self) -> list[tuple[int | None, list[tuple[int, set[News]]]]]:
        """Give what was ever owed: each message's channel, items and news, in order."""
        rows = await self.database.fetch("SELECT key, channel_id FROM messages ORDER BY id")
        return [
            (
                row["channel_id"],
                [
                    (event.item_id, set(event.news))
                    for event in await self.announcements.events_of(row["key"])
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
    game_token: str | None = None,
    interval: float = 300.0,
) -> AsyncGenerator[Desk]:
    """Open a process whose member is linked; several on one folder share the ledger."""
    clock = clock or ManualClock()
    limits = Limits(requests_per_second=10_000)
    async with open_wiring(folder, shop.base_url, limits=limits) as wired:
        if await wired.links.find(MEMBER) is None:
            await wired.links.save(MEMBER, SecretStr("a-token"))
        subscriptions = Subscriptions(wired.database)
        announcements = Announcements(wired.database)
        snapshots = CatalogSnapshots(wired.database)
        outbox = Messages(wired.database, clock)
        watches = Watches(wired.database, outbox)
        token = SecretStr(game_token) if game_token else None
        poller = Poller(
            wired.client,
            Callers(wired.accounts, subscriptions, watches, token),
            snapshots,
            Deliveries(subscriptions, announcements, watches, outbox, clock),
            clock=clock,
            interval=interval,
            sleep=_no_pause,
        )
        yield Desk(
            shop,
            wired.database,
            wired.accounts,
            poller,
            snapshots,
            subscriptions,
            announcements,
            watches,
            outbox,
            clock,
        )


async def _no_pause(_: float) -> None: ...
