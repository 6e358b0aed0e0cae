"""Panels: the messages that list the places of a server."""

import datetime as dt

from msgspec import Struct

from storage.database import Database, queries_beside
from storage.messages import Messages

QUERIES = queries_beside(__file__)

# The kind of its message.
PANEL = "panel"


def panel_key(guild_id: int) -> str:
    return f"panel {guild_id}"


class Panels(Struct, frozen=True):
    database: Database
    messages: Messages

    async def redraw_stale(
        self, now: dt.datetime, *, rest: dt.timedelta, newness: dt.timedelta
    ) -> None:
        """Redraw panels that are out of date, unless they were redrawn within the `rest`.

        An item is no longer new after the `newness`.
        """
        rows = await self.database.fetch(
            QUERIES["stale"],
            rested=now - rest,
            now=now,
            week=newness // dt.timedelta(microseconds=1),
        )
        if rows:
            async with self.database.transaction() as transaction:
                await self.messages.redraw(transaction, *(row["key"] for row in rows))
