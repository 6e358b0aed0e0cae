"""A thread of a rogue game that channels follow."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.app import open_bot
from bot.program.kiosk import Kiosk
from cogs.announce.announcement_messages import StopNotice
from cogs.forum.followed_comments import FollowedComment
from storage.names import PlaceKind
from storage.subscriptions import Subscription
from tests.support.announcing import thread_in
from tests.support.game_samples import comment, page
from tests.support.rogue_game import RogueGame, open_rogue_game, reply
from tests.support.world import settings_for
from tests.worker.conftest import SKEW, Office

THREAD, MEMBER = 3, 1
FORUM, TEXT = 15, 0


@dataclass
class Corner:
    """A thread of a rogue game that is followed, and the office that sends what is owed for it."""

    bot: Kiosk
    office: Office
    game: RogueGame
    # The newest first.
    written: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    async def follow(self, channel: int, kind: int) -> Subscription:
        guild = self.office.discord.state.guild_id
        await self.bot.features.followed_threads.follow(thread_in(guild, channel, kind, THREAD))
        return await self.followed(channel)

    async def followed(self, channel: int) -> Subscription:
        """Give how it stands with a channel."""
        subscribed = self.bot.features.announcing.subscribed
        guild = self.office.discord.state
        all_of = await subscribed.of_guild(guild.guild_id, PlaceKind.THREAD)
        return next(one for one in all_of if one.channel_id == channel)

    async def go_on(self, channel: int, *, tells_missed: bool) -> int:
        """Let what has stopped go on; give how many comments it tells now."""
        stopped = [await self.followed(channel)]
        return await self.bot.features.announcing.go_on(stopped, tells_missed=tells_missed)

    def write(self, number: int, text: str, below: int | None = None) -> None:
        """Let a comment be written in the game."""
        made = comment(id=number, content=text, created_at=datetime.now(UTC).isoformat())
        if below is None:
            self.written.insert(0, made)
        else:
            root = self.find(below)
            root["children"].append(made)
            root["children_count"] += 1
        self.show()

    def find(self, number: int) -> dict[str, Any]:
        return next(each for each in self.written if each["id"] == number)

    def change(self, number: int, text: str) -> None:
        """Let a comment have another text in the game."""
        answers = [answer for root in self.written for answer in root["children"]]
        for each in [*self.written, *answers]:
            if each["id"] == number:
                each["content"] = text
        self.show()

    def show(self) -> None:
        """Let the game list what was written."""
        self.game.answers(reply(page(*self.written)))

    async def look(self) -> None:
        """Look at the thread."""
        assert await self.bot.features.poller.poll(PlaceKind.THREAD, THREAD)
        # On a slow machine the bot's clock, by which it owes, overtakes the office's.
        self.office.clock.moment = max(self.office.clock.moment, datetime.now(UTC))

    async def post(self) -> None:
        """Look at the thread, and send what is owed for it."""
        await self.look()
        async with self.office.at_work():
            await self.office.done()


@asynccontextmanager
async def open_corner(office: Office, folder: Path) -> AsyncGenerator[Corner]:
    """Open a bot that reads the thread, and let the office send what it owes."""
    async with open_rogue_game() as game, open_bot(settings_for(folder, game.base_url)) as bot:
        kinds = FollowedComment, StopNotice
        office.kinds += [kind(bot) for kind in kinds]
        office.clock.advance(SKEW)
        opened = Corner(bot, office, game)
        opened.write(1, "Older than the follow")
        yield opened
