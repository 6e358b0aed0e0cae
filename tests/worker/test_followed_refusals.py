"""A followed thread on a Discord that refuses comments, and where one worker follows another."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.app import open_bot
from bot.domain.announcing import Follow, NewFollow
from bot.kiosk import Kiosk
from cogs.announce.pauses import PauseNotice
from cogs.forum.follow_edits import FollowedEdit
from cogs.forum.follow_kinds import FollowedComment, FollowedPost, FollowedReply
from tests.support.discord_standin.refusals import (
    HARMFUL_LINK,
    ITS_OWN_TROUBLE,
    LATE_ERROR,
    MISSING_PERMISSIONS,
)
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

    async def follow(self, channel: int, kind: int) -> Follow:
        guild = self.office.discord.state.guild_id
        new = NewFollow(guild, channel, kind, THREAD, "en-US", MEMBER)
        return await self.bot.features.following.add(new)

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
        assert await self.bot.features.following.poller.poll(THREAD)

    async def post(self) -> None:
        """Look at the thread, and send what is owed for it."""
        await self.look()
        # On a slow machine the bot's clock, by which it owes, overtakes the office's.
        self.office.clock.moment = max(self.office.clock.moment, datetime.now(UTC))
        async with self.office.at_work():
            await self.office.done()


@pytest.fixture
async def corner(office: Office, tmp_path: Path) -> AsyncGenerator[Corner]:
    async with (
        open_rogue_game() as game,
        open_bot(settings_for(tmp_path, game.base_url)) as bot,
    ):
        kinds = FollowedComment, FollowedReply, FollowedPost, FollowedEdit, PauseNotice
        office.kinds += [kind(bot) for kind in kinds]
        office.clock.advance(SKEW)
        opened = Corner(bot, office, game)
        opened.write(1, "Older than the follow")
        yield opened


async def test_a_comment_with_a_link_that_discord_refuses_stops_no_follow(corner: Corner) -> None:
    state = corner.office.discord.state
    channel = state.add_channel()
    follow = await corner.follow(channel, TEXT)
    await corner.post()
    state.refusals[channel] = HARMFUL_LINK
    corner.write(2, "https://harmful.example")
    await corner.post()
    del state.refusals[channel]
    corner.write(3, "Hello")
    await corner.post()

    (told,) = corner.office.shown(channel)
    assert "Hello" in told
    found = await corner.bot.features.following.find(follow.id)
    assert found == follow


async def test_a_worker_shows_what_another_one_has_seen_since_it_looked_itself(
    corner: Corner, tmp_path: Path
) -> None:
    channel = corner.office.discord.state.add_channel()
    await corner.follow(channel, TEXT)
    await corner.post()
    async with open_bot(settings_for(tmp_path, corner.game.base_url)) as other:
        assert await other.features.following.poller.poll(THREAD)
        corner.write(2, "Hello")
        await corner.look()
        corner.office.kinds[:] = [FollowedComment(other), FollowedEdit(other)]
        async with corner.office.at_work():
            await corner.office.done()
            corner.change(2, "Goodbye")
            await corner.look()
            await corner.office.done()

    (told,) = corner.office.shown(channel)
    assert "Goodbye" in told


async def test_an_outage_of_a_day_stops_no_follow(corner: Corner) -> None:
    state = corner.office.discord.state
    channel = state.add_channel()
    follow = await corner.follow(channel, TEXT)
    await corner.post()
    corner.write(2, "Hello")
    await corner.look()
    await corner.office.database.execute(
        "UPDATE outbox SET created_at = created_at - 90000000000, attempts = 40"
    )
    state.refusals[channel] = ITS_OWN_TROUBLE
    await corner.post()

    assert await corner.bot.features.following.find(follow.id) == follow


async def test_what_a_closed_forum_did_not_take_comes_with_the_first_answer_to_it(
    corner: Corner,
) -> None:
    state = corner.office.discord.state
    forum = state.add_forum()
    follow = await corner.follow(forum, FORUM)
    await corner.post()
    state.refusals[forum] = MISSING_PERMISSIONS
    corner.write(2, "Refused")
    corner.write(3, "Dropped for the pause that follows")
    await corner.post()
    assert await corner.bot.features.following.find(follow.id) is None
    del state.refusals[forum]
    await corner.follow(forum, FORUM)
    corner.write(4, "One answer", below=2)
    corner.write(5, "Another answer", below=3)
    await corner.post()

    inside = [corner.office.shown(int(post["id"])) for post in state.posts]
    found = [(first.splitlines()[-1], second.splitlines()[-1]) for first, second in inside]
    assert found == [
        ("Refused", "One answer"),
        ("Dropped for the pause that follows", "Another answer"),
    ]


async def test_a_forum_that_takes_no_replies_any_more_is_told_of(corner: Corner) -> None:
    state = corner.office.discord.state
    forum, state.system_channel_id = state.add_forum(), state.add_channel()
    await corner.follow(forum, FORUM)
    await corner.post()
    corner.write(2, "Hello")
    await corner.post()
    (post,) = state.posts
    state.refusals[int(post["id"])] = MISSING_PERMISSIONS
    corner.write(3, "An answer", below=2)
    await corner.post()

    (told,) = corner.office.shown(state.system_channel_id)
    assert f"New comments no longer come to <#{forum}>" in told


async def test_a_post_in_doubt_whose_comment_is_changed_meanwhile_is_not_made_again(
    corner: Corner,
) -> None:
    state = corner.office.discord.state
    forum = state.add_forum()
    await corner.follow(forum, FORUM)
    await corner.post()
    corner.write(2, "Hello")
    await corner.look()
    async with (
        state.gates.closed(lambda asked: asked.path.endswith("/threads")) as gate,
        corner.office.at_work(),
    ):
        await gate.arrival()
        state.refusals[forum] = LATE_ERROR
        corner.change(2, "Goodbye")
        await corner.look()
        gate.open()
        await corner.office.done()

    (post,) = state.posts
    assert post["name"].endswith("Hello")


@pytest.mark.parametrize("kind", [TEXT, FORUM])
async def test_what_is_changed_while_its_message_is_on_its_way_is_shown_as_it_is_now(
    corner: Corner, kind: int
) -> None:
    state = corner.office.discord.state
    channel = state.add_forum() if kind == FORUM else state.add_channel()
    await corner.follow(channel, kind)
    await corner.post()
    corner.write(2, "Hello")
    corner.write(3, "Unkind words", below=2)
    await corner.look()
    async with corner.office.at_work():
        for number, text in ((2, "Goodbye"), (3, "Kind words")):
            async with state.gates.closed(lambda asked: asked.method == "POST") as gate:
                await gate.arrival()
                corner.change(number, text)
                await corner.look()
                gate.open()
        await corner.office.done()

    shown = [text.splitlines()[-1] for text in corner.office.all_shown()]
    assert shown == ["Goodbye", "Kind words"]
