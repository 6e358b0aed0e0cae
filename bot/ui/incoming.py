"""What comes in from Discord: members in turn, and only text that can be written."""

import asyncio
import json
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any, cast

from discord import InteractionType
from msgspec import Struct

from bot.background import call_later
from bot.i18n import speak
from bot.log import tell_besides
from bot.ui.actions import split_custom_id
from bot.ui.answers import Interaction
from bot.ui.pictures import show_emojis

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
_LIMITS = (_BURST, _MOST_IN_TURN)
# In seconds; of the three that Discord waits for a first sign.
_LONGEST_WAIT = 1.0
# Who has just been answered may well go on at once: for so many seconds no flood goes on.
_QUIET = 0.5
# While others are answered, those who hurry are refused so far apart, in seconds; what would have
# to wait for over two is left to Discord, which says that there was no answer.
_BETWEEN_REFUSALS, _MOST_REFUSALS = 0.025, 80
# Members whose pace is remembered before those are forgotten who have slowed down.
_MANY = 1000
# Discord's numbers of the options that are commands below a command.
_SUBCOMMANDS = (1, 2)


class _Haste(IntEnum):
    """How many of `_LIMITS` are exceeded by what a member sent."""

    HAS_TIME = 0
    HURRIES = 1
    FLOODS = 2


class _InHand(Struct):
    """An interaction that waits for its turn, or has it and is being answered."""

    interaction: Interaction
    haste: _Haste
    has_turn: bool = False


class _Counts:
    """How many each member sent lately: counted down by so many each second."""

    def __init__(self, per_second: float) -> None:
        self._per_second = per_second
        # With the time at which it was so many.
        self._counts: dict[int, tuple[float, float]] = {}

    def count(self, member_id: int, now: float, *, by: int = 0, most: int = 0) -> float:
        """Count so many more, but for no more than `most`; return how many that makes."""
        if len(self._counts) >= _MANY:
            self._counts = {
                one: (count, counted_at)
                for one, (count, counted_at) in self._counts.items()
                if count > (now - counted_at) * self._per_second
            }
        count, counted_at = self._counts.get(member_id, (0.0, now))
        left = max(count - (now - counted_at) * self._per_second, 0.0)
        count = max(min(left + by, most), left)
        self._counts[member_id] = count, now
        return count


