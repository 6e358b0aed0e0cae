"""What comes in from Discord: members in turn, and only text that can be written."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, cast

import structlog
from discord import InteractionType

from bot.background import call_later
from bot.ui.actions import split_custom_id
from bot.ui.answers import Interaction

# Answered at the same time for one member; whoever sends more is told to wait.
_MOST_AT_ONCE = 6
# An answer takes at most so long, in seconds; what was begun before is over, heard of or not.
_LONGEST = 60.0
# Sent at once, and each second from then on; who sends more lets the others go first.
_BURST, _PACE = 10, 2.0
# In seconds; of the three that Discord waits for a first sign.
_LONGEST_WAIT = 1.0
# Members whose pace is remembered before those are forgotten who have slowed down.
_MANY = 1000
# Discord's numbers of the options that are commands below a command.
_SUBCOMMANDS = (1, 2)


class Incoming:
    """Takes interactions in, and knows which of each member are being answered."""

    def __init__(self) -> None:
        self._begun: dict[int, dict[int, Interaction]] = {}
        self._is_stopping = False
        self._ended = asyncio.Event()
        # How many a member sent lately, and when that was counted.
        self._paces: dict[int, tuple[float, float]] = {}
        # What is being answered of those who hurry: one after the other.
        self._hurried: set[int] = set()

    @property
    def why_not(self) -> str:
        """The key of the words for why something was not begun."""
        return "Stopping" if self._is_stopping else "OneAtATime"

    async def begin(self, interaction: Interaction) -> bool:
        """Note that an answer is begun, and mend what was sent; return whether it may begin.

        What a member sends in a hurry waits until nobody else's is in hand, but for a second only.
        """
        interaction.data = _mended(cast("Any", interaction.data))
        if interaction.type is InteractionType.autocomplete:
            return True
        now = interaction.created_at.timestamp()
        begun = self._begun.setdefault(interaction.user.id, {})
        for other in [each for each in begun.values() if now - _since(each) > _LONGEST]:
            del begun[other.id]
        if len(begun) >= _MOST_AT_ONCE or self._is_stopping:
            return False
        begun[interaction.id] = interaction
        if self._count(interaction.user.id, now) > _BURST:
            await self._others_first(now)
            self._hurried.add(interaction.id)
        return True

    def end(self, interaction: Interaction) -> None:
        """Note that it is answered."""
        begun = self._begun.get(interaction.user.id, {})
        begun.pop(interaction.id, None)
        self._hurried.discard(interaction.id)
        if not begun:
            self._begun.pop(interaction.user.id, None)
        self._wake()

    async def stop(self) -> None:
        """Begin nothing more, and return once everything that is in hand is answered."""
        self._is_stopping = True
        while self._in_hand():
            await self._ended.wait()

    def unanswered(self) -> Iterator[Interaction]:
        """Give what is in hand."""
        for begun in self._begun.values():
            yield from begun.values()

    def _count(self, member_id: int, now: float) -> float:
        if len(self._paces) >= _MANY:
            self._paces = {each: pace for each, pace in self._paces.items() if _left(pace, now)}
        count = _left(self._paces.get(member_id, (0.0, now)), now) + 1
        self._paces[member_id] = count, now
        return count

    async def _others_first(self, now: float) -> None:
        """Wait until neither who has time nor another who hurries is being answered."""
        is_late = False

        def hurry() -> None:
            nonlocal is_late
            is_late = True
            self._wake()

        timer = call_later(_LONGEST_WAIT, hurry)
        while not is_late and (self._hurried or self._has_time_in_hand(now)):
            await self._ended.wait()
            self._hurried &= self._in_hand()
        timer.cancel()

    def _has_time_in_hand(self, now: float) -> bool:
        paces = (self._paces.get(member_id, (0.0, now)) for member_id in self._begun)
        return any(_left(pace, now) <= _BURST for pace in paces)

    def _wake(self) -> None:
        ended, self._ended = self._ended, asyncio.Event()
        ended.set()

    def _in_hand(self) -> set[int]:
        return {interaction_id for begun in self._begun.values() for interaction_id in begun}


def name_in_log(interaction: Interaction) -> None:
    """Let each line that is logged from here on tell whose interaction it is about."""
    data = cast("Mapping[str, Any]", interaction.data or {})
    structlog.contextvars.bind_contextvars(
        command=_name(data), server=interaction.guild_id, member=interaction.user.id
    )


def _name(data: Mapping[str, Any]) -> str:
    """Return what was used, without what was typed: `/shop buy`, or the kind of a button."""
    if "custom_id" in data:
        route, _ = split_custom_id(str(data["custom_id"]))
        return route or ""
    below = next((one for one in data.get("options", ()) if one["type"] in _SUBCOMMANDS), None)
    name = str(data.get("name", ""))
    return f"{name} {_name(below)}" if below else name


def _since(interaction: Interaction) -> float:
    return interaction.created_at.timestamp()


def _left(pace: tuple[float, float], now: float) -> float:
    count, counted_at = pace
    return max(count - (now - counted_at) * _PACE, 0.0)


def _mended(sent: Any) -> Any:
    """Replace halves of surrogate pairs, which no answer and no table can hold."""
    if isinstance(sent, str):
        return sent.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(sent, dict):
        return {name: _mended(value) for name, value in cast("dict[str, Any]", sent).items()}
    if isinstance(sent, list):
        return [_mended(value) for value in cast("list[Any]", sent)]
    return sent
