"""The forum's comments: list, write, edit and delete them (Interface 4.1 to 4.4)."""

import math
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import orjson

from game_service.auth import Player
from game_service.errors import Forbidden, InvalidFields, NotFound
from game_service.pagination import PER_PAGE, PageRequest, envelope
from game_service.shapes import Shape, listed_comment
from game_service.times import now
from storage.database import Database, Row, Transaction, load_queries

LONGEST_CONTENT = 5_000
# Of a comment with more children, a list nests the newest ones: a fresh reply is always seen.
MOST_CHILDREN = 100
# Each level of replies nests the JSON of a list two deeper, and careful clients stop at 64.
DEEPEST = 28
# What one page nests stays within these, however long and many the replies are.
_MOST_ROWS = 4_096
_MOST_BYTES = 1_500_000
_SHAPE_BYTES = 400
# In the hottest order, twice the replies outweigh this much of age.
_DECAY = 24 * 3600 * 1_000_000

_SQL = load_queries(Path(__file__).parent / "sql" / "comments.sql")


class Sort(StrEnum):
    """The orders of a list (Interface 4.1)."""

    LATEST = "latest"
    HOTTEST = "hottest"


async def list_comments(
    database: Database, thread_id: int, sort: Sort, page: PageRequest, assets_url: str
) -> Shape:
    """Give one page of a thread's top-level comments, replies nested, oldest reply first.

    Raises NotFound.
    """
    rows = await database.fetch(
        _SQL["list_comments"],
        thread_id=thread_id,
        sort=sort,
        limit=page.limit,
        offset=page.offset,
        most_children=MOST_CHILDREN,
        most_rows=_MOST_ROWS,
    )
    if not rows and await database.fetch_one(_SQL["find_thread"], thread_id=thread_id) is None:
        raise NotFound("thread")
    roots = [row for row in rows if row["parent_id"] is None]
    roots.sort(key=_by_score if sort is Sort.HOTTEST else _by_id, reverse=True)
    shapes = _nest(rows, assets_url)
    entries = [shapes[root["id"]] for root in roots[:PER_PAGE]]
    return envelope(page, entries, has_next=len(roots) > PER_PAGE)


async def add_comment(
    transaction: Transaction,
    thread_id: int,
    player_id: int,
    content: str,
    *,
    parent_id: int | None = None,
    created_at: int | None = None,
) -> Row:
    """Write a comment, or a reply to one of the same thread; `created_at` is now when left out.

    Raises NotFound for the thread and InvalidFields for the parent.
    """
    if await transaction.fetch_one(_SQL["find_thread"], thread_id=thread_id) is None:
        raise NotFound("thread")
    parent = None if parent_id is None else await _parent(transaction, thread_id, parent_id)
    root_id = None if parent is None else _root_id(parent)
    created_at = now() if created_at is None else created_at
    inserted = await transaction.fetch(
        _SQL["insert_comment"],
        thread_id=thread_id,
        parent_id=parent_id,
        root_id=root_id,
        depth=_depth_below(parent),
        player_id=player_id,
        content=content,
        created_at=created_at,
        score=_score(0, created_at) if parent is None else 0.0,
    )
    if parent is not None:
        await _count(transaction, parent["id"], _root_id(parent), children=1, replies=1)
    return await _comment(transaction, inserted[0]["id"])


async def edit_comment(
    transaction: Transaction, comment_id: int, player: Player, content: str
) -> Row:
    """Change the text of the player's own comment. Raises NotFound and Forbidden."""
    await _own_comment(transaction, comment_id, player)
    await transaction.execute(_SQL["update_content"], comment_id=comment_id, content=content)
    return await _comment(transaction, comment_id)


async def delete_comment(transaction: Transaction, comment_id: int, player: Player) -> None:
    """Delete the player's own comment and every reply below it. Raises NotFound and Forbidden."""
    comment = await _own_comment(transaction, comment_id, player)
    deleted = await transaction.execute(_SQL["delete_with_replies"], comment_id=comment_id)
    if comment["parent_id"] is not None:
        await _count(
            transaction, comment["parent_id"], comment["root_id"], children=-1, replies=-deleted
        )


def _nest(rows: Sequence[Row], assets_url: str) -> dict[int, Shape]:
    """Shape the rows and put each into its parent, top-level comments first, then the oldest."""
    shapes: dict[int, Shape] = {}
    children: dict[int, list[Shape]] = {}
    size = 0
    for row in sorted(rows, key=_parents_first):
        size += _SHAPE_BYTES + len(orjson.dumps(row["content"]))
        if size > _MOST_BYTES and row["parent_id"] is not None:
            break
        children[row["id"]] = []
        shape = shapes[row["id"]] = listed_comment(row, assets_url, children[row["id"]])
        if row["parent_id"] is not None:
            children[row["parent_id"]].append(shape)
    return shapes


async def _comment(transaction: Transaction, comment_id: int) -> Row:
    row = await transaction.fetch_one(_SQL["find_comment"], comment_id=comment_id)
    if row is None:
        raise NotFound("comment")
    return row


async def _own_comment(transaction: Transaction, comment_id: int, player: Player) -> Row:
    comment = await _comment(transaction, comment_id)
    if comment["player_id"] != player.id:
        raise Forbidden("not_your_comment", "Only the player who wrote a comment can change it.")
    return comment


async def _parent(transaction: Transaction, thread_id: int, parent_id: int) -> Row:
    parent = await transaction.fetch_one(_SQL["find_comment"], comment_id=parent_id)
    if parent is None or parent["thread_id"] != thread_id:
        raise InvalidFields({"comment_id": ["There is no such comment in this thread."]})
    if _depth_below(parent) > DEEPEST:
        raise InvalidFields({"comment_id": ["This conversation can't go any deeper."]})
    return parent


def _root_id(comment: Row) -> int:
    return comment["id"] if comment["root_id"] is None else comment["root_id"]


def _depth_below(parent: Row | None) -> int:
    # A top-level comment and its direct children both carry depth 1 (Interface 2.1).
    if parent is None or parent["parent_id"] is None:
        return 1
    return parent["depth"] + 1


async def _count(
    transaction: Transaction, parent_id: int, root_id: int, *, children: int, replies: int
) -> None:
    await transaction.execute(_SQL["count_child"], comment_id=parent_id, change=children)
    root = (await transaction.fetch(_SQL["count_replies"], comment_id=root_id, change=replies))[0]
    score = _score(root["replies_count"], root["created_at"])
    await transaction.execute(_SQL["set_score"], comment_id=root_id, score=score)


def _score(replies: int, created_at: int) -> float:
    """Rank a top-level comment; it grows with the time of writing, so it never needs renewing."""
    return math.log2(1 + replies) + created_at / _DECAY


def _parents_first(row: Row) -> tuple[bool, int]:
    return row["parent_id"] is not None, row["id"]


def _by_id(row: Row) -> int:
    return row["id"]


def _by_score(row: Row) -> tuple[float, int]:
    return row["score"], row["id"]