class Incoming:
    """Takes interactions in, in turn, and knows which are being answered."""

    def __init__(self) -> None:
        self._in_hand: dict[int, _InHand] = {}
        self._sent, self._typed = _Counts(_PACE), _Counts(_PACE_TYPING)
        # Set when somebody's turn may have come, and put anew.
        self._changed = asyncio.Event()
        # What was answered just now, and was no flood; and when that is over.
        self._answered: _InHand | None = None
        self._quiet: asyncio.TimerHandle | None = None
        self._refusals = deque[asyncio.Future[None]]()
        self._is_stopping = False
        # What the game pictures, as emojis; see bot/ui/pictures.py.
        self.emojis: Mapping[str, str] = {}

    async def begin(self, interaction: Interaction) -> bool:
        """Note that an answer is begun, in the member's language; return whether it may begin.

        What was sent is mended, and each line that is logged from here on tells what it was.
        What a member sends in a hurry waits until nobody is being answered who hurries less, and a
        flood until nobody was just now, but for a second only.
        """
        data = _mended(interaction.data or {})
        interaction.data = cast("Any", data)
        speak(interaction.locale)
        show_emojis(self.emojis)
        tell_besides(command=_name(data), server=interaction.guild_id, member=interaction.user.id)
        member_id, now = interaction.user.id, interaction.created_at.timestamp()
        if interaction.type is InteractionType.autocomplete:
            typed = self._typed.count(member_id, now)
            self._typed.count(member_id, now, by=1, most=_BURST_TYPING)
            return typed + 1 <= _BURST_TYPING
        unanswered = 0
        for other in [each.interaction for each in self._in_hand.values()]:
            if now - other.created_at.timestamp() > _LONGEST:
                del self._in_hand[other.id]
            else:
                unanswered += other.user.id == member_id
        by, most = (2, _MOST) if unanswered >= _UNANSWERED else (1, _MOST_IN_TURN)
        sent = self._sent.count(member_id, now, by=by, most=most)
        haste = _Haste(bisect_left(_LIMITS, sent))
        most = _MOST_OF_A_FLOOD if haste is _Haste.FLOODS else _MOST_AT_ONCE
        if unanswered >= most or self._is_stopping:
            return False
        taken = self._in_hand[interaction.id] = _InHand(interaction, haste)
        if haste is not _Haste.HAS_TIME:
            await self._wait_for_turn(member_id, haste)
        taken.has_turn = True
        return True

    async def _wait_for_turn(self, member_id: int, haste: _Haste) -> None:
        """Wait until those who hurry less, and another who hurries as much, are answered."""
        is_late = False

        def hurry() -> None:
            nonlocal is_late
            is_late = True
            self._wake()

        timer = call_later(_LONGEST_WAIT, hurry)
        while not is_late and (
            self._are_others_first(member_id, haste)
            or any(other.has_turn and other.haste is haste for other in self._in_hand.values())
        ):
            await self._changed.wait()
        timer.cancel()

    def _are_others_first(self, member_id: int, haste: _Haste) -> bool:
        """Return whether somebody who hurries less is being answered, or was before a flood."""
        others = [other for other in self._in_hand.values() if other.has_turn]
        if haste is _Haste.FLOODS and self._answered is not None:
            others.append(self._answered)
        return any(
            other.interaction.user.id != member_id and other.haste < haste for other in others
        )

    def end(self, interaction: Interaction) -> None:
        """Note that it is answered."""
        ended = self._in_hand.pop(interaction.id, None)
        if ended is not None and ended.has_turn and ended.haste is not _Haste.FLOODS:
            if self._quiet is not None:
                self._quiet.cancel()
            self._answered = ended
            self._quiet = call_later(_QUIET, self._end_quiet)
        self._wake()

    def _end_quiet(self) -> None:
        self._answered = self._quiet = None
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    @property
    def why_not(self) -> str:
        """The key of the words for why something was not begun."""
        return "Stopping" if self._is_stopping else "OneAtATime"

    async def may_refuse(self, interaction: Interaction) -> bool:
        """Wait for a turn to say that it is not begun; return whether that is worth the while.

        Whoever has time is told at once, and so is everybody where that keeps nobody waiting. Who
        types faster than anybody can reads nothing.
        """
        if interaction.type is InteractionType.autocomplete:
            return False
        member_id = interaction.user.id
        sent = self._sent.count(member_id, interaction.created_at.timestamp())
        haste = _Haste(bisect_left(_LIMITS, sent))
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

    def _refuse_next(self) -> None:
        if self._refusals:
            turn = self._refusals.popleft()
            if not turn.done():
                turn.set_result(None)
        if self._refusals:
            call_later(_BETWEEN_REFUSALS, self._refuse_next)

    async def stop(self) -> None:
        """Begin nothing more, and return once everything that is in hand is answered."""
        self._is_stopping = True
        while self._refusals:
            self._refuse_next()
        while self._in_hand:
            await self._changed.wait()

    def unanswered(self) -> Iterator[Interaction]:
        """Give what is in hand."""
        return (each.interaction for each in self._in_hand.values())


def _name(data: Mapping[str, Any]) -> str:
    """Return what was used, without what was typed: `/shop buy`, or the kind of a button."""
    if "custom_id" in data:
        route, _ = split_custom_id(str(data["custom_id"]))
        return route or ""
    below = next((one for one in data.get("options", ()) if one["type"] in _SUBCOMMANDS), None)
    name = str(data.get("name", ""))
    return f"{name} {_name(below)}" if below else name


def _mended(sent: Mapping[str, Any]) -> Mapping[str, Any]:
    """Replace halves of surrogate pairs, which no answer and no table can hold."""
    text = json.dumps(sent, ensure_ascii=False)
    return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
