"""Find, list and change comments in the trees that pages are made of."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import is_
from typing import NamedTuple

from msgspec import Struct

from bot.game.client import GameClient
from bot.game.models import Comment, Page, PageKey, WrittenComment

Change = Callable[[Comment], Comment | None]


class Branch(NamedTuple):
    """A comment among a page's, with the comments above it, the topmost first."""

    ancestors: tuple[Comment, ...]
    comment: Comment


class Reply(NamedTuple):
    """A reply below a comment; `level` 1 answers it directly, 2 answers such a reply."""

    comment: Comment
    level: int
    parent: Comment


class Tree(NamedTuple):
    """A comment with every reply below it, each followed by the replies to it."""

    comment: Comment
    replies: tuple[Reply, ...]
    # With those that the game doesn't show.
    reply_count: int


def find_branch(comments: Sequence[Comment], comment_id: int) -> Branch | None:
    """Find a comment at any depth."""
    waiting = [Branch((), comment) for comment in reversed(comments)]
    while waiting:
        branch = waiting.pop()
        if branch.comment.id == comment_id:
            return branch
        above = (*branch.ancestors, branch.comment)
        waiting += [Branch(above, child) for child in reversed(branch.comment.children)]
    return None


def tree_of(comment: Comment) -> Tree:
    """Return a comment with what is below it."""
    replies: list[Reply] = []
    waiting = [Reply(child, 1, comment) for child in reversed(comment.children)]
    while waiting:
        reply = waiting.pop()
        replies.append(reply)
        level, parent = reply.level + 1, reply.comment
        waiting += [Reply(child, level, parent) for child in reversed(parent.children)]
    every = (comment, *(reply.comment for reply in replies))
    count = sum(max(each.children_count, len(each.children)) for each in every)
    return Tree(comment, tuple(replies), count)


def all_comments(comments: Sequence[Comment]) -> Iterator[Comment]:
    """Yield comments with everything below them."""
    waiting = list(reversed(comments))
    while waiting:
        comment = waiting.pop()
        yield comment
        waiting += reversed(comment.children)


def with_comment(page: Page[Comment], written: WrittenComment) -> Page[Comment]:
    """Put a comment that was just written on top of a thread's first page."""
    if find_branch(page.entries, written.id) is not None:
        return page
    return replace(page, entries=(listed(written), *page.entries))


def with_reply(page: Page[Comment], parent_id: int, written: WrittenComment) -> Page[Comment]:
    """Put a reply that was just written below its parent, where the page has it."""

    def answered(parent: Comment) -> Comment:
        children = (*parent.children, listed(written))
        return replace(parent, children=children, children_count=parent.children_count + 1)

    if find_branch(page.entries, written.id) is not None:
        return page
    return _changed(page, parent_id, answered)


def with_text(page: Page[Comment], comment_id: int, text: str) -> Page[Comment]:
    """Change a comment's text, where the page has it."""
    return _changed(page, comment_id, lambda old: replace(old, content=text))


def without(page: Page[Comment], comment_id: int) -> Page[Comment]:
    """Take a comment away, with everything below it, where the page has it."""
    return _changed(page, comment_id, lambda old: None)


def only(page: Page[Comment], is_shown: Callable[[Comment], bool]) -> Page[Comment]:
    """Take away the comments that are not to be shown, with everything below them."""
    if all(is_shown(comment) for comment in all_comments(page.entries)):
        return page
    return each_as(page, lambda comment: comment if is_shown(comment) else None)


def each_as(page: Page[Comment], change: Change) -> Page[Comment]:
    """Change every comment after what is below it; None takes it away with all of that."""
    changed: dict[int, Comment] = {}

    def those_of(comments: Sequence[Comment]) -> tuple[Comment, ...]:
        return tuple(changed[id(comment)] for comment in comments if id(comment) in changed)

    # From the bottom up, since replies may nest deeper than functions.
    for comment in reversed(list(all_comments(page.entries))):
        children, old = those_of(comment.children), comment.children
        lost = len(old) - len(children)
        is_same = not lost and all(map(is_, children, old))
        count = max(comment.children_count - lost, len(children))
        new = change(
            comment if is_same else replace(comment, children=children, children_count=count)
        )
        if new is not None:
            changed[id(comment)] = new
    return replace(page, entries=those_of(page.entries))


def listed(written: WrittenComment) -> Comment:
    """Return a comment that was just written as lists show it."""
    if isinstance(written, Comment):
        return written
    return Comment(
        id=written.id,
        depth=written.depth,
        player=written.player,
        content=written.content,
        created_at=written.created_at,
        children_count=0,
    )


def _changed(page: Page[Comment], comment_id: int, change: Change) -> Page[Comment]:
    if find_branch(page.entries, comment_id) is None:
        return page
    return each_as(page, lambda comment: change(comment) if comment.id == comment_id else comment)


class CommentCache(Struct, frozen=True):
    """Changes the client's pages of comments as the game will show them."""

    client: GameClient

    def add(self, thread_id: int, parent_id: int | None, written: WrittenComment) -> None:
        """Show a new comment where it belongs; nobody knows its place among the hottest."""
        pages = self.client.comments
        if parent_id is None:
            pages.change(PageKey(thread_id).__eq__, lambda page: with_comment(page, written))
        else:
            pages.change(
                lambda key: key.thread_id == thread_id,
                lambda page: with_reply(page, parent_id, written),
            )

    def reword(self, thread_id: int, comment_id: int, text: str) -> None:
        """Show a comment's new text."""
        self._change(thread_id, lambda page: with_text(page, comment_id, text))

    def remove(self, thread_id: int | None, comment_id: int) -> None:
        """Show a comment no more; without its thread, it is looked for in all."""
        self._change(thread_id, lambda page: without(page, comment_id))

    def _change(
        self, thread_id: int | None, change: Callable[[Page[Comment]], Page[Comment]]
    ) -> None:
        self.client.comments.change(lambda key: thread_id in (None, key.thread_id), change)
