"""The answer to an interaction in any state. Call `acknowledge` first."""

import asyncio
import enum
import logging
import typing
from collections import abc
from contextlib import suppress
from functools import partial

import aiohttp
import discord
from discord import InteractionResponseType as ResponseType
from discord.utils import MISSING

from bot.clock import Clock, Timer
from bot.errors import FormTooLate
from bot.i18n import t
from bot.ui import drawing, forms, theme
from bot.ui.messages.verdicts import is_unknown_message
from bot.ui.shared_actions import GoOn

log = logging.getLogger(__name__)

Interaction = discord.Interaction[typing.Any]

# How long Discord waits for the first response.
_DISCORD_WAITS_SECONDS = 3.0
# A quicker answer shows no "thinking" first: it is one message, and no one sees it flicker.
_SOON_SECONDS = 0.5
# Time to save what was typed: Discord closes a form at the first response.
_WRITTEN_SECONDS = 1.5
# How much longer a press takes before its card says so.
_PATIENCE_SECONDS = 0.5
# Discord's limit on follow-ups per interaction, if only the member installed Kiosk.
_MAX_FOLLOW_UPS = 5
# Discord's code for an interaction that another process answered first.
_ANSWERED = 40060

T = typing.TypeVar("T")


class State(enum.Enum):
    """How far an answer has come."""

    # Nothing has been sent yet, except perhaps a form.
    UNANSWERED = enum.auto()
    # The member sees "thinking", or nothing, until there is an answer.
    DEFERRED = enum.auto()
    # The card that was pressed says that it takes a moment.
    SAYS_WORKING = enum.auto()
    SHOWN = enum.auto()
    # Discord had another bot's first answer.
    ANSWERED_ELSEWHERE = enum.auto()


