"""Telling members what their orders came to, wherever they can be reached."""

import logging

import discord
from discord.ext import tasks

from bot.domain.orders import Order
from bot.i18n import speaking, t
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer, notify
from bot.ui.cards import Card, notice
from bot.ui.error_cards import note
from bot.ui.open_cards import OpenCards
from cogs.shop.views.orders import outcome_card
from cogs.shop.views.wording import outcome

log = logging.getLogger(__name__)

# In seconds; shorter than any time after which an order is looked at again.
_SECONDS_BETWEEN_LOOKS = 5
_MOST_MESSAGES = 5


class Notifier:
    """Reaches members: in answer to a press, else by direct message, else at the next command."""

    def __init__(self, bot: Kiosk, open_cards: OpenCards) -> None:
        self._bot = bot
        self._orders = bot.features.orders
        self._inbox = bot.features.inbox
        self._open_cards = open_cards

    async def answer(self, interaction: Interaction, order: Order) -> None:
        """Tell the outcome in answer to a press, or elsewhere when its 15 minutes are over."""
        try:
            await answer(interaction, outcome_card(order))
        except discord.HTTPException as error:
            log.info("order %s can't be told where it was made: %s", order.id, error)
            await self.tell(order)
            return
        await self._orders.note_told(order)
        await self._open_cards.refresh(order.member_id, order.item_id)
        if order.is_open:

            async def redraw() -> Card:
                return outcome_card(await self._orders.ledger.find(order.id) or order)

            self._open_cards.note(interaction, [order.item_id], redraw)

    async def tell(self, order: Order) -> None:
        """Tell the outcome by direct message, or keep it for the member's next command.

        While Discord itself is down, the order stays due and is told later.
        """
        with speaking(order.locale):
            card, (title, body, _) = outcome_card(order), outcome(order)
        try:
            channel = await self._bot.create_dm(discord.Object(order.member_id))
            # Discord takes a nonce once, so that a crash right here tells nobody twice.
            await channel.send(view=card, nonce=f"order-{order.id}-{order.state}"[:25])
        except (discord.Forbidden, discord.NotFound):
            await self._inbox.put(order.member_id, title, body)
        except discord.DiscordException as error:
            log.warning("order %s can't be told yet: %s", order.id, error)
            return
        await self._orders.note_told(order)
        await self._open_cards.refresh(order.member_id, order.item_id)

    async def show_inbox(self, interaction: Interaction) -> None:
        """Show a member what could not be told before."""
        for message in await self._inbox.of_member(interaction.user.id, _MOST_MESSAGES):
            when = discord.utils.format_dt(message.created_at, "R")
            footer = t("This is from %(when)s: you take no direct messages.", when=when)
            card = notice(message.title, message.body, footer=footer)
            if not await notify(interaction, card):
                return
            await self._inbox.remove(message.id)

    @tasks.loop(seconds=_SECONDS_BETWEEN_LOOKS)
    async def look_after_orders(self) -> None:
        """Settle and tell what was left behind, again and again once started."""
        try:
            async for order in self._orders.settle_due():
                await self.tell(order)
        except Exception as error:  # noqa: BLE001 - one bad look must not end all later ones
            note(error)

    @look_after_orders.before_loop
    async def _wait_until_ready(self) -> None:
        await self._bot.wait_until_ready()
