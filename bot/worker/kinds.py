"""What can be owed to Discord, each a small class: how it is carried out, and what follows."""

from abc import ABC, abstractmethod
from enum import Enum
from typing import ClassVar

import discord

from bot.domain.outbox import Entry, Priority
from bot.worker.requests import Requests
from bot.worker.verdicts import Settled, is_unknown_message
from storage.database import Transaction

# Cogs know no storage, and pass on the transaction that they are handed.
__all__ = ["Kind", "MessageKind", "NotOwed", "Repeat", "Transaction"]


class NotOwed(Exception):
    """What was owed is owed no more; raised before Discord is asked for it."""


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

    `on_settled` writes in the transaction that settles the entry, and does nothing else: it is
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
    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Ask Discord for it; return the id of the message it has become, if it is one.

        Raises NotOwed, and what Discord answers.
        """

    async def is_edit(self, entry: Entry) -> bool:
        """Return whether an entry is only an edit by now, which does no harm twice."""
        del entry
        return False

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Note what has become of it: Sent, Refused, Unknown or Dropped."""
        del transaction, entry, verdict


class MessageKind(Kind):
    """A message to a channel or a member, drawn when it is sent."""

    repeat = Repeat.BY_NONCE

    @abstractmethod
    async def draw(self, entry: Entry) -> discord.ui.LayoutView | None:
        """Return the message as it is to be now, None where it is owed no more.

        It is in English, unless the kind says otherwise by `bot.i18n.speak`.
        """

    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Post what is drawn."""
        view = await self.draw(entry)
        if view is None:
            raise NotOwed
        try:
            return await requests.create_message(
                view, channel_id=entry.channel_id, member_id=entry.member_id
            )
        except discord.NotFound as error:
            if is_unknown_message(error):
                # The answer to the nonce of a message that was deleted since.
                return None
            raise
