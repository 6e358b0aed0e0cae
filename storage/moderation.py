"""How each server is moderated, and what it hides of the game's forum."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.domain.moderation import Rules
from bot.domain.shown import Hidden, ShownComment
from storage.changes import note_change
from storage.database import Database, Row, Transaction, queries_beside
from storage.rows import read

TOPIC = "moderation"
QUERIES = queries_beside(__file__)


async def lock(transaction: Transaction, guild_id: int) -> None:
    """Let nothing else change or depend on what a server hides until the transaction ends.

    Without it, a message that is being recorded and a removal could miss each other.
    """
    await transaction.fetch(QUERIES["lock"], guild_id=guild_id)


async def raise_revision(transaction: Transaction, guild_id: int) -> None:
    """Lock as above, and note that what the server hides changes."""
    await transaction.execute(QUERIES["raise_revision"], guild_id=guild_id)
    await note_change(transaction, TOPIC)


async def is_any_hidden(
    transaction: Transaction, guild_id: int, comments: Iterable[ShownComment], now: datetime
) -> bool:
    """Return whether a server hides any of these comments."""
    for comment in comments:
        row = await transaction.fetch_one(
            QUERIES["is_hidden"],
            guild_id=guild_id,
            comment_id=comment.comment_id,
            # No player has this id, and PostgreSQL wants to know the type.
            player_id=-1 if comment.player_id is None else comment.player_id,
            now=now,
        )
        if row is not None:
            return True
    return False


class Moderation:
    """The rules of all servers, and what they hide; `now` tells the time, aware."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    async def rules(self, guild_id: int) -> Rules:
        """Return a server's rules."""
        return _rules(await self._database.fetch_one(QUERIES["find"], guild_id=guild_id))

    async def change_rules(self, guild_id: int, **changes: Any) -> Rules:
        """Change some of a server's rules, by their names in Rules; return them all."""
        async with self._database.transaction() as transaction:
            await lock(transaction, guild_id)
            row = await transaction.fetch_one(QUERIES["find"], guild_id=guild_id)
            rules = replace(_rules(row), **changes)
            await transaction.execute(
                QUERIES["save"],
                **{**vars(rules), "reasons": json.dumps(list(rules.reasons))},
                guild_id=guild_id,
            )
            await note_change(transaction, TOPIC)
        return rules

    async def note_log(self, transaction: Transaction, channel_id: int, *, is_closed: bool) -> None:
        """Note whether a log channel took what was posted there."""
        changed = await transaction.execute(
            QUERIES["note_log"], channel_id=channel_id, is_closed=is_closed
        )
        if changed:
            await note_change(transaction, TOPIC)

    async def hidden(self, guild_id: int) -> Hidden:
        """Return what a server hides."""
        rows = await self._database.fetch(QUERIES["hidden"], guild_id=guild_id, now=self._now())
        return Hidden(
            (row["comment_id"] for row in rows if row["comment_id"] is not None),
            (row["player_id"] for row in rows if row["comment_id"] is None),
        )


def _rules(row: Row | None) -> Rules:
    if row is None:
        return Rules()
    return read(Rules, row, reasons=tuple(json.loads(row["reasons"])))
