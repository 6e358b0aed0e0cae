"""Watching items: members hear by direct message of what they wait for."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from bot.errors import KioskError
from bot.features.accounts import Accounts
from bot.features.errors import (
    ItemGone,
    SeveralWatches,
    TooManyWatches,
    UnknownWatch,
)
from bot.features.following.poller import Poller
from bot.features.matching import meant
from bot.features.names import read_id
from bot.features.shop import Shop
from bot.game.errors import GameError
from storage.following import WATCH_KIND, MessageEvents, NewWatch, Notice, Subscriptions, Watch
from storage.messages import Message

log = logging.getLogger(__name__)


# As many as one list of Discord's takes.
MOST_WATCHES = 25
# At most one message goes to a member in this time; what comes meanwhile is told together.
BETWEEN_MESSAGES = timedelta(hours=1)


class Watching(Struct, frozen=True):
    """The watches of members."""

    subscriptions: Subscriptions
    events: MessageEvents
    shop: Shop
    accounts: Accounts
    poller: Poller
    clock: Callable[[], datetime]

    async def add(self, new: NewWatch) -> Watch:
        """Watch something, once. Raises TooManyWatches, AccountError."""
        # With whose token else is it to be known what the member owns?
        await self.accounts.require(new.member_id)
        added = await self.subscriptions.add_watch(new, now=self.clock(), most=MOST_WATCHES)
        if added is None:
            raise TooManyWatches(number=str(MOST_WATCHES))
        self.poller.hurry()
        return added

    async def end(self, member_id: int, text: str) -> Watch:
        """End a member's watch, by its number or a part of what is watched.

        Raises UnknownWatch, SeveralWatches.
        """
        watches, number = await self.subscriptions.of_member(member_id), read_id(text)
        if number is None:
            fitting = meant(text, watches, lambda watch: watch.name or watch.type_name or "")
            if len(fitting) > 1:
                raise SeveralWatches(name=text, candidates=fitting)
        else:
            fitting = [watch for watch in watches if watch.id == number]
        if not fitting or not await self.subscriptions.remove(fitting[0]):
            raise UnknownWatch(candidates=watches)
        return fitting[0]

    async def to_tell(self, message: Message) -> tuple[Sequence[Notice], timedelta | None]:
        """Return what a message is to tell, as it is from now on, and how long that is to wait.

        What was tried already stays as it is. What the member owns is left out, as far as the game
        says.
        """
        member_id = message.member_id or 0
        if message.attempted_at is None:
            if not await self.events.notices_of(message.key, member_id):
                return [], None
            told_at = await self.events.last_told(member_id, WATCH_KIND)
            pause = None if told_at is None else told_at + BETWEEN_MESSAGES - self.clock()
            if pause is not None and pause > timedelta():
                return [], pause
            await self.events.gather(message.key, member_id=member_id)
        return await self._not_owned(await self.events.notices_of(message.key, member_id)), None

    async def _not_owned(self, notices: Sequence[Notice]) -> Sequence[Notice]:
        """Leave out what the member owns: each page is asked for once, and no game that fails."""
        wanted: list[Notice] = []
        asked: set[tuple[int, int]] = set()
        for number, (watch, event) in enumerate(notices):
            page = event.catalog_id, event.page
            is_first = page not in asked
            asked.add(page)
            try:
                found = await self.shop.item(watch.member_id, event.ref, fresh=is_first)
            except ItemGone:
                wanted.append((watch, event))
            except (GameError, KioskError) as error:
                log.info("whether item %s is owned can't be asked: %s", event.item_id, error)
                return [*wanted, *notices[number:]]
            else:
                if not found.item.has_purchased:
                    wanted.append((watch, event))
        return wanted