class Answer:
    """The answer to one interaction."""

    def __init__(self, interaction: Interaction) -> None:
        self.interaction = interaction
        self.clock: Clock = interaction.client.clock
        self.filled: forms.Filled = {}
        self._state = State.UNANSWERED
        self._is_public = False
        # Whether the answer takes the place of the card that was pressed.
        self._replaces = False
        self._begun_at = self.clock.monotonic()
        # When to show the next sign that an answer is coming, and the last sign that was started.
        self._timer: Timer | None = None
        self._sign: asyncio.Task[None] | None = None
        self._follow_ups = 0
        # The message that shows the answer if the card for it was deleted.
        self._moved_to = 0

    # Before there is an answer

    def acknowledge(
        self, *, public: bool = False, in_place: bool = True, takes_time: bool = False
    ) -> None:
        """Let Discord know within its three seconds that an answer is coming.

        The answer replaces a private card that was pressed, unless it is to be `public` or not
        `in_place`. A press that takes longer says so there. A press that `takes_time` gets time to
        save something first, or to open a form. The later of two calls counts, unless Discord
        knows already.
        """
        if self._sign is not None:
            return
        message = self.interaction.message
        is_private = message is not None and message.flags.ephemeral and not public
        self._is_public = public
        # A card that was only a step on the way is replaced by the card it leads to.
        self._replaces = is_private and (
            in_place or bool(message and drawing.actions_in(message, GoOn))
        )
        self._begin_later(
            _WRITTEN_SECONDS if takes_time else _SOON_SECONDS, self._defer_with_patience
        )

    async def open_form(self, form: forms.ActionForm) -> None:
        """Open a form as the first answer, filled in as it was if it was refused.

        Raises FormTooLate.
        """
        await self._end_signs()
        if self.interaction.response.is_done():
            raise FormTooLate
        form.fill(self.filled)
        await self.interaction.response.send_modal(form)

    async def give_first(self, card: drawing.Card | None = None) -> bool:
        """Send the first response, a card or a deferral. Return whether Discord accepted it.

        It doesn't if another process was first, or if its three seconds are over. A caller that
        may ask the game for something only once must not ask then. The press may be repeated, or
        be another process's.
        """
        left = self._begun_at + _DISCORD_WAITS_SECONDS - self.clock.monotonic()
        try:
            async with self.clock.timeout(max(left, 0.0)):
                await self._end_signs()
                if self._state is State.ANSWERED_ELSEWHERE:
                    return False
                if card is not None:
                    await self.answer(card)
                else:
                    await self._defer_with_patience()
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            # A TimeoutError is an OSError.
            log.warning("Can't send the first response: %s", error or "it took too long")
        if self.interaction.response.is_done():
            return self._state is not State.ANSWERED_ELSEWHERE
        # The next answer must not meet the same failure.
        self._sign = None
        return False

    def _begin_later(
        self, seconds: float, sign: abc.Callable[[], abc.Coroutine[typing.Any, typing.Any, None]]
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.clock.call_later(seconds, partial(self._begin, sign))

    def _begin(self, sign: abc.Callable[[], abc.Coroutine[typing.Any, typing.Any, None]]) -> None:
        self._sign = asyncio.create_task(sign())

    async def _defer(self) -> None:
        response = self.interaction.response
        if response.is_done():
            return
        defer = response.defer
        if not self._replaces:
            defer = partial(defer, ephemeral=not self._is_public, thinking=True)
        await self._respond(defer, State.DEFERRED)

    async def _defer_with_patience(self) -> None:
        await self._defer()
        if self._replaces and self._state is State.DEFERRED:
            self._begin_later(_PATIENCE_SECONDS, self._say_working)

    async def _say_working(self) -> None:
        """Add a line to the card that was pressed, if there is room for it."""
        self._state = State.SAYS_WORKING
        card = self._pressed_card()
        line = drawing.paragraph("-# " + t("One moment…"))
        last = card.components[-1]
        if last["type"] == drawing.CONTAINER:
            card.components[-1] = {**last, "components": [*last["components"], line]}
        else:
            card.components.append(line)
        with suppress(discord.HTTPException, ValueError):
            await self.interaction.edit_original_response(view=card)

    def _pressed_card(self) -> drawing.Card:
        card = drawing.Card(theme.CALM)
        message = self.interaction.message
        card.components = [part.to_dict() for part in message.components] if message else []
        return card

    # The answer

    async def answer(self, card: drawing.Card) -> None:
        """Show a card in place of an earlier one or a pressed private one. A public card stays."""
        await self._end_signs()
        response = self.interaction.response
        if self._replaces and not response.is_done():
            edit = partial(response.edit_message, view=card)
            try:
                await self._respond(edit, State.SHOWN)
            except discord.NotFound as error:
                if not is_unknown_message(error):
                    raise
                log.info("The card was deleted before its answer. Sending a new message")
                await self._send(card)
            else:
                if self._state is State.ANSWERED_ELSEWHERE:
                    await self._edit(card)
        elif not response.is_done() or self._is_public or response.type is ResponseType.modal:
            await self.send_private(card)
        else:
            await self._edit(card)

    async def send_private(self, card: drawing.Card, *, file: discord.File | None = None) -> None:
        """Show a card, and a file on it, only to the member, beside the card that was pressed."""
        await self._end_signs()
        if not self._is_thinking:
            await self._send(card, file)
        elif not self._is_public:
            await self._edit(card, file)
        else:
            # An answer to a public "thinking" would also be public, so it says next to nothing.
            await self._edit(drawing.notice(t("There's nothing to show")))
            await self._send(card, file)
            await self._delete()

    async def publish(self, card: drawing.Card) -> int:
        """Post a card for everyone in the channel. Return the id of the message."""
        await self._end_signs()
        if self._is_thinking and self._is_public:
            return await self._edit(card)
        return await self._send(card, public=True)

    async def take_away(self) -> None:
        """Delete the public card that was pressed. Nothing that takes time may come before."""
        await self._end_signs()
        await self.interaction.response.defer()
        await self._delete()
        self._state = State.SHOWN

    async def send_followup(self, card: drawing.Card) -> bool:
        """Send a private message, once there is an answer. Return whether Discord took it."""
        await self._end_signs()
        is_form = self.interaction.response.type is ResponseType.modal
        if not (self._state in (State.SHOWN, State.ANSWERED_ELSEWHERE) or is_form):
            return False
        try:
            return await self._follow_up(card) > 0
        except discord.HTTPException as error:
            log.info("Can't send a notice: %s", error)
            return False

    async def finish(self) -> None:
        """Send the response that Discord needs, and restore a card that no answer has replaced."""
        if self._timer is None or self._state is State.ANSWERED_ELSEWHERE:
            # It wasn't acknowledged and nothing was sent, or another process answers it.
            return
        if not (self._sign or self.interaction.response.is_done()):
            self._begin(self._defer)
        if self._sign is not None:
            await asyncio.wait([self._sign])
        self._timer.cancel()
        if self._state is State.SAYS_WORKING:
            with suppress(discord.HTTPException):
                await self.interaction.edit_original_response(view=self._pressed_card())

    def leave_to_others(self) -> None:
        """Let the process that received this interaction first answer it."""
        self._state = State.ANSWERED_ELSEWHERE
        if self._timer is not None:
            self._timer.cancel()

    @property
    def card_key(self) -> int:
        """The id of the interaction that first brought the card which this one changes."""
        message = self.interaction.message
        if self._replaces and message is not None and message.interaction_metadata:
            return message.interaction_metadata.id
        return self.interaction.id

    @property
    def _is_thinking(self) -> bool:
        is_deferred = self.interaction.response.type is ResponseType.deferred_channel_message
        return is_deferred and self._state is not State.SHOWN

    async def _end_signs(self) -> None:
        """Stop signs that an answer is coming, and wait for one that is being sent."""
        if self._timer is None:
            # The answer's place is not decided yet. The sign itself is cancelled below.
            self.acknowledge()
        if self._sign is not None:
            await self._sign
        assert self._timer is not None  # noqa: S101 - set by acknowledge
        self._timer.cancel()

    async def _send(
        self, card: drawing.Card, file: discord.File | None = None, *, public: bool = False
    ) -> int:
        response = self.interaction.response
        if response.is_done():
            return await self._follow_up(card, file, public=public)
        sending = partial(
            response.send_message, view=card, file=file or MISSING, ephemeral=not public
        )
        told = await self._respond(sending, State.SHOWN)
        if told is None:
            return await self._edit(card, file)
        # discord.py asks Discord to tell it, whatever the type says.
        return told.message_id or 0

    async def _follow_up(
        self, card: drawing.Card, file: discord.File | None = None, *, public: bool = False
    ) -> int:
        """Send one more message. Return its id, or 0 if Discord takes no more for this press."""
        if self._follow_ups >= _MAX_FOLLOW_UPS:
            log.info("Reached Discord's limit of follow-ups per interaction: %s", _MAX_FOLLOW_UPS)
            return 0
        self._follow_ups += 1
        send = self.interaction.followup.send
        sent = await send(view=card, file=file or MISSING, ephemeral=not public, wait=True)
        # A card that says it takes a moment continues to say so beside the new message.
        if self._state is State.DEFERRED:
            self._state = State.SHOWN
        return sent.id

    async def _edit(self, card: drawing.Card, file: discord.File | None = None) -> int:
        if file is not None:
            # Part of it may have been sent in vain.
            file.reset()
        edit = self.interaction.edit_original_response
        if self._moved_to:
            edit = partial(self.interaction.followup.edit_message, self._moved_to)
        edit = partial(edit, view=card, attachments=[file] if file else MISSING)
        try:
            edited = await self._respond(edit, State.SHOWN)
        except discord.NotFound as error:
            if not is_unknown_message(error):
                raise
        else:
            return edited.id if edited else 0
        log.info("The card was deleted before its answer. Sending a new message")
        if file is not None:
            file.reset()
        # To the member alone, if Discord takes it.
        try:
            self._moved_to = await self._follow_up(card, file)
        except discord.HTTPException as error:
            log.info("Can't send the answer as a new message: %s", error)
            return 0
        return self._moved_to

    async def _delete(self) -> None:
        try:
            await self.interaction.delete_original_response()
        except discord.NotFound as error:
            if not is_unknown_message(error):
                raise

    async def _respond(self, respond: abc.Callable[[], abc.Awaitable[T]], then: State) -> T | None:
        """Return Discord's response, or None if another process answered first."""
        try:
            said = await respond()
        except discord.HTTPException as error:
            if error.code != _ANSWERED:
                raise
            self._state = State.ANSWERED_ELSEWHERE
            log.warning("Another process answered an interaction first")
            return None
        if self._state is not State.ANSWERED_ELSEWHERE:
            self._state = then
        return said
