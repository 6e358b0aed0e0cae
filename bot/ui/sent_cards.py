"""Cards that stay: those of orders, drawn anew when something comes of one, and shared ones."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple, Self

import discord
from msgspec import Struct

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.errors import KioskError, NotYourShare
from bot.game.errors import GameError
from bot.i18n import speaking, t
from bot.ui.actions import Action, action_button
from bot.ui.answers import Interaction, card_key, take_away
from bot.ui.cards import Button, Card
from bot.ui.router import Press, route
from bot.ui.text import one_line
from storage.errors import DatabaseError

log = logging.getLogger(__name__)

# None where there is nothing new to show.
Redraw = Callable[[], Awaitable[Card | None]]

# Discord lets a card be edited for 15 minutes after the press that brought it, in seconds.
_LIFETIME = 14 * 60.0
# What a card takes in memory, about, and what all may take, in bytes.
_CARD_SIZE = 20_000
_MOST_BYTES = 500 * _CARD_SIZE
_NAME_ROOM = 60


class _OpenCard(Struct, frozen=True):
    interaction: Interaction
    ids: frozenset[int]
    redraw: Redraw


class OpenCards:
    """Cards about orders or texts, by the interaction that first brought them."""

    def __init__(self, tasks: BackgroundTasks) -> None:
        self._cards = TtlCache[int, _OpenCard](
            tasks, lifetime=_LIFETIME, most_bytes=_MOST_BYTES, size=lambda _: _CARD_SIZE
        )

    def note(self, interaction: Interaction, ids: Iterable[int], redraw: Redraw) -> None:
        """Remember the card that now shows what these ids are of, and how to draw it again."""
        card = _OpenCard(interaction, frozenset(ids), redraw)
        self._cards.put(card_key(interaction), card)

    def forget(self, interaction: Interaction) -> None:
        """Forget the card that this interaction changed into something else."""
        self._cards.forget(card_key(interaction).__eq__)

    async def refresh(self, one_id: int, member_id: int) -> bool:
        """Draw every card again that shows this to a member; return whether any was drawn."""
        is_any = False
        for key, card in self._cards.items():
            if one_id not in card.ids or card.interaction.user.id != member_id:
                continue
            try:
                with speaking(card.interaction.locale):
                    view = await card.redraw()
                if view is not None:
                    await card.interaction.edit_original_response(view=view)
                    is_any = True
            except (discord.HTTPException, KioskError, GameError, DatabaseError) as error:
                # Closed by the member, or out of reach: nobody misses it.
                log.info("an open card could not be drawn again: %s", error)
                self._cards.forget(key.__eq__)
        return is_any


class TakeBack(Action, kind="take_back"):
    """Take back what a member has shared."""

    member_id: int


def take_back_button(member_id: int) -> Button:
    """Offer to take a public card back, to the member who posted it."""
    return action_button(TakeBack(member_id), t("Take back"))


class Sharer(NamedTuple):
    """A member who shares: Discord's id, and their name there."""

    member_id: int
    name: str

    @classmethod
    def of(cls, interaction: Interaction) -> Self:
        """Return whoever pressed."""
        return cls(interaction.user.id, interaction.user.display_name)


def finish_shared(card: Card, sharer: Sharer, *buttons: Button) -> Card:
    """Add what stands on every shared card, with up to four buttons of its own."""
    card.buttons(*buttons, take_back_button(sharer.member_id))
    # A name of nothing that can be seen is common there.
    member = one_line(sharer.name, _NAME_ROOM, is_name=True) or f"<@{sharer.member_id}>"
    card.say("-# " + t("Shared by %(member)s. Only you see where a button leads.", member=member))
    return card


def press_name(interaction: Interaction) -> str:
    """Return what names a press: the same button of the same card has the same name."""
    card = interaction.message.id if interaction.message else interaction.id
    data: Any = interaction.data or {}
    return f"{card}:{data.get('custom_id', '')}"


class SharedCards:
    """Answers "Take back" on any card; `forget` is called with the id of the message."""

    def __init__(self, forget: Callable[[int], Awaitable[None]]) -> None:
        self._forget = forget

    @route(TakeBack)
    async def on_take_back(self, press: Press[TakeBack]) -> None:
        """Delete the message at its sharer's wish."""
        message = press.interaction.message
        if press.member_id != press.action.member_id or message is None:
            raise NotYourShare
        await take_away(press.interaction)
        await self._forget(message.id)
