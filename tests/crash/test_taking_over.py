"""Two processes watch and follow on one PostgreSQL: if one is killed, all is told once."""

from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import aiohttp
import pytest
from pydantic import SecretStr

from bot.app import open_bot
from game_service import admin
from game_service.app import KIOSK_TOKEN, MIGRATIONS
from storage.database import open_database
from storage.names import PlaceKind
from tests.crash.town import Town
from tests.support.announcing import thread_in, watch_of
from tests.support.bot_process import STEADY_TERM, run_bot, run_standby
from tests.support.discord_standin import Member
from tests.support.discord_standin.state import Asked
from tests.support.game_process import Player
from tests.support.world import settings_for

TEXT, FORUM = 0, 15
MEMBERS = 3


@dataclass
class News:
    """What the game brings round after round, and where each of it is to stand once."""

    town: Town
    player: Player
    catalog: int
    thread: int
    channel: int
    watchers: dict[str, list[Member]] = field(default_factory=dict[str, list[Member]])

    async def bring(self, name: str) -> None:
        """Bring an item, and a comment with a reply."""
        async with open_database(self.town.books.url, MIGRATIONS) as game:
            await admin.add_item(game, self.catalog, name=name, cost=1, currency="Acorns")
        headers = {"Authorization": f"Bearer {self.player.token}"}
        url = f"{self.town.game.base_url}/threads/{self.thread}/comments"
        async with aiohttp.ClientSession(headers=headers) as session:
            async with session.post(url, json={"content": f"{name} is here"}) as answer:
                comment = (await answer.json())["data"]["id"]
            body = {"content": f"{name} is nice", "comment_id": comment}
            await session.post(url, json=body)

    def stands(self, name: str) -> Counter[str]:
        """Count the messages of a round: in the channel, and directly to whom."""
        state, found = self.town.discord.state, Counter[str]()
        for message in state.messages:
            if name in message.text and message.channel_id not in self.posts():
                member = state.recipients.get(message.channel_id)
                found[member.name if member else "channel"] += 1
        return found

    def posts(self) -> set[int]:
        """Return the posts of the forum."""
        return {int(post["id"]) for post in self.town.discord.state.posts}

    def posted(self) -> list[str]:
        """Return the messages in the posts. Those in doubt are not posted again there."""
        messages, posts = self.town.discord.state.messages, self.posts()
        return [message.text for message in messages if message.channel_id in posts]

    def all_of(self, name: str) -> Counter[str]:
        """Return what there is to be of a round."""
        return Counter({"channel": 2} | {m.name: 1 for m in self.watchers[name]})


async def prepare(town: Town, rounds: int) -> News:
    """Let members watch for an item of each round, and a channel and a forum follow a thread."""
    catalog, _ = await town.books.add_catalog_of("An old hat", 1)
    player, thread = await town.books.add_player("juniper"), await town.books.add_thread("News")
    async with open_database(town.books.url, MIGRATIONS) as game:
        await admin.create_token(game, player.id, KIOSK_TOKEN)
    state = town.discord.state
    news = News(town, player, catalog, thread, state.add_channel())
    async with open_bot(settings_for(town.folder, town.game.base_url)) as bot:
        for name in (f"Hat {number}." for number in range(rounds)):
            members = [town.discord.add_member(f"{name} {each}") for each in range(MEMBERS)]
            news.watchers[name] = members
            for member in members:
                await bot.features.accounts.link(member.id, SecretStr(player.token), [1])
                watch = watch_of(member.id, catalog, "en-US", name=name)
                await bot.features.watching.watch_items(watch)
        for channel, kind in ((news.channel, TEXT), (state.add_forum(), FORUM)):
            follow = thread_in(state.guild_id, channel, kind, thread)
            await bot.features.followed_threads.follow(follow)
        assert await bot.features.poller.poll(PlaceKind.CATALOG, catalog)
        assert await bot.features.poller.poll(PlaceKind.THREAD, thread)
    return news


def sends(nth: int) -> Callable[[Asked], bool]:
    """Return what holds up the message of this number, and those after it."""
    left = iter(range(nth))
    return lambda asked: asked.is_message and next(left, None) is None


@pytest.mark.parametrize("on_both_engines", ["postgresql"], indirect=True)
@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.soak)])
@pytest.mark.usefixtures("on_both_engines")
async def test_whoever_is_killed_every_message_stands_once(town: Town, rounds: int) -> None:
    news = await prepare(town, rounds)
    asked = town.discord.state.asked
    async with AsyncExitStack() as stack:
        where = town.launcher, town.discord, town.game.base_url, town.folder
        settings = {"POLL_INTERVAL": "1"}
        first = await stack.enter_async_context(
            run_bot(*where, settings=settings, claim_term=STEADY_TERM)
        )
        active = first.program
        for number, name in enumerate(news.watchers):
            await active.says("the active worker")
            standby = await stack.enter_async_context(run_standby(*where, settings=settings))
            async with town.discord.state.gates.closed(sends(number % 6)) as gate:
                await news.bring(name)
                await gate.arrival()
                await active.kill()
                await town.let_writes_end()
            await asked.until(lambda name=name: news.stands(name) >= news.all_of(name))
            active = standby
        assert await active.stop() == 0

    for name in news.watchers:
        assert news.stands(name) == news.all_of(name)
    assert len(news.posted()) == len(set(news.posted()))
