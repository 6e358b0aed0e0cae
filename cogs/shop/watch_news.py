"""The direct message that tells a member of what they watch."""

from functools import partial

from bot.domain.outbox import Entry, Priority
from bot.features.watching import WATCH_KIND
from bot.i18n import speak, speaking
from bot.kiosk import Kiosk
from bot.ui.cards import Card
from bot.worker.kinds import MessageKind, Transaction
from bot.worker.verdicts import Refused, Settled, TryAgain, Unknown
from cogs.shop.handlers.watching import names_of
from cogs.shop.views.watching import news_card, news_words


class WatchNews(MessageKind):
    """News of what a member watches; what can't be told waits in the inbox."""

    name = WATCH_KIND
    priority = Priority.WATCH

    def __init__(self, bot: Kiosk) -> None:
        self._watching = bot.features.watching
        self._directory = bot.features.directory
        self._inbox = bot.features.inbox
        self._waiting = bot.features.waiting

    async def draw(self, entry: Entry) -> Card | None:
        """Return all that waits for the member, None where it is told already or owned."""
        notices, pause = await self._watching.to_tell(entry)
        if pause is not None:
            raise TryAgain("one went within the hour", pause)
        if not notices:
            return None
        speak(notices[-1][0].locale)
        return news_card(notices, await names_of(self._directory, [watch for watch, _ in notices]))

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Keep for the next command what did not reach the member, or may not have."""
        if not isinstance(verdict, Refused | Unknown):
            return
        notices = await self._watching.told_in(transaction, entry)
        if notices and entry.member_id is not None:
            with speaking(notices[-1][0].locale):
                title, body = news_words(notices)
            await self._inbox.put(transaction, entry.member_id, title, body)
            transaction.on_commit(partial(self._waiting.note, entry.member_id))
