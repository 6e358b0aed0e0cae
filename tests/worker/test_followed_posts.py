"""A followed thread in a forum channel: a post for each comment, with its replies inside."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.app import open_bot
from bot.program.kiosk import Kiosk
from cogs.forum.followed_comments import FollowedComment
from storage.moderation import Subject
from storage.names import PlaceKind
from storage.removals import Removal
from tests.support.announcing import thread_in
from tests.support.discord_standin.refusals import ARCHIVED
from tests.support.game import open_game_copy
from tests.support.gates import PATIENCE_SECONDS
from tests.support.world import SUBSCRIBER, settings_for
from tests.worker.conftest import Office

FORUM, THREAD, MEMBER = 15, 3, 1
SKEW = 30.0


@dataclass
class Followed:
    """A thread that a forum channel follows, and somebody who writes there."""

    office: Office
    bot: Kiosk
    base_url: str
    session: aiohttp.ClientSession

    async def write(self, text: str, parent: int | None = None) -> int:
        body: dict[str, Any] = {"content": text}
        body |= {} if parent is None else {"comment_id": parent}
        url = f"{self.base_url}/threads/{THREAD}/comments"
        async with self.session.post(url, json=body) as response:
            return int((await response.json())["data"]["id"])

    async def change(self, comment: int, text: str) -> None:
        url = f"{self.base_url}/comments/{comment}"
        async with self.session.put(url, json={"content": text}) as response:
            assert response.status == HTTPStatus.OK

    async def delete(self, comment: int) -> None:
        async with self.session.delete(f"{self.base_url}/comments/{comment}") as response:
            assert response.status == HTTPStatus.NO_CONTENT

    async def look(self) -> None:
        """Let the game be asked what is new."""
        assert await self.bot.features.poller.poll(PlaceKind.THREAD, THREAD)

    async def poll(self) -> None:
        await self.look()
        await self.settled()

    async def settled(self, *, waiting: int = 0) -> None:
        """Wait until no more than so many are owed."""
        # On a slow machine the bot's clock, by which it owes, overtakes the office's.
        self.office.clock.moment = max(self.office.clock.moment, datetime.now(UTC))
        owed = "SELECT 1 FROM messages WHERE due_at > 0"
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(await self.office.database.fetch(owed)) > waiting:
                self.office.wake()


@pytest.fixture
async def thread(office: Office, demo: str, tmp_path: Path) -> AsyncGenerator[Followed]:
    async with (
        open_game_copy(demo, tmp_path) as game,
        open_bot(settings_for(tmp_path, game.base_url)) as bot,
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {SUBSCRIBER}"}) as session,
    ):
        office.kinds.append(FollowedComment(bot))
        office.clock.advance(SKEW)
        yield Followed(office, bot, game.base_url, session)


async def test_each_comment_is_a_post_with_its_replies_inside(thread: Followed) -> None:
    office, bot = thread.office, thread.bot
    state = office.discord.state
    forum = state.add_forum()
    old = await thread.write("Older than the follow")
    await bot.features.followed_threads.follow(thread_in(state.guild_id, forum, FORUM, THREAD))
    await thread.poll()
    async with office.at_work():
        new = await thread.write("Hello")
        await thread.write("An answer", new)
        await thread.poll()
        await thread.write("An answer to what was there before", old)
        await thread.poll()

    first, second = state.posts
    assert first["name"].endswith(": Hello")
    inside = office.shown(int(first["id"]))
    assert ["Hello" in inside[0], "An answer" in inside[1]] == [True, True]
    assert second["name"].endswith(": Older than the follow")
    inside = office.shown(int(second["id"]))
    assert "An answer to what was there before" in inside[1]
    assert len(inside) == 2

    # A text changes faster than Discord takes edits; then a moderator deletes the message.
    for text in ("Changed", "Changed again"):
        await thread.change(new, text)
        await thread.look()
    before = len(state.asked.past)
    async with office.at_work():
        await thread.settled()
    assert "Changed again" in office.shown(int(first["id"]))[0]
    assert first["name"].endswith(": Changed again")
    assert len(state.asked.past) == before + 2
    state.messages = [
        message for message in state.messages if message.channel_id != int(first["id"])
    ]
    async with office.at_work():
        await thread.change(new, "Changed where nobody sees it")
        await thread.poll()
        top = await thread.write("Somebody else")
        replies = [await thread.write(text, top) for text in ("One answer", "Another answer")]
        await thread.poll()
        # For lack of answers, Discord has archived it meanwhile.
        state.refusals[int(state.posts[2]["id"])] = ARCHIVED
        await thread.change(replies[0], "One answer, mended")
        await thread.delete(replies[1])
        await thread.poll()
        await thread.poll()
    assert state.posts[2]["name"].endswith(": Somebody else")
    inside = office.shown(int(state.posts[2]["id"]))
    assert ["Somebody else" in inside[0], "One answer, mended" in inside[1]] == [True, True]
    assert len(inside) == 2
    async with office.at_work():
        await thread.delete(replies[0])
        await thread.delete(top)
        await thread.poll()
        await thread.poll()
    assert office.shown(int(state.posts[2]["id"])) == []
    assert state.posts[2]["name"] == "🗑️ deleted by its writer"

    async with office.at_work():
        unkind = await thread.write("Unkind words")
        await thread.poll()
        subject = Subject(unkind, THREAD)
        await bot.features.moderation.remove(
            Removal(state.guild_id, subject, MEMBER, "Insults", "en-US")
        )
        await thread.settled()
    assert office.shown(int(state.posts[3]["id"])) == []
    assert state.posts[3]["name"] == "🚫 removed by a moderator"
    assert len(state.posts) == 4


async def test_a_post_that_keeps_its_name_takes_replies(thread: Followed) -> None:
    office, state = thread.office, thread.office.discord.state
    follow = thread_in(state.guild_id, state.add_forum(), FORUM, THREAD)
    await thread.bot.features.followed_threads.follow(follow)
    await thread.poll()
    async with office.at_work():
        top = await thread.write("Hello")
        for text in ("Hello", "Helo", "Hallo"):
            await thread.change(top, text)
            await thread.poll()
        await thread.change(top, "Unkind words")
        await thread.look()
        await thread.settled(waiting=1)
        await thread.write("An answer", top)
        await thread.look()
        await thread.settled(waiting=1)

        (post,) = state.posts
        before = post["name"]
        inside = office.shown(int(post["id"]))
        assert ["Unkind words" in inside[0], "An answer" in inside[1]] == [True, True]
        state.limits.names += 1
        await office.done()
    assert before.endswith(": Hallo")
    assert post["name"].endswith(": Unkind words")


async def test_what_quotes_what_was_removed_goes_too(thread: Followed, tmp_path: Path) -> None:
    office, state = thread.office, thread.office.discord.state
    channel = state.add_channel()
    await thread.bot.features.followed_threads.follow(thread_in(state.guild_id, channel, 0, THREAD))
    await thread.poll()
    async with office.at_work():
        top = await thread.write("Unkind words")
        reply = await thread.write("Be kind", top)
        await thread.poll()
    before = office.shown(channel)[-1]

    async with open_bot(settings_for(tmp_path, thread.base_url)) as other:
        subject = Subject(top, THREAD)
        await other.features.moderation.remove(
            Removal(state.guild_id, subject, MEMBER, "Insults", "en-US")
        )
    await thread.change(reply, "Be kinder")
    await thread.look()
    async with office.at_work():
        await thread.settled()

    assert "Unkind words" in before
    assert office.shown(channel) == []
