"""The world that walks go through: a game, Kiosk, servers on a simulated Discord, and people."""

import asyncio
import contextlib
import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar

import simcord
from simcord.results import ResponseMessage

from bot.app import open_bot
from bot.settings import Settings
from tests.simulation.death import Life, mortal, release
from tests.simulation.faults import NotNow
from tests.simulation.game import SimulatedGame
from tests.simulation.seen import Card, Control, Visibility, fields_of, kind_of
from tests.support.clock import SteppedClock
from tests.support.databases import run_in_thread

T = TypeVar("T")


@dataclass(eq=False)
class Person:
    """Someone on Discord. `token` is their account in the game, "" for none."""

    name: str
    user: simcord.UserHandle
    locale: str
    token: str = ""
    is_staff: bool = False
    # By server.
    actors: dict[int, simcord.MemberActor] = field(default_factory=dict[int, simcord.MemberActor])

    @property
    def id(self) -> int:
        return self.user.id

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Deed:
    """What someone did, and how Kiosk answered: by cards, or by a form to fill in."""

    who: Person
    guild_id: int | None
    channel_id: int
    # Of an action, such as "forum.tell"; or a command, such as "/forum read".
    kind: str
    fields: tuple[str, ...]
    # What was typed or chosen, by the option's or field's name.
    values: Mapping[str, Any]
    # The card that was pressed, as it was before.
    pressed: Card | None
    answers: tuple[Card, ...]
    form: Mapping[str, Any] | None

    @property
    def is_refused(self) -> bool:
        """Tell whether Kiosk said that it can't be, or nothing at all."""
        if self.form is not None:
            return False
        return not self.answers or any(card.is_problem for card in self.answers)


