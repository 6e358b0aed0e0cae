"""The server in which 1.0.0 was used, with today's Kiosk on the database that it has left."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import discord
import simcord
from simcord.backend.models import Channel, Message, ThreadMetadata

from game_service import admin
from game_service.app import Service
from game_service.comments import add_comment
from game_service.times import to_microseconds
from storage.rows import to_micros
from tests.support.cards import text_of
from tests.support.clock import utc_now
from tests.support.databases import run_beside, run_in_thread
from tests.support.one_zero import HERE, database_of_one_zero
from tests.support.owed import A_LOOK
from tests.support.permissions import let_discord_say
from tests.support.world import World, open_world

_DISCORD: dict[str, list[dict[str, Any]]] = json.loads((HERE / "discord.json").read_text("utf-8"))
_GAME: dict[str, list[Any]] = json.loads((HERE / "game.json").read_text("utf-8"))
# Stands for those of which only the number is known.
_DELETED: dict[str, Any] = {"thread_id": 3, "player_id": 1, "content": "Gone"}
# How long ago 1.0.0 was ended.
_ENDED = timedelta(hours=2)
# How long from its end nothing is due.
_LATER = timedelta(hours=3)

# Step 8 lets these be deleted, each since the moment it was wanted.
_PUT_OFF_DELETIONS = """
UPDATE messages
   SET wanted_at = wanted_at + :later
 WHERE id IN (SELECT shown_id FROM messages
               WHERE kind IN ('removal', 'deleted') AND state IN ('owed', 'refused'))
"""


@dataclass
class OldTown:
    """People, channels and messages have the ids that they had with 1.0.0."""

    world: World
    address: str
    channels: dict[str, simcord.ChannelHandle]

    @property
    def game(self) -> Service:
        assert self.world.game is not None
        return self.world.game

    def rows(self, sql: str, **values: object) -> list[tuple[Any, ...]]:
        return run_beside(self.address, sql, **values)

    async def change(self, sql: str) -> None:
        """Change rows while Kiosk goes on: it may be in the middle of a transaction."""
        await run_in_thread(self.address, sql)

    async def look_at_writes(self) -> None:
        """Let all that members asked for be due, and return once it was looked at."""
        await self.change("UPDATE writes SET due_at = 0 WHERE due_at IS NOT NULL")
        await self.world.pass_time(A_LOOK)

    def posted(self, channel: str, text: str) -> Any:
        """Give the newest message of a channel that says this."""
        messages = reversed(self.channels[channel].history())
        return next(message for message in messages if text in text_of(message))

    def shown(self, channel: str) -> list[str]:
        return [text_of(message) for message in self.channels[channel].history()]

    async def texts(self) -> list[str]:
        """Return all that is written in the game."""
        rows = await self.game.database.fetch("SELECT content FROM comments ORDER BY id")
        return [row["content"] for row in rows]

    def told(self, member: simcord.MemberActor) -> list[str]:
        """Return the direct messages that a member has got."""
        user: Any = member.user
        return [text_of(message) for message in user.dm_channel.history()]


@asynccontextmanager
async def open_old_town(folder: Path, demo: str) -> AsyncGenerator[OldTown]:
    """Open the server of 1.0.0's database, on a copy of the demo game as it was by then.

    What was due is put off until a test lets it be due: the worker begins before there are people.
    """
    address = database_of_one_zero(folder / "one_zero.db", as_of=utc_now() - _ENDED)
    put_off = {
        "writes": "due_at = due_at + :later",
        "messages": "due_at = due_at + :later, unblocks_lane = TRUE,"
        " reason = COALESCE(reason, 'not yet: nobody is there')",
    }
    later = round(_LATER.total_seconds() * 1_000_000)
    for table, change in put_off.items():
        run_beside(address, f"UPDATE {table} SET {change} WHERE due_at IS NOT NULL", later=later)
    run_beside(address, _PUT_OFF_DELETIONS, later=later)
    looks = "UPDATE followed SET read_at = read_at + :later, failed_at = failed_at + :later"
    run_beside(address, looks, later=later)
    async with open_world(folder, demo=demo, database_url=address) as world:
        guild = world.guild
        channels = {
            "game-talk": world.channel,
            "lobby": guild.create_text_channel("lobby"),
            "log": guild.create_text_channel("log"),
            "news": guild.create_news_channel("news"),
            "finds": guild.create_forum_channel("finds"),
            "threads": guild.create_text_channel("threads"),
            "comments": guild.create_forum_channel("comments"),
        }
        guild.create_role("Shoppers", mentionable=True)
        world.env.backend.guilds[guild.id].system_channel_id = channels["lobby"].id
        _post_again(world.env.backend)
        let_discord_say(world, discord.Permissions.all().value)
        town = OldTown(world, address, channels)
        await _catch_up(town.game)
        yield town


def _post_again(backend: Any) -> None:
    """Let the messages stand there that 1.0.0 has posted, in their channels."""
    bot_id, began_at = backend.bot_user.id, backend.now_iso()
    for each in _DISCORD["channels"]:
        channel = Channel(**each)
        if channel.is_thread:
            channel.owner_id = bot_id
            channel.thread_metadata = ThreadMetadata(
                archive_timestamp=began_at, create_timestamp=began_at
            )
        for member_id in channel.recipient_ids:
            backend.dm_channels[member_id] = channel.id
        backend.channels[channel.id] = channel
        backend.messages[channel.id] = {}
    for each in _DISCORD["messages"]:
        message = Message(author_id=bot_id, timestamp=began_at, **each)
        backend.messages[message.channel_id][message.id] = message


async def _catch_up(game: Service) -> None:
    """Let the demo game have what was written, sold and bought while 1.0.0 ran."""
    written: dict[int, Any] = {comment["id"]: comment for comment in _GAME["comments"]}
    for number in range(min(written), max(written) + 1):
        async with game.database.transaction() as transaction:
            comment = written.get(number) or _DELETED
            row = await add_comment(
                transaction,
                comment["thread_id"],
                comment["player_id"],
                comment["content"],
                created_at=to_microseconds(utc_now()),
                parent_id=comment.get("parent_id"),
            )
            assert row["id"] == number
            if comment is _DELETED:
                await transaction.execute("DELETE FROM comments WHERE id = :id", id=number)
    for item in _GAME["items"]:
        fields = {name: value for name, value in item.items() if name != "id"}
        assert await admin.add_item(game.database, **fields) == item["id"]
    for change in _GAME["costs"]:
        await admin.set_item(game.database, **change)
    for purchase in _GAME["purchases"]:
        await give(game, **purchase)


async def give(game: Service, player_id: int, item_id: int) -> None:
    """Let a player own an item."""
    await game.database.execute(
        "INSERT INTO purchases (player_id, item_id, currency_id, cost, created_at)"
        " SELECT CAST(:player_id AS BIGINT), id, currency_id, cost, CAST(:now AS BIGINT)"
        " FROM items WHERE id = :item_id",
        player_id=player_id,
        item_id=item_id,
        now=to_micros(utc_now()),
    )
