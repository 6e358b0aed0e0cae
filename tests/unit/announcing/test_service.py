"""Whose announcements are whose, and what a refusal or a pause leads to."""

from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from bot.features.errors import UnknownAnnouncement
from bot.features.following.announcing import Announcing
from storage.database.interface import Database
from storage.following import News, NewSubscription
from storage.messages import Messages, NewMessage, Priority
from storage.names import PlaceKind
from tests.support.announcing import open_desk
from tests.support.clock import ManualClock
from tests.support.rogue_shop import RogueShop, item

MEMBER = 4242
NEW = NewSubscription(
    guild_id=1,
    channel_id=20,
    channel_kind=0,
    game_id=1,
    news=frozenset({News.NEW}),
    locale="en-US",
    created_by=MEMBER,
)
DELIVERY = "announcement:1:1:0"


@dataclass
class Desk:
    """The service, and what it stands on."""

    announcing: Announcing
    database: Database
    clock: ManualClock


@pytest.fixture
async def desk(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Desk]:
    clock = ManualClock()
    async with open_desk(tmp_path, shop, clock=clock, game_token="the-bots") as opened:
        announcing = Announcing(
            opened.following,
            opened.owing,
            opened.outbox,
            opened.poller,
            opened.views,
            clock,
        )
        yield Desk(announcing, opened.database, clock)


async def test_no_server_reaches_the_announcements_of_another(desk: Desk) -> None:
    kept = await desk.announcing.add(NEW)

    assert await desk.announcing.find(1, str(kept.id)) == kept
    with pytest.raises(UnknownAnnouncement):
        await desk.announcing.find(2, str(kept.id))


async def test_a_channel_that_refuses_twice_is_paused_and_told_of_once(desk: Desk) -> None:
    kept = await desk.announcing.add(NEW)
    outbox = Messages(desk.database, desk.clock)
    payload = {"subscription": kept.id}
    owed = NewMessage(
        "announcement", DELIVERY, Priority.ANNOUNCEMENT, channel_id=NEW.channel_id, payload=payload
    )
    async with outbox.transaction() as transaction:
        await outbox.want(transaction, owed)
    entry = await outbox.find(DELIVERY)
    assert entry is not None
    for _ in range(2):
        desk.clock.advance(timedelta(minutes=1))
        async with desk.database.transaction() as transaction:
            await desk.announcing.save_refusal(transaction, entry, "50013 no")

    paused = await desk.announcing.find(1, str(kept.id))
    assert (paused.pause_reason, paused.paused_after) == (50013, 0)
    rows = await desk.database.fetch("SELECT kind FROM messages")
    assert Counter(row["kind"] for row in rows) == {"announcement": 1, "paused": 1}


async def test_of_what_happened_during_a_pause_only_what_is_wanted_was_missed(
    desk: Desk, shop: RogueShop
) -> None:
    announcing = desk.announcing
    kept = await announcing.add(NEW)
    assert await announcing.poller.poll(PlaceKind.CATALOG, 1)
    await announcing.following.pause(kept.id, now=desk.clock())
    shop.items[0] = {**shop.items[0], "cost": 1}
    shop.items.append(item(99))
    assert await announcing.poller.poll(PlaceKind.CATALOG, 1)

    missed = await announcing.resume(await announcing.find(1, str(kept.id)))

    assert [event.item_id for event in missed] == [99]
    assert (await announcing.find(1, str(kept.id))).paused_at is None
