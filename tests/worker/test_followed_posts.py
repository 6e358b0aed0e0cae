"""A followed thread in a forum channel: a post for each comment, with its replies inside."""

import asyncio
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

import aiohttp

from bot.app import open_bot
from bot.domain.announcing import NewFollow
from bot.domain.moderation import NewRemoval, Subject
from cogs.forum.follow_kinds import FollowedComment, FollowedEdit, FollowedPost, FollowedReply
from cogs.moderate.messages import RemovedFromMessage
from cogs.moderate.posted import PostedMessages, Turns
from tests.support.discord_standin.refusals import ARCHIVED
from tests.support.game import open_game_copy
from tests.support.gates import PATIENCE
from tests.support.world import SUBSCRIBER, settings_for
from tests.worker.conftest import Office

FORUM, THREAD, MEMBER = 15, 3, 1
SKEW = 30.0


async def test_each_comment_is_a_post_with_its_replies_inside(
    office: Office, demo: str, tmp_path: Path
) -> None:
    state = office.discord.state
    forum = state.add_forum()
    async with (
        open_game_copy(demo, tmp_path) as game,
        open_bot(settings_for(tmp_path, game.base_url)) as bot,
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {SUBSCRIBER}"}) as session,
    ):

        async def write(text: str, parent: int | None = None) -> int:
            body: dict[str, Any] = {"content": text}
            body |= {} if parent is None else {"comment_id": parent}
            url = f"{game.base_url}/threads/{THREAD}/comments"
            async with session.post(url, json=body) as response:
                return int((await response.json())["data"]["id"])

        async def change(comment: int, text: str) -> None:
            url = f"{game.base_url}/comments/{comment}"
            async with session.put(url, json={"content": text}) as response:
                assert response.status == HTTPStatus.OK

        async def delete(comment: int) -> None:
            async with session.delete(f"{game.base_url}/comments/{comment}") as response:
                assert response.status == HTTPStatus.NO_CONTENT

        async def poll() -> None:
            assert await bot.features.following.poller.poll(THREAD)
            await settled()

        async def settled() -> None:
            # On a slow machine the bot's clock, by which it owes, overtakes the office's.
            office.clock.moment = max(office.clock.moment, datetime.now(UTC))
            async with asyncio.timeout(PATIENCE):
                while await office.database.fetch("SELECT 1 FROM outbox WHERE due_at > 0"):
                    office.wake()

        office.kinds += [kind(bot) for kind in (FollowedPost, FollowedReply, FollowedEdit)]
        office.kinds += [FollowedComment(bot), RemovedFromMessage(bot, PostedMessages(Turns()))]
        office.clock.advance(SKEW)
        old = await write("Older than the follow")
        await bot.features.following.add(
            NewFollow(state.guild_id, forum, FORUM, THREAD, "en-US", MEMBER)
        )
        await poll()
        async with office.at_work():
            new = await write("Hello")
            await write("An answer", new)
            await poll()
            await write("An answer to what was there before", old)
            await poll()

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
            await change(new, text)
            assert await bot.features.following.poller.poll(THREAD)
        before = len(state.asked.past)
        async with office.at_work():
            await settled()
        assert "Changed again" in office.shown(int(first["id"]))[0]
        assert first["name"].endswith(": Changed again")
        assert len(state.asked.past) == before + 2
        state.messages = [each for each in state.messages if each.channel_id != int(first["id"])]
        async with office.at_work():
            await change(new, "Changed where nobody sees it")
            await poll()
            top = await write("Somebody else")
            replies = [await write(text, top) for text in ("One answer", "Another answer")]
            await poll()
            # For lack of answers, Discord has archived it meanwhile.
            state.refusals[int(state.posts[2]["id"])] = ARCHIVED
            await change(replies[0], "One answer, mended")
            await delete(replies[1])
            await poll()
            await poll()
        assert state.posts[2]["name"].endswith(": Somebody else")
        inside = office.shown(int(state.posts[2]["id"]))
        assert ["Somebody else" in inside[0], "One answer, mended" in inside[1]] == [True, True]
        assert "This comment was deleted" in inside[2]
        assert "Another answer" not in inside[2]
        async with office.at_work():
            await delete(replies[0])
            await delete(top)
            await poll()
            await poll()
        inside = office.shown(int(state.posts[2]["id"]))
        assert ["This comment was deleted" in each for each in inside] == [True] * 3
        assert state.posts[2]["name"] == "This comment was deleted."

        async with office.at_work():
            unkind = await write("Unkind words")
            await poll()
            subject = Subject(unkind, THREAD)
            await bot.features.moderation.remove(
                NewRemoval(state.guild_id, subject, MEMBER, "Insults", "en-US")
            )
            await settled()
        assert office.shown(int(state.posts[3]["id"])) == []
        assert state.posts[3]["name"] == "🚫 removed by a moderator"
        assert len(state.posts) == 4
