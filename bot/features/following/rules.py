"""What is new, changed and gone in a thread, by how its comments were seen before.

The list is the newest first (interface 4.1), so a comment that was written between the first and
the last of a page stands on that page, or nowhere. What is missing is gone only once it is missing
in two readings in a row; a page that is in another order, or that holds what can't be read, makes
nothing gone.
"""

import hashlib
from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from bot.domain.announcing import SeenComment
from bot.features.forum.trees import all_comments
from bot.game.models import Comment, Page

_DIGEST_LENGTH = 16


class ThreadChanges(Struct, frozen=True):
    """What a reading has found; `missing` are comments that are gone if the next one lacks them.

    `changed` are comments whose text is another, or that are gone; `moved` are on other pages now.
    """

    new: Sequence[SeenComment]
    changed: Sequence[SeenComment]
    moved: Sequence[SeenComment]
    missing: Set[int]


def compare(
    known: Mapping[int, SeenComment],
    pages: Sequence[Page[Comment]],
    since: datetime,
    missing: Set[int] = frozenset(),
) -> ThreadChanges:
    """Return what differs from what is known; new is what was written after `since`, in order."""
    found = {each.comment_id: each for page in pages for each in _seen_on(page)}
    new = [each for key, each in found.items() if key not in known and each.written_at > since]
    changed: list[SeenComment] = []
    moved: list[SeenComment] = []
    for key, each in found.items():
        before = known.get(key)
        if before is None:
            continue
        if before.is_gone or before.digest != each.digest:
            changed.append(replace(each, revision=before.revision + 1))
        elif before.page != each.page:
            moved.append(replace(each, revision=before.revision))
    lacking = {each for page in pages for each in _lacking_on(page, known)} - found.keys()
    changed += [
        replace(known[key], is_gone=True, revision=known[key].revision + 1)
        for key in sorted(lacking & missing)
    ]
    new.sort(key=lambda each: (each.written_at, each.comment_id))
    return ThreadChanges(new, changed, moved, lacking - missing)


def newest(pages: Sequence[Page[Comment]], *, before: datetime) -> datetime | None:
    """Return when the last of these comments was written.

    What is dated later than `before` says nothing of that, unless all of them are.
    """
    moments = [each.created_at for page in pages for each in all_comments(page.entries)]
    return max([each for each in moments if each < before] or moments, default=None)


def seen_as(comment: Comment, root: Comment, page: int) -> SeenComment:
    """Return how a comment was seen."""
    digest = hashlib.sha256(comment.content.encode("utf-8", "surrogatepass")).hexdigest()
    return SeenComment(comment.id, root.id, page, digest[:_DIGEST_LENGTH], comment.created_at)


def _seen_on(page: Page[Comment]) -> Sequence[SeenComment]:
    return [
        seen_as(comment, root, page.number)
        for root in page.entries
        for comment in all_comments((root,))
    ]


def _lacking_on(page: Page[Comment], known: Mapping[int, SeenComment]) -> Set[int]:
    """Return what is known and should stand on a page, by when it was written."""
    moments = [entry.created_at for entry in page.entries]
    if page.unreadable or any(later < earlier for later, earlier in pairwise(moments)):
        return set()
    standing = {entry.id for entry in page.entries}
    whole = {
        entry.id
        for entry in page.entries
        if all(len(each.children) >= each.children_count for each in all_comments((entry,)))
    }
    lacking: set[int] = set()
    for each in known.values():
        if each.is_gone:
            continue
        if each.comment_id == each.root_id:
            is_due = _is_within(each.written_at, page, moments) and each.comment_id not in standing
        else:
            is_due = each.root_id in whole
        if is_due:
            lacking.add(each.comment_id)
    below = {each.comment_id for each in known.values() if each.root_id in lacking}
    return lacking | {key for key in below if not known[key].is_gone}


def _is_within(moment: datetime, page: Page[Comment], moments: Sequence[datetime]) -> bool:
    """Return whether a comment of this moment would stand on a page, strictly between others."""
    if not moments:
        return page.number == 1 and not page.has_next
    is_after_last = moment > moments[-1] or not page.has_next
    is_before_first = moment < moments[0] or page.number == 1
    return is_after_last and is_before_first
