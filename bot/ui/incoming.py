"""What comes in from Discord: how much of one member at once, and only text that can be written."""

import asyncio
from typing import Any, cast

from discord import InteractionType

from bot.ui.answers import Interaction

# Answered at the same time for one member; whoever sends more is told to wait.
_MOST_AT_ONCE = 6
# An answer takes at most so long, in seconds; what was begun before is over, heard of or not.
_LONGEST = 60.0


class Incoming:
    """Takes interactions in, and knows which of each member are being answered."""

    def __init__(self) -> None:
        self._begun: dict[int, dict[int, float]] = {}
        self._ended = asyncio.Event()

    def begin(self, interaction: Interaction) -> bool:
        """Note that an answer is begun, and mend what was sent; return whether it may begin."""
        interaction.data = _mended(cast("Any", interaction.data))
        if interaction.type is InteractionType.autocomplete:
            return True
        now = interaction.created_at.timestamp()
        begun = self._begun.setdefault(interaction.user.id, {})
        for other in [other for other, since in begun.items() if now - since > _LONGEST]:
            del begun[other]
        if len(begun) >= _MOST_AT_ONCE:
            return False
        begun[interaction.id] = now
        return True

    def end(self, interaction: Interaction) -> None:
        """Note that it is answered."""
        begun = self._begun.get(interaction.user.id, {})
        begun.pop(interaction.id, None)
        if not begun:
            self._begun.pop(interaction.user.id, None)
        ended, self._ended = self._ended, asyncio.Event()
        ended.set()

    async def until_answered(self) -> None:
        """Return once everything that is being answered now is; what comes later may go on."""
        waiting = self._in_hand()
        while waiting & self._in_hand():
            await self._ended.wait()

    def _in_hand(self) -> set[int]:
        return {interaction_id for begun in self._begun.values() for interaction_id in begun}


def _mended(sent: Any) -> Any:
    """Replace halves of surrogate pairs, which no answer and no table can hold."""
    if isinstance(sent, str):
        return sent.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(sent, dict):
        return {name: _mended(value) for name, value in cast("dict[str, Any]", sent).items()}
    if isinstance(sent, list):
        return [_mended(value) for value in cast("list[Any]", sent)]
    return sent
