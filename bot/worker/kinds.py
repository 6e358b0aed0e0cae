"""What can be owed to Discord, each a small class: how it is carried out, and what follows."""

from abc import ABC, abstractmethod
from enum import Enum
from functools import partial
from typing import ClassVar

import discord
from msgspec import Struct

from bot.ui.cards import Card
from bot.worker.posts import create_post, rename_post, unarchived
from bot.worker.requests import Requests, message_route
from bot.worker.verdicts import Settled, is_unknown_message
from storage.database import Transaction
from storage.messages import Message, Priority

# Cogs know no storage, and pass on the transaction that they are handed.
__all__ = [
    "Drawn",
    "Kind",
    "MessageKind",
    "NotOwed",
    "PostAnew",
    "Repeat",
    "Transaction",
    "change",
    "post",
]


class NotOwed(Exception):
    """What was owed is owed no more, for a reason if one is said."""


class PostAnew(Exception):
    """Its message was deleted, and it is to be posted again."""


class Repeat(Enum):
    """What may be done about something that was sent, and whose answer never came."""

    # It does no harm twice, as an edit or a deletion.
    ALWAYS = "always"
    # Discord knows it again by its nonce, for a while.
    BY_NONCE = "by nonce"
    # Discord knows it by nothing.
    NEVER = "never"


class Kind(ABC):
    """One kind of thing that is owed.

    `on_settled` writes in the transaction that settles it, and does nothing else: it is
    called again where that fails.
    """

    name: ClassVar[str]
    priority: ClassVar[Priority]
    repeat: ClassVar[Repeat] = Repeat.ALWAYS
    # Whether what Discord has not taken for a day, often tried, is owed no more.
    gives_up: ClassVar[bool] = True
    # Whether a refusal ends all that is to come there: it counts when it is met again later.
    pauses: ClassVar[bool] = False

    @abstractmethod
    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Ask Discord for it; return the id of the message it has become, if it is one.

        Raises NotOwed, and what Discord answers.
        """

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Note what has become of it: Sent, Refused, Unknown or Dropped."""
        del transaction, message, verdict


class Drawn(Struct, frozen=True):
    """A message as it is to be now; `role_id` is who it pings.

    What is `posted_anew` is posted once more where its message was deleted. A post of a forum
    channel has a `title`, and is filed under `tag_id`. `channel_id` is where it stands, if that is
    not where it was wanted, but in a post there.
    """

    card: Card
    role_id: int | None = None
    posted_anew: bool = False
    title: str | None = None
    tag_id: int | None = None
    channel_id: int | None = None


class MessageKind(Kind):
    """A message to a channel or a member: posted, edited in place and deleted as it is drawn."""

    repeat = Repeat.BY_NONCE

    @abstractmethod
    async def draw(self, message: Message) -> Drawn | None:
        """Return the message as it is to be now, None where it shall not be there.

        It is in English, unless the kind says otherwise by `bot.i18n.speak`.
        """

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Post, edit or delete it. Raises NotOwed where it is gone, and PostAnew."""
        drawn = await self.draw(message) if message.is_wanted else None
        if message.message_id is not None:
            await change(message, message.message_id, drawn, requests)
            return message.message_id
        if drawn is None:
            raise NotOwed
        message_id = await post(message, drawn, requests)
        if message_id is not None and message.stays and message.attempted_at is not None:
            # A try before this one may have posted it, as it was to be then.
            await change(message, message_id, drawn, requests)
        return message_id


async def post(message: Message, drawn: Drawn, requests: Requests) -> int | None:
    """Post a message; return its id, None where it was deleted since it was posted before."""
    channel_id, mentions = drawn.channel_id or message.channel_id, mentions_of(drawn.role_id)
    if drawn.title is not None:
        return await create_post(
            requests,
            channel_id,
            drawn.card,
            drawn.title,
            tag_id=drawn.tag_id,
            allowed_mentions=mentions,
        )
    try:
        return await requests.create_message(
            drawn.card,
            channel_id=channel_id,
            member_id=message.member_id,
            allowed_mentions=mentions,
        )
    except discord.NotFound as error:
        if is_unknown_message(error):
            # The answer to the nonce of a message that was deleted since.
            return None
        raise


async def change(
    message: Message, message_id: int, drawn: Drawn | None, requests: Requests
) -> None:
    """Edit or delete a message. Raises NotOwed where it is gone, and PostAnew."""
    channel_id = (drawn and drawn.channel_id) or message.channel_id
    try:
        if drawn is None:
            delete = partial(requests.ask, message_route("DELETE", channel_id, message_id))
            await unarchived(requests, channel_id, delete)
            raise NotOwed
        components = drawn.card.to_components()
        edit = partial(requests.edit_message, components, channel_id, message_id)
        await unarchived(requests, channel_id, edit)
    except discord.NotFound as error:
        if not is_unknown_message(error):
            raise
        if drawn is not None and drawn.posted_anew:
            raise PostAnew from error
        raise NotOwed from error
    if drawn.title is not None and channel_id is not None:
        await rename_post(requests, channel_id, message_id, drawn.title)


def mentions_of(role_id: int | None) -> discord.AllowedMentions:
    """Return that nobody is pinged but a role, if it is any."""
    mentions = discord.AllowedMentions.none()
    if role_id is not None:
        mentions.roles = [discord.Object(role_id)]
    return mentions
