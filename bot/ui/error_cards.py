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
from bot.ui.actions import Action, fold
from bot.ui.answers import answer, tell
from bot.ui.candidates import add_candidates
from bot.ui.cards import BUTTON, Button, Card, notice, parts_of
from bot.ui.choices import pressed
from bot.ui.error_kinds import is_fault, key_of
from bot.ui.error_log import in_words, is_explained, note
from bot.ui.given_back import tell_with_texts
from bot.ui.incoming import Incoming
from bot.ui.next_steps import next_step
from bot.ui.shared_actions import again_button, link_buttons, setup_button, token_words
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
_AGAIN = "again"


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


async def ask_to_wait(interaction: discord.Interaction[Any], incoming: Incoming) -> None:
    """Tell a member why this is not begun, where a flood of them leaves the time for it."""
    if await incoming.may_refuse(interaction):
        with suppress(discord.DiscordException, OSError):
            await tell_with_texts(interaction, _notice(interaction, incoming.why_not))


async def say_stopping(interaction: discord.Interaction[Any]) -> None:
    """Tell a member that this can't be waited for: Kiosk ends."""
    with speaking(interaction.locale), suppress(discord.DiscordException, OSError):
        await tell_with_texts(interaction, _notice(interaction, "Stopping"), say=answer)


def _notice(interaction: discord.Interaction[Any], key: str) -> Card:
    words = WORDS[key]
    then = _press(interaction)
    return notice(
        t(words.title),
        f"{t(words.message)}\n{t(words.next_step)}",
        buttons=(again_button(then) if then else next_step(key, then),),
    )


async def answer_error(interaction: discord.Interaction[Any], error: Exception) -> None:
    """Tell the member, and log it under the reference they are shown."""
    if isinstance(error, app_commands.CommandInvokeError):
        error = error.original
    reference = note(error)
    try:
        if interaction.type is discord.InteractionType.autocomplete:
            if not interaction.response.is_done():
                await interaction.response.autocomplete([])
        elif isinstance(error, DatabaseError):
            # Whatever was to be written down is nowhere else.
            await tell_with_texts(interaction, _card(interaction, error, reference))
        elif interaction.type is discord.InteractionType.application_command:
            await answer(interaction, _card(interaction, error, reference))
        else:
            # A card that was pressed stays, for the way back.
            await tell(interaction, _card(interaction, error, reference))
    except Exception as failure:
        # Discord is down, or the time to answer is over.
        log.warning(
            "the member could not be told: %s",
            in_words(failure),
            exc_info=None if is_explained(failure) else failure,
            extra={"reference": reference},
        )


def offer_again(interaction: discord.Interaction[Any], action: Action) -> None:
    """Note what a command, a choice or a press does, for a button that tries it again."""
    interaction.extras[_AGAIN] = fold(action.custom_id())


def keep_way(interaction: discord.Interaction[Any], then: str) -> None:
    """Note the folded press that an interaction is on the way to."""
    interaction.extras[_AGAIN] = then


def _card(interaction: discord.Interaction[Any], error: Exception, reference: str) -> Card:
    card = error_card(error, reference, then=_press(interaction), can_repeat=True)
    add_next_step(interaction, card, error)
    return card


def add_next_step(interaction: discord.Interaction[Any], card: Card, error: Exception) -> None:
    """Offer what may have been meant, or else what to do now, unless the card says already."""
    key = key_of(error)
    may_set_up = interaction.guild_id is not None and interaction.permissions.manage_guild
    if key == "NothingNamed" and may_set_up:
        card.say(t("You can begin: name the first thread and the first catalog."))
        card.buttons(setup_button())
    elif not add_candidates(interaction, card, error) and not _has_buttons(card):
        card.buttons(next_step(key, _press(interaction)))


def _has_buttons(card: Card) -> bool:
    return any(part["type"] == BUTTON for part in parts_of(card.components))


def _press(interaction: discord.Interaction[Any]) -> str:
    """Return the folded custom id of what was pressed or meant, if a button can hold it."""
    if _AGAIN in interaction.extras:
        return str(interaction.extras[_AGAIN])
    data = cast("Mapping[str, Any]", interaction.data or {})
    is_button = data.get("component_type") == discord.ComponentType.button.value
    custom_id = pressed(data)
    # Of any other list, nothing tells what was chosen.
    return fold(custom_id) if is_button or custom_id != data.get("custom_id") else ""
