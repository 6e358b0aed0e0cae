"""The card of a case in the log channel, posted once and then edited."""

from datetime import timedelta

import discord

from bot.domain.outbox import Entry, Priority
from bot.i18n import speak, speaking
from bot.kiosk import Kiosk
from bot.ui.cards import Card
from bot.worker.kinds import Kind, MessageKind, NotOwed, Repeat, Transaction
from bot.worker.requests import Requests
from bot.worker.verdicts import NotYet, Refused, Sent, Settled
from cogs.moderate.posted import PostedMessages
from cogs.moderate.views.removal import log_card
from cogs.moderate.views.reports import more_card, reported_card

_UNKNOWN_MESSAGE = 10008


class CaseCard(Kind):
    """A case's card as it is to be now; owed by `LogCards`."""

    name = "case"
    priority = Priority.LIVE_POST
    repeat = Repeat.BY_NONCE

    def __init__(self, bot: Kiosk, posted: PostedMessages) -> None:
        self._moderation = bot.features.moderation
        self._posted = posted

    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Post the card, or edit it where it is; one that was deleted is not posted again."""
        card = await self._draw(entry)
        message_id = await self._moderation.cards.message(_case_id(entry))
        if message_id is None:
            return await requests.create_message(card, channel_id=entry.channel_id)
        try:
            await self._posted.edit(
                requests, entry.channel_id or 0, message_id, card.to_components(), is_known=True
            )
        except discord.NotFound as error:
            if error.code == _UNKNOWN_MESSAGE:
                raise NotOwed from error
            raise
        return message_id

    async def reconcile(self, entry: Entry, requests: Requests) -> Sent | bool:
        """Let an edit be repeated, which does no harm; a card that may be there is not."""
        del requests
        return await self._moderation.cards.message(_case_id(entry)) is not None

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Remember which message the card is, or that the channel does not take it."""
        if isinstance(verdict, Sent) and verdict.message_id is not None:
            case_id = _case_id(entry)
            await self._moderation.cards.keep_message(transaction, case_id, verdict.message_id)
        if isinstance(verdict, Sent | Refused) and entry.channel_id is not None:
            is_closed = isinstance(verdict, Refused) and not verdict.is_malformed
            await self._moderation.note_log(transaction, entry.channel_id, is_closed=is_closed)

    async def _draw(self, entry: Entry) -> Card:
        standing = await self._moderation.standing_of_case(_case_id(entry))
        case = await self._moderation.reports.find(_case_id(entry))
        if case is None:
            raise NotOwed
        with speaking(case.locale):
            if standing is None or (standing.removal.ended_at is not None and case.is_held_back):
                return reported_card(case)
            return log_card(standing)


class MoreHeldBack(MessageKind):
    """How many comments were held back that have no card; owed by `LogCards`, once a minute."""

    name = "case.more"
    priority = Priority.LIVE_POST

    def __init__(self, bot: Kiosk) -> None:
        self._moderation = bot.features.moderation

    async def draw(self, entry: Entry) -> Card | None:
        """Return the count, a minute after the first of them."""
        if not entry.attempts:
            raise NotYet("more may come within the minute", timedelta(minutes=1))
        case = await self._moderation.reports.find(_case_id(entry))
        if case is None:
            return None
        waiting = await self._moderation.cards.without_card(case.guild_id)
        speak(case.locale)
        return more_card(len(waiting)) if waiting else None


def _case_id(entry: Entry) -> int:
    return int(entry.payload["case"])