class ErrorLog(logging.Handler):
    """Keeps what Kiosk logs as errors."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


# Real time without anything happening, after which someone waits for the clock, in seconds.
_STALL_SECONDS = 0.03
# Turns of the event loop in which no one crosses anything.
_STALL_TURNS = 100
# Real time after which the world is stuck, in seconds.
_PATIENCE_SECONDS = 60.0
# How long someone who acts may wait for the clock, in seconds.
_MAX_WAIT = 20.0
# Nothing is pressed in the same moment as something else, in seconds.
_BETWEEN_DEEDS = 0.1
# Between two looks whether Kiosk is at rest, in seconds.
_LOOK_SECONDS = 0.0005
# Real time after which an answer that only has to run will not come, in seconds.
_ANSWERING_SECONDS = 10.0
# Discord's code for someone who takes no direct messages.
_CLOSED = 50007
# In seconds of real time, longer than any walk.
_LONG = 1e6
# Discord's numbers: which of two that come at once is first may change. Moments: the world's clock
# moves on a few seconds if a busy machine keeps Kiosk from its turn.
_NUMBER = re.compile(r"\d{17,}|(?<=<t:)\d+")


@dataclass(eq=False)
class Town:
    """Whatever a step acts on; a walk has one."""

    env: simcord.Env
    bot: Any
    life: Life
    settings: Settings
    clock: SteppedClock
    game: SimulatedGame
    log: ErrorLog
    # The servers, the people in them, and the channels of each by name.
    guilds: list[simcord.GuildHandle] = field(default_factory=list[simcord.GuildHandle])
    people: list[Person] = field(default_factory=list[Person])
    channels: dict[int, dict[str, simcord.ChannelHandle]] = field(
        default_factory=dict[int, dict[str, simcord.ChannelHandle]]
    )
    roles: dict[int, dict[str, simcord.RoleHandle]] = field(
        default_factory=dict[int, dict[str, simcord.RoleHandle]]
    )
    # How often each kind of action, and each command, was used.
    pressed: Counter[str] = field(default_factory=Counter[str])
    transcript: list[str] = field(default_factory=list[str])
    # Time that the database's clock has not seen yet, in seconds.
    _unseen: float = 0.0
    _opened: Any = None
    _looked_at: int = 0
    # When the step began that is taken.
    step_began: float = 0.0
    # Whether someone who holds up what is asked has the clock.
    is_held: bool = False
    # Who takes no direct messages, each with the fault that Discord answers with.
    closed: dict[Person, dict[str, Any]] = field(default_factory=dict[Person, dict[str, Any]])
    # When something was last wrong with a channel, or with all of Discord, for None.
    trouble: dict[int | None, datetime] = field(default_factory=dict[int | None, datetime])
    # When someone else deleted each public message.
    deleted: dict[int, datetime] = field(default_factory=dict[int, datetime])
    # Items that the makers have changed since the last rest, and those that they took away.
    touched: set[int] = field(default_factory=set[int])
    taken_away: list[int] = field(default_factory=list[int])
    # Whether steps take up again what was drawn last; the number of that, by what it is of.
    takes_up: bool = False
    drawn: dict[str, int] = field(default_factory=dict[str, int])
    running: AsyncExitStack = field(default_factory=AsyncExitStack)
    # When the world was at rest after some time had passed.
    rests: list[datetime] = field(default_factory=list[datetime])
    texts: int = 0
    unknown_names: Counter[str] = field(default_factory=Counter[str])
    on_deed: Callable[[Deed], None] = lambda _: None

    def __post_init__(self) -> None:
        self.sight = Visibility(self.env)

    # What people do

    async def use(
        self, who: Person, guild_id: int | None, channel: Any, name: str, /, **options: Any
    ) -> Deed:
        """Use a command, as `forum read`."""
        actor = self._actor(who, guild_id)
        if guild_id is None:
            acting = actor.slash(name, **options)
        else:
            acting = actor.slash(channel, name, **options)
        return await self._do(who, guild_id, channel.id, f"/{name}", (), options, None, acting)

    async def use_menu(
        self, who: Person, guild_id: int, channel: Any, name: str, card: Card
    ) -> Deed:
        """Use a message's menu, as "Reply to comment"."""
        actor = self._actor(who, guild_id)
        acting = actor.context_menu(channel, name, self._response(card))
        return await self._do(who, guild_id, channel.id, f"menu {name}", (), {}, card, acting)

    async def press(
        self, who: Person, card: Card, control: Control, chosen: Sequence[Any] = ()
    ) -> Deed:
        """Press a button, choose an entry, or choose values of a list."""
        actor = self._actor(who, card.guild_id)
        message = self._response(card)
        if control.select is None and control.value is None:
            acting = actor.click(message, custom_id=control.custom_id)
        else:
            values = [control.value] if control.value is not None else list(chosen)
            self.pressed[kind_of(control.custom_id)] += control.value is not None
            acting = actor.select(message, values, custom_id=control.custom_id)
        return await self._do(
            who,
            card.guild_id,
            card.channel_id,
            control.kind,
            control.fields,
            {"chosen": chosen} if chosen else {},
            card,
            acting,
        )

    async def fill(self, who: Person, opened: Deed, values: Mapping[str, Any]) -> Deed:
        """Send a form that a deed has opened."""
        assert opened.form is not None
        actor = self._actor(who, opened.guild_id)
        custom_id = str(opened.form["custom_id"])
        acting = actor.submit_modal(self._opened, dict(values))
        return await self._do(
            who,
            opened.guild_id,
            opened.channel_id,
            kind_of(custom_id),
            fields_of(custom_id),
            values,
            opened.pressed,
            acting,
        )

    def _actor(self, who: Person, guild_id: int | None) -> Any:
        if guild_id is None:
            return who.user
        if guild_id not in who.actors:
            raise NotNow
        return who.actors[guild_id]

    def _response(self, card: Card) -> ResponseMessage:
        backend: Any = self.env.backend
        stored = backend.messages.get(card.channel_id, {}).get(card.message_id)
        if stored is None:
            raise NotNow
        return ResponseMessage(self.env, stored)

    async def _do(
        self,
        who: Person,
        guild_id: int | None,
        channel_id: int,
        kind: str,
        fields: tuple[str, ...],
        values: Mapping[str, Any],
        pressed: Card | None,
        acting: Any,
    ) -> Deed:
        self.pressed[kind] += 1
        # A button that goes on with something carries that, folded.
        self.pressed.update(field.partition("|")[0] for field in fields if "|" in field)
        self.move(_BETWEEN_DEEDS)
        try:
            result = await self.act(acting)
        except simcord.SetupError as error:
            # Discord doesn't offer it here, as a command that needs other permissions.
            raise NotNow(str(error)) from None
        answers = [result.response, *result.followups]
        cards = tuple(
            self.sight.card(self.env.backend.messages[each.channel_id][each.id])
            for each in answers
            if each is not None
        )
        # Without a word, it is Discord that says that Kiosk thinks.
        cards = tuple(card for card in cards if card.text)
        deed = Deed(who, guild_id, channel_id, kind, fields, values, pressed, cards, result.modal)
        self._opened = result
        self.on_deed(deed)
        said = cards[-1].text.partition("\n")[0] if cards else ""
        said = f"form {deed.form['custom_id']}" if deed.form else said
        shown = {name: str(value) for name, value in values.items()}
        self.tell(f"{who} {kind}:{':'.join(fields)} {shown or ''} -> {said or 'nothing'}")
        return deed

    async def act(self, acting: Coroutine[Any, Any, T]) -> T:
        """Do what may wait for the clock, which then moves to the next moment that counts."""
        task = asyncio.create_task(acting)
        while not task.done():
            if self.is_held:
                # Once nothing is held any more, it may wait for the clock.
                await asyncio.wait({task}, timeout=_LOOK_SECONDS)
            else:
                await self._let_go_on(task.done)
        return task.result()

    async def settle(self) -> None:
        """Let Kiosk do what it can before the clock moves on.

        Whether what is under way is over when someone acts is chance.
        """
        while not self.is_held and not (self.bot.is_idle() or self.life.is_dead):
            if await self._waits_for_clock(self.bot.is_idle):
                return

    async def _let_go_on(self, is_done: Callable[[], bool]) -> None:
        """Let the loop run. If Kiosk waits only for the clock, move it to what is next."""
        is_waiting = await self._waits_for_clock(is_done)
        if is_waiting and (seconds := self.clock.next_in()) <= _MAX_WAIT:
            self.move(seconds)

    async def _waits_for_clock(self, is_done: Callable[[], bool]) -> bool:
        crossings = self.life.crossings
        late = time.perf_counter() + _STALL_SECONDS
        turns = 0
        while turns < _STALL_TURNS or time.perf_counter() < late:
            await asyncio.sleep(0 if turns < _STALL_TURNS else _LOOK_SECONDS)
            is_waiting = self.life.under_way == self._held and not self.bot.is_idle()
            if self.life.is_dead or is_done() or self.life.crossings != crossings or not is_waiting:
                return False
            turns += 1
        return True

    @property
    def _held(self) -> int:
        """What waits for the game or for the database, which are silent."""
        return self.game.door.held + self.life.held

    # What happens on Discord

    def make_channel(self, guild: simcord.GuildHandle, name: str) -> None:
        makers = {"news": guild.create_news_channel, "board": guild.create_forum_channel}
        self.channels[guild.id][name] = makers.get(name, guild.create_text_channel)(name)

    def close_direct_messages(self, who: Person) -> None:
        path = f"/channels/{who.user.dm_channel.id}/messages"
        self.env.inject_error("POST", path, status=403, code=_CLOSED, times=None)
        self.closed[who] = self.env.backend.faults[-1]

    def open_direct_messages(self, who: Person) -> None:
        self.env.backend.faults.remove(self.closed.pop(who))

    def note_trouble(self, channel_id: int | None = None) -> None:
        """Let the model know that something is otherwise in a channel, or in all of them."""
        self.trouble[channel_id] = self.clock.now()

    @property
    def fails_to_post(self) -> bool:
        """Tell whether Discord is yet to fail at the next message."""
        closed = [id(fault) for fault in self.closed.values()]
        faults = [fault for fault in self.env.backend.faults if id(fault) not in closed]
        return any(fault["method"] == "POST" for fault in faults)

    def note_deleted(self, card: Card) -> None:
        self.deleted[card.message_id] = self.clock.now()

    async def revive(self) -> None:
        """Start Kiosk again if it has died."""
        if self.life.is_dead:
            self.tell(f"Kiosk died {self.life.died_at}, and is started again")
            await self.restart()

    async def restart(self) -> None:
        """End Kiosk, or bury it if it has died, and start it again on what it has kept."""
        await self.running.aclose()
        # It may have died while it ended.
        if self.life.is_dead:
            await release(self.settings.database_url)
            self.note_trouble()
        self.bot, self.life = await start(self.running, self.settings, self.clock)
        await self.env.restart_bot(self.bot)

    # What stands

    @property
    def commands(self) -> list[Mapping[str, Any]]:
        """The commands that Discord was given."""
        backend: Any = self.env.backend
        return list(backend.commands[None].values())

    def readable_channels(self, who: Person) -> list[int]:
        """Return the channels that someone reads, their direct messages last."""
        own = [who.user.dm_channel.id]
        return [
            channel.id
            for guild_id in sorted(who.actors)
            for channel in self.channels[guild_id].values()
        ] + own

    def channel_type(self, channel_id: int) -> int:
        return int(self.env.backend.channels[channel_id].type)

    def unanswered(self) -> list[Any]:
        """Return the interactions of this step that Kiosk has given no answer to."""
        every = list(self.env.backend.interactions.values())[self._looked_at :]
        return [interaction for interaction in every if not interaction.responded]

    async def until_waiting(self) -> None:
        """Let the loop run until Kiosk waits for nothing but the clock and what is held."""
        crossings = -1
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while crossings != self.life.crossings or self.life.under_way != self._held:
                crossings = self.life.crossings
                for _ in range(_STALL_TURNS):
                    await asyncio.sleep(0)

    async def until_answered(self, interactions: Sequence[Any]) -> None:
        """Wait for as long as answers may take that only have to run."""
        with contextlib.suppress(TimeoutError):
            await _until(lambda: all(each.responded for each in interactions), _ANSWERING_SECONDS)

    def begin_step(self) -> None:
        self._looked_at = len(self.env.backend.interactions)
        self.step_began = self.clock.monotonic()

    def name_of(self, interaction: Any) -> str:
        """Return what was used or pressed."""
        return interaction.command_name or f"interaction {interaction.type}"

    def everything_shown(self) -> str:
        """Return a fingerprint of every card, without Discord's numbers, moments and order."""
        cards = sorted(
            f"{channel.name} {_NUMBER.sub('#', card.text)}"
            for channel in self.env.backend.channels.values()
            for message in self.env.backend.messages.get(channel.id, {}).values()
            for card in [self.sight.card(message)]
        )
        return sha256("\n".join(cards).encode()).hexdigest()

    # Time

    def move(self, seconds: float) -> None:
        """Let time pass at once, here and on Discord."""
        self.clock.advance(seconds)
        self.env.backend.clock.elapsed += seconds
        self._unseen += seconds

    async def pass_time(self, seconds: float) -> None:
        """Let time pass, until nothing is left to do in it."""
        # Before anything that looks at them wakes.
        self._unseen += seconds
        await self.age_writes()
        self.move(seconds)
        self._unseen = 0.0
        await self.rest()
        self.rests.append(self.clock.now())

    async def rest(self) -> None:
        """Return once Kiosk has nothing to do before the clock moves on."""
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while not (self.bot.is_idle() and self.game.door.in_hand <= self.game.door.held):
                await self._let_go_on(self.bot.is_idle)
                await self.revive()
        await self.act(self.env.settle())

    async def age_writes(self) -> None:
        """Let the database's own clock, by which writes are held and due, pass as the world's."""
        microseconds = round(self._unseen * 1_000_000)
        self._unseen = 0.0
        aging = asyncio.create_task(
            run_in_thread(
                self.settings.database_url,
                "UPDATE writes SET due_at = due_at - :by WHERE due_at IS NOT NULL",
                by=microseconds,
            )
        )
        while not aging.done():
            await asyncio.wait({aging}, timeout=_LOOK_SECONDS)
            # A bot that died in a transaction keeps the database locked until it is buried.
            await self.revive()
        aging.result()

    def tell(self, line: str) -> None:
        self.transcript.append(f"{self.clock.now():%m-%d %H:%M:%S} {line}")


async def _until(is_so: Callable[[], bool], seconds: float) -> None:
    """Look again and again whether something is so, which no event tells. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not is_so():  # noqa: ASYNC110 - the loop itself is to run until nothing is left
            await asyncio.sleep(_LOOK_SECONDS)


async def start(
    running: AsyncExitStack, settings: Settings, clock: SteppedClock
) -> tuple[Any, Life]:
    """Start a Kiosk that may die, until what is running ends."""
    # Direct messages don't wait for others', and no claim is renewed while a walk lasts.
    opening = open_bot(settings, clock=clock, opening_interval=0, claim_term=_LONG)
    return await running.enter_async_context(mortal(opening))
