"""Show direct messages in the playground's channel: its page has no other place for them."""

import json
from contextlib import suppress
from typing import Any

import discord
from discord.http import Route
from msgspec import Struct, field

from playground.scene import Scene

_COMPONENTS_V2 = 1 << 15


class DirectMessages(Struct):
    """Copies Kiosk's direct messages into the channel, and changes the copies with them."""

    scene: Scene
    # What a copy shows, and its id, by the message's id.
    _copies: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])

    async def copy(self) -> None:
        told: dict[int, str] = {}
        for person in self.scene.people:
            user: Any = person
            channel = user.user.dm_channel
            for message in channel.history() if channel else ():
                parts = [part.to_dict() for part in message.components]
                head = {"type": 10, "content": f"✉️ To {user.user.global_name} alone:"}
                told[message.id] = json.dumps([head, *parts])
        # A message that can't be copied, such as a full card, is left out.
        with suppress(discord.HTTPException):
            for message_id in self._copies.keys() - told.keys():
                await self._ask("DELETE", self._copies.pop(message_id)[1])
            for message_id, shown in told.items():
                before, copy_id = self._copies.get(message_id, ("", 0))
                if shown != before:
                    self._copies[message_id] = shown, copy_id
                    made = await self._ask("PATCH" if copy_id else "POST", copy_id, shown)
                    self._copies[message_id] = shown, int(made["id"])

    async def _ask(self, method: str, copy_id: int, shown: str = "") -> Any:
        path = "/channels/{channel_id}/messages" + (f"/{copy_id}" if copy_id else "")
        route = Route(method, path, channel_id=self.scene.channel.id)
        body = {"flags": _COMPONENTS_V2, "components": json.loads(shown)} if shown else None
        return await self.scene.bot.http.request(route, json=body)
