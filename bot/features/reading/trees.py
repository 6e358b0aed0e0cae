"""Find, list and change comments in the trees that pages are made of."""

from collections import abc
from dataclasses import replace
from operator import is_
from typing import NamedTuple

from bot.game import models
from bot.game.game_client import GameClient

Change = abc.Callable[[models.Comment], models.Comment | None]


class Reply(NamedTuple):
    """A reply below a comment. `level` 1 answers it directly, 2 answers such a reply."""

    comment: models.Comment
    level: int
    parent: models.Comment


class Tree(NamedTuple):
    """A comment with every reply below it, each followed by the replies to it."""

    comment: models.Comment
    replies: tuple[Reply, ...]
    # With those that the game doesn't show.
    reply_count: int


def find_branch(
    comments: abc.Sequence[models.Comment], comment_id: int
) -> tuple[models.Comment, ...]:
    """Return a comment after those above it, the topmost first, or () if it isn't there."""
    waiting = [(comment,) for comment in reversed(comments)]
    while waiting:
        branch = waiting.pop()
        if branch[-1].id == comment_id:
            return branch
        waiting += [(*branch, child) for child in reversed(branch[-1].children)]
    return ()


def tree_of(comment: models.Comment) -> Tree:
    replies: list[Reply] = []
    waiting = [Reply(child, 1, comment) for child in reversed(comment.children)]
    while waiting:
        reply = waiting.pop()
        replies.append(reply)
        parent = reply.comment
        waiting += [Reply(child, reply.level + 1, parent) for child in reversed(parent.children)]
    comments = (comment, *(reply.comment for reply in replies))
    count = sum(max(parent.children_count, len(parent.children)) for parent in comments)
    return Tree(comment, tuple(replies), count)


def all_comments(comments: abc.Sequence[models.Comment]) -> abc.Iterator[models.Comment]:
    waiting = list(reversed(comments))
    while waiting:
        comment = waiting.pop()
        yield comment
        waiting += reversed(comment.children)


def with_comment(
    page: models.Page[models.Comment], parent_id: int | None, written: models.Comment
) -> models.Page[models.Comment]:
    """Put a comment that was just written on top of its page, or below its parent."""

    def answered(parent: models.Comment) -> models.Comment:
        children = (*parent.children, written)
        return replace(parent, children=children, children_count=parent.children_count + 1)

    if find_branch(page.entries, written.id):
        return page
    if parent_id is None:
        return replace(page, entries=(written, *page.entries))
    return changed(page, parent_id, answered)


def changed(
    page: models.Page[models.Comment], comment_id: int, change: Change
) -> models.Page[models.Comment]:
    """Change one comment, if the page has it. None removes it with everything below it."""
    if not find_branch(page.entries, comment_id):
        return page
    return with_all_changed(
        page, lambda comment: change(comment) if comment.id == comment_id else comment
    )


def only(
    page: models.Page[models.Comment], is_shown: abc.Callable[[models.Comment], bool]
) -> models.Page[models.Comment]:
    if all(is_shown(comment) for comment in all_comments(page.entries)):
        return page
    return with_all_changed(page, lambda comment: comment if is_shown(comment) else None)


def with_all_changed(
    page: models.Page[models.Comment], change: Change
) -> models.Page[models.Comment]:
    """Change every comment after those below it. None removes it with all of those."""
    done: dict[int, models.Comment] = {}

    def those_of(comments: abc.Sequence[models.Comment]) -> tuple[models.Comment, ...]:
        return tuple(done[id(comment)] for comment in comments if id(comment) in done)

    # From the bottom up, since replies may nest deeper than functions.
    for comment in reversed(list(all_comments(page.entries))):
        children = those_of(comment.children)
        old = comment.children
        lost = len(old) - len(children)
        is_same = not lost and all(map(is_, children, old))
        count = max(comment.children_count - lost, len(children))
        new = change(
            comment if is_same else replace(comment, children=children, children_count=count)
        )
        if new is not None:
            done[id(comment)] = new
    return replace(page, entries=those_of(page.entries))


def change_in_cache(client: GameClient, thread_id: int, comment_id: int, change: Change) -> None:
    client.comments.change(
        lambda key: key.thread_id == thread_id, lambda page: changed(page, comment_id, change)
    )


def newest_at_hand(client: GameClient, thread_id: int) -> int | None:
    """Return the id of the newest comment of a thread on any loaded page."""
    ids = (
        comment.id
        for _, page in client.comments.items_of(thread_id)
        for comment in all_comments(page.entries)
    )
    return max(ids, default=None)
