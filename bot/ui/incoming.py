"""What comes in from Discord: a few at once for each member, and only text that can be written."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

from discord import InteractionType

from bot.i18n import speak
from bot.log import tell_besides
from bot.ui.actions import split_custom_id
from bot.ui.answers import Interaction
from bot.ui.pictures import show_emojis

# Answered at the same time for one member; who sends more is told to wait.
_MOST_AT_ONCE = 6
# An answer takes at most so long, in seconds; what was begun before is over, heard of or not.
_LONGEST = 60.0
# Discord's numbers of the options that are commands below a command.
_SUBCOMMANDS = (1, 2)


class Incoming:
    """Takes interactions in, and knows which are being answered."""

    def __init__(self) -> None:
        self._in_hand: dict[int, Interaction] = {}
        self._ended = asyncio.Event()
        self.is_stopping = False
        # What the game pictures, as emojis; see bot/ui/pictures.py.
        self.emojis: Mapping[str, str] = {}

    async def begin(self, interaction: Interaction) -> bool:
        """Note that an answer is begun, in the member's language; return whether it may begin."""
        # Halves of surrogate pairs, which no answer and no table can hold, are replaced.
        text = json.dumps(interaction.data or {}, ensure_ascii=False)
        data = json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        interaction.data = data
        speak(interaction.locale)
        show_emojis(self.emojis)
        tell_besides(command=_name(data), server=interaction.guild_id, member=interaction.user.id)
        if interaction.type is InteractionType.autocomplete:
            return True
        now, unanswered = interaction.created_at.timestamp(), 0
        for other in list(self._in_hand.values()):
            if now - other.created_at.timestamp() > _LONGEST:
                del self._in_hand[other.id]
            else:
                unanswered += other.user.id == interaction.user.id
        # What was typed is kept while Kiosk stops, too.
        is_text = interaction.type is InteractionType.modal_submit or '"content"' in text
        if unanswered >= _MOST_AT_ONCE or (self.is_stopping and not is_text):
            return False
        self._in_hand[interaction.id] = interaction
        return True

    def end(self, interaction: Interaction) -> None:
        """Note that it is answered."""
        self._in_hand.pop(interaction.id, None)
        self._ended.set()

    @property
    def why_not(self) -> str:
        """The key of the words for why something was not begun."""
        return "NotBegun" if self.is_stopping else "OneAtATime"

    async def stop(self) -> None:
        """Begin nothing more but to keep texts; return once all that is in hand is answered."""
        self.is_stopping = True
        while self._in_hand:
            self._ended.clear()
            await self._ended.wait()

    def unanswered(self) -> Iterable[Interaction]:
        """Give what is in hand."""
        return self._in_hand.values()


def _name(data: Mapping[str, Any]) -> str:
    """Return what was used, without what was typed: `/shop buy`, or the kind of a button."""
    if "custom_id" in data:
        route, _ = split_custom_id(str(data["custom_id"]))
        return route or ""
    below = next((one for one in data.get("options", ()) if one["type"] in _SUBCOMMANDS), None)
    name = str(data.get("name", ""))
    return f"{name} {_name(below)}" if below else name
