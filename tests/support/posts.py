"""The simplest things that are owed: a text that Discord knows again, and one that it doesn't."""

from typing import ClassVar

from discord.http import Route

from bot.ui.drawing import notice
from bot.ui.messages.kinds import Drawn, Kind, Repeat, Transaction
from bot.ui.messages.requests import Requests
from bot.ui.messages.verdicts import Settled
from storage.messages import Message, Priority
from tests.support.gates import Happenings


class Post(Kind):
    """A text for a channel or a member; those that are `withdrawn` are owed no more.

    What is in `troubles` can't be drawn.
    """

    name: ClassVar[str] = "post"
    priority = Priority.LIVE_POST

    def __init__(self) -> None:
        self.settled = Happenings[tuple[str, Settled]]()
        self.withdrawn: set[str] = set()
        self.troubles: dict[str, Exception] = {}

    async def draw(self, message: Message) -> Drawn | None:
        if trouble := self.troubles.get(message.key):
            raise trouble
        return None if message.key in self.withdrawn else Drawn(notice(message.key))

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        transaction.on_commit.append(lambda: self.settled.add((message.key, verdict)))

    async def until(self, *keys: str) -> None:
        """Wait until these are settled."""
        await self.settled.until(lambda: set(keys) <= {key for key, _ in self.settled.past})


class Once(Kind):
    """Something without a nonce, such as a post in a forum."""

    name: ClassVar[str] = "once"
    priority = Priority.ANNOUNCEMENT

    def repeat(self, message: Message) -> Repeat:
        return Repeat.NEVER

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=message.channel_id)
        posted = await requests.ask(route, makes=True, json={"content": message.key})
        return int(posted["id"])
