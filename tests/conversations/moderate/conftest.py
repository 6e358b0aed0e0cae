"""The forum, people who are linked, and a comment that a moderator sees in the channel."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import simcord

from playground.scene import MODERATOR
from tests.support.cards import text_of
from tests.support.forum import EMPTY, ForumTown, number_of, open_forum_town
from tests.support.owed import tried
from tests.support.world import SUBSCRIBER


@dataclass
class Beat(ForumTown):
    """A moderator's beat: a town in which the member writes and the moderator watches."""

    async def share(self, text: str = "Unkind words") -> tuple[int, Any]:
        """Let the member write a comment and share it; give its number and the message."""
        posted = await self.post(text)
        await self.press(posted, "Share")
        return number_of(posted), self.world.channel.last_message

    async def menu(self, message: Any, name: str = "Remove comment") -> simcord.InteractionResult:
        """Use a message menu as the moderator."""
        return await self.world.moderator.context_menu(self.world.channel, name, message)

    async def remove(self, comment_id: int, reason: str = "Insults") -> simcord.InteractionResult:
        """Remove a comment with the command."""
        return await self.world.slash(
            "moderate remove", self.world.moderator, comment=str(comment_id), reason=reason
        )

    async def mute(self, **options: Any) -> simcord.InteractionResult:
        """Mute who wrote what one message shows, and delete that."""
        asked = await self.world.slash("moderate mute", self.world.moderator, **options)
        return await self.press(asked, "Mute, delete 1 message", self.world.moderator)

    async def moderate(self, name: str, **options: Any) -> str:
        """Use one of the moderator's commands; return what it answers."""
        answered = await self.world.slash(f"moderate {name}", self.world.moderator, **options)
        return text_of(answered)

    async def log(self, **options: Any) -> str:
        """Read the log."""
        return text_of(await self.world.slash("moderate log", self.world.moderator, **options))

    async def read_here(self) -> str:
        """Read the thread as a friend does."""
        return text_of(await self.read(EMPTY, self.world.friend))

    async def open_first(self, actor: simcord.MemberActor) -> simcord.InteractionResult:
        """Open the newest comment."""
        card = await self.read(EMPTY, actor)
        return await self.open_comment(card, number_of(card), actor)

    async def settled(self) -> None:
        """Wait until Discord was asked for all that is owed."""
        await tried(self.world)

    async def report(self, actor: simcord.MemberActor, message: Any, reason: str) -> None:
        form = await actor.context_menu(self.world.channel, "Report comment", message)
        assert "Report sent" in text_of(await actor.submit_modal(form, {"reason": reason}))
        await self.settled()


def shown_in(channel: simcord.ChannelHandle) -> list[str]:
    return [text_of(message) for message in channel.history()]


async def second_moderator(beat: Beat) -> simcord.MemberActor:
    world = beat.world
    role = world.guild.create_role("Second", permissions=MODERATOR)
    return world.guild.add_member(world.env.create_user("second"), roles=[role])


@pytest.fixture
async def beat(demo: str, tmp_path: Path) -> AsyncGenerator[Beat]:
    """The member is linked."""
    async with open_forum_town(demo, tmp_path, SUBSCRIBER) as town:
        yield Beat(town.world, town.proxy)


@pytest.fixture
async def log_channel(beat: Beat) -> simcord.ChannelHandle:
    """A channel that takes removals, reports, and comments that were held back."""
    channel = beat.world.guild.create_text_channel("log")
    await beat.world.manage("Moderation", log_channel_id=[channel])
    return channel
