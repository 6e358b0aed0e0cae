"""Write, edit and delete the forum's comments (docs/connect-your-game.md#comments)."""

import math
from pathlib import Path

from game_service.auth import Player
from game_service.errors import Forbidden, InvalidFields, NotFound
from storage.database import Row, Transaction, load_queries

MAX_CONTENT_LENGTH = 5_000
# Each level of replies nests the JSON of a list two deeper, and careful clients stop at 64.
DEEPEST = 28
# In the hottest order, twice the replies outweigh this much of age.
_DECAY = 24 * 3600 * 1_000_000

_SQL = load_queries(Path(__file__).parent / "sql" / "comments.sql")


async def add_comment(
    transaction: Transaction,
    thread_id: int,
    player_id: int,
    content: str,
    *,
    created_at: int,
    parent_id: int | None = None,
) -> Row:
    """Write a comment, or a reply to one of the same thread.

    Raises NotFound for the thread and InvalidFields for the parent.
    """
    parent = None if parent_id is None else await _parent(transaction, thread_id, parent_id)
    root_id = None if parent is None else _root_id(parent)
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
    if not inserted:
        raise NotFound("thread")
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


async def _comment(transaction: Transaction, comment_id: int) -> Row:
    row = await transaction.fetch_one(_SQL["find_comment"], comment_id=comment_id)
    if row is None:
        raise NotFound("comment")
    return row


async def _lock_tree(transaction: Transaction, comment: Row) -> None:
    """Wait for others who change a comment's tree. What was read of it before may be gone."""
    await transaction.execute(_SQL["lock"], comment_id=_root_id(comment))


async def _own_comment(transaction: Transaction, comment_id: int, player: Player) -> Row:
    await _lock_tree(transaction, await _comment(transaction, comment_id))
    comment = await _comment(transaction, comment_id)
    if comment["player_id"] != player.id:
        raise Forbidden("not_your_comment", "Only the player who wrote a comment can change it.")
    return comment


async def _parent(transaction: Transaction, thread_id: int, parent_id: int) -> Row:
    parent = await transaction.fetch_one(_SQL["find_comment"], comment_id=parent_id)
    if parent is not None:
        await _lock_tree(transaction, parent)
        parent = await transaction.fetch_one(_SQL["find_comment"], comment_id=parent_id)
    if parent is None or parent["thread_id"] != thread_id:
        if await transaction.fetch_one(_SQL["find_thread"], thread_id=thread_id) is None:
            raise NotFound("thread")
        raise InvalidFields({"comment_id": ["There is no such comment in this thread."]})
    if _depth_below(parent) > DEEPEST:
        raise InvalidFields({"comment_id": ["This conversation can't go any deeper."]})
    return parent


def _root_id(comment: Row) -> int:
    return comment["id"] if comment["root_id"] is None else comment["root_id"]


def _depth_below(parent: Row | None) -> int:
    # Top-level comments and direct children carry depth 1 (docs/connect-your-game.md#comment).
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
    """Rank a top-level comment. The rank grows with the time of writing: it needs no renewing."""
    return math.log2(1 + replies) + created_at / _DECAY
