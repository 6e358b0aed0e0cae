"""Cards that stay: those of orders, drawn anew when something comes of one, and shared ones."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import discord
from msgspec import Struct

from bot.errors import KioskError, NotYourShare
from bot.game.errors import GameError
from bot.i18n import speaking, t
from bot.ui.actions import Action, action_button
from bot.ui.cards import Button, Card
from bot.ui.here import Here
from bot.ui.router import route
from bot.ui.text import one_line
from storage.errors import DatabaseError

log = logging.getLogger(__name__)

# None where there is nothing new to show.
Redraw = Callable[[], Awaitable[Card | None]]

_MOST_OPEN = 500
_NAME_ROOM = 60


class _OpenCard(Struct, frozen=True):
    here: Here
    ids: frozenset[int]
    redraw: Redraw


class OpenCards:
    """Cards about orders or texts, by the interaction that first brought them."""

    def __init__(self) -> None:
        self._cards: dict[int, _OpenCard] = {}

    def note(self, here: Here, ids: Iterable[int], redraw: Redraw) -> None:
        """Remember the card that now shows what these ids are of, and how to draw it again."""
        self.forget(here)
        # Discord lets a card be edited for 15 minutes after the press that brought it.
        for key in [key for key, card in self._cards.items() if card.here.interaction.is_expired()]:
            del self._cards[key]
        if len(self._cards) >= _MOST_OPEN:
            del self._cards[next(iter(self._cards))]
        self._cards[here.card_key] = _OpenCard(here, frozenset(ids), redraw)

    def forget(self, here: Here) -> None:
        """Forget the card that this interaction changed into something else."""
        self._cards.pop(here.card_key, None)

    async def refresh(self, one_id: int, member_id: int) -> bool:
        """Draw every card again that shows this to a member; return whether any was drawn."""
        is_any = False
        for key, card in list(self._cards.items()):
            interaction = card.here.interaction
            is_theirs = one_id in card.ids and card.here.member_id == member_id
            if not is_theirs or interaction.is_expired():
                continue
            try:
                with speaking(interaction.locale):
                    view = await card.redraw()
                if view is not None:
                    await interaction.edit_original_response(view=view)
                    is_any = True
            except (discord.HTTPException, KioskError, GameError, DatabaseError) as error:
                # Closed by the member, or out of reach: nobody misses it.
                log.info("an open card could not be drawn again: %s", error)
                self._cards.pop(key, None)
        return is_any


class TakeBack(Action, kind="take_back"):
    member_id: int


def take_back_button(member_id: int) -> Button:
    return action_button(TakeBack(member_id), t("Take back"))


def finish_shared(card: Card, sharer: discord.abc.User, *buttons: Button) -> Card:
    """Add what stands on every shared card, with up to four buttons of its own."""
    card.buttons(*buttons, take_back_button(sharer.id))
    # A name of nothing that can be seen is common there.
    member = one_line(sharer.display_name, _NAME_ROOM, is_name=True) or f"<@{sharer.id}>"
    card.say("-# " + t("Shared by %(member)s. Only you see where a button leads.", member=member))
    return card


def press_name(interaction: discord.Interaction[Any]) -> str:
    """Return what names a press: the same button of the same card has the same name."""
    card = interaction.message.id if interaction.message else interaction.id
    data: Any = interaction.data or {}
    return f"{card}:{data.get('custom_id', '')}"


class SharedCards:
    """Answers "Take back" on any card; `forget` is called with the id of the message."""

    def __init__(self, forget: Callable[[int], Awaitable[None]]) -> None:
        self._forget = forget

    @route(TakeBack)
    async def on_take_back(self, here: Here, action: TakeBack) -> None:
        message = here.interaction.message
        if here.member_id != action.member_id or message is None:
            raise NotYourShare
        await here.take_away()
        await self._forget(message.id)
