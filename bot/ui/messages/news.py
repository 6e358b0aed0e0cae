"""Tell members what became of what they asked for: directly, or else at their next command."""

from abc import abstractmethod

import discord

from bot.features.writing.ledger import Ledger
from bot.i18n import speak, t
from bot.ui.cards import Card, notice
from bot.ui.messages.kinds import Drawn, Kind, Transaction
from bot.ui.messages.verdicts import Settled
from storage.messages import LOST_KEY, Message, MessageState, Priority
from storage.writes import Write


def say_from_when(card: Card, message: Message) -> None:
    """Say below a card that comes with a command since when it has waited for one."""
    if message.state is not MessageState.OWED:
        when = discord.utils.format_dt(message.wanted_at, "R")
        told = t("This is from %(when)s: Kiosk's message may not have reached you.", when=when)
        card.say(f"-# {told}")


class WriteNews(Kind):
    priority = Priority.DIRECT_MESSAGE

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    @abstractmethod
    async def card(self, write: Write) -> Card:
        """Return what is said of a write that nobody waits for."""

    async def draw(self, message: Message) -> Drawn | None:
        """Return the card, None where the write has come to something else or was told of."""
        write = await self._told_of(message)
        if write is None or write.is_told:
            return None
        speak(write.locale)
        return Drawn(await self.card(write))

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        write = await self._told_of(message)
        if write is not None and verdict.state is MessageState.SENT:
            await self._ledger.writes.save_told(write, transaction)

    async def _told_of(self, message: Message) -> Write | None:
        write = await self._ledger.writes.find(int(message.payload["write"]))
        return write if write and write.state_and_reason == message.payload["state"] else None


class LostKeyNews(Kind):
    """Says what a member has lost with a key; see storage/resealing.py."""

    name = LOST_KEY
    priority = Priority.DIRECT_MESSAGE

    async def draw(self, message: Message) -> Drawn | None:
        speak(message.payload["locale"])
        lines: list[str] = []
        if "links" in message.payload["lost"]:
            lines.append(
                t("Your access token can't be opened any more, so it was deleted.")
                + " "
                + t("Link your game account again with `/account link`.")
            )
        if "writes" in message.payload["lost"]:
            lines.append(t("One of your unsent texts is lost."))
        card = notice(t("A key of this bot was lost"), "\n".join(lines))
        say_from_when(card, message)
        return Drawn(card)
