"""Kinds of messages, each a small class that draws, sends and settles its messages."""

from datetime import timedelta
from enum import Enum
from typing import ClassVar

import discord
from msgspec import Struct

from bot.ui.drawing import Card
from bot.ui.messages import verdicts
from bot.ui.messages.requests import Requests
from storage import messages
from storage.database import Transaction


class NoLongerWanted(Exception):
    """The message is no longer wanted, for a reason if one is given."""


class Repeat(Enum):
    """Whether a message whose answer never came may be sent again."""

    # Sending it twice does no harm, as with an edit or a deletion.
    ALWAYS = "always"
    # Discord recognizes it by its nonce, for a while.
    BY_NONCE = "by nonce"
    # Discord can't recognize it.
    NEVER = "never"


class Drawn(Struct, frozen=True):
    """A message as it should be now. It pings `role_ids`.

    A message that is `posted_anew` is posted again if it was deleted. A post of a forum channel
    has a `title` and the tag `tag_id`. `channel_id` is set if the message is in a post of the
    channel for which it was queued. With a `link`, it is an embed that ends with the link.
    """

    card: Card
    role_ids: frozenset[int] = frozenset()
    posted_anew: bool = False
    title: str | None = None
    tag_id: int | None = None
    channel_id: int | None = None
    link: str = ""


class Kind:
    """One kind of message: posted, edited in place and deleted as it is drawn.

    A kind without a message of its own, such as publishing one, overrides `carry_out`.
    `on_settled` writes in the transaction that settles a message, and does nothing else: if the
    transaction fails, it is called again.
    """

    name: ClassVar[str]
    priority: ClassVar[messages.Priority]
    # Whether to stop trying if Discord hasn't taken the message for a day and many tries.
    gives_up: ClassVar[bool] = True
    # Whether a refusal stops all later messages there. It counts if it happens again later.
    pauses: ClassVar[bool] = False
    # How long its record stays after it was sent. None is the usual time.
    retention: ClassVar[timedelta | None] = None

    def repeat(self, message: messages.Message) -> Repeat:
        return Repeat.BY_NONCE

    async def draw(self, message: messages.Message) -> Drawn | None:
        """Return the message as it should be now, None if it should not be there.

        It is in English, unless the kind chooses a language by `bot.i18n.speak`.
        """
        raise NotImplementedError

    async def carry_out(self, message: messages.Message, requests: Requests) -> int | None:
        """Send, edit or delete the message. Return its id, if there is one.

        Raises NoLongerWanted, TryAgain, and Discord's errors.
        """
        drawn = await self.draw(message) if message.is_wanted else None
        if message.message_id is not None:
            await change(message, message.message_id, drawn, requests)
            return message.message_id
        if drawn is None:
            raise NoLongerWanted
        message_id = await post(message, drawn, requests)
        if message_id is not None and message.stays and message.attempted_at is not None:
            # An earlier try may have posted an older version.
            await change(message, message_id, drawn, requests)
        return message_id

    async def on_settled(
        self, transaction: Transaction, message: messages.Message, verdict: verdicts.Settled
    ) -> None:
        """Store the outcome of a message."""


class Undrawn(Kind):
    """Messages of a feature that was removed. They wait until the feature is back."""

    gives_up = False

    def repeat(self, message: messages.Message) -> Repeat:
        # Its certainty doesn't change.
        return Repeat.ALWAYS

    async def carry_out(self, message: messages.Message, requests: Requests) -> int | None:
        raise verdicts.NotYet(f"no feature draws the kind {message.kind}", timedelta(days=1))


async def post(message: messages.Message, drawn: Drawn, requests: Requests) -> int | None:
    """Post a message. Return its id, None if it was posted before and deleted since."""
    channel_id = drawn.channel_id or message.channel_id
    mentions = discord.AllowedMentions.none()
    if drawn.role_ids:
        mentions.roles = [discord.Object(role_id) for role_id in sorted(drawn.role_ids)]
    if drawn.title is not None:
        return await requests.create_post(
            drawn.card, channel_id, drawn.title, tag_id=drawn.tag_id, allowed_mentions=mentions
        )
    try:
        return await requests.create_message(
            drawn.card,
            channel_id=channel_id,
            member_id=message.member_id,
            allowed_mentions=mentions,
            link=drawn.link,
        )
    except discord.NotFound as error:
        if verdicts.is_unknown_message(error):
            # The answer to the nonce of a message that was deleted since.
            return None
        raise


async def change(
    message: messages.Message, message_id: int, drawn: Drawn | None, requests: Requests
) -> None:
    """Edit or delete a message. Raises NoLongerWanted if it is gone, and TryAgain."""
    channel_id = (drawn and drawn.channel_id) or message.channel_id
    if message.member_id is not None:
        channel_id = await requests.messages.direct_channel(message.member_id)
    try:
        if drawn is None:
            await requests.delete_message(channel_id, message_id)
            raise NoLongerWanted
        await requests.edit_message(drawn.card, channel_id, message_id, link=drawn.link)
    except discord.NotFound as error:
        # A message to delete is also gone if its channel is.
        is_gone = drawn is None and error.code == verdicts.UNKNOWN_CHANNEL
        if not is_gone and not verdicts.is_unknown_message(error):
            raise
        if drawn is not None and drawn.posted_anew:
            raise verdicts.TryAgain("deleted", timedelta(), is_gone=True) from error
        raise NoLongerWanted from error
    if drawn.title is not None and channel_id is not None:
        await requests.rename_post(channel_id, message_id, drawn.title)
