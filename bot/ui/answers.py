"""Answer an interaction, whatever state it is in: `acknowledge` it first."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import aiohttp
import discord
from discord import InteractionResponseType as ResponseType
from discord.utils import MISSING
from msgspec import Struct, field

from bot.background import call_later
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import actions_in
from bot.ui.cards import CONTAINER, Card, notice, paragraph
from bot.ui.messages.verdicts import is_unknown_message
from bot.ui.shared_actions import GoOn

log = logging.getLogger(__name__)

Interaction = discord.Interaction[Any]

# How many seconds Discord waits for a first sign, and how many an answer may take without a
# "thinking" before it: a quick answer is one message, and nobody sees it flicker.
_DISCORD_WAITS, _SOON = 3.0, 0.5
# Until what was typed is written down: Discord closes a form at the first sign.
_WRITTEN = 1.5
# After that, a press that takes so much longer says so on its card.
_PATIENCE = 0.5
_PROGRESS = "answer"
# Discord takes no more of one interaction where Kiosk was only installed by the member.
_MOST_FOLLOW_UPS = 5
# Discord's code for an interaction that has its first answer, from another process that heard it.
_ANSWERED = 40060

T = TypeVar("T")


class _Progress(Struct):
    is_public: bool
    # Whether the answer takes the place of the card that was pressed.
    replaces: bool
    # By the monotonic clock.
    begun_at: float
    # When to show the next sign that an answer is coming; and the last one that was begun.
    timer: asyncio.TimerHandle
    sign: asyncio.Task[None] | None = None
    has_begun: asyncio.Event = field(default_factory=asyncio.Event)
    is_thinking: bool = False
    follow_ups: int = 0
    says_working: bool = False
    # Whether there is an answer; whether Discord had another bot's first.
    is_shown: bool = False
    is_second: bool = False
    # Whether no more is said of an answer to come.
    is_over: bool = False


def acknowledge(
    interaction: Interaction, *, public: bool = False, in_place: bool = True, keeps: bool = False
) -> None:
    """Let Discord know within its three seconds that an answer is coming.

    The answer takes the place of a private card that was pressed, unless it is to be `public` or
    not `in_place`; a press that takes longer says so there. What `keeps` something is given the
    time to write it down first, and what opens a form, to open it. Of two calls the later counts,
    unless Discord knows already.
    """
    before: _Progress | None = interaction.extras.get(_PROGRESS)
    if before is not None:
        if before.sign is not None:
            return
        before.timer.cancel()
    message = interaction.message
    is_private = message is not None and message.flags.ephemeral and not public
    # A card that was only a step on the way is replaced by whatever it leads to.
    replaces = is_private and (in_place or bool(message and actions_in(message, GoOn)))
    timer = call_later(_WRITTEN if keeps else _SOON, partial(_begin, interaction, _defer))
    begun_at = time.monotonic() if before is None else before.begun_at
    interaction.extras[_PROGRESS] = _Progress(public, replaces, begun_at, timer)


async def takes_form(interaction: Interaction) -> bool:
    """Return whether a form may still be opened: it has to be the first answer."""
    await _settled(interaction)
    return not interaction.response.is_done()


def _begin(
    interaction: Interaction, sign: Callable[[Interaction, _Progress], Coroutine[Any, Any, None]]
) -> None:
    progress: _Progress = interaction.extras[_PROGRESS]
    progress.sign = asyncio.create_task(sign(interaction, progress))
    progress.has_begun.set()


async def _defer(interaction: Interaction, progress: _Progress) -> None:
    response = interaction.response
    if response.is_done():
        return
    defer = response.defer
    if not progress.replaces:
        defer = partial(defer, ephemeral=not progress.is_public, thinking=True)
    await _respond(progress, defer)
    if progress.replaces and response.is_done():
        progress.timer = call_later(_PATIENCE, partial(_begin, interaction, _say_working))


async def _say_working(interaction: Interaction, progress: _Progress) -> None:
    """Add a line to the card that was pressed, if there is room for it."""
    if progress.is_over:
        return
    progress.says_working = True
    card = _pressed(interaction)
    line = paragraph("-# " + t("One moment…"))
    last = card.components[-1]
    if last["type"] == CONTAINER:
        card.components[-1] = {**last, "components": [*last["components"], line]}
    else:
        card.components.append(line)
    with suppress(discord.HTTPException, ValueError):
        await interaction.edit_original_response(view=card)


def _pressed(interaction: Interaction) -> Card:
    card, message = Card(theme.CALM), interaction.message
    card.components = [each.to_dict() for each in message.components] if message else []
    return card


async def wait_in_time(interaction: Interaction, keeping: asyncio.Future[Any]) -> bool:
    """Return whether something is kept by the time that Discord has to be told."""
    progress: _Progress = interaction.extras[_PROGRESS]
    beginning = asyncio.ensure_future(progress.has_begun.wait())
    await asyncio.wait({keeping, beginning}, return_when=asyncio.FIRST_COMPLETED)
    beginning.cancel()
    return keeping.done()


async def give_first_answer(interaction: Interaction, card: Card | None = None) -> bool:
    """Give the first answer, a card or the sign that one will come; return whether Discord took it.

    It did not where another bot was first, or where its three seconds are over. Whoever is to ask
    the game for something once only must not ask then: the press may be repeated, or be another's.
    """
    if _PROGRESS not in interaction.extras:
        acknowledge(interaction)
    progress: _Progress = interaction.extras[_PROGRESS]
    giving = asyncio.ensure_future(_give_first(interaction, progress, card))
    left = progress.begun_at + _DISCORD_WAITS - time.monotonic()
    timer = call_later(max(left, 0.0), giving.cancel)
    await asyncio.wait({giving})
    timer.cancel()
    if interaction.response.is_done():
        return not progress.is_second
    # The next answer must not meet the same failure.
    progress.sign = None
    return False


async def _give_first(interaction: Interaction, progress: _Progress, card: Card | None) -> None:
    try:
        await _settled(interaction)
        if progress.is_second:
            return
        if card is not None:
            await answer(interaction, card)
        else:
            await _defer(interaction, progress)
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        log.warning("a first answer can't be given: %s", error)


async def answer(interaction: Interaction, card: Card) -> None:
    """Show a card in place of an earlier one or a private one pressed; a public one stays."""
    progress = await _settled(interaction)
    response = interaction.response
    if progress.replaces and not response.is_done():
        edit = partial(response.edit_message, view=card)
        try:
            is_first = await _respond(progress, edit) is not None
        except discord.NotFound as error:
            if not is_unknown_message(error):
                raise
            log.info("a card is gone before its answer, which comes in a message of its own")
            await _send(interaction, progress, card)
        else:
            if not is_first:
                await _edit(interaction, progress, card)
    elif not response.is_done() or progress.is_public or response.type is ResponseType.modal:
        await send_private(interaction, card)
    else:
        await _edit(interaction, progress, card)
    progress.is_shown, progress.says_working = True, False


async def send_private(
    interaction: Interaction, card: Card, *, file: discord.File | None = None
) -> None:
    """Show a card, and a file on it, to the member alone, beside what was pressed and answered."""
    progress = await _settled(interaction)
    if not progress.is_thinking:
        await _send(interaction, progress, card, file)
    elif not progress.is_public:
        await _edit(interaction, progress, card, file)
    else:
        # What follows a public "thinking" would be as public, so that says next to nothing.
        await _edit(interaction, progress, notice(t("There is nothing to show")))
        await _send(interaction, progress, card, file)
        await _delete(interaction)
    progress.is_shown = True


async def publish(interaction: Interaction, card: Card) -> int:
    """Post a card for everybody in the channel; return the id of the message."""
    progress = await _settled(interaction)
    if progress.is_thinking and progress.is_public:
        message_id = await _edit(interaction, progress, card)
    else:
        message_id = await _send(interaction, progress, card, public=True)
    progress.is_shown = True
    return message_id


async def take_away(interaction: Interaction) -> None:
    """Delete the public card that was pressed; nothing that takes time may come before."""
    progress = await _settled(interaction)
    await interaction.response.defer()
    await _delete(interaction)
    progress.is_shown = True


async def send_followup(interaction: Interaction, card: Card) -> bool:
    """Send a private message, once there is an answer; return whether Discord took it."""
    progress = await _settled(interaction)
    is_form = interaction.response.type is ResponseType.modal
    if not (progress.is_shown or is_form):
        return False
    try:
        return await _follow_up(interaction, progress, card) > 0
    except discord.HTTPException as error:
        log.info("a notice can't be shown now: %s", error)
        return False


async def finish(interaction: Interaction) -> None:
    """Restore a pressed card that no answer has replaced, and drop the notes on the interaction."""
    progress: _Progress | None = interaction.extras.get(_PROGRESS)
    if progress is not None:
        progress.is_over = True
        if progress.sign is not None:
            await asyncio.wait([progress.sign])
        if progress.says_working:
            with suppress(discord.HTTPException):
                await interaction.edit_original_response(view=_pressed(interaction))
    # The notes refer back to the interaction: a cycle that only the collector frees. They are
    # needed until Discord has had a first answer.
    if interaction.response.is_done():
        interaction.extras.clear()


def leave_to_others(interaction: Interaction) -> None:
    """Leave an acknowledged interaction to the process that heard it first, and answers it."""
    progress: _Progress = interaction.extras[_PROGRESS]
    progress.timer.cancel()


def card_key(interaction: Interaction) -> int:
    """Return the id of the interaction that first brought the card which this one changes."""
    message = interaction.message
    if message is not None and message.interaction_metadata:
        progress: _Progress = interaction.extras[_PROGRESS]
        if progress.replaces:
            return message.interaction_metadata.id
    return interaction.id


async def _settled(interaction: Interaction) -> _Progress:
    """Show no more signs of an answer to come; wait for one that is under way."""
    if _PROGRESS not in interaction.extras:
        acknowledge(interaction)
    progress: _Progress = interaction.extras[_PROGRESS]
    if progress.sign is not None:
        await progress.sign
    progress.timer.cancel()
    is_deferred = interaction.response.type is ResponseType.deferred_channel_message
    progress.is_thinking = is_deferred and not progress.is_shown
    return progress


async def _send(
    interaction: Interaction,
    progress: _Progress,
    card: Card,
    file: discord.File | None = None,
    *,
    public: bool = False,
) -> int:
    if interaction.response.is_done():
        return await _follow_up(interaction, progress, card, file, public=public)
    send = interaction.response.send_message
    sending = partial(send, view=card, file=file or MISSING, ephemeral=not public)
    told = await _respond(progress, sending)
    if told is None:
        return await _edit(interaction, progress, card, file)
    # discord.py asks Discord to tell it, whatever the type says.
    return told.message_id or 0


async def _follow_up(
    interaction: Interaction,
    progress: _Progress,
    card: Card,
    file: discord.File | None = None,
    *,
    public: bool = False,
) -> int:
    """Send one more message; return its id, 0 where Discord takes no more of one interaction."""
    if progress.follow_ups >= _MOST_FOLLOW_UPS:
        log.info("no more is said to one interaction: Discord takes %s messages", _MOST_FOLLOW_UPS)
        return 0
    progress.follow_ups += 1
    send = interaction.followup.send
    sent = await send(view=card, file=file or MISSING, ephemeral=not public, wait=True)
    return sent.id


async def _edit(
    interaction: Interaction, progress: _Progress, card: Card, file: discord.File | None = None
) -> int:
    if file is not None:
        # Part of it may have been sent in vain.
        file.reset()
    attachments = [file] if file else MISSING
    edit = partial(interaction.edit_original_response, view=card, attachments=attachments)
    try:
        edited = await _respond(progress, edit)
    except discord.NotFound as error:
        if not is_unknown_message(error):
            raise
    else:
        return edited.id if edited else 0
    log.info("a card is gone before its answer, which comes in a message of its own")
    if file is not None:
        file.reset()
    # To the member alone, if Discord takes it.
    try:
        return await _follow_up(interaction, progress, card, file)
    except discord.HTTPException as error:
        log.info("that answer can't be shown: %s", error)
        return 0


async def _delete(interaction: Interaction) -> None:
    try:
        await interaction.delete_original_response()
    except discord.NotFound as error:
        if not is_unknown_message(error):
            raise


async def _respond(progress: _Progress, respond: Callable[[], Awaitable[T]]) -> T | None:
    """Return what Discord says, None where another bot gave the first answer."""
    try:
        return await respond()
    except discord.HTTPException as error:
        if error.code != _ANSWERED:
            raise
        progress.is_second = True
        log.warning("another bot was first to answer an interaction")
        return None
