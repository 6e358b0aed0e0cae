"""What is owed to channels when something is new or has changed in a followed thread."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct, field

from bot.domain.announcing import Follow, FollowedThread, FollowPost, SeenComment
from bot.domain.outbox import EntryState, Owed, Priority
from bot.features.following.rules import ThreadChanges
from storage.database import Transaction
from storage.follows import Follows
from storage.outbox import Outbox

COMMENT_KIND, POST_KIND, REPLY_KIND, EDIT_KIND = (
    "follow",
    "follow.post",
    "follow.reply",
    "follow.edit",
)
# Discord's number for a forum channel, where a comment is a post with its replies inside.
FORUM = 15
# More at once are told by their number alone.
MOST_AT_ONCE = 5


class _Round(Struct):
    """What one channel is owed for one reading of its thread."""

    follow: Follow
    posts: Mapping[int, FollowPost]
    owed: list[Owed] = field(default_factory=list[Owed])
    noted: list[tuple[SeenComment, str, bool]] = field(
        default_factory=list[tuple[SeenComment, str, bool]]
    )

    def post(self, kind: str, comment: SeenComment) -> None:
        """Owe a comment in a message of its own."""
        key = f"follow:{self.follow.id}:{comment.comment_id}"
        self._owe(kind, key, {"comment": comment.comment_id})
        self.noted.append((comment, key, True))

    def count(self, comments: Sequence[SeenComment]) -> None:
        """Owe one message for many comments."""
        key = f"follow:{self.follow.id}:{comments[-1].comment_id}:{len(comments)}"
        kind = POST_KIND if self.follow.channel_kind == FORUM else COMMENT_KIND
        self._owe(kind, key, {"count": len(comments)})
        self.noted += [(comment, key, False) for comment in comments]

    def has_post(self, comment_id: int) -> bool:
        """Return whether a comment is, or will be, a post of its own."""
        known = self.posts.get(comment_id)
        is_known = known is not None and known.is_alone and known.state is not EntryState.REFUSED
        return is_known or any(
            each.comment_id == comment_id for each, _, alone in self.noted if alone
        )

    def _owe(self, kind: str, key: str, payload: Mapping[str, int]) -> None:
        self.owed.append(
            Owed(
                kind,
                key,
                Priority.LIVE_POST,
                channel_id=self.follow.channel_id,
                payload={"follow": self.follow.id, **payload},
            )
        )


class Posting:
    """Owes what is new, and what has changed of what was posted."""

    def __init__(self, follows: Follows, outbox: Outbox, clock: Callable[[], datetime]) -> None:
        self._follows = follows
        self._outbox = outbox
        self._clock = clock

    async def owe_nothing(self, _: Transaction) -> None:
        """Owe nothing for what was there when a thread was followed first."""

    async def owe(
        self,
        transaction: Transaction,
        *,
        thread: FollowedThread,
        found: ThreadChanges,
        known: Mapping[int, SeenComment],
    ) -> None:
        """Owe what a reading has found to all channels where the thread is followed."""
        for follow in await self._follows.of_thread(transaction, thread.thread_id):
            if follow.paused_at is not None:
                continue
            posts = await self._follows.posts(transaction, follow.id)
            one = _Round(follow, posts)
            new = [each for each in found.new if each.comment_id not in posts]
            if len(new) > MOST_AT_ONCE:
                one.count(new)
            else:
                for comment in new:
                    _owe_comment(one, comment, known)
            await self._follows.add_posts(transaction, follow.id, one.noted, self._clock())
            edits = list(_edits(follow, posts, found.changed))
            await self._outbox.owe(transaction, *one.owed, *edits)


def _owe_comment(one: _Round, comment: SeenComment, known: Mapping[int, SeenComment]) -> None:
    if one.follow.channel_kind != FORUM:
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
) -> Iterator[Owed]:
    for comment in changed:
        post, root = posts.get(comment.comment_id), posts.get(comment.root_id)
        if post is not None and post.is_alone and post.message_id is not None:
            # Of a reply in a post no channel is kept: a post has the id of its first message.
            yield Owed(
                EDIT_KIND,
                f"follow.edit:{follow.id}:{comment.comment_id}:{comment.revision}",
                Priority.LIVE_POST,
                channel_id=post.channel_id or (root and root.message_id),
                payload={
                    "follow": follow.id,
                    "comment": comment.comment_id,
                    "revision": comment.revision,
                },
            )
