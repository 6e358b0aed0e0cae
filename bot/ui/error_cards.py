"""Tell members of every failure: what went wrong, what the game said, and what to do now."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, cast

import discord
from discord import app_commands

from bot.domain.links import TokenSource
from bot.error_words import WORDS
from bot.errors import KioskError
from bot.game import errors as game
from bot.i18n import number, speaking, t
from bot.ui import theme
from bot.ui.answers import Interaction, answer, tell
from bot.ui.cards import Button, Card, notice
from bot.ui.error_log import in_words, is_explained, is_fault, key_of, note
from bot.ui.given_back import tell_with_texts
from bot.ui.incoming import Incoming
from bot.ui.next_steps import add_next_step, next_step, press_of
from bot.ui.shared_actions import again_button, link_buttons, token_words
from bot.ui.text import cut
from storage.errors import DatabaseError

log = logging.getLogger(__name__)

_LONGEST_QUOTE, _MOST_QUOTES = 300, 3

_LINKING_HELPS = ("NotLinked", "LinkExpired", "LinkUnreadable", "TokenRefused", "TokenUnproven")
# These only ask.
_QUESTIONS = ("SeveralFit", "SeveralItems", "SeveralTypes", "WhichCatalog")
# These pass by themselves.
_PASSING = (
    *("GameDown", "Outdated", "MalformedResponse"),
    *("RateLimited", "PausedUntil", "OwnPace", "OneAtATime"),
)


def error_card(
    error: Exception,
    reference: str,
    *,
    then: str = "",
    can_repeat: bool = False,
    buttons: tuple[Button, ...] = (),
) -> Card:
    """Say what went wrong, what the game said about it, and what to do next.

    Where a link is missing, a button leads to one and on to `then`, a folded custom id; where
    the same may work later, and it `can_repeat`, one tries `then` again. Where `buttons` are given,
    they stand instead.
    """
    key = key_of(error)
    words = WORDS[key]
    given = error.values if isinstance(error, KioskError) else {}
    values = {name: _shown(value) for name, value in given.items()}
    if key == "RateLimited" and isinstance(error, game.RateLimited) and error.retry_after:
        words = WORDS["PausedUntil"]
        until = discord.utils.utcnow() + timedelta(seconds=error.retry_after)
        values["when"] = discord.utils.format_dt(until, "R")
    # What the game says is exact, and what Kiosk makes of it may be a guess.
    quotes = [t("The game says: “%(quote)s”", quote=_shown(quote)) for quote in _said_by(error)]
    lines = [*quotes, t(words.message, **values), t(words.next_step, **values)]
    source = given.get("source")
    source = source if isinstance(source, TokenSource) else TokenSource()
    if key in _LINKING_HELPS:
        lines.append(token_words(source))
    if buttons:
        pass
    elif key in _LINKING_HELPS:
        buttons = link_buttons(source, then)
    elif key in _PASSING and can_repeat and then:
        buttons = (again_button(then),)
    return notice(
        t(words.title, **values),
        "\n".join(filter(None, lines)),
        colour=theme.CALM if key in _QUESTIONS else theme.PROBLEM,
        footer=t("Reference: %(reference)s", reference=reference) if is_fault(error) else "",
        buttons=buttons,
    )


def title_of(name: str) -> str:
    """Return what an error of the game's or ours is called, by the name of its class."""
    kind = getattr(game, name, game.MalformedResponse)
    return t(WORDS[name if name in WORDS else key_of(kind())].title)


def _said_by(error: Exception) -> Sequence[str]:
    """Return what the game said of each field, else of the whole."""
    said = error if isinstance(error, game.GameError) else error.__cause__
    if isinstance(said, game.Invalid) and any(said.errors.values()):
        texts = dict.fromkeys(text for texts in said.errors.values() for text in texts)
        return list(texts)[:_MOST_QUOTES]
    if isinstance(error, game.GameError) and error.message:
        return [error.message]
    return []


def _shown(value: object) -> str:
    if isinstance(value, datetime):
        return discord.utils.format_dt(value, "R")
    return number(value) if isinstance(value, int) else cut(str(value), _LONGEST_QUOTE)


async def ask_to_wait(interaction: Interaction, incoming: Incoming) -> None:
    """Tell a member why this is not begun, where a flood of them leaves the time for it."""
    if await incoming.may_refuse(interaction):
        with suppress(discord.DiscordException, OSError):
            await tell_with_texts(interaction, _notice(interaction, incoming.why_not))


async def say_stopping(interaction: Interaction) -> None:
    """Tell a member that this can't be waited for: Kiosk ends."""
    with speaking(interaction.locale), suppress(discord.DiscordException, OSError):
        await tell_with_texts(interaction, _notice(interaction, "Stopping"), say=answer)


def _notice(interaction: Interaction, key: str) -> Card:
    words, then = WORDS[key], press_of(interaction)
    lines, button = [t(words.message), t(words.next_step)], next_step(key, then)
    if then:
        button = again_button(then)
    elif key in _PASSING and isinstance(interaction.command, app_commands.Command):
        # Which Discord shows as a link that begins the command.
        number = cast("Mapping[str, Any]", interaction.data)["id"]
        lines.append(f"</{interaction.command.qualified_name}:{number}>")
    return notice(t(words.title), "\n".join(lines), buttons=(button,))


async def answer_error(interaction: Interaction, error: Exception) -> None:
    """Tell the member, and log it under the reference they are shown."""
    if isinstance(error, app_commands.CommandInvokeError):
        error = error.original
    reference = note(error)
    try:
        if interaction.type is discord.InteractionType.autocomplete:
            if not interaction.response.is_done():
                await interaction.response.autocomplete([])
            return
        card = error_card(error, reference, then=press_of(interaction), can_repeat=True)
        add_next_step(interaction, card, error)
        if isinstance(error, DatabaseError):
            # Whatever was to be written down is nowhere else.
            await tell_with_texts(interaction, card)
        elif interaction.type is discord.InteractionType.application_command:
            await answer(interaction, card)
        else:
            # A card that was pressed stays, for the way back.
            await tell(interaction, card)
    except Exception as failure:
        # Discord is down, or the time to answer is over.
        log.warning(
            "the member could not be told: %s",
            in_words(failure),
            exc_info=None if is_explained(failure) else failure,
            extra={"reference": reference},
        )
