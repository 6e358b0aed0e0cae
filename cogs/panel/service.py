"""Panels: what they show, and when they are redrawn."""

import datetime as dt
from collections import abc

import msgspec

from bot.features.following.announcing import Announcing
from bot.features.following.own_account import OwnAccount
from bot.features.moderation import ModerationService
from bot.features.moderation.policy import Viewer
from bot.features.reading.threads import ThreadService
from storage.messages import Message, Messages, NewMessage, Priority
from storage.moderation import NewLine, Subject, add_line
from storage.names import PlaceKind
from storage.panels import PANEL, Panels, panel_key

# The shortest time between two drawings of a panel, unless a name changes.
_REST = dt.timedelta(minutes=10)
# How long an item counts as new.
_A_WEEK = dt.timedelta(days=7)
# How many last comments of a thread to check: the server may hide some.
_LOOKED_THROUGH = 25


class PanelActivity(msgspec.Struct, frozen=True):
    """The activity in places that a server follows: times of last comments, counts of new items."""

    commented_at: abc.Mapping[int, dt.datetime]
    new_items: abc.Mapping[int, int]


class PanelService(msgspec.Struct, frozen=True):
    """The panels of all servers: one message each, redrawn when a name changes."""

    messages: Messages
    panels: Panels
    threads: ThreadService
    announcing: Announcing
    own_account: OwnAccount
    moderation: ModerationService

    async def find(self, guild_id: int) -> Message | None:
        """Return a server's panel, which may be deleted, or None if the server wants none."""
        panel = await self.messages.find(panel_key(guild_id))
        return panel if panel and panel.is_wanted else None

    async def place(
        self, guild_id: int, channel_id: int | None, locale: str, line: NewLine
    ) -> None:
        """Post a server's panel as a channel's newest message, or delete the panel."""
        panel = NewMessage(
            PANEL,
            panel_key(guild_id),
            Priority.LIVE_POST,
            guild_id=guild_id,
            channel_id=channel_id,
            payload={"locale": locale},
            stays=True,
        )
        async with self.messages.transaction() as transaction:
            await self.messages.unwant(transaction, panel.key)
            if channel_id is not None:
                await self.messages.want(transaction, panel)
            await add_line(transaction, line.at(self.moderation.now()))

    async def redraw(self, guild_id: int) -> None:
        async with self.messages.transaction() as transaction:
            await self.messages.redraw(transaction, panel_key(guild_id))

    async def redraw_stale(self) -> None:
        """Redraw panels that lack news about the places that their server follows."""
        await self.panels.redraw_stale(self.announcing.now(), rest=_REST, newness=_A_WEEK)

    async def lately(self, guild_id: int) -> PanelActivity:
        """Return the activity only in the places that a server follows."""
        view = await self.threads.policy.prepare(Viewer(0, guild_id))
        commented_at: dict[int, dt.datetime] = {}
        for subscription in await self.announcing.subscribed.of_guild(guild_id, PlaceKind.THREAD):
            thread_id = subscription.place_id
            followed = await self.announcing.following.place(subscription.kind, thread_id)
            last = await self.announcing.deliveries.last_comments(subscription, _LOOKED_THROUGH)
            moments = [
                comment.written_at
                for comment, _ in last
                if not comment.is_gone
                and not view.see(Subject(comment.id, thread_id, comment.player_id)).is_hidden
            ]
            if followed is not None and followed.since is not None:
                commented_at[thread_id] = max([followed.since, *moments])
        new_items: abc.Mapping[int, int] = {}
        if self.own_account.is_there:
            since = self.announcing.now() - _A_WEEK
            new_items = await self.announcing.deliveries.count_new(guild_id, since)
        return PanelActivity(commented_at, new_items)
