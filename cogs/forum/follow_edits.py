"""What following threads owes to Discord once a comment that was posted has changed."""

from functools import partial
from typing import ClassVar

import discord

from bot.domain.announcing import Follow, FollowPost, SeenComment
from bot.features.following.changes import EDIT_KIND
from bot.worker.kinds import NotOwed, Transaction
from bot.worker.posts import rename_post, unarchived
from bot.worker.requests import Requests
from bot.worker.verdicts import NotYet, Settled, is_unknown_message
from cogs.forum.follow_kinds import FollowKind
from cogs.forum.following import followed_card, gone_card, gone_title, post_title
from storage.messages import Message


class FollowedEdit(FollowKind):
    """A comment whose text is another now, or that is gone."""

    name: ClassVar[str] = EDIT_KIND

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Draw its message anew."""
        follow, place = await self._follow(message)
        seen = await self._seen(follow, message)
        if message.payload.get("revision", seen.revision) != seen.revision:
            # It is owed as it is now, too: texts may change faster than Discord takes edits.
            raise NotOwed
        post = await self._following.follows.post(follow.id, seen.comment_id)
        if post is None or not post.is_changeable:
            raise NotOwed
        if post.message_id is None:
            raise NotYet("it is not posted yet")
        channel_id, message_id = await self._channel(follow, seen, post), post.message_id
        card, title = gone_card(place), gone_title()
        if not seen.is_gone:
            # What another process has just hidden must not come back.
            self._moderation.policy.forget(follow.guild_id)
            found = await self._found(requests, follow, seen)
            card, title = followed_card(found, place), post_title(found)
        edit = partial(requests.edit_message, card.to_components(), channel_id, message_id)
        try:
            await unarchived(requests, channel_id, edit)
        except discord.NotFound as error:
            if not is_unknown_message(error):
                raise
            # Moderators have deleted it, and it is not posted again.
        else:
            await rename_post(requests, channel_id, message_id, title)
        return message_id

    async def _channel(self, follow: Follow, seen: SeenComment, post: FollowPost) -> int:
        if post.channel_id is not None:
            return post.channel_id
        # Of a reply in a post none is kept: a post has the id of its first message.
        root = await self._following.follows.post(follow.id, seen.root_id)
        if root is None or root.message_id is None:
            raise NotOwed
        return root.message_id

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Leave what can't be edited as it is."""
