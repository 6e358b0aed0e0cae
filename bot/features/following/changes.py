"""What is new, changed and gone in a thread, and what channels are owed for it."""

from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import datetime
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from bot.domain.announcing import FORUM_CHANNEL, Follow, FollowedThread, FollowPost, SeenComment
from bot.features.forum.trees import all_comments
from bot.game.models import Comment, Page
from bot.visible import text_key
from storage.database.interface import Transaction
from storage.follows import FollowPosts, Follows
from storage.messages import Messages, MessageState, NewMessage, Priority

COMMENT_KIND, POST_KIND, REPLY_KIND, EDIT_KIND = (
    "follow",
    "follow.post",
    "follow.reply",
    "follow.edit",
)
# More at once are told by their number alone.
MOST_AT_ONCE = 5
# Refused by the channel, or not posted while it was paused for that.
_DID_NOT_COME = (MessageState.REFUSED, MessageState.DROPPED)


class ThreadChanges(Struct, frozen=True):
    """What a reading has found; `missing` are comments that are gone if a later one lacks them.

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
    found = {
        comment.id: seen_as(comment, root, page.number)
        for page in pages
        for root in page.entries
        for comment in all_comments((root,))
    }
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
    gone = lacking & missing
    changed += [
        replace(known[key], is_gone=True, revision=known[key].revision + 1) for key in sorted(gone)
    ]
    new.sort(key=lambda each: (each.written_at, each.comment_id))
    # What is missing on a page that was not read this time is so until that is read again.
    return ThreadChanges(new, changed, moved, (lacking | missing) - gone - found.keys())


def newest(pages: Sequence[Page[Comment]], *, before: datetime) -> datetime | None:
    """Return when the last of these comments was written.

    What is dated later than `before` says nothing of that, unless all of them are.
    """
    moments = [each.created_at for page in pages for each in all_comments(page.entries)]
    return max([each for each in moments if each < before] or moments, default=None)


def seen_as(comment: Comment, root: Comment, page: int) -> SeenComment:
    """Return how a comment was seen."""
    digest = text_key(comment.content)
    return SeenComment(comment.id, root.id, page, digest, comment.created_at)


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


class _Round(Struct):
    """What one channel is owed for one reading of its thread, which makes this version of it."""

    follow: Follow
    posts: Mapping[int, FollowPost]
    version: int
    owed: list[NewMessage] = field(default_factory=list[NewMessage])
    noted: list[tuple[int, SeenComment, str, bool]] = field(
        default_factory=list[tuple[int, SeenComment, str, bool]]
    )

    def post(self, kind: str, comment: SeenComment) -> None:
        """Owe a comment in a message of its own, anew where it was owed before and did not come."""
        key = f"follow:{self.follow.id}:{comment.comment_id}"
        if comment.comment_id in self.posts:
            key = f"{key}:again:{self.version}"
        self._owe(kind, key, {"comment": comment.comment_id})
        self.noted.append((self.follow.id, comment, key, True))

    def count(self, comments: Sequence[SeenComment]) -> None:
        """Owe one message for many comments."""
        key = f"follow:{self.follow.id}:{comments[-1].comment_id}:{len(comments)}"
        kind = POST_KIND if self.follow.channel_kind == FORUM_CHANNEL else COMMENT_KIND
        self._owe(kind, key, {"count": len(comments)})
        self.noted += [(self.follow.id, comment, key, False) for comment in comments]

    def has_post(self, comment_id: int) -> bool:
        """Return whether a comment is, or will be, a post of its own."""
        known = self.posts.get(comment_id)
        is_known = known is not None and known.is_alone and known.state not in _DID_NOT_COME
        return is_known or any(
            each.comment_id == comment_id for _, each, _, alone in self.noted if alone
        )

    def _owe(self, kind: str, key: str, payload: Mapping[str, int]) -> None:
        self.owed.append(
            NewMessage(
                kind,
                key,
                Priority.LIVE_POST,
                channel_id=self.follow.channel_id,
                payload={"follow": self.follow.id, **payload},
            )
        )


async def owe_changes(
    transaction: Transaction,
    *,
    follows: Follows,
    outbox: Messages,
    thread: FollowedThread,
    found: ThreadChanges,
    known: Mapping[int, SeenComment],
    all_posts: FollowPosts,
    now: datetime,
) -> None:
    """Owe what is new, and what has changed of what was posted, wherever a thread is followed.

    It is written all at once: hundreds of channels may hear of one comment.
    """
    owed: list[NewMessage] = []
    noted: list[tuple[int, SeenComment, str, bool]] = []
    answered: list[tuple[int, int]] = []
    for follow in await follows.of_thread(transaction, thread.thread_id):
        if follow.paused_at is not None:
            continue
        posts = all_posts.get(follow.id, {})
        one = _Round(follow, posts, thread.version)
        new = [each for each in found.new if each.comment_id not in posts]
        if len(new) > MOST_AT_ONCE:
            one.count(new)
        else:
            for comment in new:
                _owe_comment(one, comment, known)
        answered += [(follow.id, root_id) for root_id in {each.root_id for each in new}]
        noted += one.noted
        owed += [*one.owed, *_edits(follow, posts, found.changed)]
    await follows.note_answered(transaction, answered, now)
    await follows.add_posts(transaction, noted, now)
    await outbox.want(transaction, *owed)


def _owe_comment(one: _Round, comment: SeenComment, known: Mapping[int, SeenComment]) -> None:
    if one.follow.channel_kind != FORUM_CHANNEL:
        one.post(COMMENT_KIND, comment)
        return
    if comment.root_id == comment.comment_id:
        if not one.has_post(comment.comment_id):
            one.post(POST_KIND, comment)
        return
    root = known.get(comment.root_id)
    if not one.has_post(comment.root_id) and root is not None:
        # What is answered stands above its first answer.
        one.post(POST_KIND, root)
    one.post(REPLY_KIND, comment)


def _edits(
    follow: Follow, posts: Mapping[int, FollowPost], changed: Sequence[SeenComment]
) -> Iterator[NewMessage]:
    for comment in changed:
        post, root = posts.get(comment.comment_id), posts.get(comment.root_id)
        if post is not None and post.is_changeable:
            # Of a reply in a post no channel is kept: a post has the id of its first message.
            yield NewMessage(
                EDIT_KIND,
                f"follow.edit:{follow.id}:{comment.comment_id}:{comment.revision}",
                Priority.LIVE_POST,
                channel_id=post.channel_id or (root and root.message_id) or follow.channel_id,
                payload={
                    "follow": follow.id,
                    "comment": comment.comment_id,
                    "revision": comment.revision,
                },
            )
