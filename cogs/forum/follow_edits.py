"""What following threads owes to Discord once a comment that was posted has changed."""

from functools import partial
from typing import ClassVar

import discord

from bot.domain.outbox import Entry
from bot.features.following.changes import EDIT_KIND
from bot.worker.kinds import NotOwed, Transaction
from bot.worker.posts import rename_post, unarchived
from bot.worker.requests import Requests
from bot.worker.verdicts import Settled, is_unknown_message
from cogs.forum.follow_kinds import FollowKind
from cogs.forum.following import followed_card, gone_card, gone_title, post_title


class FollowedEdit(FollowKind):
    """A comment whose text is another now, or that is gone."""

    name: ClassVar[str] = EDIT_KIND

    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Draw its message anew."""
        follow, place = await self._follow(entry)
        seen = await self._seen(follow, entry)
        if entry.payload.get("revision", seen.revision) != seen.revision:
            # It is owed as it is now, too: texts may change faster than Discord takes edits.
            raise NotOwed
        post = await self._following.follows.post(follow.id, seen.comment_id)
        if post is None or post.message_id is None:
            raise NotOwed
        card, title = gone_card(place), gone_title()
        if not seen.is_gone:
            found = await self._found(requests, follow, seen)
            card, title = followed_card(found, place), post_title(found)
        channel_id, message_id = entry.channel_id or 0, post.message_id
        edit = partial(requests.edit_message, card, channel_id, message_id)
        try:
            await unarchived(requests, channel_id, edit)
        except discord.NotFound as error:
            if not is_unknown_message(error):
                raise
            # Moderators have deleted it, and it is not posted again.
        else:
            await rename_post(requests, channel_id, message_id, title)
        return message_id

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Leave what can't be edited as it is."""
