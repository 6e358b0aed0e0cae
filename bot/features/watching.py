"""Watching items: members hear by direct message of what they wait for."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from bot.domain.announcing import NewWatch, Notice, Watch
from bot.errors import KioskError
from bot.features.accounts import Accounts
from bot.features.errors import (
    ItemGone,
    SeveralWatches,
    TooManyWatches,
    UnknownWatch,
)
from bot.features.matching import meant
from bot.features.names import read_id
from bot.features.shop import Shop
from bot.game.errors import GameError
from storage.messages import Message
from storage.subscriptions import Watches

log = logging.getLogger(__name__)


# As many as one list of Discord's takes.
MOST_WATCHES = 25
# At most one message goes to a member in this time; what comes meanwhile is told together.
BETWEEN_MESSAGES = timedelta(hours=1)


class Watching(Struct, frozen=True):
    """The watches of members; `hurry` has a catalog looked at that was not followed before."""

    watches: Watches
    shop: Shop
    accounts: Accounts
    hurry: Callable[[], None]
    clock: Callable[[], datetime]

    async def add(self, new: NewWatch) -> Watch:
        """Watch something, once. Raises TooManyWatches, AccountError."""
        # With whose token else is it to be known what the member owns?
        await self.accounts.require(new.member_id)
        added = await self.watches.add(new, now=self.clock(), most=MOST_WATCHES)
        if added is None:
            raise TooManyWatches(number=str(MOST_WATCHES))
        self.hurry()
        return added

    async def end(self, member_id: int, text: str) -> Watch:
        """End a member's watch, by its number or a part of what is watched.

        Raises UnknownWatch, SeveralWatches.
        """
        watches, number = await self.watches.of_member(member_id), read_id(text)
        if number is None:
            fitting = meant(text, watches, lambda watch: watch.name or watch.type_name or "")
            if len(fitting) > 1:
                raise SeveralWatches(name=text, candidates=fitting)
            number = fitting[0].id if fitting else None
        ended = None if number is None else await self.watches.remove(number, member_id)
        if ended is None:
            raise UnknownWatch(candidates=watches)
        return ended

    async def to_tell(self, entry: Message) -> tuple[Sequence[Notice], timedelta | None]:
        """Return what a message is to tell, as it is from now on, and how long that is to wait.

        What the member owns is left out, as far as the game says.
        """
        member_id = entry.member_id or 0
        now = self.clock()
        told_at = await self.watches.gather(entry.key, member_id, now - BETWEEN_MESSAGES)
        if told_at is not None:
            return [], told_at + BETWEEN_MESSAGES - now
        return await self._not_owned(await self.watches.told_in(entry.key)), None

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
