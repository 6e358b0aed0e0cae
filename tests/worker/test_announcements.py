"""Announcements and followed comments on a Discord that refuses, and that hides its answers."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.app import open_bot
from bot.domain.announcing import News, NewSubscription
from bot.kiosk import Kiosk
from cogs.announce.kinds import AnnouncementKind, PauseNotice, PostKind, PublishKind
from storage.rows import moment
from tests.support.discord_standin.refusals import (
    ITS_OWN_TROUBLE,
    LATE_ERROR,
    MISSING_PERMISSIONS,
    UNAVAILABLE,
)
from tests.support.gates import PATIENCE
from tests.support.rogue_shop import RogueShop, item
from tests.support.world import settings_for
from tests.worker.conftest import Office

FORUM, NEWS, TEXT = 15, 5, 0
MEMBER = 4242
# As long as it takes until what has left has arrived or never will.
ARRIVED = 121.0
SKEW = 30.0


@dataclass
class Desk:
    """A bot that announces, and the office that sends for it."""

    bot: Kiosk
    office: Office
    shop: RogueShop

    async def announce(self, channel: int, kind: int, name: str = "Straw Hat") -> None:
        """Let a channel hear of a new item."""
        announcing = self.bot.features.announcing
        guild = self.office.discord.state.guild_id
        wanted = frozenset({News.NEW})
        await announcing.add(
            NewSubscription(guild, channel, kind, 1, wanted, "en-US", MEMBER, tag_id=7)
        )
        assert await announcing.poller.poll(1)
        self.shop.items.insert(0, item(99, name=name))
        assert await announcing.poller.poll(1)

    async def done(self) -> None:
        """Wait until nothing is owed, letting the time pass in which answers may come."""
        async with asyncio.timeout(PATIENCE):
            while due := await self.due():
                self.office.wake()
                if due > self.office.clock.moment:
                    self.office.pass_time(ARRIVED)

    async def due(self) -> datetime | None:
        """Give when the first of what is owed may be tried next."""
        (row,) = await self.office.database.fetch(
            "SELECT MIN(due_at) AS due FROM outbox WHERE id IN"
            " (SELECT MIN(id) FROM outbox WHERE due_at IS NOT NULL GROUP BY lane)"
        )
        return moment(row["due"])

    async def why(self) -> list[str]:
        """Give what became of each announcement."""
        rows = await self.office.database.fetch("SELECT state FROM announcements")
        return [row["state"] for row in rows]


@pytest.fixture
async def desk(office: Office, shop: RogueShop, tmp_path: Path) -> AsyncGenerator[Desk]:
    async with open_bot(settings_for(tmp_path, shop.base_url)) as bot:
        await bot.features.accounts.link(MEMBER, SecretStr("a-token"), [1])
        office.kinds += [
            AnnouncementKind(bot.features, bot.refusals),
            PostKind(bot.features, bot.refusals),
            PublishKind(),
            PauseNotice(bot),
        ]
        # The bot's own clock runs on, and what it owes is due at once by the office's.
        office.clock.advance(SKEW)
        yield Desk(bot, office, shop)


async def test_after_a_day_without_discord_one_message_tells_all_that_waits(desk: Desk) -> None:
    state = desk.office.discord.state
    channel = state.add_channel()
    await desk.announce(channel, TEXT)
    for number in (97, 98):
        desk.shop.items.insert(0, item(number))
        await desk.bot.features.announcing.poller.poll(1)
    await desk.office.database.execute(
        "UPDATE outbox SET created_at = created_at - 90000000000, attempts = 40"
    )
    state.refusals[channel] = ITS_OWN_TROUBLE
    async with desk.office.at_work():
        await desk.office.asked(1)
        del state.refusals[channel]
        await desk.done()

    (told,) = desk.office.shown(channel)
    assert "for more than a day" in told
    assert all(name in told for name in ("Straw Hat", "Hat number 97", "Hat number 98"))
    assert await desk.why() == ["sent"] * 3


@pytest.mark.parametrize("is_answered", [True, False])
async def test_a_forum_hears_of_an_item_as_one_post_answered_or_not(
    desk: Desk, *, is_answered: bool
) -> None:
    state = desk.office.discord.state
    forum = state.add_forum()
    if not is_answered:
        state.refusals[forum] = LATE_ERROR
    async with desk.office.at_work():
        await desk.announce(forum, FORUM)
        await desk.done()

    (post,) = state.posts
    assert (post["name"], post["applied_tags"]) == ("Straw Hat", ["7"])
    assert "🆕 New" in desk.office.shown(int(post["id"]))[0]
    assert await desk.why() == ["sent"]


async def test_what_an_announcement_channel_hears_is_published_and_only_that_is_repeated(
    desk: Desk,
) -> None:
    state = desk.office.discord.state
    channel = state.add_channel()
    state.publishing.append(UNAVAILABLE)
    async with desk.office.at_work():
        await desk.announce(channel, NEWS)
        await desk.done()

    assert len(desk.office.shown(channel)) == 1
    assert len(state.published) == 1


async def test_a_server_is_told_once_that_its_channel_is_closed(desk: Desk) -> None:
    state = desk.office.discord.state
    closed, state.system_channel_id = state.add_channel(), state.add_channel()
    state.refusals[closed] = MISSING_PERMISSIONS
    async with desk.office.at_work():
        await desk.announce(closed, TEXT)
        await desk.done()
        desk.shop.items.insert(0, item(98))
        await desk.bot.features.announcing.poller.poll(1)
        await desk.done()

    (told,) = desk.office.shown(state.system_channel_id)
    assert f"Announcements in <#{closed}> have stopped" in told
    assert "/announce resume" in told
    assert await desk.why() == ["refused"]


async def test_the_log_channel_hears_of_it_first_and_a_server_without_any_does_not(
    desk: Desk,
) -> None:
    state = desk.office.discord.state
    closed, log, state.system_channel_id = (state.add_channel() for _ in range(3))
    await desk.bot.features.moderation.change_rules(state.guild_id, log_channel_id=log)
    state.refusals[closed] = MISSING_PERMISSIONS
    async with desk.office.at_work():
        await desk.announce(closed, TEXT)
        await desk.done()

    assert len(desk.office.shown(log)) == 1
    assert desk.office.shown(state.system_channel_id) == []
