"""With whose token the bot itself looks at a catalog."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pydantic import SecretStr

from bot.errors import AccountError, NotLinked
from bot.features.accounts import Accounts
from bot.game.client import THE_BOT, Caller
from storage.subscriptions import Subscriptions, Watches

log = logging.getLogger(__name__)
T = TypeVar("T")
# Of those who watch, so that a game that is down is not asked in the name of thousands.
_MOST_WATCHERS = 10


class Callers:
    """The operator's token; else those of members who subscribed or watch, and are still linked."""

    def __init__(
        self,
        accounts: Accounts,
        subscriptions: Subscriptions,
        watches: Watches,
        game_token: SecretStr | None,
    ) -> None:
        self._accounts = accounts
        self._subscriptions = subscriptions
        self._watches = watches
        self._game_token = game_token

    async def ask(
        self, catalog_id: int, read: Callable[[Caller], Awaitable[T]], first: int | None = None
    ) -> T:
        """Return what a read comes to with the first good token, that of `first` before others'.

        Raises AccountError where nobody has one, and what the read raises.
        """
        if self._game_token is not None:
            return await read(Caller(THE_BOT, self._game_token))
        members = [each.created_by for each in await self._subscriptions.of_catalog(catalog_id)]
        members += await self._watches.watchers(catalog_id, _MOST_WATCHERS)
        if first is not None:
            members.insert(0, first)
        failure: AccountError | None = None
        for place, member_id in enumerate(members):
            if member_id in members[:place]:
                continue
            try:
                async with self._accounts.acting_as(member_id) as caller:
                    return await read(caller)
            except AccountError as error:
                log.info("catalog %s can't be read as one member: %s", catalog_id, error.key)
                failure = failure or error
        raise failure or NotLinked(source=self._accounts.source)
