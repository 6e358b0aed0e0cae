"""The simplest thing that can be owed: a text for a channel or a member."""

from typing import ClassVar

from bot.ui.drawing import notice
from bot.ui.messages.kinds import Drawn, Kind, Transaction
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
