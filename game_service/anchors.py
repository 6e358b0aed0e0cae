"""Find a deep page of a thread without counting all comments before it.

If an order is read deeply, every 1,024th top-level comment is kept, and how many are between two.
Each later change of the order is a row of `moves`, whichever process wrote it, and changes these
numbers. So the result is what counting would find.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate
from pathlib import Path

from game_service.kept import Kept
from storage.database import Database, Row, load_queries

# Negative score and id, so that what is listed first is the least. `latest` has only the id.
Key = tuple[float, int]

TOP: Key = (float("-inf"), -(2**63 - 1))
_STEP = 1024
_MAX_BYTES = 8 * 2**20
_ANCHOR_BYTES = 250

_SQL = load_queries(Path(__file__).parent / "sql" / "comments.sql")


class Sort(StrEnum):
    """The orders of a list (docs/connect-your-game.md#list-comments)."""

    LATEST = "latest"
    HOTTEST = "hottest"


@dataclass(frozen=True)
class Start:
    """Where to start counting to a page. `moves` is when that was true, None if it always is."""

    key: Key
    rest: int
    moves: int | None = None


@dataclass
class _Order:
    """One thread in one order after so many moves: its anchors, and how many follow each.

    What follows the last one isn't counted.
    """

    moves: int
    keys: list[Key] = field(default_factory=lambda: [TOP])
    counts: list[int] = field(default_factory=list[int])

    def start(self, offset: int) -> Start:
        """Return the last anchor before an offset, and how far it is from there."""
        reached = [0, *accumulate(self.counts)]
        last = bisect_right(reached, offset) - 1
        return Start(self.keys[last], offset - reached[last], self.moves)

    def change(self, key: Key, by: int, *, most: int) -> None:
        """Note that a comment came to a place, or left it."""
        anchor = bisect_right(self.keys, key) - 1
        if anchor < len(self.counts):
            self.counts[anchor] += by
            if self.counts[anchor] > most:
                # Too far to count: from here on, anchors are set again.
                del self.keys[anchor + 1 :], self.counts[anchor:]


class Anchors:
    """The anchors of the orders that were recently read deeply."""

    def __init__(self, database: Database, *, step: int = _STEP) -> None:
        self._database = database
        self._step = step
        self._orders: Kept[tuple[int, Sort], _Order] = Kept(_MAX_BYTES)

    async def start(self, thread_id: int, sort: Sort, offset: int) -> Start:
        """Return where to start counting to an offset, not far before it."""
        if offset <= 2 * self._step:
            return Start(TOP, offset)
        order = await self._order(thread_id, sort)
        if order is None:
            return Start(TOP, offset)
        start = order.start(offset)
        if start.rest > self._step and start.key == order.keys[-1]:
            await self._extend(thread_id, sort, order, start.rest // self._step)
            start = order.start(offset)
        return start

    async def _order(self, thread_id: int, sort: Sort) -> _Order | None:
        """Return the anchors as the newest move has left them, None if there is no thread."""
        order = self._orders.get((thread_id, sort))
        if order is not None:
            moves = await self._database.fetch(
                _SQL["moves_since"], thread_id=thread_id, number=order.moves
            )
            if all(self._follow(order, sort, move) for move in moves):
                return order
        thread = await self._database.fetch_one(_SQL["find_thread"], thread_id=thread_id)
        return None if thread is None else _Order(thread["moves"])

    async def _extend(self, thread_id: int, sort: Sort, order: _Order, steps: int) -> None:
        """Set more anchors below the last one."""
        last = order.keys[-1]
        walked = await self._database.fetch(
            _SQL[f"walk_{sort}"], thread_id=thread_id, **place(last), step=self._step, steps=steps
        )
        # Anchors of another moment would be among the wrong neighbours.
        if walked and walked[0]["moves"] == order.moves and order.keys[-1] == last:
            order.keys += [key(sort, row["score"], row["id"]) for row in walked]
            order.counts += [self._step] * len(walked)
            self._orders.put((thread_id, sort), order, len(order.keys) * _ANCHOR_BYTES)

    def _follow(self, order: _Order, sort: Sort, move: Row) -> bool:
        """Change the anchors as a move did. Return False if a move before it was forgotten."""
        if move["number"] <= order.moves:
            return True
        if move["number"] > order.moves + 1:
            return False
        most = 4 * self._step
        order.moves = move["number"]
        before = move["old_score"]
        after = move["new_score"]
        if sort is Sort.HOTTEST or before is None or after is None:
            if before is not None:
                order.change(key(sort, before, move["comment_id"]), -1, most=most)
            if after is not None:
                order.change(key(sort, after, move["comment_id"]), 1, most=most)
        return True


def key(sort: Sort, score: float, comment_id: int) -> Key:
    """Return a comment's place in an order."""
    return (-score if sort is Sort.HOTTEST else 0.0, -comment_id)


def place(standing: Key) -> dict[str, float | int]:
    """Return a key as statements take it."""
    return {"score": -standing[0], "id": -standing[1]}
