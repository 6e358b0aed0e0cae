"""Private cards that members have before them, to be drawn anew when what they show changes."""

import logging
from collections.abc import Awaitable, Callable, Hashable, Iterable

import discord
from msgspec import Struct

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.errors import KioskError
from bot.game.errors import GameError
from bot.i18n import speaking
from bot.ui.answers import Interaction, card_key
from bot.ui.cards import Card
from storage.errors import DatabaseError

log = logging.getLogger(__name__)

# None where there is nothing new to show.
Redraw = Callable[[], Awaitable[Card | None]]

# Discord lets a card be edited for 15 minutes after the press that brought it, in seconds.
_LIFETIME = 14 * 60.0
# What a card takes in memory, about, and what all may take, in bytes.
_CARD_SIZE = 20_000
_MOST_BYTES = 500 * _CARD_SIZE


class _OpenCard(Struct, frozen=True):
    interaction: Interaction
    topics: frozenset[Hashable]
    redraw: Redraw


class OpenCards:
    """Cards by the interaction that first brought them; that a restart forgets them is no harm."""

    def __init__(self, tasks: BackgroundTasks) -> None:
        self._cards = TtlCache[int, _OpenCard](
            tasks, lifetime=_LIFETIME, most_bytes=_MOST_BYTES, size=lambda _: _CARD_SIZE
        )

    def note(self, interaction: Interaction, topics: Iterable[Hashable], redraw: Redraw) -> None:
        """Remember the card that this interaction now shows, and how to draw it again."""
        card = _OpenCard(interaction, frozenset(topics), redraw)
        self._cards.put(card_key(interaction), card)

    def forget(self, interaction: Interaction) -> None:
        """Forget the card that this interaction changed into something else."""
        self._cards.forget(card_key(interaction).__eq__)

    async def refresh(self, member_id: int, topic: Hashable) -> None:
        """Draw every card of a member again that shows a topic."""
        await self._refresh(topic, lambda card: card.user.id == member_id)

    async def refresh_server(self, guild_id: int, topic: Hashable) -> None:
        """Draw every card again that shows a topic to anybody in a server."""
        await self._refresh(topic, lambda card: card.guild_id == guild_id)

    async def _refresh(self, topic: Hashable, is_wanted: Callable[[Interaction], bool]) -> None:
        for key, card in self._cards.items():
            if topic not in card.topics or not is_wanted(card.interaction):
                continue
            try:
                with speaking(card.interaction.locale):
                    view = await card.redraw()
                if view is not None:
                    await card.interaction.edit_original_response(view=view)
            except (discord.HTTPException, KioskError, GameError, DatabaseError) as error:
                # Closed by the member, or out of reach: nobody misses it.
                log.info("an open card could not be drawn again: %s", error)
                self._cards.forget(key.__eq__)
