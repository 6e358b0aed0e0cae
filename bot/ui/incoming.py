"""What comes in from Discord: members in turn, and only text that can be written."""

import asyncio
from collections import deque
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, cast

from discord import InteractionType

from bot.background import call_later
from bot.log import tell_besides
from bot.ui.actions import split_custom_id
from bot.ui.answers import Interaction

# Answered at the same time for one member, and for one who floods; who sends more is told to wait.
_MOST_AT_ONCE, _MOST_OF_A_FLOOD = 6, 2
# An answer takes at most so long, in seconds; what was begun before is over, heard of or not.
_LONGEST = 60.0
# Sent at once, and each second from then on; who sends more hurries, and lets the others go first.
_BURST, _PACE = 10, 2.0
# The same of keystrokes: nobody types faster for long.
_BURST_TYPING, _PACE_TYPING = 40, 10.0
# What is sent while so many are unanswered counts twice. Only with these does anybody count for
# more than `_MOST_IN_TURN`, and floods: goes after those who hurry as well. More than `_MOST` is
# held against nobody.
_UNANSWERED, _MOST_IN_TURN, _MOST = 2, 20, 40
# In seconds; of the three that Discord waits for a first sign.
_LONGEST_WAIT = 1.0
# Who has just been answered may well go on at once: for so many seconds no flood goes on.
_QUIET = 0.5
# While others are answered, those who hurry are refused so far apart, in seconds; what would have
# to wait for over two is left to Discord, which says that there was no answer.
_BETWEEN_REFUSALS, _MOST_REFUSALS = 0.025, 80
_HAS_TIME, _HURRIES, _FLOODS = range(3)
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
        # The same of keystrokes.
        self._typing: dict[int, tuple[float, float]] = {}
        # Of what is being worked on: who sent it, and how much they hurry.
        self._working: dict[int, tuple[int, int]] = {}
        # Who was answered just now, and no flood; how much they hurry, and when that is over.
        self._answered: tuple[int, int] | None = None
        self._quiet: asyncio.TimerHandle | None = None
        self._refusals = deque[asyncio.Future[None]]()

    @property
    def why_not(self) -> str:
        """The key of the words for why something was not begun."""
        return "Stopping" if self._is_stopping else "OneAtATime"

    async def begin(self, interaction: Interaction) -> bool:
        """Note that an answer is begun, and mend what was sent; return whether it may begin.

        What a member sends in a hurry waits until nobody is being answered who hurries less, and a
        flood until nobody was just now, but for a second only.
        """
        interaction.data = _mended(cast("Any", interaction.data))
        member_id, now = interaction.user.id, _since(interaction)
        if interaction.type is InteractionType.autocomplete:
            return self._may_type(member_id, now)
        begun = self._begun.setdefault(member_id, {})
        for other in [each for each in begun.values() if now - _since(each) > _LONGEST]:
            del begun[other.id]
        haste = self._count(member_id, now)
        most = _MOST_OF_A_FLOOD if haste == _FLOODS else _MOST_AT_ONCE
        if len(begun) >= most or self._is_stopping:
            return False
        begun[interaction.id] = interaction
        if haste != _HAS_TIME:
            await self._others_first(member_id, haste)
        self._working[interaction.id] = member_id, haste
        return True

    async def may_refuse(self, interaction: Interaction) -> bool:
        """Wait for a turn to say that it is not begun; return whether that is worth the while.

        Whoever has time is told at once, and so is everybody where that keeps nobody waiting. Who
        types faster than anybody can reads nothing.
        """
        if interaction.type is InteractionType.autocomplete:
            return False
        member_id = interaction.user.id
        haste = _haste(_left(self._paces[member_id], _since(interaction)))
        if self._is_stopping or not self._are_others_first(member_id, haste):
            return True
        if len(self._refusals) >= _MOST_REFUSALS:
            return False
        turn = asyncio.get_running_loop().create_future()
        self._refusals.append(turn)
        if len(self._refusals) == 1:
            call_later(_BETWEEN_REFUSALS, self._refuse_next)
        await turn
        return True

    def end(self, interaction: Interaction) -> None:
        """Note that it is answered."""
        member_id = interaction.user.id
        begun = self._begun.get(member_id, {})
        if begun.pop(interaction.id, None):
            ended = self._working.pop(interaction.id, (member_id, _FLOODS))
            if ended[1] != _FLOODS:
                self._note_answered(ended)
        if not begun:
            self._begun.pop(member_id, None)
        self._wake()

    async def stop(self) -> None:
        """Begin nothing more, and return once everything that is in hand is answered."""
        self._is_stopping = True
        while self._refusals:
            self._refuse_next()
        while self._in_hand():
            await self._ended.wait()

    def unanswered(self) -> Iterator[Interaction]:
        """Give what is in hand."""
        for begun in self._begun.values():
            yield from begun.values()

    def _count(self, member_id: int, now: float) -> int:
        """Note that a member has sent one more; return how much they hurry."""
        if len(self._paces) >= _MANY:
            self._paces = {each: pace for each, pace in self._paces.items() if _left(pace, now)}
        before = _left(self._paces.get(member_id, (0.0, now)), now)
        if len(self._begun[member_id]) >= _UNANSWERED:
            count = min(before + 2, _MOST)
        else:
            count = max(min(before + 1, _MOST_IN_TURN), before)
        self._paces[member_id] = count, now
        return _haste(count)

    def _may_type(self, member_id: int, now: float) -> bool:
        """Note a keystroke that asks for suggestions; return whether it is to have some."""
        if len(self._typing) >= _MANY:
            self._typing = {
                each: pace for each, pace in self._typing.items() if _left(pace, now, _PACE_TYPING)
            }
        count = _left(self._typing.get(member_id, (0.0, now)), now, _PACE_TYPING) + 1
        self._typing[member_id] = min(count, _BURST_TYPING), now
        return count <= _BURST_TYPING

    async def _others_first(self, member_id: int, haste: int) -> None:
        """Wait until those who hurry less, and another who hurries as much, are answered."""
        is_late = False

        def hurry() -> None:
            nonlocal is_late
            is_late = True
            self._wake()

        def is_another_hurrying() -> bool:
            return any(other == haste for _, other in self._working.values())

        timer = call_later(_LONGEST_WAIT, hurry)
        while not is_late and (self._are_others_first(member_id, haste) or is_another_hurrying()):
            await self._ended.wait()
        timer.cancel()

    def _are_others_first(self, member_id: int, haste: int) -> bool:
        """Return whether somebody who hurries less is being answered, or was before a flood."""
        for ended in self._working.keys() - self._in_hand():
            del self._working[ended]
        others = list(self._working.values())
        if haste == _FLOODS and self._answered is not None:
            others.append(self._answered)
        return any(other != member_id and less < haste for other, less in others)

    def _note_answered(self, answered: tuple[int, int] | None) -> None:
        if self._quiet is not None:
            self._quiet.cancel()
        self._answered = answered
        self._quiet = call_later(_QUIET, partial(self._note_answered, None)) if answered else None
        self._wake()

    def _refuse_next(self) -> None:
        if self._refusals:
            turn = self._refusals.popleft()
            if not turn.done():
                turn.set_result(None)
        if self._refusals:
            call_later(_BETWEEN_REFUSALS, self._refuse_next)

    def _wake(self) -> None:
        ended, self._ended = self._ended, asyncio.Event()
        ended.set()

    def _in_hand(self) -> set[int]:
        return {interaction_id for begun in self._begun.values() for interaction_id in begun}


def name_in_log(interaction: Interaction) -> None:
    """Let each line that is logged from here on tell whose interaction it is about."""
    data = cast("Mapping[str, Any]", interaction.data or {})
    tell_besides(command=_name(data), server=interaction.guild_id, member=interaction.user.id)


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


def _haste(count: float) -> int:
    if count > _MOST_IN_TURN:
        return _FLOODS
    return _HURRIES if count > _BURST else _HAS_TIME


def _left(pace: tuple[float, float], now: float, per_second: float = _PACE) -> float:
    count, counted_at = pace
    return max(count - (now - counted_at) * per_second, 0.0)


def _mended(sent: Any) -> Any:
    """Replace halves of surrogate pairs, which no answer and no table can hold."""
    if isinstance(sent, str):
        return sent.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(sent, dict):
        return {name: _mended(value) for name, value in cast("dict[str, Any]", sent).items()}
    if isinstance(sent, list):
        return [_mended(value) for value in cast("list[Any]", sent)]
    return sent
